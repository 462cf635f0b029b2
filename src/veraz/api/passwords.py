"""Passwords: one's own, and links with which people choose theirs."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import Field

from veraz.api.accounts import (
    Password,
    TenantBody,
    TenantView,
    UserBody,
    UserView,
    device_of,
)
from veraz.api.bodies import SIGN_IN, takes
from veraz.api.caller import Caller, PasswordChanger, Services
from veraz.api.schemas import Body, View
from veraz.tenancy.model import Tenant, User
from veraz.tenancy.password_links import PasswordLink
from veraz.tenancy.tenants import NewTenant
from veraz.tenancy.users import NewUser
from veraz.wiring import Veraz

router = APIRouter(tags=["accounts"])


class PasswordChange(Body):
    """The password you have, and the one you want."""

    current_password: Password
    new_password: Password


class ChosenPassword(Body):
    """What stands behind the `#` of the link, and the password you want."""

    token: Annotated[str, Field(min_length=1, max_length=200)]
    password: Password


class LinkView(View):
    """A link to hand to the person; it is not shown again. Good once, until `expires_at` or until a newer one is made."""

    url: str
    expires_at: datetime


class InvitedView(UserView):
    """A new user, with the link to hand to them. None where a first password was set, or a key added them."""

    invitation: LinkView | None


class FoundedView(TenantView):
    """A new tenant, with the link for its first admin, unless a first password was set."""

    invitation: LinkView | None


@router.post("/users", status_code=201)
async def add_user(body: UserBody, actor: Caller, veraz: Services) -> InvitedView:
    """Adds somebody to the tenant; they choose a password with the link of `invitation`."""
    new = NewUser(**body.model_dump())
    if new.password is not None or actor.key_id is not None:
        return _invited(await veraz.users.add(actor, new), None)
    link = await veraz.password_links.invite(actor, new)
    return _invited(link.user, link_view(veraz, link))


@router.post("/tenants", status_code=201)
async def create_tenant(body: TenantBody, actor: Caller, veraz: Services) -> FoundedView:
    """A new tenant (platform admins); its admin chooses a password with the link of `invitation`."""
    new = NewTenant(**body.model_dump())
    if new.admin_password is not None:
        return _founded(await veraz.tenants.create(actor, new), None)
    tenant, link = await veraz.password_links.found(actor, new)
    return _founded(tenant, link_view(veraz, link))


@router.post("/me/password", status_code=204)
@takes(SIGN_IN)
async def change_own(body: PasswordChange, actor: PasswordChanger, veraz: Services) -> None:
    """A new password for the old one. Your other sessions end, and your keys that asked to end with it."""
    await veraz.passwords.change(actor, body.current_password, body.new_password)


@router.post("/auth/password", status_code=204)
@takes(SIGN_IN)
async def choose(body: ChosenPassword, request: Request, veraz: Services) -> None:
    """The password of an invitation or a reset; then sign in with it. All sessions of the person end."""
    await veraz.password_links.accept(body.token, body.password, device=device_of(request))


@router.post("/users/{user_id}/password-link", status_code=201)
async def make_link(user_id: UUID, actor: Caller, veraz: Services) -> LinkView:
    """A link with which somebody chooses a password: who was invited, or lost it. Not for keys."""
    return link_view(veraz, await veraz.password_links.make(actor, user_id))


def link_view(veraz: Veraz, link: PasswordLink) -> LinkView:
    """The link as an address of this installation."""
    return LinkView(url=link.address(veraz.settings.address), expires_at=link.expires_at)


def _invited(user: User, link: LinkView | None) -> InvitedView:
    return InvitedView(**UserView.model_validate(user).model_dump(), invitation=link)


def _founded(tenant: Tenant, link: LinkView | None) -> FoundedView:
    return FoundedView(**TenantView.model_validate(tenant).model_dump(), invitation=link)
