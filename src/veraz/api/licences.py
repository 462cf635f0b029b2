"""Licences: machines and whom to greet in front of them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, JsonObject, PageView, Paging, StoredJson, Text, View, page_of
from veraz.tenancy.licences import Memory
from veraz.tenancy.model import LicenceStatus

router = APIRouter(prefix="/licences", tags=["licences"])


class LicenceBody(Body):
    """A new licence."""

    machine_id: Annotated[Text, Field(min_length=1, max_length=200)]
    user_name: Annotated[Text, Field(max_length=200)] = ""
    metadata: JsonObject = Field(default_factory=dict)


class LicencePatch(Body):
    """What changes about a licence."""

    user_name: Annotated[Text, Field(max_length=200)] | None = None
    metadata: JsonObject | None = None
    status: Literal["active", "revoked"] | None = None


class LicenceView(View):
    """A licence."""

    id: UUID
    machine_id: str
    user_name: str
    metadata: StoredJson
    status: LicenceStatus
    created_at: datetime


@router.post("", status_code=201)
async def create(body: LicenceBody, actor: Caller, veraz: Services) -> LicenceView:
    """Registers a machine."""
    return LicenceView.model_validate(await veraz.licences.create(actor, **body.model_dump()))


@router.get("")
async def licences(actor: Caller, veraz: Services, page: Paging) -> PageView[LicenceView]:
    """The tenant's licences."""
    return page_of(LicenceView, await veraz.licences.all(actor, page))


@router.get("/{licence_id}")
async def licence(licence_id: UUID, actor: Caller, veraz: Services) -> LicenceView:
    """One licence."""
    return LicenceView.model_validate(await veraz.licences.get(actor, licence_id))


@router.patch("/{licence_id}")
async def change(licence_id: UUID, body: LicencePatch, actor: Caller, veraz: Services) -> LicenceView:
    """Changes the name, the metadata, or revokes it."""
    return LicenceView.model_validate(await veraz.licences.change(actor, licence_id, **body.model_dump()))


@router.delete("/{licence_id}", status_code=204)
async def delete(
    licence_id: UUID,
    actor: Caller,
    veraz: Services,
    memory: Annotated[
        Memory | None, Query(description="What becomes of its memory; it has to be said.")
    ] = None,
) -> None:
    """Closes a machine for good: nobody can name it again. Its memory is kept for the admin to see, or forgotten."""
    await veraz.licences.delete(actor, licence_id, memory=memory)
