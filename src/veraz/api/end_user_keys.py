"""Keys with which a tenant's programs sign whom a service key acts for."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, Name, Text, View
from veraz.tenancy.end_user_keys import Algorithm, IssuedEndUserKey

router = APIRouter(prefix="/end-user-keys", tags=["keys"])

Pem = Annotated[Text, Field(max_length=2_000)]


class EndUserKeyBody(Body):
    """A new key: HS256 with a secret that is shown once, or EdDSA with a public key of yours."""

    name: Name
    algorithm: Algorithm = "HS256"
    public_key: Pem | None = None


class RotateBody(Body):
    """The old key goes on for so many minutes."""

    overlap_minutes: Annotated[int, Field(ge=0, le=10_080)] = 60
    public_key: Pem | None = None


class EndUserKeyView(View):
    """A key without its secret; its id is the `kid` of the tokens it signs."""

    id: UUID
    name: str
    algorithm: Algorithm
    created_by: UUID | None
    created_at: datetime
    ends_at: datetime | None


class IssuedEndUserKeyView(EndUserKeyView):
    """A new key; copy the secret now, it is not shown again."""

    secret: str | None


@router.post("", status_code=201)
async def issue(body: EndUserKeyBody, actor: Caller, veraz: Services) -> IssuedEndUserKeyView:
    """Makes a key."""
    return _shown(await veraz.end_user_keys.issue(actor, **body.model_dump()))


@router.get("")
async def keys(actor: Caller, veraz: Services) -> list[EndUserKeyView]:
    """The tenant's keys, newest first."""
    return [EndUserKeyView.model_validate(key) for key in await veraz.end_user_keys.all(actor)]


@router.post("/{key_id}/rotate", status_code=201)
async def rotate(key_id: UUID, body: RotateBody, actor: Caller, veraz: Services) -> IssuedEndUserKeyView:
    """Makes the key that takes its place; the old one ends a while later."""
    return _shown(await veraz.end_user_keys.rotate(actor, key_id, **body.model_dump()))


@router.delete("/{key_id}", status_code=204)
async def end(key_id: UUID, actor: Caller, veraz: Services) -> None:
    """Ends a key: nothing it signed is believed any more."""
    await veraz.end_user_keys.end(actor, key_id)


def _shown(issued: IssuedEndUserKey) -> IssuedEndUserKeyView:
    key = EndUserKeyView.model_validate(issued.key).model_dump()
    return IssuedEndUserKeyView(**key, secret=issued.secret)
