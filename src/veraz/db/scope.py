"""Who is calling, as the database sees it, and the signature without which the database believes nothing.

A transaction carries one setting, `veraz.scope`. Any statement may write a setting, an injected one too; what it cannot do
is sign one. `veraz.scope()` in PostgreSQL verifies the signature, the login role it was made for, and its expiry.
"""

import hmac
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal
from uuid import UUID

Role = Literal["admin", "member", "service", "worker", ""]

_VALID_SECONDS: Final = 30
"""How long a signature may begin transactions; one that has begun goes on. It is made when a connection is at hand, so this
only has to cover a slow network, and bounds what somebody who got hold of one can do with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The caller of one transaction. The empty scope sees nothing."""

    tenant_id: UUID | None = None
    user_id: UUID | None = None
    role: Role = ""
    machine_id: str | None = None
    names_machines: bool = False
    """A service that acts for no machine and may name one in a search."""
    key_id: UUID | None = None
    key_level: Literal["admin", "manager", "member", ""] = ""
    key_project: UUID | None = None
    platform: bool = False


NOBODY = Scope()


class Signer:
    """Signs scopes for one login role, with times on the database's clock."""

    def __init__(self, key: bytes, login: str) -> None:
        self.key = key
        self.login = login
        self._ahead = time.time() - time.monotonic()

    def set_clock(self, now: float) -> None:
        """The database's clock says this now; ours may be wrong or jump."""
        self._ahead = now - time.monotonic()

    def sign(self, scope: Scope) -> str:
        """The value of `veraz.scope`: an HMAC-SHA256 in hexadecimal, then the caller as a row of type `veraz.caller`."""
        if scope == NOBODY:
            return ""
        row = self._row(scope)
        return hmac.new(self.key, row.encode(), "sha256").hexdigest() + row

    def _row(self, scope: Scope) -> str:
        until = datetime.fromtimestamp(time.monotonic() + self._ahead + _VALID_SECONDS, UTC)
        fields = (
            self.login,
            until.isoformat(),
            scope.tenant_id,
            scope.user_id,
            scope.role or None,
            _quoted(scope.machine_id) if scope.machine_id else None,
            scope.names_machines,
            scope.key_id,
            scope.key_level or None,
            scope.key_project,
            scope.platform,
        )
        return f"({','.join('' if value is None else str(value) for value in fields)})"


def _quoted(text: str) -> str:
    """A text as a field of a PostgreSQL row."""
    escaped = text.replace("\\", "\\\\").replace('"', '""')
    return f'"{escaped}"'
