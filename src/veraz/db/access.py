"""How processes of one installation reach its database: the passwords of our login roles, and the key that signs scopes."""

from dataclasses import dataclass, field
from typing import Final, Self

from psycopg.conninfo import make_conninfo

APP: Final = "veraz_app"
WORKER: Final = "veraz_worker"
SIGN_IN: Final = "veraz_signin"
PLATFORM: Final = "veraz_platform"
QUEUE: Final = "veraz_queue"

LOGIN_ROLES: Final = (APP, WORKER, SIGN_IN, PLATFORM, QUEUE)

_BLOCK = 64
"""HMAC-SHA256 works on blocks of this many bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What only this installation's processes know. The same on every host, because it is derived from one secret."""

    passwords: dict[str, str] = field(repr=False)
    scope_key: bytes = field(repr=False)

    @classmethod
    def closed(cls) -> Self:
        """No way in: for a database that is only migrated or never reached."""
        return cls(passwords={}, scope_key=b"")

    def address(self, url: str, role: str) -> str:
        """The same database's address as one of our roles."""
        return make_conninfo(url, user=role, password=self.passwords[role])

    def padded_keys(self) -> tuple[bytes, bytes]:
        """The key as HMAC's inner and outer block, so that PostgreSQL can verify with SHA-256 alone."""
        block = self.scope_key.ljust(_BLOCK, b"\0")
        return bytes(byte ^ 0x36 for byte in block), bytes(byte ^ 0x5C for byte in block)
