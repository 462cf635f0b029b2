"""Webhooks: who outside hears of events, and the log of what was sent to them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, Name, PageView, Paging, Said, StoredJson, Text, View, page_of
from veraz.channels.webhooks import DeliveryStatus, EventKind, IssuedWebhook

router = APIRouter(prefix="/webhooks", tags=["webhooks"])

Address = Annotated[Text, Field(min_length=8, max_length=4_000)]
Events = Annotated[list[EventKind], Field(min_length=1, max_length=20)]


class WebhookBody(Body):
    """A new webhook; without a project it hears of the whole tenant's events."""

    name: Name
    url: Address
    events: Events
    project_id: UUID | None = None


class WebhookChange(Body):
    """What changes; `enabled: true` starts a webhook again that was switched off."""

    name: Name | None = None
    url: Address | None = None
    events: Events | None = None
    enabled: bool | None = None


class WebhookView(View):
    """A webhook without its secret."""

    id: UUID
    project_id: UUID | None
    name: str
    url: str
    events: list[str]
    enabled: bool
    failures: int
    note: Said
    secret_changed_at: datetime
    created_at: datetime
    updated_at: datetime


class IssuedWebhookView(WebhookView):
    """A webhook with its secret, shown once."""

    secret: str


class DeliveryView(View):
    """One event for one webhook, and how its last attempt went."""

    id: UUID
    webhook_id: UUID
    kind: str
    data: StoredJson
    status: DeliveryStatus
    attempts: int
    response_status: int | None
    response_ms: float | None
    error: Said
    happened_at: datetime
    created_at: datetime
    attempted_at: datetime | None


@router.post("", status_code=201)
async def create(body: WebhookBody, actor: Caller, veraz: Services) -> IssuedWebhookView:
    """Adds a webhook; copy `secret` now, it is not shown again."""
    return _issued(await veraz.webhooks.create(actor, **body.model_dump()))


@router.get("")
async def webhooks(actor: Caller, veraz: Services, page: Paging) -> PageView[WebhookView]:
    """The webhooks you manage."""
    return page_of(WebhookView, await veraz.webhooks.all(actor, page))


@router.get("/{webhook_id}")
async def webhook(webhook_id: UUID, actor: Caller, veraz: Services) -> WebhookView:
    """One webhook."""
    return WebhookView.model_validate(await veraz.webhooks.get(actor, webhook_id))


@router.patch("/{webhook_id}")
async def change(webhook_id: UUID, body: WebhookChange, actor: Caller, veraz: Services) -> WebhookView:
    """Changes what is named."""
    changed = await veraz.webhooks.change(actor, webhook_id, **body.model_dump(exclude_unset=True))
    return WebhookView.model_validate(changed)


@router.delete("/{webhook_id}", status_code=204)
async def delete(webhook_id: UUID, actor: Caller, veraz: Services) -> None:
    """Deletes a webhook and its log."""
    await veraz.webhooks.delete(actor, webhook_id)


@router.post("/{webhook_id}/secret")
async def rotate(webhook_id: UUID, actor: Caller, veraz: Services) -> IssuedWebhookView:
    """A new secret; for a day deliveries carry a signature with the old one too."""
    return _issued(await veraz.webhooks.rotate(actor, webhook_id))


@router.post("/{webhook_id}/test", status_code=202)
async def test(webhook_id: UUID, actor: Caller, veraz: Services) -> DeliveryView:
    """Sends a test event; look for it among the deliveries."""
    return DeliveryView.model_validate(await veraz.webhooks.test(actor, webhook_id))


@router.get("/{webhook_id}/deliveries")
async def deliveries(
    webhook_id: UUID, actor: Caller, veraz: Services, page: Paging, status: DeliveryStatus | None = None
) -> PageView[DeliveryView]:
    """What was sent, newest first."""
    return page_of(DeliveryView, await veraz.webhooks.deliveries(actor, webhook_id, page, status=status))


@router.post("/{webhook_id}/deliveries/{delivery_id}/resend", status_code=202)
async def resend(webhook_id: UUID, delivery_id: UUID, actor: Caller, veraz: Services) -> DeliveryView:
    """Sends a delivery again, with the same `webhook-id`."""
    return DeliveryView.model_validate(await veraz.webhooks.resend(actor, webhook_id, delivery_id))


def _issued(issued: IssuedWebhook) -> IssuedWebhookView:
    return IssuedWebhookView(**WebhookView.model_validate(issued.webhook).model_dump(), secret=issued.secret)
