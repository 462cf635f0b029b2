"""What an agent was told to do after every change, what each change was, and the way back.

The database writes a version with every change of an agent, so that no way of changing it can forget to.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.library.agents import AgentProfile, change_agent, need_manageable
from veraz.library.model import Agent
from veraz.library.retrieval import RetrievalConfig
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChange:
    """One setting before and after."""

    field: str
    """A column of the agent, or `retrieval.<name>`."""
    before: Any
    after: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentVersion:
    """An agent's settings as one change left them."""

    id: UUID
    agent_id: UUID
    number: int
    settings: dict[str, Any]
    before: dict[str, Any] | None
    """Of the version before; None for the first one."""
    created_by: UUID | None
    author: str | None
    """Who made it, as far as the caller may know them; None when a key or an exam did."""
    created_at: datetime
    same_as: int | None
    """The last version before it with the same settings; None when it is unlike any."""

    @property
    def changes(self) -> list[SettingChange]:
        """What differs from the version before; nothing for the first one."""
        return differences(self.before, self.settings) if self.before is not None else []


class AgentVersions:
    """The past of agents, for who manages them."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(self, actor: Actor, agent_id: UUID, page: PageRequest = FIRST_PAGE) -> Page[AgentVersion]:
        """Every version, newest first; the first one of the list is in force."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id, scope="read")
            rows = await tx.all(
                AgentVersion, Q.versions, agent_id=agent_id, after=page.after_id, limit=page.fetch
            )
            return page.page(rows)

    async def restore(self, actor: Actor, agent_id: UUID, number: int) -> Agent:
        """Makes the agent what it was; a change like any other, so that it is a version too and its exam looks at it."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
            settings = await tx.value(Q.settings, agent_id=agent_id, number=number)
            if settings is None:
                raise errors.NotFound(thing="version", id=number)
            return await change_agent(tx, actor, agent_id, _profile_fields(settings))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[SettingChange]:
    """What differs between two sets of settings, one knob of the search at a time."""
    old, new = _flat(before), _flat(after)
    return [
        SettingChange(field=name, before=old.get(name), after=new.get(name))
        for name in (*_ORDER, *sorted((old.keys() | new.keys()) - set(_ORDER)))
        if old.get(name) != new.get(name)
    ]


_KNOBS = {f"retrieval.{name}": value for name, value in asdict(RetrievalConfig()).items()}
_ORDER = (*(name for name in AgentProfile.__dataclass_fields__ if name != "retrieval"), *_KNOBS)


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The search's knobs beside the columns; those that were never turned have their default."""
    turned = {f"retrieval.{name}": value for name, value in settings.get("retrieval", {}).items()}
    return {name: value for name, value in settings.items() if name != "retrieval"} | _KNOBS | turned


def _profile_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What of a version an agent can still be told; what did not exist then stays as it is."""
    known = {name: value for name, value in settings.items() if name in AgentProfile.__dataclass_fields__}
    if "retrieval" in known:
        known["retrieval"] = RetrievalConfig.from_json(
            {name: value for name, value in known["retrieval"].items() if f"retrieval.{name}" in _KNOBS}
        )
    return known
