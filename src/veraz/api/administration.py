"""Plans, credits and the audit log."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from veraz.api.accounts import PlanView
from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, Name, PageView, Paging, StoredJson, Text, View, page_of
from veraz.tenancy.model import Plan

router = APIRouter(tags=["administration"])

Limit = Annotated[int, Field(ge=0, le=2**31 - 1)]
Bytes = Annotated[int, Field(ge=0, le=2**53)]


class PlanBody(Body):
    """Limits of a plan; null is no limit."""

    name: Name
    max_knowledge_bases: Limit | None = None
    max_documents_per_kb: Limit | None = None
    max_bytes_per_kb: Bytes | None = None
    credits: Bytes = 0


class GrantBody(Body):
    """Credits for a tenant; negative takes some back."""

    credits: Annotated[int, Field(ge=-(2**53), le=2**53)]
    reason: Annotated[Text, Field(min_length=1, max_length=500)] = "grant"


class Balance(View):
    """What is left."""

    credits: int


class CreditEntryView(View):
    """One movement of credits."""

    id: int
    credits: int
    balance: int
    reason: str
    model: str | None
    tokens: int | None
    cost_usd: Decimal | None
    about: UUID | None
    created_at: datetime


class AuditEntryView(View):
    """One change: each column's value before and after."""

    id: int
    at: datetime
    user_id: UUID | None
    key_id: UUID | None
    request_id: str | None
    action: Literal["insert", "update", "delete"]
    thing: str
    thing_id: str
    changes: StoredJson


@router.get("/plans")
async def plans(actor: Caller, veraz: Services) -> PageView[PlanView]:
    """Your own plan; every plan for platform admins."""
    return PageView(
        items=[PlanView.model_validate(p) for p in await veraz.plans.all(actor)], next_cursor=None
    )


@router.put("/plans/{code}")
async def put_plan(
    code: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")],
    body: PlanBody,
    actor: Caller,
    veraz: Services,
) -> PlanView:
    """Makes or changes a plan (platform admins)."""
    return PlanView.model_validate(await veraz.plans.put(actor, Plan(code=code, **body.model_dump())))


@router.post("/tenants/{tenant_id}/credits")
async def grant(tenant_id: UUID, body: GrantBody, actor: Caller, veraz: Services) -> Balance:
    """Grants credits (platform admins)."""
    return Balance(credits=await veraz.plans.grant(actor, tenant_id, body.credits, body.reason))


@router.get("/credits")
async def ledger(actor: Caller, veraz: Services, page: Paging) -> PageView[CreditEntryView]:
    """Every movement of your tenant's credits (admins)."""
    return page_of(CreditEntryView, await veraz.plans.ledger(actor, page))


@router.get("/audit")
async def audit(
    actor: Caller,
    veraz: Services,
    page: Paging,
    thing: Annotated[Text | None, Query(max_length=100)] = None,
    thing_id: Annotated[Text | None, Query(max_length=100)] = None,
) -> PageView[AuditEntryView]:
    """Who changed what (admins)."""
    return page_of(AuditEntryView, await veraz.audit.entries(actor, page, thing=thing, thing_id=thing_id))
