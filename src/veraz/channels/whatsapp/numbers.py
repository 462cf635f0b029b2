"""Which number belongs to which agent. Its secrets come in, are sealed, and are never shown again."""

import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from veraz import errors
from veraz.channels.whatsapp.troubles import meaning
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.agents import get_agent
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need
from veraz.tenancy.projects import need_role
from veraz.tenancy.secrets import Vault
from veraz.tenancy.tokens import token_hash

Q = queries(__file__)

_SENDABLE: Final = re.compile(r"[!-~]+")
_NOT_SENDABLE: Final = errors.Phrase(
    "a token has no spaces and no letters beyond ASCII; copy it again",
    es="un token no lleva espacios ni letras fuera de ASCII; cópielo de nuevo",
)

AnsweredBy = Literal["veraz", "outside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A WhatsApp number without its secrets."""

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
    error_at: datetime | None
    created_at: datetime

    @property
    def error_message(self) -> errors.Sentence | None:
        """What Meta last refused, for people."""
        return meaning(self.error_code, self.error_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNumber:
    """What it takes to answer at a number."""

    agent_id: UUID
    phone_number_id: str
    access_token: str = field(repr=False)
    app_secret: str = field(repr=False)
    verify_token: str | None = field(default=None, repr=False)
    """The word Meta says when the webhook is set up; made when it is not given."""
    name: str = ""
    answered_by: AnsweredBy = "veraz"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberChange:
    """What changes about a number; nothing stays as it is."""

    agent_id: UUID | None = None
    name: str | None = None
    answered_by: AnsweredBy | None = None
    active: bool | None = None
    access_token: str | None = field(default=None, repr=False)
    app_secret: str | None = field(default=None, repr=False)
    verify_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedNumber:
    """A new number with its verify token, which is never shown again."""

    number: Number
    verify_token: str = field(repr=False)


class WhatsAppNumbers:
    """The numbers of the projects a caller manages."""

    def __init__(self, db: Database, vault: Vault) -> None:
        self.db = db
        self.vault = vault

    async def all(
        self, actor: Actor, page: PageRequest = FIRST_PAGE, *, project_id: UUID | None = None
    ) -> Page[Number]:
        """Newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            rows = await tx.all(
                Number, Q.numbers, after=page.after_id, limit=page.fetch, project_id=project_id
            )
            return page.page(rows)

    async def get(self, actor: Actor, number_id: UUID) -> Number:
        """One number."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await _get(tx, number_id)

    async def add(self, actor: Actor, new: NewNumber) -> AddedNumber:
        """A number, answered by an agent whose project the caller manages."""
        need(actor, "manage")
        number_id = new_id()
        verify_token = new.verify_token or secrets.token_urlsafe(32)
        async with self.db.transaction(actor.scope()) as tx:
            agent = await get_agent(tx, new.agent_id)
            await need_role(tx, agent.project_id, "manager", "change this agent")
            added = await tx.run(
                Q.add,
                id=number_id,
                project_id=agent.project_id,
                agent_id=agent.id,
                name=new.name or agent.name,
                phone_number_id=new.phone_number_id,
                answered_by=new.answered_by,
                access_token=self._sealed_token(number_id, new.access_token),
                app_secret=self.vault.seal(new.app_secret, about=_secret_of(number_id)),
                token_hash=token_hash(verify_token),
                created_by=actor.user_id,
            )
            if not added:
                raise errors.NameTaken(thing="WhatsApp number")
            return AddedNumber(number=await _get(tx, number_id), verify_token=verify_token)

    async def change(self, actor: Actor, number_id: UUID, change: NumberChange) -> Number:
        """Another agent of the same project, another name, new secrets; or silence."""
        async with self.db.transaction(actor.scope()) as tx:
            await _need_manageable(tx, actor, number_id)
            if change.agent_id:
                await get_agent(tx, change.agent_id)
            await tx.run(Q.change, id=number_id, **self._columns(number_id, change))
            return await _get(tx, number_id)

    async def delete(self, actor: Actor, number_id: UUID) -> None:
        """Forgets the number and who wrote to it; their conversations stay."""
        async with self.db.transaction(actor.scope()) as tx:
            await _need_manageable(tx, actor, number_id)
            await tx.run(Q.delete, id=number_id)

    def _columns(self, number_id: UUID, change: NumberChange) -> dict[str, object]:
        token, secret = change.access_token, change.app_secret
        return {
            "agent_id": change.agent_id,
            "name": change.name,
            "answered_by": change.answered_by,
            "active": change.active,
            "access_token": self._sealed_token(number_id, token) if token else None,
            "app_secret": self.vault.seal(secret, about=_secret_of(number_id)) if secret else None,
            "token_hash": token_hash(change.verify_token) if change.verify_token else None,
        }

    def _sealed_token(self, number_id: UUID, token: str) -> bytes:
        """It travels in a header, which holds no more than this."""
        if not _SENDABLE.fullmatch(token):
            raise errors.Invalid(field="access_token", reason=_NOT_SENDABLE)
        return self.vault.seal(token, about=_token_of(number_id))


def open_token(vault: Vault, number_id: UUID, sealed: bytes) -> str:
    """The number's access token."""
    return vault.open(sealed, about=_token_of(number_id))


def open_app_secret(vault: Vault, number_id: UUID, sealed: bytes) -> str:
    """The secret Meta signs with."""
    return vault.open(sealed, about=_secret_of(number_id))


def _token_of(number_id: UUID) -> str:
    return f"whatsapp access token {number_id}"


def _secret_of(number_id: UUID) -> str:
    return f"whatsapp app secret {number_id}"


async def _get(tx: Transaction, number_id: UUID) -> Number:
    return await tx.get(Number, Q.number, thing="WhatsApp number", id=number_id)


async def _need_manageable(tx: Transaction, actor: Actor, number_id: UUID) -> None:
    number = await _get(tx, number_id)
    need(actor, "manage")
    await need_role(tx, number.project_id, "manager", "change this agent")
