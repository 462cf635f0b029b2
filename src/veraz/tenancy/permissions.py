"""Scopes of keys and what they imply. Rows are guarded by the database; scopes guard verbs."""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, get_args
from uuid import UUID

from veraz import errors

if TYPE_CHECKING:
    from veraz.tenancy.model import Actor

KeyScope = Literal["admin", "manage", "ingest", "read", "ask"]

ALL_SCOPES: Final[frozenset[KeyScope]] = frozenset(get_args(KeyScope))

_IMPLIES: Final[dict[KeyScope, frozenset[KeyScope]]] = {
    "admin": ALL_SCOPES,
    "manage": frozenset({"manage", "ingest", "read"}),
    "ingest": frozenset({"ingest", "read"}),
    "read": frozenset({"read"}),
    "ask": frozenset({"ask"}),
}


@cache
def closure(scopes: frozenset[KeyScope]) -> frozenset[KeyScope]:
    """The scopes with everything they imply."""
    return frozenset().union(*(_IMPLIES[scope] for scope in scopes))


def need(actor: "Actor", scope: KeyScope) -> None:
    """Refuses a key that lacks the scope."""
    if not actor.may(scope):
        raise errors.ScopeMissing(scope=scope)


def need_admin(actor: "Actor", action: str) -> None:
    """Refuses everybody but the tenant's admins."""
    need(actor, "admin")
    if not actor.is_tenant_admin:
        raise errors.Forbidden(action=action)


def need_whole(actor: "Actor", action: str) -> None:
    """Refuses keys that may do less than their owner: those must not become more than they are."""
    need(actor, "admin")
    if actor.key_project is not None:
        raise errors.Forbidden(action=action)


def need_no_key(actor: "Actor", action: str) -> None:
    """Refuses keys: whoever finds one must not make a way in or a power with it that outlives it."""
    if actor.key_id is not None:
        raise errors.Forbidden(action=action)


def need_person(actor: "Actor", action: str) -> UUID:
    """Refuses everybody but people who signed in; who it is."""
    need_no_key(actor, action)
    if actor.user_id is None:
        raise errors.Forbidden(action=action)
    return actor.user_id


def need_platform(actor: "Actor", action: str) -> None:
    """Refuses everybody but the platform's admins."""
    if not actor.scope().platform:
        raise errors.Forbidden(action=action)


def check_scopes(scopes: Iterable[str]) -> list[KeyScope]:
    """The scopes as asked for, in a fixed order, or a sentence about the unknown one."""
    wanted = set(scopes)
    if unknown := wanted - ALL_SCOPES:
        raise errors.Invalid(field="scopes", reason=f"{sorted(unknown)}; {', '.join(get_args(KeyScope))}")
    if not wanted:
        raise errors.Invalid(field="scopes", reason="send at least one")
    return [scope for scope in get_args(KeyScope) if scope in wanted]
