"""The versions of an agent, and the way back to one."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path

from veraz.api.agents import AgentView
from veraz.api.caller import Caller, Services
from veraz.api.schemas import JsonObject, PageView, Paging, View, page_of

router = APIRouter(prefix="/agents/{agent_id}/versions", tags=["agents"])


class SettingChangeView(View):
    """One setting before and after; `retrieval.<name>` is one of the search's."""

    field: str
    before: Any
    after: Any


class AgentVersionView(View):
    """An agent's settings as one change left them."""

    number: int
    settings: JsonObject
    changes: list[SettingChangeView]
    created_by: UUID | None
    author: str | None
    created_at: datetime
    same_as: int | None


@router.get("")
async def versions(
    agent_id: UUID, actor: Caller, veraz: Services, page: Paging
) -> PageView[AgentVersionView]:
    """Every version of an agent you manage, newest first, with what it changed."""
    return page_of(AgentVersionView, await veraz.agent_versions.all(actor, agent_id, page))


@router.post("/{number}/restore")
async def restore(
    agent_id: UUID,
    number: Annotated[int, Path(ge=1, le=2**31 - 1)],
    actor: Caller,
    veraz: Services,
) -> AgentView:
    """Makes the agent what it was in that version: a change like any other, which is a new version."""
    return AgentView.model_validate(await veraz.agent_versions.restore(actor, agent_id, number))
