"""Webhooks: who outside hears of which events, and what was sent to them.

The database itself turns an event into deliveries and jobs (db/always/8_webhooks.sql), in the transaction in which the
event happened; `deliver.py` sends them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, get_args
from uuid import UUID

from veraz import errors
from veraz.channels.signature import new_secret
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.providers.web_rules import WEB_PORTS, checked_url
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need, need_admin
from veraz.tenancy.projects import need_role
from veraz.tenancy.secrets import Vault

Q = queries(__file__)

EventKind = Literal[
    "document.completed",
    "document.failed",
    "knowledge_base.switched",
    "conversation.handoff",
    "conversation.message",
    "answer.refused",
    "whatsapp.failed",
]
EVENT_KINDS: Final[tuple[str, ...]] = get_args(EventKind)
TEST_EVENT: Final = "webhook.test"
DeliveryStatus = Literal["pending", "delivered", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address outside and the events it hears of; `note` says why it was switched off."""

    id: UUID
    project_id: UUID | None
    name: str
    url: str
    events: list[str]
    enabled: bool
    failures: int
    note: errors.Sentence | None
    secret_changed_at: datetime
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedWebhook:
    """A webhook with its secret, which is never shown again."""

    webhook: Webhook
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One event for one webhook, and how its last attempt went."""

    id: UUID
    webhook_id: UUID
    kind: str
    data: dict[str, Any]
    status: DeliveryStatus
    attempts: int
    response_status: int | None
    response_ms: float | None
    error: errors.Sentence | None
    happened_at: datetime
    created_at: datetime
    attempted_at: datetime | None


class Webhooks:
    """The webhooks of a tenant (for its admins) or of a project (for its managers)."""

    def __init__(self, db: Database, vault: Vault, settings: Settings) -> None:
        self.db = db
        self.vault = vault
        self.settings = settings

    async def all(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[Webhook]:
        """Those the caller manages, newest first."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(await tx.all(Webhook, Q.webhooks, after=page.after_id, limit=page.fetch))

    async def get(self, actor: Actor, webhook_id: UUID) -> Webhook:
        """One webhook."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            return await _get(tx, webhook_id)

    async def create(
        self, actor: Actor, *, name: str, url: str, events: Sequence[str], project_id: UUID | None = None
    ) -> IssuedWebhook:
        """A new webhook of a project, or of the whole tenant; its secret is in the answer and nowhere else."""
        need(actor, "manage")
        webhook_id, secret = new_id(), new_secret()
        async with self.db.transaction(actor.scope()) as tx:
            await _need_home(tx, actor, project_id)
            await tx.run(
                Q.add,
                id=webhook_id,
                project_id=project_id,
                name=name,
                url=self._checked(url),
                events=_known(events),
                sealed=self.vault.seal(secret, about=webhook_id),
                created_by=actor.user_id,
            )
            return IssuedWebhook(webhook=await _get(tx, webhook_id), secret=secret)

    async def change(
        self,
        actor: Actor,
        webhook_id: UUID,
        *,
        name: str | None = None,
        url: str | None = None,
        events: Sequence[str] | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """Changes what is named; switching it on again forgets its failures."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await _get(tx, webhook_id)
            await tx.run(
                Q.change,
                id=webhook_id,
                name=name,
                url=None if url is None else self._checked(url),
                events=None if events is None else _known(events),
                enabled=enabled,
            )
            return await _get(tx, webhook_id)

    async def rotate(self, actor: Actor, webhook_id: UUID) -> IssuedWebhook:
        """A new secret; for a day deliveries are signed with the old one too."""
        need(actor, "manage")
        secret = new_secret()
        async with self.db.transaction(actor.scope()) as tx:
            await _get(tx, webhook_id)
            await tx.run(Q.rotate, id=webhook_id, sealed=self.vault.seal(secret, about=webhook_id))
            return IssuedWebhook(webhook=await _get(tx, webhook_id), secret=secret)

    async def delete(self, actor: Actor, webhook_id: UUID) -> None:
        """Deletes it with its deliveries; what waits is not sent."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await _get(tx, webhook_id)
            await tx.run(Q.delete, id=webhook_id)

    async def deliveries(
        self,
        actor: Actor,
        webhook_id: UUID,
        page: PageRequest = FIRST_PAGE,
        *,
        status: DeliveryStatus | None = None,
    ) -> Page[Delivery]:
        """What was sent, newest first."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await _get(tx, webhook_id)
            rows = await tx.all(
                Delivery, Q.deliveries, id=webhook_id, after=page.after_id, limit=page.fetch, status=status
            )
            return page.page(rows)

    async def resend(self, actor: Actor, webhook_id: UUID, delivery_id: UUID) -> Delivery:
        """Sends a delivery again, with the same id; one that still waits is left alone."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await _get(tx, webhook_id)
            await tx.run(Q.resend, id=delivery_id, webhook_id=webhook_id)
            return await tx.get(Delivery, Q.delivery, thing="delivery", id=delivery_id, webhook_id=webhook_id)

    async def test(self, actor: Actor, webhook_id: UUID) -> Delivery:
        """Sends a test event, whatever events were chosen."""
        need(actor, "manage")
        delivery_id = new_id()
        async with self.db.transaction(actor.scope()) as tx:
            hook = await _get(tx, webhook_id)
            await tx.run(
                Q.add_delivery, id=delivery_id, webhook_id=hook.id, kind=TEST_EVENT, data={"name": hook.name}
            )
            return await tx.get(Delivery, Q.delivery, thing="delivery", id=delivery_id, webhook_id=webhook_id)

    def _checked(self, url: str) -> str:
        """A public web address; its name is checked again, with every address it has, at each delivery."""
        private = self.settings.fetch_allow_private
        try:
            return str(checked_url(url, allow_private=private, ports=None if private else WEB_PORTS))
        except errors.FetchRefused as refused:
            raise errors.Invalid(field="url", reason=refused.context["reason"]) from refused


async def _get(tx: Transaction, webhook_id: UUID) -> Webhook:
    return await tx.get(Webhook, Q.webhook, thing="webhook", id=webhook_id)


async def _need_home(tx: Transaction, actor: Actor, project_id: UUID | None) -> None:
    if project_id is None:
        need_admin(actor, "add webhooks for the whole tenant")
    else:
        await need_role(tx, project_id, "manager", "add webhooks to this project")


def _known(events: Sequence[str]) -> list[str]:
    wanted = set(events)
    if not wanted or wanted - set(EVENT_KINDS):
        raise errors.Invalid(field="events", reason=", ".join(EVENT_KINDS))
    return [kind for kind in EVENT_KINDS if kind in wanted]
