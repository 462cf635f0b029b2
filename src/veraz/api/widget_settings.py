"""The widget of an agent, for programs of those who manage it."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz import errors
from veraz.api.bodies import QUESTION, takes
from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, Text, View
from veraz.channels.widget.settings import LONGEST_GREETING, LONGEST_TITLE

router = APIRouter(prefix="/agents", tags=["widget"])

Origin = Annotated[Text, Field(min_length=1, max_length=300)]


class WidgetPatch(Body):
    """What changes about a widget."""

    enabled: bool | None = None
    origins: Annotated[list[Origin], Field(max_length=50)] | None = None
    """The pages that may show it: `https://www.example.com`, or `https://*.example.com` for every sub-domain."""
    title: Annotated[Text, Field(min_length=1, max_length=LONGEST_TITLE)] | None = None
    greeting: Annotated[Text, Field(max_length=LONGEST_GREETING)] | None = None
    colour: Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$")] | None = None
    position: Literal["right", "left"] | None = None
    language: Literal["auto", "es", "en"] | None = None
    suggestions: bool | None = None
    sources: bool | None = None
    visitor_per_minute: Annotated[int, Field(ge=1, le=1_000)] | None = None
    per_minute: Annotated[int, Field(ge=1, le=100_000)] | None = None
    per_day: Annotated[int, Field(ge=1, le=10_000_000)] | None = None


class WidgetView(View):
    """An agent's widget."""

    agent_id: UUID
    public_id: str
    """For `data-agent` of the script tag."""
    enabled: bool
    origins: list[str]
    title: str
    greeting: str
    colour: str
    position: Literal["right", "left"]
    language: Literal["auto", "es", "en"]
    suggestions: bool
    sources: bool
    visitor_per_minute: int
    per_minute: int
    per_day: int
    used_today: int


@router.get("/{agent_id}/widget")
async def widget(agent_id: UUID, actor: Caller, veraz: Services) -> WidgetView:
    """The agent's widget."""
    found = await veraz.widgets.of_agent(actor, agent_id)
    if found is None:
        raise errors.NotFound(thing="widget", id=agent_id)
    return WidgetView.model_validate(found)


@router.patch("/{agent_id}/widget")
@takes(QUESTION)
async def change(agent_id: UUID, body: WidgetPatch, actor: Caller, veraz: Services) -> WidgetView:
    """Changes what is named; an agent without a widget gets one, which nobody sees until it is enabled."""
    changes = {
        name: value for name, value in body.model_dump(exclude_unset=True).items() if value is not None
    }
    return WidgetView.model_validate(await veraz.widgets.change(actor, agent_id, changes))


@router.delete("/{agent_id}/widget", status_code=204)
async def delete(agent_id: UUID, actor: Caller, veraz: Services) -> None:
    """Forgets the widget; pages that still name it show nothing. Conversations stay."""
    await veraz.widgets.delete(actor, agent_id)
