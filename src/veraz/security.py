"""What happened to the security of this installation: `record(kind, …)` says it from anywhere, at once and without waiting.

An event goes to the log stream `veraz.security` (one JSON line) and to whoever keeps events in this process, who writes
them into `veraz.security_event` (tenancy/security_events.py). Neither can fail or hold up the request it tells of: what
cannot be kept is counted, and the line in the log remains.

    record("key_made", actor, about=key.id, scopes="ask")       # Actor or Scope: tenant, user and key are taken from it
    record("sign_in_failed", outcome="refused", account=anonymous(email))     # nobody known: of the installation itself
    record("factor_added", actor, about=user_id, method="totp")

An event holds ids, an address and a few words of `DETAILS`; never a secret, a name, an e-mail or anything people wrote.
"""

import hashlib
import hmac
import json
import logging
import re
import secrets
import time
from collections import Counter as Tally
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, Literal, Protocol, get_args
from uuid import UUID

from prometheus_client import Counter

from veraz import errors
from veraz.observe import SECURITY, current_request_id

Kind = Literal[
    # coming in
    "signed_in",
    "signed_out",
    "sign_in_failed",
    "sign_in_limited",
    "account_locked",
    "session_ended",
    "invited",
    "invitation_used",
    # what somebody proves with who they are
    "password_changed",
    "password_reset_asked",
    "password_reset",
    "factor_added",
    "factor_removed",
    "factor_failed",
    "recovery_code_used",
    "recovery_codes_made",
    "provider_linked",
    "provider_changed",
    # keys
    "key_made",
    "key_revoked",
    "key_refused",
    "key_used_from_new_address",
    "signing_key_changed",
    # rights
    "user_added",
    "user_disabled",
    "user_enabled",
    "user_deleted",
    "rights_changed",
    "tenant_created",
    "tenant_changed",
    "tenant_deleted",
    "licence_changed",
    "setting_changed",
    # refusals
    "access_refused",
    "scope_forged",
    "foreign_file",
    "address_refused",
    "host_refused",
    "limit_reached",
    "signature_refused",
    # what leaves or ends
    "exported",
    "backed_up",
    "restored",
    "forgotten",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
Outcome = Literal["done", "refused", "failed"]

DETAILS: Final = frozenset(
    {
        "account", "action", "after", "before", "bytes", "count", "documents", "encrypted", "format", "host", "level",
        "limit", "machine", "method", "only_part", "provider", "reason", "role", "scopes", "seconds", "setting", "thing",
    }
)  # fmt: skip
"""What may stand beside an event. Others are left out, so that nothing gets in by accident."""

Detail = str | int | bool
NOT_OF_A_TENANT: Final = UUID(int=0)
"""The tenant of events that belong to the installation itself."""

LOST = Counter("veraz_security_events_lost_total", "Security events that could not be kept in the database")

stream: Final = logging.getLogger(SECURITY)
"""The log stream, for operators to send where they collect such lines."""

address: ContextVar[str | None] = ContextVar("address", default=None)
"""Where the request being served comes from."""


class Caller(Protocol):
    """Who did it: an Actor or a Scope."""

    @property
    def tenant_id(self) -> UUID | None: ...
    @property
    def user_id(self) -> UUID | None: ...
    @property
    def key_id(self) -> UUID | None: ...


caller: ContextVar[Caller | None] = ContextVar("caller", default=None)
"""Who the request being served comes from, once that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityEvent:
    """One event. `about` is whom or what it happened to."""

    at: datetime
    kind: Kind
    outcome: Outcome
    tenant_id: UUID = NOT_OF_A_TENANT
    user_id: UUID | None = None
    key_id: UUID | None = None
    about: UUID | None = None
    address: str | None = None
    request_id: str | None = None
    details: dict[str, Detail] = field(default_factory=dict)

    def line(self) -> str:
        """As JSON, without what is empty."""
        fields = {
            "logger": stream.name,
            "at": self.at.isoformat(),
            "kind": self.kind,
            "outcome": self.outcome,
            "tenant_id": None if self.tenant_id == NOT_OF_A_TENANT else str(self.tenant_id),
            "user_id": _text(self.user_id),
            "key_id": _text(self.key_id),
            "about": _text(self.about),
            "address": self.address,
            "request_id": self.request_id,
            "details": self.details,
        }
        return json.dumps({name: value for name, value in fields.items() if value}, ensure_ascii=False)


Keeper = Callable[[SecurityEvent], None]
_keepers: list[Keeper] = []
_salt: list[str] = [secrets.token_hex(16)]


def record(
    kind: Kind,
    by: Caller | None = None,
    *,
    outcome: Outcome = "done",
    about: UUID | None = None,
    tenant_id: UUID | None = None,
    **details: Detail | None,
) -> None:
    """Tells of an event. `by` is who did it (the request's caller when left out); `tenant_id` when nobody did it yet.

    Safe to call anywhere, also inside a transaction and in a thread. Say it after the transaction that it tells of.
    """
    try:
        who = by or caller.get()
        event = SecurityEvent(
            at=datetime.now(UTC),
            kind=kind,
            outcome=outcome,
            tenant_id=tenant_id or (who.tenant_id if who else None) or NOT_OF_A_TENANT,
            user_id=who.user_id if who else None,
            key_id=who.key_id if who else None,
            about=about,
            address=_place(kind),
            request_id=current_request_id(),
            details={
                name: _plain(value)
                for name, value in details.items()
                if value is not None and name in DETAILS
            },
        )
        if _calm.allows(event):
            _hand_on(event)
    except Exception as error:  # noqa: BLE001 - what is told of must not fail for it
        LOST.inc()
        stream.error("security event not told: %s", type(error).__name__)


def tell_refusal(error: errors.VerazError) -> None:
    """What a guard wants to know of among the errors that leave by a door: every door calls this with what it refuses."""
    if isinstance(error, errors.HostNotAllowed):
        return  # told where it is refused, with the name
    if isinstance(error, errors.WrongSignature):
        record("signature_refused", outcome="refused")
    elif isinstance(error, errors.Forbidden):
        action = error.context.get("action") or error.context.get("scope") or error.code
        record("access_refused", outcome="refused", reason=error.code, action=str(action))
    elif isinstance(error, errors.RateLimited):
        record("limit_reached", outcome="refused")
    elif isinstance(error, errors.KeyRevoked):
        record("key_refused", outcome="refused")


def kept_by(keeper: Keeper, *, salt: str) -> None:
    """From now on this process's events go there; nobody waits for it. `salt` belongs to the installation."""
    _keepers[:] = [keeper]
    _salt[:] = [salt]


def say(event: SecurityEvent) -> None:
    """The line in the log."""
    stream.log(logging.INFO if event.outcome == "done" else logging.WARNING, "%s", event.line())


def anonymous(account: str) -> str:
    """A name nobody has here, recognisable when it is tried again. People type passwords into that field."""
    name = account.strip().lower().encode("utf-8", "replace")
    return "unknown:" + hmac.new(_salt[0].encode(), name, hashlib.sha256).hexdigest()[:12]


def network(host: str) -> str:
    """An address as one tells them apart: of IPv6 the network, in which a device changes its address every day."""
    try:
        found = ip_address(host)
    except ValueError:
        return host[:64]
    if isinstance(found, IPv6Address) and not found.ipv4_mapped:
        return str(ip_network((found, 64), strict=False))
    return str(found)


def _place(kind: Kind) -> str | None:
    host = address.get()
    if host is None:
        return None
    return network(host) if kind == "key_used_from_new_address" else host[:64]


def _hand_on(event: SecurityEvent) -> None:
    if event.kind != "key_used_from_new_address":  # who keeps them knows whether it is new, and says so then
        say(event)
    for keeper in _keepers:
        keeper(event)


_SECRET: Final = re.compile(
    r"\b(vz[a-z]|sk|whsec)[_-][A-Za-z0-9_\-]{6,}|eyJ[A-Za-z0-9_\-]{8,}[.A-Za-z0-9_\-]*"
)


def _plain(value: Detail) -> Detail:
    return _SECRET.sub("…", value)[:120] if isinstance(value, str) else value


def _text(value: UUID | None) -> str | None:
    return str(value) if value else None


class _Calm:
    """Somebody who is refused a thousand times a minute is told of often enough, and then no more until the next minute."""

    MOST: Final = 120

    def __init__(self) -> None:
        self._minute = 0
        self._seen: Tally[tuple[str, str | None, UUID]] = Tally()

    def allows(self, event: SecurityEvent) -> bool:
        if event.outcome == "done" and event.kind != "key_used_from_new_address":
            return True
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute = minute
            self._seen.clear()
        one = (event.kind, event.address, event.tenant_id)
        self._seen[one] += 1
        if self._seen[one] == self.MOST:
            event.details["only_part"] = True
        if self._seen[one] > self.MOST:
            LOST.inc()
        return self._seen[one] <= self.MOST


_calm = _Calm()
