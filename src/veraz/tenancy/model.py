"""The people and programs Veraz knows, and `Actor`: who calls a service verb, with which rights."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal
from uuid import UUID

from veraz.db.scope import Scope
from veraz.tenancy.machines import EVERY_MACHINE
from veraz.tenancy.permissions import ALL_SCOPES, KeyScope, closure

ProjectRole = Literal["admin", "manager", "member"]
UserRole = Literal["admin", "member"]
UnknownMachines = Literal["refuse", "create"]
LicenceStatus = Literal["active", "revoked", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The caller: a signed-in user, a key, or a key acting for an end user on a machine."""

    tenant_id: UUID
    user_id: UUID | None = None
    user_role: UserRole | None = None
    is_platform_admin: bool = False
    session_id: UUID | None = None
    must_change_password: bool = False
    """Signed in with a password that somebody else set: first a new one, then everything else."""
    key_id: UUID | None = None
    key_project: UUID | None = None
    scopes: frozenset[KeyScope] = ALL_SCOPES
    machine_id: str | None = None
    names_machines: bool = False
    """A service key: it may name the machine that a search is for."""
    external_user: str | None = None
    unproven: bool = False
    """A service key without a signature where the tenant requires one: it acts for nobody, on no machine."""

    @property
    def binds_to(self) -> str:
        """The machine of documents it adds without saying for which: its own, so that none of them is everybody's by default."""
        return self.machine_id or EVERY_MACHINE

    @property
    def is_tenant_admin(self) -> bool:
        """Everything in the tenant."""
        return self.scope().role == "admin"

    @property
    def sees_usage(self) -> bool:
        """How much the whole tenant holds and has left: its admins, and service keys for more than asking in all its projects."""
        service = self.key_id is not None and self.user_role is None and self.key_project is None
        return self.is_tenant_admin or (service and self.may("read"))

    def may(self, scope: KeyScope) -> bool:
        """Whether the key's scopes cover this; a signed-in user has them all."""
        return scope in closure(self.scopes)

    def scope(self) -> Scope:
        """How the database sees this caller."""
        whole = "admin" in self.scopes and self.key_project is None
        if self.user_role == "member":
            return self._db_scope(role="member", level=self._key_level() if self.key_id else "")
        if self.user_role and whole:
            return self._db_scope(role=self.user_role, level="")
        if self.key_id and not whole:
            return self._db_scope(role="service", level=self._key_level())
        return self._db_scope(role="admin", level="")

    def _key_level(self) -> Literal["admin", "manager", "member"]:
        if "admin" in self.scopes:
            return "admin"
        return "manager" if closure(self.scopes) & {"manage", "read", "ingest"} else "member"

    def _db_scope(self, *, role: Literal["admin", "member", "service"], level: Any) -> Scope:
        return Scope(
            tenant_id=self.tenant_id,
            user_id=self.user_id,
            role=role,
            machine_id=self.machine_id,
            names_machines=self.machine_id is None and (role == "admin" or self.names_machines),
            key_id=self.key_id,
            key_level=level,
            key_project=self.key_project,
            platform=self.is_platform_admin and role == "admin",
        )


def nobody_of(tenant_id: UUID) -> Actor:
    """Nobody in particular of a tenant: agents answer it from nobody's personal knowledge base and for no machine."""
    return Actor(tenant_id=tenant_id)


def system(tenant_id: UUID) -> Scope:
    """The platform's own hand inside one tenant: setting up, looking up, never a caller's search."""
    return Scope(tenant_id=tenant_id, role="worker", names_machines=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a tenant may hold; None is no limit."""

    code: str
    name: str
    max_knowledge_bases: int | None
    max_documents_per_kb: int | None
    max_bytes_per_kb: int | None
    credits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A company."""

    id: UUID
    name: str
    plan: str
    features: dict[str, Any]
    links_open: bool
    """Whether links to quotations open without signing in."""
    unknown_machines: UnknownMachines
    """What becomes of a machine that is named and has no licence: it gets one, or is refused."""
    signed_end_users: bool
    """Whether a service key acts only for whom a token signed by the tenant names."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a tenant holds now."""

    knowledge_bases: int
    documents: int
    bytes: int
    users: int
    agents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantOverview:
    """A tenant with its plan, use and credits."""

    tenant: Tenant
    plan: Plan
    usage: Usage | None
    """None, as the credits, for callers whom it is not told."""
    credits: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody who signs in, or an end user a service key acts for."""

    id: UUID
    email: str | None
    external_id: str | None
    display_name: str
    role: UserRole
    is_platform_admin: bool
    language: str
    has_password: bool
    must_change_password: bool
    disabled_at: datetime | None
    last_login_at: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Where a sign-in comes from, as far as the door can tell."""

    address: str = ""
    name: str = ""
    mark: str = field(default="", repr=False)
    """What says that somebody's password was right here before (rates.py)."""


UNKNOWN_DEVICE: Final = Device()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A sign-in; the token is shown once."""

    token: str = field(repr=False)
    expires_at: datetime
    actor: Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A session as its owner sees it."""

    id: UUID
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    address: str
    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A room in a tenant: its agents, its knowledge bases, its members."""

    id: UUID
    name: str
    description: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A user's role in a project."""

    user_id: UUID
    email: str | None
    display_name: str
    role: ProjectRole
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key without its secret."""

    id: UUID
    name: str
    prefix: str
    scopes: list[KeyScope]
    project_id: UUID | None
    user_id: UUID | None
    ends_with_password: bool
    """A personal key that is revoked when its owner gets another password."""
    created_by: UUID | None
    """Who made it; nobody: the machine itself, or another key."""
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """A machine that may be named by a service key, and whom to greet in front of it."""

    id: UUID
    machine_id: str
    user_name: str
    metadata: dict[str, Any]
    status: LicenceStatus
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditEntry:
    """One movement of AI credits."""

    id: int
    credits: int
    balance: int
    reason: str
    model: str | None
    tokens: int | None
    cost_usd: Decimal | None
    about: UUID | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One changed row: who, what, and each column's value before and after."""

    id: int
    at: datetime
    user_id: UUID | None
    key_id: UUID | None
    request_id: str | None
    action: Literal["insert", "update", "delete"]
    thing: str
    thing_id: str
    changes: dict[str, Any]
