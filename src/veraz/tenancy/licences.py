"""Licences: the machines of a tenant, and the name to greet in front of each."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.security import record
from veraz.tenancy.machines import EVERY_MACHINE, machine_named
from veraz.tenancy.model import Actor, Licence
from veraz.tenancy.permissions import need, need_admin

Q = queries(__file__)

Memory = Literal["keep", "forget"]
Forget = Callable[[Transaction, str], Awaitable[object]]
"""Begins to forget what a machine remembers, in the same transaction."""


class Licences:
    """The register of machines. A revoked one can no longer be named by a key, a deleted one never again."""

    def __init__(self, db: Database, forget: Forget) -> None:
        self.db = db
        self.forget = forget

    async def all(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[Licence]:
        """The tenant's licences; a key acting for a machine sees that one."""
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(await tx.all(Licence, Q.licences, after=page.after_id, limit=page.fetch))

    async def get(self, actor: Actor, licence_id: UUID) -> Licence:
        """One licence."""
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.get(Licence, Q.licence, thing="licence", id=licence_id)

    async def create(
        self, actor: Actor, *, machine_id: str, user_name: str = "", metadata: dict[str, Any] | None = None
    ) -> Licence:
        """Registers a machine."""
        need_admin(actor, "register licences")
        machine_id = machine_named(machine_id)
        if machine_id == EVERY_MACHINE:
            raise errors.Invalid(field="machine_id", reason="«global» means every machine")
        async with self.db.transaction(actor.scope()) as tx:
            if await tx.value(Q.closed, machine_id=machine_id):
                raise errors.LicenceClosed()
            licence = await tx.get(
                Licence,
                Q.add,
                thing="licence",
                id=new_id(),
                machine_id=machine_id,
                user_name=user_name,
                metadata=metadata or {},
            )
        record("licence_changed", actor, about=licence.id, action="registered")
        return licence

    async def change(
        self,
        actor: Actor,
        licence_id: UUID,
        *,
        user_name: str | None = None,
        metadata: dict[str, Any] | None = None,
        status: Literal["active", "revoked"] | None = None,
    ) -> Licence:
        """Changes the name to greet, the metadata, or revokes it."""
        before = await self._mine(actor, licence_id)
        if before.status == "closed":
            raise errors.LicenceClosed()
        async with self.db.transaction(actor.scope()) as tx:
            licence = await tx.get(
                Licence,
                Q.change,
                thing="licence",
                id=licence_id,
                user_name=user_name,
                metadata=metadata,
                status=status,
            )
        if licence.status != before.status:
            record("licence_changed", actor, about=licence_id, before=before.status, after=licence.status)
        return licence

    async def delete(self, actor: Actor, licence_id: UUID, *, memory: Memory | None) -> None:
        """Closes a machine for good. Its memory is kept for the admin to see, or forgotten, now or later."""
        before = await self._mine(actor, licence_id)
        if memory is None:
            what = errors.Phrase("say keep or forget", es="indique keep (conservar) o forget (olvidar)")
            raise errors.Invalid(field="memory", reason=what)
        async with self.db.transaction(actor.scope()) as tx:
            closed = await tx.get(Licence, Q.close, thing="licence", id=licence_id)
            if memory == "forget":
                await self.forget(tx, closed.machine_id)
        record(
            "licence_changed",
            actor,
            about=licence_id,
            before=before.status,
            after=closed.status,
            action=memory,
        )

    async def _mine(self, actor: Actor, licence_id: UUID) -> Licence:
        need(actor, "read")
        licence = await self.get(actor, licence_id)
        need_admin(actor, "change licences")
        return licence
