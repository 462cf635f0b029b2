"""Where somebody is signed in: their sessions, seen and ended by themselves."""

from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.security import record
from veraz.tenancy.model import Actor, SignedIn
from veraz.tenancy.permissions import need_person

Q = queries(__file__)


class Sessions:
    """One's own, never somebody else's; an administrator ends those of others by disabling them."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(self, actor: Actor) -> list[SignedIn]:
        """Those that still count, the last used first."""
        need_person(actor, "see sessions")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            return await tx.all(SignedIn, Q.own_sessions)

    async def end(self, actor: Actor, session_id: UUID) -> None:
        """One of them."""
        need_person(actor, "end sessions")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            if not await tx.value(Q.end_own_sessions, id=session_id, keep=None):
                raise errors.NotFound(thing="session", id=session_id)
        record("session_ended", actor, about=session_id)

    async def end_others(self, actor: Actor) -> int:
        """All but the one that asks; how many."""
        need_person(actor, "end sessions")
        async with self.db.sign_in.transaction(actor.scope()) as tx:
            ended: int = await tx.value(Q.end_own_sessions, id=None, keep=actor.session_id)
        record("session_ended", actor, count=ended)
        return ended
