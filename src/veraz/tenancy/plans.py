"""Quotas by plan and the ledger of AI credits. Checked inside the transaction of what they guard."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor, CreditEntry, Plan, Tenant, TenantOverview, Usage
from veraz.tenancy.permissions import need_admin, need_platform

Q = queries(__file__)

Feature = Literal["ai_agents_enabled"]
"""`ai_agents_enabled`: making knowledge bases and agents, bringing documents in, searching, asking and embedding. Without it what is
there may be looked at, exported and deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _KbUsage:
    documents: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _TenantRow:
    id: UUID


class Plans:
    """What a tenant may hold and spend."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(self, actor: Actor) -> list[Plan]:
        """The tenant's own plan; every plan for the platform's admins."""
        async with self.db.for_platform(actor.scope()).transaction(actor.scope()) as tx:
            return await tx.all(Plan, Q.plans)

    async def put(self, actor: Actor, plan: Plan) -> Plan:
        """Makes or changes a plan."""
        need_platform(actor, "change plans")
        async with self.db.platform.transaction(actor.scope()) as tx:
            return await tx.get(
                Plan,
                Q.put_plan,
                thing="plan",
                code=plan.code,
                name=plan.name,
                max_knowledge_bases=plan.max_knowledge_bases,
                max_documents_per_kb=plan.max_documents_per_kb,
                max_bytes_per_kb=plan.max_bytes_per_kb,
                credits=plan.credits,
            )

    async def by_code(self, tx: Transaction, code: str) -> Plan:
        """The plan of that code."""
        return await tx.get(Plan, Q.plan, thing="plan", id=code)

    async def overview(self, tx: Transaction, actor: Actor, tenant: Tenant) -> TenantOverview:
        """The caller's tenant with plan, and for those who may know them, use and credits."""
        return TenantOverview(
            tenant=tenant,
            plan=await self.by_code(tx, tenant.plan),
            usage=await tx.get(Usage, Q.usage, thing="tenant") if actor.sees_usage else None,
            credits=await tx.value(Q.credits) if actor.sees_usage else None,
        )

    async def need_feature(self, tx: Transaction, feature: Feature) -> None:
        """Refuses a tenant without the feature; the database refuses its searches by itself."""
        await tx.run(Q.need_feature, feature=feature)

    async def room_for_kb(self, tx: Transaction) -> None:
        """Refuses one knowledge base more than the plan allows."""
        plan = await tx.get(Plan, Q.plan_of_tenant, thing="plan")
        if plan.max_knowledge_bases is None:
            return
        await tx.run(Q.lock_quota, what="knowledge bases")
        usage = await tx.get(Usage, Q.usage, thing="tenant")
        _within(plan, plan.max_knowledge_bases, usage.knowledge_bases + 1, "knowledge bases")

    async def room_for_documents(self, tx: Transaction, kb_id: UUID, *, documents: int, size: int) -> None:
        """Refuses documents the plan has no room for; other uploads into this kb wait their turn."""
        plan = await tx.get(Plan, Q.plan_of_tenant, thing="plan")
        if plan.max_documents_per_kb is None and plan.max_bytes_per_kb is None:
            return
        await tx.run(Q.lock_quota, what=str(kb_id))
        used = await tx.get(_KbUsage, Q.kb_usage, thing="knowledge base", kb_id=kb_id)
        _within(plan, plan.max_documents_per_kb, used.documents + documents, "documents per knowledge base")
        _within(plan, plan.max_bytes_per_kb, used.bytes + size, "bytes per knowledge base")

    async def move(
        self,
        tx: Transaction,
        credits: int,
        *,
        reason: str,
        key: str | None = None,
        model: str | None = None,
        tokens: int | None = None,
        cost: Decimal | None = None,
        about: UUID | None = None,
    ) -> int:
        """Grants (+) or spends (−) credits, once per key; what is left. Too few is CreditsExhausted."""
        left: int = await tx.value(
            Q.move,
            credits=credits,
            reason=reason,
            key=key,
            model=model,
            tokens=tokens,
            cost=cost,
            about=about,
        )
        return left

    async def grant(self, actor: Actor, tenant: UUID, credits: int, reason: str) -> int:
        """Credits for a tenant, from the platform's admin."""
        async with self.db.for_platform(actor.scope()).transaction(actor.scope()) as tx:
            await tx.get(_TenantRow, Q.tenant_seen, thing="tenant", id=tenant)
            need_platform(actor, "grant credits")
            await tx.become(_inside(actor, tenant))
            return await self.move(tx, credits, reason=reason)

    async def ledger(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[CreditEntry]:
        """Every movement, newest first."""
        need_admin(actor, "read the ledger")
        async with self.db.transaction(actor.scope()) as tx:
            rows = await tx.all(CreditEntry, Q.entries, after=page.after_number, limit=page.fetch)
            return page.page(rows)


def _inside(actor: Actor, tenant: UUID) -> Scope:
    return replace(actor.scope(), tenant_id=tenant)


def _within(plan: Plan, limit: int | None, wanted: int, what: str) -> None:
    if limit is not None and wanted > limit:
        raise errors.QuotaExceeded(plan=plan.name, limit=limit, wanted=wanted, what=what)
