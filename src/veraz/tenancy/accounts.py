"""Signing in, authenticating, users, tenants, and the first start of an installation."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from veraz import errors, security
from veraz.db.pool import Database, Transaction
from veraz.db.scope import NOBODY, Scope
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.security import record
from veraz.tenancy import tokens
from veraz.tenancy.acting import NOBODY_ELSE, Acting, checked, end_user, licensed, refuse_machine
from veraz.tenancy.model import Actor, Session, Tenant, TenantOverview, User, UserRole, system
from veraz.tenancy.permissions import KeyScope, need, need_admin, need_platform, need_whole
from veraz.tenancy.plans import Plans
from veraz.tenancy.second_factor import SecondFactor

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUser:
    """What is needed to add somebody."""

    email: str
    password: str = field(repr=False)
    display_name: str = ""
    role: UserRole = "member"
    language: str = "es"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChange:
    """What may change about a user; None leaves it."""

    display_name: str | None = None
    role: UserRole | None = None
    language: str | None = None
    password: str | None = field(default=None, repr=False)
    disabled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTenant:
    """A company and the person who will look after it."""

    name: str
    admin_email: str
    admin_password: str = field(repr=False)
    plan: str = "professional"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStart:
    """What the very first start made; the password is shown once."""

    tenant: Tenant
    admin: User
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoginRow:
    id: UUID
    tenant_id: UUID
    password_hash: str | None
    disabled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _SessionRow:
    session_id: UUID
    user_id: UUID
    tenant_id: UUID
    role: UserRole
    is_platform_admin: bool
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeyRow:
    key_id: UUID
    tenant_id: UUID
    scopes: list[KeyScope]
    project_id: UUID | None
    user_id: UUID | None
    user_role: UserRole | None
    is_platform_admin: bool
    unmarked: bool


class Accounts:
    """The front desk: who are you, and who else is here."""

    def __init__(self, db: Database, plans: Plans, factor: SecondFactor, *, session_hours: int) -> None:
        self.db = db
        self.factor = factor
        self.plans = plans
        self.session_length = timedelta(hours=session_hours)

    # signing in

    async def login(self, email: str, password: str) -> Session:
        """Email and password → a session, or the challenge of a second factor."""
        async with self.db.sign_in.transaction() as tx:
            row = await tx.one(_LoginRow, Q.user_for_login, email=email.strip().lower())
        right = await tokens.password_matches(password, row.password_hash if row else None)
        if row is None or row.disabled or not right:
            _tell_failure(row, email)
            raise errors.WrongCredentials()
        await self.factor.demand(Scope(tenant_id=row.tenant_id, user_id=row.id, role="member"))
        return await self.open_session(row.tenant_id, row.id)

    async def open_session(
        self, tenant_id: UUID, user_id: UUID, *, showed_factor: bool = False, issuer_id: UUID | None = None
    ) -> Session:
        """The session of somebody who has proven who they are."""
        token = tokens.new_session_token()
        expires_at = datetime.now(UTC) + self.session_length
        scope = Scope(tenant_id=tenant_id, user_id=user_id, role="member")
        async with self.db.transaction(scope) as tx:
            await tx.run(
                Q.add_session, id=new_id(), user_id=user_id, token_hash=token.hash, expires_at=expires_at
            )
            await tx.run(Q.signed_in, user_id=user_id)
        if showed_factor or issuer_id:
            await self.factor.describe(scope, token.text, showed=showed_factor, issuer_id=issuer_id)
        actor = await self.authenticate(token.text)
        method = ("provider" if issuer_id else "password") + (" + factor" if showed_factor else "")
        record("signed_in", actor, method=method)
        return Session(token=token.text, expires_at=expires_at, actor=actor)

    async def account_name(self, scope: Scope) -> str:
        """How an authenticator app names somebody's account."""
        async with self.db.transaction(scope) as tx:
            user = await tx.get(User, Q.user, thing="user", id=scope.user_id)
            return user.email or user.display_name or str(user.id)

    async def logout(self, actor: Actor, token: str) -> None:
        """Ends the session."""
        async with self.db.transaction(actor.scope()) as tx:
            await tx.run(Q.end_session, token_hash=tokens.token_hash(token))
        record("signed_out", actor)

    async def authenticate(
        self, token: str, *, external_user: str | None = None, machine_id: str | None = None
    ) -> Actor:
        """A token or key (and, for service keys, whom it acts for) → the caller."""
        acting = checked(Acting(external_user=external_user, machine_id=machine_id))
        if token.startswith(tokens.SESSION_PREFIX):
            actor = await self._by_session(token)
            refuse_machine(acting)
        else:
            actor = await self._by_key(token, acting)
        security.caller.set(actor)
        if actor.key_id and security.address.get():
            record("key_used_from_new_address", actor)
        return actor

    async def _by_session(self, token: str) -> Actor:
        rows = await self.db.sign_in.call(NOBODY, Q.session_by_hash, token_hash=tokens.token_hash(token))
        row = _SessionRow(**rows[0]) if rows else None
        if row is None or row.expires_at < datetime.now(UTC):
            raise errors.SessionExpired()
        return Actor(
            tenant_id=row.tenant_id,
            user_id=row.user_id,
            user_role=row.role,
            is_platform_admin=row.is_platform_admin,
        )

    async def _by_key(self, token: str, acting: Acting) -> Actor:
        rows = await self.db.sign_in.call(NOBODY, Q.key_by_hash, token_hash=tokens.token_hash(token))
        if not rows:
            raise errors.KeyRevoked()
        row = _KeyRow(**rows[0])
        user_id = row.user_id
        if row.user_id is not None:
            refuse_machine(acting)
            acting = NOBODY_ELSE
        if row.unmarked or acting:
            async with self.db.transaction(system(row.tenant_id)) as tx:
                if row.unmarked:
                    await tx.run(Q.mark_key_used, id=row.key_id)
                user_id = user_id or await end_user(tx, acting)
                await licensed(tx, acting)
        return Actor(
            tenant_id=row.tenant_id,
            user_id=user_id,
            user_role=row.user_role,
            is_platform_admin=row.is_platform_admin,
            key_id=row.key_id,
            key_project=row.project_id,
            scopes=frozenset(row.scopes),
            machine_id=acting.machine_id,
            names_machines=row.user_id is None,
            external_user=acting.external_user,
        )

    # users

    async def me(self, actor: Actor) -> User | None:
        """The caller as a user; None for a key that acts for nobody."""
        if actor.user_id is None:
            return None
        return await self.user(actor, actor.user_id)

    async def users(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[User]:
        """The users the caller may see, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(await tx.all(User, Q.users, after=page.after_id, limit=page.fetch))

    async def user(self, actor: Actor, user_id: UUID) -> User:
        """One user; every key may look at whom it acts as."""
        if user_id != actor.user_id:
            need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.get(User, Q.user, thing="user", id=user_id)

    async def add_user(self, actor: Actor, new: NewUser) -> User:
        """Adds somebody who signs in."""
        need_admin(actor, "add users")
        password_hash = await tokens.hash_password(new.password)
        async with self.db.transaction(actor.scope()) as tx:
            user = await _add_user(tx, new, password_hash)
        record("user_added", actor, about=user.id, role=user.role)
        return user

    async def change_user(self, actor: Actor, user_id: UUID, change: UserChange) -> User:
        """Changes a user; members change only themselves, and not their role."""
        need_whole(actor, "change users")
        password_hash = await tokens.hash_password(change.password) if change.password else None
        async with self.db.transaction(actor.scope()) as tx:
            before = await tx.get(User, Q.user, thing="user", id=user_id)
            if not actor.is_tenant_admin and actor.user_id != user_id:
                raise errors.Forbidden(action="change this user")
            if change.disabled or change.role == "member":
                await _keep_an_admin(tx, before)
            user = await tx.get(
                User,
                Q.change_user,
                thing="user",
                id=user_id,
                display_name=change.display_name,
                role=change.role,
                language=change.language,
                password_hash=password_hash,
                disabled=change.disabled,
            )
            if change.disabled or change.password:
                await tx.become(Scope(tenant_id=actor.tenant_id, user_id=user_id, role="member"))
                await tx.run(Q.end_sessions_of, user_id=user_id)
        _tell_of(actor, before, user, change)
        return user

    async def delete_user(self, actor: Actor, user_id: UUID) -> None:
        """Removes a user with their personal knowledge bases."""
        need(actor, "admin")
        async with self.db.transaction(actor.scope()) as tx:
            user = await tx.get(User, Q.user, thing="user", id=user_id)
            need_admin(actor, "delete users")
            await _keep_an_admin(tx, user)
            await tx.run(Q.delete_user, id=user_id)
        record("user_deleted", actor, about=user_id)

    # tenants

    async def tenant(self, actor: Actor) -> TenantOverview:
        """The caller's tenant with plan, use and credits."""
        async with self.db.transaction(actor.scope()) as tx:
            tenant = await tx.get(Tenant, Q.tenant, thing="tenant", id=actor.tenant_id)
            return await self.plans.overview(tx, tenant)

    async def tenants(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[Tenant]:
        """Every tenant, for the platform's admin."""
        need_platform(actor, "list tenants")
        async with self.db.platform.transaction(actor.scope()) as tx:
            return page.page(await tx.all(Tenant, Q.tenants, after=page.after_id, limit=page.fetch))

    async def create_tenant(self, actor: Actor, new: NewTenant) -> Tenant:
        """A new company with its first admin, a project and the plan's credits."""
        need_platform(actor, "create tenants")
        password_hash = await tokens.hash_password(new.admin_password)
        async with self.db.platform.transaction(actor.scope()) as tx:
            tenant, _ = await self._found_company(tx, new, password_hash, platform=False)
        record("tenant_created", actor, tenant_id=tenant.id, about=tenant.id)
        return tenant

    async def change_tenant(
        self,
        actor: Actor,
        tenant_id: UUID,
        *,
        name: str | None = None,
        plan: str | None = None,
        features: dict[str, Any] | None = None,
        links_open: bool | None = None,
    ) -> Tenant:
        """Renames a tenant, opens or closes its links, or (platform only) changes its plan and features."""
        need(actor, "admin")
        async with self.db.for_platform(actor.scope()).transaction(actor.scope()) as tx:
            await tx.get(Tenant, Q.tenant, thing="tenant", id=tenant_id)
            need_admin(actor, "change the tenant")
            if plan or features:
                need_platform(actor, "change the plan")
                await self._change_plan(tx, tenant_id, plan, features or {})
            tenant = await tx.get(
                Tenant, Q.change_tenant, thing="tenant", id=tenant_id, name=name, links_open=links_open
            )
        record("tenant_changed", actor, tenant_id=tenant_id, about=tenant_id)
        return tenant

    async def _change_plan(
        self, tx: Transaction, tenant_id: UUID, plan: str | None, features: dict[str, Any]
    ) -> None:
        if plan:
            await self.plans.by_code(tx, plan)
        await tx.run(Q.change_plan, id=tenant_id, plan=plan, features=features)

    async def first_start(self, *, email: str, password: str | None) -> FirstStart | None:
        """Tenant, project and admin of a new installation; None when it has them already."""
        secret = password or tokens.new_password()
        async with self.db.platform.transaction(Scope(platform=True)) as tx:
            await tx.run(Q.lock_installation)
            if await tx.value(Q.is_installed):
                return None
            new = NewTenant(name="Veraz", admin_email=email, admin_password=secret, plan="unlimited")
            tenant, admin = await self._found_company(
                tx, new, await tokens.hash_password(secret), platform=True
            )
            return FirstStart(tenant=tenant, admin=admin, password=secret)

    async def operator(self, tenant_name: str | None = None) -> Actor:
        """Whoever has the machine itself: the command line, acting as admin of one tenant."""
        async with self.db.platform.transaction(Scope(platform=True)) as tx:
            every = await tx.all(Tenant, Q.tenants, after=None, limit=10_000)
        matching = [t for t in every if tenant_name is None or tenant_name in (t.name, str(t.id))]
        if not matching:
            raise errors.NotFound(thing="tenant", id=tenant_name or "")
        if tenant_name and len(matching) > 1:
            raise errors.AmbiguousName(thing="tenant", name=tenant_name)
        return Actor(tenant_id=matching[-1].id, is_platform_admin=True)

    async def _found_company(
        self, tx: Transaction, new: NewTenant, password_hash: str, *, platform: bool
    ) -> tuple[Tenant, User]:
        plan = await self.plans.by_code(tx, new.plan)
        tenant = await tx.get(
            Tenant, Q.add_tenant, thing="tenant", id=new_id(), name=new.name, plan=plan.code
        )
        await tx.become(Scope(tenant_id=tenant.id, role="worker", platform=True))
        user = NewUser(email=new.admin_email, password="", display_name="", role="admin")
        admin = await _add_user(tx, user, password_hash, platform=platform)
        await tx.run(Q.add_first_project, id=new_id())
        await self.plans.move(tx, plan.credits, reason="plan", key="plan:first")
        return tenant, admin


def _tell_failure(row: _LoginRow | None, email: str) -> None:
    """To the tenant of the account; where there is none, to the platform."""
    if row:
        record("sign_in_failed", outcome="refused", tenant_id=row.tenant_id, about=row.id)
    else:
        record("sign_in_failed", outcome="refused", account=security.anonymous(email))


def _tell_of(actor: Actor, before: User, user: User, change: UserChange) -> None:
    """What of a change of a user is about security."""
    if user.role != before.role:
        record("rights_changed", actor, about=user.id, before=before.role, after=user.role)
    if change.password:
        record("password_changed", actor, about=user.id)
    if bool(user.disabled_at) != bool(before.disabled_at):
        record("user_disabled" if user.disabled_at else "user_enabled", actor, about=user.id)


async def _add_user(tx: Transaction, new: NewUser, password_hash: str, *, platform: bool = False) -> User:
    email = new.email.strip().lower()
    if "@" not in email[1:-1]:
        raise errors.Invalid(field="email", reason="name@example.com")
    return await tx.get(
        User,
        Q.add_user,
        thing="user",
        id=new_id(),
        email=email,
        external_id=None,
        display_name=new.display_name,
        role=new.role,
        is_platform_admin=platform,
        password_hash=password_hash,
        language=new.language,
    )


async def _keep_an_admin(tx: Transaction, user: User) -> None:
    """Admins who leave at the same time wait for each other, so that one stays."""
    if user.role == "admin":
        await tx.run(Q.lock_admins)
        if await tx.value(Q.other_admins, id=user.id) == 0:
            raise errors.LastAdmin()
