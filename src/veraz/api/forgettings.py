"""What was forgotten: the receipts, and the verbs that are no deletion of one thing."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query

from veraz.api.caller import Caller, Services
from veraz.api.schemas import PageView, Paging, Text, View, page_of

router = APIRouter(tags=["forgetting"])


class ForgettingView(View):
    """A receipt: what was forgotten, by id, and how many rows of each kind went or were blanked. No text."""

    id: UUID
    kind: Literal["document", "chunk", "machine", "end_user", "person", "tenant"]
    subjects: list[str]
    status: Literal["pending", "running", "done"]
    removed: dict[str, int]
    created_by: UUID | None
    created_at: datetime
    finished_at: datetime | None


@router.get("/forgettings")
async def forgettings(actor: Caller, veraz: Services, page: Paging) -> PageView[ForgettingView]:
    """The receipts, newest first."""
    return page_of(ForgettingView, await veraz.forgettings.all(actor, page))


@router.get("/forgettings/{forgetting_id}")
async def forgetting(forgetting_id: UUID, actor: Caller, veraz: Services) -> ForgettingView:
    """One receipt."""
    return ForgettingView.model_validate(await veraz.forgettings.get(actor, forgetting_id))


@router.delete("/machines/{machine_id}/memory", status_code=202)
async def forget_machine(
    machine_id: Annotated[Text, Path(min_length=1, max_length=200)], actor: Caller, veraz: Services
) -> ForgettingView:
    """Forgets a machine's documents, conversations and questions, and whom it greets; its licence stays."""
    return ForgettingView.model_validate(await veraz.forgettings.forget_machine(actor, machine_id))


@router.delete("/end-users/{name}", status_code=202)
async def forget_end_user(
    name: Annotated[Text, Path(min_length=1, max_length=200)], actor: Caller, veraz: Services
) -> ForgettingView:
    """Forgets somebody outside: by a service's own id, a telephone, a visitor, or one conversation with them."""
    return ForgettingView.model_validate(await veraz.forgettings.forget_end_user(actor, name))


@router.delete("/tenants/{tenant_id}", status_code=202)
async def forget_tenant(
    tenant_id: UUID, name: Annotated[Text, Query(max_length=200)], actor: Caller, veraz: Services
) -> ForgettingView:
    """Deletes a tenant with everything in it (platform admins). `name` must be its name, exactly."""
    return ForgettingView.model_validate(await veraz.forgettings.forget_tenant(actor, tenant_id, name=name))
