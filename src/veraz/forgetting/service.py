"""The verbs of forgetting that are no deletion of one row, and the receipts of all.

Documents, knowledge bases and people are forgotten by deleting them, whatever the way; what remembers them goes with them.
"""

from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.forgetting.model import Forgetting
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.security import NOT_OF_A_TENANT, record
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need_admin, need_platform

Q = queries(__file__)


class Forgettings:
    """What the tenant's admins have forgotten, and what they still want forgotten."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[Forgetting]:
        """The receipts, newest first."""
        need_admin(actor, "see what was forgotten")
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(await tx.all(Forgetting, Q.forgettings, after=page.after_id, limit=page.fetch))

    async def get(self, actor: Actor, forgetting_id: UUID) -> Forgetting:
        """One receipt."""
        need_admin(actor, "see what was forgotten")
        async with self.db.transaction(actor.scope()) as tx:
            return await get_forgetting(tx, forgetting_id)

    async def forget_machine(self, actor: Actor, machine_id: str) -> Forgetting:
        """Forgets a machine's memory: its documents, conversations, questions, and the name it greets.

        The licence itself stays, without name and metadata: whether it is closed or deleted is decided by who calls this. A job
        does the work; the receipt says when it is done. A machine nobody has heard of is not found.
        """
        need_admin(actor, "forget a machine")
        async with self.db.transaction(actor.scope()) as tx:
            begun = await forget_machine(tx, machine_id)
        record("forgotten", actor, about=begun.id, thing="machine")
        return begun

    async def forget_end_user(self, actor: Actor, name: str) -> Forgetting:
        """Forgets somebody outside, by the name they have there: a service's own id, a telephone, a visitor, or a conversation.

        A conversation's own name counts only where nobody is called so, and it leads to one person. Their personal knowledge goes, everything they and the agent said, and what they asked. A job does the work.
        """
        need_admin(actor, "forget an end user")
        async with self.db.transaction(actor.scope()) as tx:
            subjects = await _somebody(tx, name)
            begun = await tx.value(Q.begin, kind="end_user", subjects=subjects)
            receipt = await get_forgetting(tx, begun)
        record("forgotten", actor, about=begun, thing="end user")
        return receipt

    async def forget_tenant(self, actor: Actor, tenant_id: UUID, *, name: str) -> Forgetting:
        """Deletes a whole tenant with everything in it, which cannot be undone; its name must be said exactly.

        Rows go at once, with keys, sessions and jobs; files by a job. The receipt is the caller's.
        """
        need_platform(actor, "delete a tenant")
        async with self.db.platform.transaction(actor.scope()) as tx:
            known = await tx.value(Q.tenant, id=tenant_id)
            if known is None:
                raise errors.NotFound(thing="tenant", id=tenant_id)
            if name != known:
                raise errors.Invalid(field="name", reason=_OTHER_NAME)
            begun = await tx.value(Q.forget_tenant, id=tenant_id)
        record("tenant_deleted", actor, tenant_id=NOT_OF_A_TENANT, about=tenant_id)
        async with self.db.transaction(actor.scope()) as tx:
            return await get_forgetting(tx, begun)


_OTHER_NAME = errors.Phrase(
    "it is not the tenant's name; everything of a tenant goes for ever, so its name must be said exactly",
    es="no es el nombre de la organización; todo lo suyo se pierde para siempre, así que hay que escribirlo igual",
)


async def forget_machine(tx: Transaction, machine_id: str) -> Forgetting:
    """The same in the transaction of an admin who also ends the licence: call it before the licence's row is deleted."""
    if machine_id == "global" or not await tx.value(Q.machine_there, machine_id=machine_id):
        raise errors.NotFound(thing="machine", id=machine_id)
    begun = await tx.value(Q.begin, kind="machine", subjects=[machine_id])
    await tx.run(Q.unnamed, machine_id=machine_id)
    return await get_forgetting(tx, begun)


async def _somebody(tx: Transaction, name: str) -> list[str]:
    """The ids of the one person this name can mean."""
    if named := await tx.values(Q.end_user, name=name):
        return named
    if by_id := await tx.rows(Q.end_user_by_id, name=name):
        return sorted({one for row in by_id for one in row["ids"]})
    talks = await tx.rows(Q.end_user_by_conversation, name=name)
    if not talks:
        raise errors.NotFound(thing="end user", id=name)
    if len({row["whose"] for row in talks}) > 1:
        raise errors.SeveralPeople(name=name, candidates=", ".join(row["conversation"] for row in talks))
    return sorted({one for row in talks for one in row["ids"]})


async def get_forgetting(tx: Transaction, forgetting_id: UUID) -> Forgetting:
    """A receipt as the caller may see it."""
    return await tx.get(Forgetting, Q.forgetting, thing="forgetting", id=forgetting_id)
