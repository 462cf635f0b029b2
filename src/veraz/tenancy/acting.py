"""Whom a service key acts for: the end user and the machine that its caller names with every call."""

from dataclasses import dataclass
from uuid import UUID

from veraz import errors
from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.security import Caller, record
from veraz.tenancy.machines import EVERY_MACHINE, machine_named

Q = queries(__file__)

_LONGEST_USER = 200
_SECONDS_FOR_MANY = 3_600
"""After as many new machines as may let themselves in within an hour (db/always/8_machines.sql)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """Whom a caller says it acts for; None is nobody, an empty name is a mistake."""

    external_user: str | None = None
    machine_id: str | None = None

    def __bool__(self) -> bool:
        return self.external_user is not None or self.machine_id is not None


NOBODY_ELSE = Acting()


@dataclass(frozen=True, slots=True, kw_only=True)
class _EndUser:
    id: UUID
    disabled: bool


def checked(said: Acting) -> Acting:
    """The names as they are stored, before anything is looked up."""
    user, machine = said.external_user, said.machine_id
    if user is not None and (not user.strip() or len(user) > _LONGEST_USER or "\x00" in user):
        raise errors.Invalid(field="X-Veraz-User", reason=f"1…{_LONGEST_USER}")
    named = None if machine is None else machine_named(machine, field="X-Veraz-Machine")
    return Acting(external_user=user, machine_id=named)


def refuse_machine(said: Acting, signed: str | None = None) -> None:
    """A person is no machine; one that was meant must not get lost, or what is added for it would be everybody's."""
    if said.machine_id is not None or signed is not None:
        raise errors.Forbidden(action="act for a machine")


async def end_user(tx: Transaction, acting: Acting) -> UUID | None:
    """The user of the end user named, made at their first call."""
    if acting.external_user is None:
        return None
    found = await tx.get(_EndUser, Q.end_user, thing="user", id=new_id(), external_id=acting.external_user)
    if found.disabled:
        raise errors.Forbidden(action="act for a disabled user")
    return found.id


async def licensed(tx: Transaction, machine_id: str | None) -> UUID | None:
    """Refuses a machine whose licence was revoked or closed; one without a licence gets one, or is refused, by the tenant's rule.

    A licence made now is returned, for `tell_admitted` once the transaction has ended.
    """
    if machine_id in (None, EVERY_MACHINE):
        return None
    licence_id = new_id()
    status = await tx.value(Q.admit, machine_id=machine_id, id=licence_id)
    if status == "created":
        return licence_id
    if status == "unknown":
        raise errors.LicenceUnknown(machine_id=machine_id)
    if status == "many":
        raise errors.RateLimited(seconds=_SECONDS_FOR_MANY)
    if status != "active":
        raise errors.LicenceRevoked(machine_id=machine_id)
    return None


def tell_admitted(tenant_id: UUID, licence_id: UUID | None, by: Caller | None = None) -> None:
    """That a machine nobody registered was let in: the tenant's admins hear of each."""
    if licence_id is not None:
        record("licence_changed", by, tenant_id=tenant_id, about=licence_id, action="let in")
