"""What happened to documents and knowledge bases, read from the outbox by whoever wants to know."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """`document.completed`, `document.failed`, `knowledge_base.switched`, …"""

    id: int
    kind: str
    kb_id: UUID | None
    document_id: UUID | None
    payload: dict[str, Any]
    at: datetime


class Events:
    """The events of the caller's knowledge bases."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def after(
        self, actor: Actor, page: PageRequest = FIRST_PAGE, *, kinds: Sequence[str] = ()
    ) -> Page[Event]:
        """Events in the order they happened, after the cursor; whoever goes on from the last cursor misses none.

        The cursor of the last event is always given, also when nothing follows yet.
        """
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            items = await tx.all(
                Event,
                Q.events,
                after=page.after_number or 0,
                kinds=list(kinds) or None,
                limit=page.limit,
            )
        return Page(items=items, next_cursor=str(items[-1].id) if items else page.cursor)
