"""Signing in, oneself, users, tenants."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import Field

from veraz.api.bodies import SIGN_IN, takes
from veraz.api.caller import Caller, PasswordChanger, Services, address_of, cookie_name
from veraz.api.keys import KeyView
from veraz.api.schemas import Body, JsonObject, Name, PageView, Paging, StoredJson, Text, View, page_of
from veraz.tenancy.model import Device, Plan, Session, TenantOverview, UnknownMachines, User
from veraz.tenancy.users import UserChange
from veraz.wiring import Veraz

router = APIRouter(tags=["accounts"])

DEVICE_COOKIE: Final = "veraz_device"
"""A device on which somebody's password was right; it opens nothing."""
_DEVICE_SECONDS: Final = 365 * 24 * 3600

Email = Annotated[str, Field(min_length=3, max_length=320, pattern=r"^[^@\s\x00]+@[^@\s\x00]+$")]
Password = Annotated[str, Field(min_length=1, max_length=1024)]
Language = Literal["es", "en"]


class Login(Body):
    """Email and password."""

    email: Annotated[Text, Field(min_length=1, max_length=320)]
    password: Password
    tenant: UUID | None = None
    """Which company, for somebody whose password fits in several (`tenant_needed`)."""


class Token(View):
    """A session; send it as `Authorization: Bearer <access_token>`."""

    access_token: str
    token_type: Literal["bearer"] = "bearer"
    expires_in: int


class UserView(View):
    """A user without secrets."""

    id: UUID
    email: str | None
    external_id: str | None
    display_name: str
    role: Literal["admin", "member"]
    is_platform_admin: bool
    language: str
    has_password: bool
    """False for who was invited and has not chosen one, and for end users."""
    must_change_password: bool
    disabled_at: datetime | None
    last_login_at: datetime | None
    created_at: datetime


class Me(View):
    """The caller: the user, if any, and what the token may do."""

    tenant_id: UUID
    user: UserView | None
    scopes: list[str]
    machine_id: str | None
    is_tenant_admin: bool
    is_platform_admin: bool


class UserBody(Body):
    """A new user."""

    email: Email
    password: Password | None = None
    """A first password. Better leave it out: they choose one with the `invitation`."""
    must_change_password: bool = False
    """Whether the first password lets them in to choose another, and to nothing else."""
    display_name: Annotated[Text, Field(max_length=200)] = ""
    role: Literal["admin", "member"] = "member"
    language: Language = "es"


class UserPatch(Body):
    """What changes about a user."""

    display_name: Annotated[Text, Field(max_length=200)] | None = None
    role: Literal["admin", "member"] | None = None
    language: Language | None = None
    disabled: bool | None = None
    revoke_keys: bool = False
    """Revokes the service keys that they made, too. Those belong to the tenant and go on otherwise."""


class ChangedUserView(UserView):
    """A user as they are now, and what goes on of what they made."""

    service_keys: list[KeyView]
    """Of somebody who is disabled: the tenant's keys that they made and that still work."""


class TenantBody(Body):
    """A new tenant and its first admin."""

    name: Name
    plan: Annotated[Text, Field(max_length=40)] = "professional"
    admin_email: Email
    admin_password: Password | None = None
    """A first password. Better leave it out: they choose one with the `invitation`."""
    admin_must_change_password: bool = False
    """Whether the first password lets them in to choose another, and to nothing else."""


class TenantPatch(Body):
    """What changes about a tenant."""

    name: Name | None = None
    plan: Annotated[Text, Field(max_length=40)] | None = None
    features: JsonObject | None = None
    links_open: bool | None = None
    unknown_machines: UnknownMachines | None = None
    signed_end_users: bool | None = None


class OwnTenantPatch(Body):
    """What a tenant's admin changes about it."""

    name: Name | None = None
    links_open: bool | None = None
    """Whether links to quotations (`/s/…`) open without signing in; never those of personal knowledge bases."""
    unknown_machines: UnknownMachines | None = None
    """A machine that is named and has no licence gets one (`create`) or is refused."""
    signed_end_users: bool | None = None
    """A service key acts only for whom a signed token (`X-Veraz-Acting`) names."""


class TenantView(View):
    """A tenant."""

    id: UUID
    name: str
    plan: str
    features: StoredJson
    links_open: bool
    unknown_machines: UnknownMachines
    signed_end_users: bool
    created_at: datetime


class PlanView(View):
    """What a plan allows; null is no limit."""

    code: str
    name: str
    max_knowledge_bases: int | None
    max_documents_per_kb: int | None
    max_bytes_per_kb: int | None
    credits: int


class UsageView(View):
    """What a tenant holds now."""

    knowledge_bases: int
    documents: int
    bytes: int
    users: int
    agents: int


class TenantOverviewView(TenantView):
    """A tenant with its limits. Use and credits are null for callers whom they are not told."""

    limits: PlanView
    usage: UsageView | None
    credits: int | None


@router.post("/auth/login")
@takes(SIGN_IN)
async def login(body: Login, request: Request, response: Response, veraz: Services) -> Token:
    """Email and password → a session token (and the cookie the pages use)."""
    session = await veraz.sign_in.login(
        body.email, body.password, tenant=body.tenant, device=device_of(request)
    )
    set_cookie(response, session, secure=veraz.settings.secure_cookies)
    await know_device(request, response, body.email, session.actor.tenant_id)
    return token_answer(session)


