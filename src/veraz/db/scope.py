"""Who is calling, as the database sees it. Row level security reads these settings and nothing else."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

Role = Literal["admin", "member", "service", "worker", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The caller of one transaction. The empty scope sees nothing."""

    tenant_id: UUID | None = None
    user_id: UUID | None = None
    role: Role = ""
    machine_id: str | None = None
    key_id: UUID | None = None
    key_level: Literal["admin", "manager", "member", ""] = ""
    key_project: UUID | None = None
    platform: bool = False

    def settings(self) -> dict[str, str]:
        """The values for set_config, transaction by transaction; '' means not set."""
        return {
            "tenant_id": _text(self.tenant_id),
            "user_id": _text(self.user_id),
            "role": self.role,
            "machine_id": self.machine_id or "",
            "key_id": _text(self.key_id),
            "key_level": self.key_level,
            "key_project": _text(self.key_project),
            "platform": "on" if self.platform else "",
        }


NOBODY = Scope()


def _text(value: UUID | None) -> str:
    return str(value) if value else ""
