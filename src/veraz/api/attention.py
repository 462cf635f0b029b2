"""What waits for a person."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, model_validator

from veraz import errors
from veraz.api.caller import Caller, Services
from veraz.api.problems import speaking
from veraz.api.schemas import View
from veraz.learn.attention import AttentionKind

router = APIRouter(tags=["attention"])


class AttentionItemView(View):
    """Something that waits for a person, with what it is about."""

    kind: AttentionKind
    count: int
    since: datetime
    name: str
    detail: str | None
    code: str | None
    examples: list[str]
    kb_id: UUID | None
    agent_id: UUID | None
    conversation_id: UUID | None
    share_left: float | None
    days_left: float | None

    @model_validator(mode="after")
    def in_the_callers_language(self) -> Self:
        """What went wrong is kept in Spanish."""
        if self.code:
            self.detail = errors.retold(self.code, self.detail, speaking.get())
        return self


class AttentionView(BaseModel):
    """Everything that waits for a person, the most urgent first."""

    items: list[AttentionItemView]


@router.get("/attention")
async def attention(
    actor: Caller,
    veraz: Services,
    project_id: Annotated[UUID | None, Query(description="One project; without it, all you manage.")] = None,
) -> AttentionView:
    """People who wait, credits running out, failed documents by cause, failed exam questions, questions without an answer."""
    items = await veraz.attention.all(actor, project_id)
    return AttentionView(items=[AttentionItemView.model_validate(item) for item in items])
