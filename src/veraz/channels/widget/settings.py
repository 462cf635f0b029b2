"""How an agent's widget looks, which pages may show it and how much it may be asked; for who manages the agent."""

import re
import secrets
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Literal
from uuid import UUID

from veraz import errors
from veraz.channels.widget.colours import Ink, ink_on
from veraz.channels.widget.origins import origin_of
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.agents import need_manageable
from veraz.tenancy.model import Actor

Q = queries(__file__)

Position = Literal["right", "left"]
WidgetLanguage = Literal["auto", "es", "en"]
_COLOUR: Final = re.compile("#[0-9a-f]{6}")
_MOST_ORIGINS: Final = 50
_RANGES: Final = {"visitor_per_minute": 1_000, "per_minute": 100_000, "per_day": 10_000_000}
LONGEST_TITLE: Final = 80
LONGEST_GREETING: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class WidgetSettings:
    """What managers decide about a widget."""

    enabled: bool = False
    origins: tuple[str, ...] = ()
    """The pages that may show it; none: nowhere."""
    title: str
    greeting: str = ""
    colour: str = "#0f766e"
    position: Position = "right"
    language: WidgetLanguage = "auto"
    suggestions: bool = True
    """Whether it offers questions to begin with."""
    sources: bool = True
    """Whether visitors see which passage proves what."""
    visitor_per_minute: int = 20
    """Somebody who writes short messages one after the other stays below it; a program that floods does not."""
    per_minute: int = 60
    per_day: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Widget(WidgetSettings):
    """An agent's widget."""

    id: UUID
    tenant_id: UUID
    project_id: UUID
    agent_id: UUID
    public_id: str
    used_today: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "origins", tuple(self.origins))  # PostgreSQL gives a list

    @property
    def ink(self) -> Ink:
        """The colour of what is written on its colour."""
        return ink_on(self.colour)


class Widgets:
    """The widgets of the agents a caller manages."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def of_agent(self, actor: Actor, agent_id: UUID) -> Widget | None:
        """The agent's widget, if it has one."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            return await tx.one(Widget, Q.widget, agent_id=agent_id)

    async def create(self, actor: Actor, agent_id: UUID) -> Widget:
        """A widget that nobody sees yet; the one there is, where there is one."""
        async with self.db.transaction(actor.scope()) as tx:
            return await _ensured(tx, actor, agent_id)

    async def change(self, actor: Actor, agent_id: UUID, changes: dict[str, Any]) -> Widget:
        """Changes the settings named; an agent without a widget gets one."""
        async with self.db.transaction(actor.scope()) as tx:
            widget = await _ensured(tx, actor, agent_id)
            wanted = _checked(replace(_settings_of(widget), **changes))
            await tx.run(Q.change, id=widget.id, **(asdict(wanted) | {"origins": list(wanted.origins)}))
            return await tx.get(Widget, Q.widget, thing="widget", agent_id=agent_id)

    async def delete(self, actor: Actor, agent_id: UUID) -> None:
        """Forgets the widget, and with it its public id; conversations stay."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
            await tx.run(Q.delete, agent_id=agent_id)


async def _ensured(tx: Transaction, actor: Actor, agent_id: UUID) -> Widget:
    agent = await need_manageable(tx, actor, agent_id)
    await tx.run(
        Q.add,
        id=new_id(),
        project_id=agent.project_id,
        agent_id=agent.id,
        public_id=secrets.token_urlsafe(12),
        title=agent.name[:LONGEST_TITLE],
        created_by=actor.user_id,
    )
    return await tx.get(Widget, Q.widget, thing="widget", agent_id=agent_id)


def _settings_of(widget: Widget) -> WidgetSettings:
    return WidgetSettings(**{one.name: getattr(widget, one.name) for one in fields(WidgetSettings)})


def _checked(wanted: WidgetSettings) -> WidgetSettings:
    """What can be shown and stored, or a sentence about what cannot."""
    if not 1 <= len(wanted.title) <= LONGEST_TITLE:
        raise errors.Invalid(field="title", reason=f"1…{LONGEST_TITLE}")
    if len(wanted.greeting) > LONGEST_GREETING:
        raise errors.Invalid(field="greeting", reason=f"≤ {LONGEST_GREETING}")
    for name, most in _RANGES.items():
        if not 1 <= getattr(wanted, name) <= most:
            raise errors.Invalid(field=name, reason=f"1…{most}")
    colour = wanted.colour.strip().lower()
    if not _COLOUR.fullmatch(colour):
        raise errors.Invalid(field="colour", reason="#rrggbb")
    origins = tuple(dict.fromkeys(origin_of(one) for one in wanted.origins if one.strip()))
    if len(origins) > _MOST_ORIGINS:
        raise errors.Invalid(field="origins", reason=f"≤ {_MOST_ORIGINS}")
    return replace(wanted, colour=colour, origins=origins)
