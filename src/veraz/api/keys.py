"""API keys; the secret is in the answer that makes the key and nowhere else."""

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import AfterValidator, AwareDatetime, Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, Name, PageView, Paging, View, page_of

router = APIRouter(prefix="/api-keys", tags=["keys"])

Scope = Literal["admin", "manage", "ingest", "read", "ask"]


def _ahead(moment: datetime) -> datetime:
    """A key that has expired already, or in a year PostgreSQL's drivers cannot read, is a mistake."""
    if not datetime.now(UTC) < moment < datetime(9999, 1, 1, tzinfo=UTC):
        raise ValueError("a moment in the future is needed")
    return moment


Ahead = Annotated[AwareDatetime, AfterValidator(_ahead)]


class KeyBody(Body):
    """A new key. Without scopes it may do what you may do; `personal` keys act as you."""

    name: Name
    scopes: list[Scope] = Field(default=["admin"], min_length=1, max_length=5)
    project_id: UUID | None = None
    expires_at: Ahead | None = None
    personal: bool | None = None
    ends_with_password: bool = False
    """A personal key that is revoked when you get another password."""


class KeyView(View):
    """A key without its secret."""

    id: UUID
    name: str
    prefix: str
    scopes: list[Scope]
    project_id: UUID | None
    user_id: UUID | None
    ends_with_password: bool
    created_by: UUID | None
    """Who made it; null: the machine itself, or another key."""
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class IssuedKeyView(KeyView):
    """A new key with its secret, shown once."""

    key: str


@router.post("", status_code=201)
async def issue(body: KeyBody, actor: Caller, veraz: Services) -> IssuedKeyView:
    """Makes a key; copy `key` now, it is not shown again."""
    issued = await veraz.keys.issue(actor, **body.model_dump())
    return IssuedKeyView(**KeyView.model_validate(issued.key).model_dump(), key=issued.secret)


@router.get("")
async def keys(actor: Caller, veraz: Services, page: Paging) -> PageView[KeyView]:
    """Your keys; an admin sees the tenant's."""
    return page_of(KeyView, await veraz.keys.all(actor, page))


@router.delete("/{key_id}", status_code=204)
async def revoke(key_id: UUID, actor: Caller, veraz: Services) -> None:
    """Revokes a key at once."""
    await veraz.keys.revoke(actor, key_id)
