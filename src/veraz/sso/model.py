"""An identity provider of a tenant, and what its claims mean here."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from veraz.tenancy.model import ProjectRole

SCOPES: Final = ("openid", "email", "profile")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRole:
    """What a group of the issuer is here: an administrator of the tenant, or a role in a project."""

    group: str
    role: ProjectRole
    project_id: UUID | None = None

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "GroupRole":
        """As it is kept."""
        project = stored.get("project_id")
        return cls(group=stored["group"], role=stored["role"], project_id=UUID(project) if project else None)

    def stored(self) -> dict[str, Any]:
        """To be kept."""
        return {
            "group": self.group,
            "role": self.role,
            "project_id": str(self.project_id) if self.project_id else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityProvider:
    """Where people of a tenant sign in (OpenID Connect), and the rules for who may come in."""

    id: UUID
    name: str
    issuer: str
    client_id: str
    has_secret: bool
    scopes: list[str]
    domains: list[str]
    links_users: bool
    creates_users: bool
    shows_factor: bool
    groups_claim: str
    groups: list[dict[str, Any]]
    listed: bool
    enabled: bool
    created_at: datetime
    updated_at: datetime

    @property
    def group_roles(self) -> list[GroupRole]:
        """The mapping."""
        return [GroupRole.of(one) for one in self.groups]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderChange:
    """What an admin says; None leaves it. An empty secret takes it away (a public client)."""

    name: str | None = None
    issuer: str | None = None
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    scopes: list[str] | None = None
    domains: list[str] | None = None
    links_users: bool | None = None
    creates_users: bool | None = None
    shows_factor: bool | None = None
    groups_claim: str | None = None
    groups: list[GroupRole] | None = None
    listed: bool | None = None
    enabled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsidePerson:
    """Whom the issuer vouches for."""

    subject: str
    email: str
    """Only when the issuer has verified it; else empty."""
    name: str
    groups: frozenset[str]

    @classmethod
    def of(cls, claims: dict[str, Any], groups_claim: str) -> "OutsidePerson":
        """The claims of an ID token and of the userinfo."""
        email = claims.get("email")
        verified = _true(claims.get("email_verified")) or _true(claims.get("xms_edov"))
        good = isinstance(email, str) and verified and "@" in email[1:-1] and len(email) <= 320
        name = claims.get("name")
        found = _claim(claims, groups_claim)
        return cls(
            subject=claims["sub"],
            email=email.strip().lower() if good and isinstance(email, str) else "",
            name=name[:200] if isinstance(name, str) else "",
            groups=frozenset(one for one in found if isinstance(one, str))
            if isinstance(found, list)
            else frozenset(),
        )

    @property
    def domain(self) -> str:
        """Behind the last @."""
        return self.email.rpartition("@")[2]


def _true(value: object) -> bool:
    """Some issuers write it as text or number."""
    return value is True or value in ("true", "1") or (value == 1 and not isinstance(value, bool))


def _claim(claims: dict[str, Any], name: str) -> object:
    """A claim by its name, or by its path («realm_access.roles»)."""
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found
