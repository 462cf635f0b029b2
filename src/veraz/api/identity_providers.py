"""Identity providers (OpenID Connect): where people of the tenant sign in, for its administrators."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz.api.bodies import SETTINGS, takes
from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, PageView, Paging, Text, View, page_of
from veraz.sso.model import GroupRole, IdentityProvider, ProviderChange

router = APIRouter(prefix="/identity-providers", tags=["accounts"])

Issuer = Annotated[Text, Field(min_length=8, max_length=1000)]
ShortName = Annotated[Text, Field(min_length=1, max_length=100)]
Word = Annotated[Text, Field(min_length=1, max_length=200)]
Domain = Annotated[str, Field(min_length=3, max_length=253, pattern=r"^@?[A-Za-z0-9.-]+\.[A-Za-z0-9-]+$")]


class GroupRoleBody(Body):
    """What a group of the issuer is here; without a project only `admin`, of the whole tenant."""

    group: Word
    role: Literal["admin", "manager", "member"]
    project_id: UUID | None = None


class ProviderPatch(Body):
    """What changes; an empty `client_secret` takes it away (public client)."""

    name: ShortName | None = None
    issuer: Issuer | None = None
    client_id: Annotated[Text, Field(min_length=1, max_length=500)] | None = None
    client_secret: Annotated[Text, Field(max_length=1000)] | None = None
    scopes: Annotated[list[Word], Field(min_length=1, max_length=20)] | None = None
    domains: Annotated[list[Domain], Field(max_length=100)] | None = None
    links_users: bool | None = None
    """Whoever has a verified e-mail of a user here is that user from then on."""
    creates_users: bool | None = None
    """Whoever has a verified e-mail of one of the domains becomes a user."""
    shows_factor: bool | None = None
    """The issuer asks for a second factor itself, so that Veraz does not."""
    groups_claim: Word | None = None
    groups: Annotated[list[GroupRoleBody], Field(max_length=200)] | None = None
    listed: bool | None = None
    """Whether everybody's sign-in page shows it (platform administrators)."""
    enabled: bool | None = None


class ProviderBody(ProviderPatch):
    """A new identity provider."""

    name: ShortName
    issuer: Issuer
    client_id: Annotated[Text, Field(min_length=1, max_length=500)]


class GroupRoleView(View):
    """What a group of the issuer is here."""

    group: str
    role: Literal["admin", "manager", "member"]
    project_id: UUID | None


class ProviderView(View):
    """An identity provider without its secret, and what to register there."""

    id: UUID
    name: str
    issuer: str
    client_id: str
    has_secret: bool
    scopes: list[str]
    domains: list[str]
    links_users: bool
    creates_users: bool
    shows_factor: bool
    groups_claim: str
    groups: list[GroupRoleView]
    listed: bool
    enabled: bool
    created_at: datetime
    updated_at: datetime


class RegisteredProviderView(ProviderView):
    """With the addresses that belong to it."""

    redirect_uri: str
    """To be registered at the issuer."""
    sign_in_url: str
    """Where people of the tenant sign in."""


class DiscoveryView(View):
    """What its issuer says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    end_session_endpoint: str | None


@router.post("", status_code=201)
@takes(SETTINGS)
async def create(body: ProviderBody, actor: Caller, veraz: Services) -> RegisteredProviderView:
    """Sets one up."""
    return _registered(veraz, await veraz.identity_providers.create(actor, _change(body)))


@router.get("")
async def providers(actor: Caller, veraz: Services, page: Paging) -> PageView[ProviderView]:
    """Those of the tenant."""
    return page_of(ProviderView, await veraz.identity_providers.all(actor, page))


@router.get("/{provider_id}")
async def provider(provider_id: UUID, actor: Caller, veraz: Services) -> RegisteredProviderView:
    """One."""
    return _registered(veraz, await veraz.identity_providers.get(actor, provider_id))


@router.patch("/{provider_id}")
@takes(SETTINGS)
async def change(
    provider_id: UUID, body: ProviderPatch, actor: Caller, veraz: Services
) -> RegisteredProviderView:
    """Changes it."""
    return _registered(veraz, await veraz.identity_providers.change(actor, provider_id, _change(body)))


@router.delete("/{provider_id}", status_code=204)
async def delete(provider_id: UUID, actor: Caller, veraz: Services) -> None:
    """Removes it; the sessions that came through it end."""
    await veraz.identity_providers.delete(actor, provider_id)


@router.post("/{provider_id}/test")
async def test(provider_id: UUID, actor: Caller, veraz: Services) -> DiscoveryView:
    """Whether its issuer answers."""
    return DiscoveryView.model_validate(await veraz.identity_providers.test(actor, provider_id))


def _change(body: ProviderPatch) -> ProviderChange:
    values: dict[str, Any] = body.model_dump()
    groups = None if body.groups is None else [GroupRole(**one.model_dump()) for one in body.groups]
    return ProviderChange(**values | {"groups": groups})


def _registered(veraz: Services, one: IdentityProvider) -> RegisteredProviderView:
    return RegisteredProviderView(
        **ProviderView.model_validate(one).model_dump(),
        redirect_uri=veraz.sso.redirect_uri(one.id),
        sign_in_url=veraz.sso.sign_in_uri(one.id),
    )
