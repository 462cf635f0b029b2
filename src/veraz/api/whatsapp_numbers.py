"""WhatsApp numbers of a project, and how far the messages of a conversation came."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, Name, PageView, Paging, Said, Text, View, page_of
from veraz.channels.whatsapp.numbers import NewNumber, NumberChange

router = APIRouter(tags=["whatsapp"])

Secret = Annotated[Text, Field(min_length=8, max_length=2_000)]
AnsweredBy = Literal["veraz", "outside"]


class NumberBody(Body):
    """A number and its secrets, which are sealed and never shown again."""

    agent_id: UUID
    phone_number_id: Annotated[str, Field(pattern="^[0-9]{1,32}$")]
    access_token: Secret
    app_secret: Secret
    verify_token: Secret | None = None
    name: Annotated[Text, Field(max_length=200)] = ""
    answered_by: AnsweredBy = "veraz"


class NumberPatch(Body):
    """What changes about a number."""

    agent_id: UUID | None = None
    name: Name | None = None
    answered_by: AnsweredBy | None = None
    active: bool | None = None
    access_token: Secret | None = None
    app_secret: Secret | None = None
    verify_token: Secret | None = None


class NumberView(View):
    """A number without its secrets."""

    id: UUID
    project_id: UUID
    agent_id: UUID
    name: str
    phone_number_id: str
    answered_by: AnsweredBy
    active: bool
    secrets_changed_at: datetime
    error_code: int | None
    error_text: str | None
    error_message: Said
    error_at: datetime | None
    created_at: datetime


class AddedView(NumberView):
    """A new number with the verify token for Meta's settings, shown once."""

    verify_token: str


class DeliveryView(View):
    """A WhatsApp message of a conversation and how far it came."""

    id: UUID
    conversation_id: UUID
    message_id: UUID | None
    direction: Literal["in", "out"]
    kind: str
    state: Literal["waiting", "answered", "kept", "ready", "sending", "sent", "delivered", "read", "failed"]
    error_code: int | None
    error_text: str | None
    error_message: Said
    said_at: datetime
    sent_at: datetime | None
    delivered_at: datetime | None
    read_at: datetime | None
    failed_at: datetime | None


@router.post("/whatsapp-numbers", status_code=201)
async def add(body: NumberBody, actor: Caller, veraz: Services) -> AddedView:
    """Lets an agent answer at a number."""
    added = await veraz.whatsapp_numbers.add(actor, NewNumber(**body.model_dump()))
    shown = NumberView.model_validate(added.number)
    return AddedView(**shown.model_dump(), verify_token=added.verify_token)


@router.get("/whatsapp-numbers")
async def numbers(
    actor: Caller, veraz: Services, page: Paging, project: UUID | None = None
) -> PageView[NumberView]:
    """The numbers of the projects you manage."""
    return page_of(NumberView, await veraz.whatsapp_numbers.all(actor, page, project_id=project))


@router.get("/whatsapp-numbers/{number_id}")
async def number(number_id: UUID, actor: Caller, veraz: Services) -> NumberView:
    """One number."""
    return NumberView.model_validate(await veraz.whatsapp_numbers.get(actor, number_id))


@router.patch("/whatsapp-numbers/{number_id}")
async def change(number_id: UUID, body: NumberPatch, actor: Caller, veraz: Services) -> NumberView:
    """Another agent of the same project, new secrets, or silence."""
    changed = await veraz.whatsapp_numbers.change(actor, number_id, NumberChange(**body.model_dump()))
    return NumberView.model_validate(changed)


@router.delete("/whatsapp-numbers/{number_id}", status_code=204)
async def delete(number_id: UUID, actor: Caller, veraz: Services) -> None:
    """Forgets the number; conversations stay."""
    await veraz.whatsapp_numbers.delete(actor, number_id)


@router.get("/conversations/{conversation_id}/deliveries")
async def deliveries(
    conversation_id: UUID, actor: Caller, veraz: Services, page: Paging
) -> PageView[DeliveryView]:
    """What became of each WhatsApp message of a conversation, oldest first."""
    return page_of(DeliveryView, await veraz.whatsapp_outbox.deliveries(actor, conversation_id, page))
