"""What a knowledge base is about, found from its own words."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, JsonObject, Text, View

router = APIRouter(prefix="/knowledge-bases/{kb_id}/domain-intelligence", tags=["knowledge bases"])


class DomainBody(Body):
    """What the knowledge base is for, in the user's words."""

    user_input: Annotated[Text, Field(max_length=5_000)] = ""


class DomainView(View):
    """What a knowledge base is about; applied once a person has confirmed it."""

    kb_id: UUID
    user_input: str
    interpreted_intent: str
    subdomains: list[str]
    source_categories: list[JsonObject]
    critical_variables: list[str]
    validation_queries: list[str]
    known_debates: list[str]
    recommended_config: JsonObject
    model: str | None
    user_confirmed: bool
    created_at: datetime


@router.post("", status_code=201)
async def analyse(kb_id: UUID, actor: Caller, veraz: Services, body: DomainBody | None = None) -> DomainView:
    """Reads a sample of the knowledge base and says what it is about."""
    said = (body or DomainBody()).user_input
    return DomainView.model_validate(await veraz.domains.analyse(actor, kb_id, said))


@router.get("")
async def domain(kb_id: UUID, actor: Caller, veraz: Services) -> DomainView:
    """What was found last."""
    return DomainView.model_validate(await veraz.domains.get(actor, kb_id))


@router.post("/confirm")
async def confirm(kb_id: UUID, actor: Caller, veraz: Services) -> DomainView:
    """Agrees with what was found and applies it."""
    return DomainView.model_validate(await veraz.domains.confirm(actor, kb_id))