@router.post("/auth/logout", status_code=204)
async def logout(response: Response, actor: PasswordChanger, veraz: Services) -> None:
    """Ends the session."""
    await veraz.sign_in.logout(actor)
    forget_cookie(response, secure=veraz.settings.secure_cookies)


@router.get("/me")
async def me(actor: Caller, veraz: Services) -> Me:
    """Who the token says you are."""
    user = await veraz.users.me(actor)
    return Me(
        tenant_id=actor.tenant_id,
        user=UserView.model_validate(user) if user else None,
        scopes=sorted(actor.scopes),
        machine_id=actor.machine_id,
        is_tenant_admin=actor.is_tenant_admin,
        is_platform_admin=actor.scope().platform,
    )


@router.get("/users")
async def users(actor: Caller, veraz: Services, page: Paging) -> PageView[UserView]:
    """The users you may see."""
    return page_of(UserView, await veraz.users.all(actor, page))


@router.get("/users/{user_id}")
async def user(user_id: UUID, actor: Caller, veraz: Services) -> UserView:
    """One user."""
    return _view(await veraz.users.get(actor, user_id))


@router.patch("/users/{user_id}")
async def change_user(user_id: UUID, body: UserPatch, actor: Caller, veraz: Services) -> ChangedUserView:
    """Changes a user; disabling ends their sessions, personal keys and links. Roles are changed by people, not by keys."""
    changed = await veraz.users.change(actor, user_id, UserChange(**body.model_dump()))
    left = await veraz.keys.made_by(actor, user_id) if changed.disabled_at else []
    keys = [KeyView.model_validate(key) for key in left]
    return ChangedUserView(**_view(changed).model_dump(), service_keys=keys)


@router.delete("/users/{user_id}", status_code=204)
async def delete_user(user_id: UUID, actor: Caller, veraz: Services, revoke_keys: bool = False) -> None:
    """Removes a user with their personal knowledge bases; with `revoke_keys`, the service keys they made too."""
    await veraz.users.delete(actor, user_id, revoke_keys=revoke_keys)


@router.get("/tenants")
async def tenants(actor: Caller, veraz: Services, page: Paging) -> PageView[TenantView]:
    """Every tenant (platform admins)."""
    return page_of(TenantView, await veraz.tenants.all(actor, page))


@router.patch("/tenants/{tenant_id}")
async def change_tenant(tenant_id: UUID, body: TenantPatch, actor: Caller, veraz: Services) -> TenantView:
    """Renames a tenant; plan and features only for platform admins."""
    changed = await veraz.tenants.change(actor, tenant_id, **body.model_dump())
    return TenantView.model_validate(changed)


@router.patch("/tenant")
async def change_own_tenant(body: OwnTenantPatch, actor: Caller, veraz: Services) -> TenantView:
    """Renames your tenant, or lets its links to quotations open without signing in."""
    changed = await veraz.tenants.change(actor, actor.tenant_id, **body.model_dump())
    return TenantView.model_validate(changed)


@router.get("/tenant")
async def tenant(actor: Caller, veraz: Services) -> TenantOverviewView:
    """Your tenant with its plan; use and credits for admins, and for service keys that read in the whole tenant."""
    return _overview(await veraz.tenants.overview(actor))


def token_answer(session: Session) -> Token:
    """A session as programs get it."""
    return Token(access_token=session.token, expires_in=_seconds(session))


def set_cookie(response: Response, session: Session, *, secure: bool) -> None:
    """The pages' session cookie: not for scripts, not for other sites."""
    response.set_cookie(
        cookie_name(secure=secure),
        session.token,
        max_age=_seconds(session),
        httponly=True,
        samesite="lax",
        secure=secure,
        path="/",
    )


def device_of(request: Request) -> Device:
    """Where somebody signs in from, and whether we know it."""
    return Device(
        address=address_of(request),
        name=_printable(request.headers.get("user-agent", "")),
        mark=request.cookies.get(DEVICE_COOKIE, ""),
    )


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable())[:300]


def forget_cookie(response: Response, *, secure: bool) -> None:
    """The browser's copy goes too, with what its pages kept."""
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    response.delete_cookie(cookie_name(secure=secure), path="/", secure=secure, httponly=True)


def _seconds(session: Session) -> int:
    return int((session.expires_at - datetime.now(UTC)).total_seconds())


def _view(user: User) -> UserView:
    return UserView.model_validate(user)


def _overview(overview: TenantOverview) -> TenantOverviewView:
    plan: Plan = overview.plan
    fields: dict[str, Any] = {name: getattr(overview.tenant, name) for name in TenantView.model_fields}
    return TenantOverviewView(
        **fields,
        limits=PlanView.model_validate(plan),
        usage=UsageView.model_validate(overview.usage) if overview.usage else None,
        credits=overview.credits,
    )


async def know_device(request: Request, response: Response, account: str, tenant_id: UUID) -> None:
    """The right password came from here: others who guess at this account do not stand in this device's way."""
    veraz: Veraz = request.app.state.veraz
    mark = await veraz.sign_in.device_mark(account, tenant_id)
    if mark is None:
        return
    response.set_cookie(
        DEVICE_COOKIE,
        mark,
        max_age=_DEVICE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=veraz.settings.secure_cookies,
        path="/",
    )


async def know_device_of(request: Request, response: Response, session: Session) -> None:
    """The same for who came in by a second step or through an issuer, where nobody typed the account."""
    veraz: Veraz = request.app.state.veraz
    user = await veraz.users.me(session.actor)
    if user is not None and user.email:
        await know_device(request, response, user.email, session.actor.tenant_id)
