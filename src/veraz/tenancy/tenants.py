"""Tenants, and the first start of an installation."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.security import record
from veraz.tenancy import tokens
from veraz.tenancy.model import Actor, Tenant, TenantOverview, UnknownMachines, User
from veraz.tenancy.passwords import Passwords
from veraz.tenancy.permissions import need, need_admin, need_no_key, need_platform
from veraz.tenancy.plans import Plans
from veraz.tenancy.users import NewUser, add_person

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTenant:
    """A company and the person who will look after it."""

    name: str
    admin_email: str
    admin_password: str | None = field(default=None, repr=False)
    """A first one; None where they will choose theirs with a link."""
    admin_must_change_password: bool = False
    """Whether the first one lets them in to choose another, and to nothing else."""
    plan: str = "professional"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStart:
    """What the very first start made; the password is shown once."""

    tenant: Tenant
    admin: User
    password: str = field(repr=False)
    password_is_common: bool
    """Others would try it first. Whoever installs decides, and is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Founded:
    """A new company and its first admin."""

    tenant: Tenant
    admin: User


class Tenants:
    """Companies, each with a wall around it."""

    def __init__(self, db: Database, plans: Plans, passwords: Passwords) -> None:
        self.db = db
        self.plans = plans
        self.passwords = passwords

    async def overview(self, actor: Actor) -> TenantOverview:
        """The caller's tenant with its plan; use and credits for admins and for keys that see the whole tenant."""
        async with self.db.transaction(actor.scope()) as tx:
            tenant = await tx.get(Tenant, Q.tenant, thing="tenant", id=actor.tenant_id)
            return await self.plans.overview(tx, actor, tenant)

    async def all(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[Tenant]:
        """Every tenant, for the platform's admin."""
        need_platform(actor, "list tenants")
        async with self.db.platform.transaction(actor.scope()) as tx:
            return page.page(await tx.all(Tenant, Q.tenants, after=page.after_id, limit=page.fetch))

    async def create(self, actor: Actor, new: NewTenant) -> Tenant:
        """A new company with its first admin, a project and the plan's credits."""
        return (await self.found(actor, new)).tenant

    async def found(self, actor: Actor, new: NewTenant) -> Founded:
        """The same, with who will look after it."""
        need_platform(actor, "create tenants")
        if new.admin_password is not None:
            need_no_key(actor, "set passwords")
        secret = new.admin_password and await self.passwords.hashed(
            new.admin_email, new.admin_password, about=(new.name,)
        )
        async with self.db.platform.transaction(actor.scope()) as tx:
            tenant, admin = await self._found_company(tx, new, secret or None, platform=False)
        record("tenant_created", actor, tenant_id=tenant.id, about=tenant.id)
        return Founded(tenant=tenant, admin=admin)

    async def change(
        self,
        actor: Actor,
        tenant_id: UUID,
        *,
        name: str | None = None,
        plan: str | None = None,
        features: dict[str, Any] | None = None,
        links_open: bool | None = None,
        unknown_machines: UnknownMachines | None = None,
        signed_end_users: bool | None = None,
    ) -> Tenant:
        """Renames a tenant, opens or closes its links, says what becomes of unknown machines, or (platform only) changes its plan and features."""
        need(actor, "admin")
        async with self.db.for_platform(actor.scope()).transaction(actor.scope()) as tx:
            await tx.get(Tenant, Q.tenant, thing="tenant", id=tenant_id)
            need_admin(actor, "change the tenant")
            if plan or features:
                need_platform(actor, "change the plan")
                await self._change_plan(tx, tenant_id, plan, features or {})
            tenant = await tx.get(
                Tenant,
                Q.change_tenant,
                thing="tenant",
                id=tenant_id,
                name=name,
                links_open=links_open,
                unknown_machines=unknown_machines,
                signed_end_users=signed_end_users,
            )
        opened = None if links_open is None else "open" if links_open else "closed"
        setting = "links" if opened else None
        record("tenant_changed", actor, tenant_id=tenant_id, about=tenant_id, setting=setting, after=opened)
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
            password_hash = await self.passwords.hashed_even_if_common(email, secret)
            tenant, admin = await self._found_company(tx, new, password_hash, platform=True)
            common = await self.passwords.is_common(email, secret)
            return FirstStart(tenant=tenant, admin=admin, password=secret, password_is_common=common)

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
        self, tx: Transaction, new: NewTenant, password_hash: str | None, *, platform: bool
    ) -> tuple[Tenant, User]:
        plan = await self.plans.by_code(tx, new.plan)
        tenant = await tx.get(
            Tenant, Q.add_tenant, thing="tenant", id=new_id(), name=new.name, plan=plan.code
        )
        await tx.become(Scope(tenant_id=tenant.id, role="worker", platform=True))
        user = NewUser(email=new.admin_email, role="admin")
        admin = await add_person(
            tx, user, password_hash, must_change=new.admin_must_change_password, platform=platform
        )
        await tx.run(Q.add_first_project, id=new_id())
        await self.plans.move(tx, plan.credits, reason="plan", key="plan:first")
        return tenant, admin
