"""Who is calling: a bearer token, a key (also in `apikey`), or the session cookie of the pages."""

from typing import Annotated, Final
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.datastructures import Headers

from veraz import errors
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz

COOKIE: Final = "veraz_session"
SECURE_COOKIE: Final = f"__Host-{COOKIE}"
"""Over HTTPS: a browser takes it from nobody but this very host."""
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

_bearer = HTTPBearer(auto_error=False, description="A session token or an API key.")
_apikey = APIKeyHeader(
    name="apikey", auto_error=False, description="An API key, as Supabase clients send it."
)


async def services(request: Request) -> Veraz:
    """The services this application was built on; a coroutine, because others are sent to a thread and back."""
    veraz: Veraz = request.app.state.veraz
    return veraz


Services = Annotated[Veraz, Depends(services)]


async def caller(
    request: Request,
    veraz: Services,
    _: Annotated[object, Depends(_bearer)],
    __: Annotated[object, Depends(_apikey)],
) -> Actor:
    """The caller, or Unauthenticated."""
    return await admitted(veraz, token_of(request), request.headers, address_of(request))


Caller = Annotated[Actor, Depends(caller)]


async def admitted(veraz: Veraz, token: str | None, headers: Headers, address: str) -> Actor:
    """Who this is, unless they, their tenant, or a stranger's address have called too often."""
    try:
        if not token:
            raise errors.Unauthenticated()
        actor = await veraz.callers.authenticate(token, **acting_for(headers))
    except errors.Unauthenticated:
        await veraz.rates.of_stranger(address)
        raise
    await veraz.rates.of_caller(actor)
    return actor


def address_of(request: Request) -> str:
    """Where the caller is."""
    return request.client.host if request.client else "?"


async def password_changer(
    request: Request, veraz: Services, _: Annotated[object, Depends(_bearer)]
) -> Actor:
    """The caller, also one who must choose a password first."""
    try:
        actor = await veraz.callers.before_password(token_of(request) or "")
    except errors.Unauthenticated:
        await veraz.rates.of_stranger(address_of(request))
        raise
    await veraz.rates.of_caller(actor)
    return actor


PasswordChanger = Annotated[Actor, Depends(password_changer)]


def acting_for(headers: Headers) -> dict[str, str | None]:
    """Whom a service key says it acts for, as `authenticate` takes it."""
    return {
        "external_user": _said_once(headers, "X-Veraz-User"),
        "machine_id": _said_once(headers, "X-Veraz-Machine"),
        "signed": _said_once(headers, "X-Veraz-Acting"),
    }


def _said_once(headers: Headers, name: str) -> str | None:
    """Of two values, one is somebody else's: a proxy adds its own to what a caller sent."""
    values = headers.getlist(name)
    if len(values) > 1:
        raise errors.Invalid(field=name, reason=errors.Phrase("send it once", es="envíelo una vez"))
    return values[0] if values else None


def token_of(request: Request) -> str | None:
    """The secret the request carries, wherever it carries it."""
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        return credentials.strip()
    if key := request.headers.get("apikey"):
        return key.strip()
    cookie = session_of(request)
    if cookie and request.method not in _SAFE_METHODS and not same_origin(request):
        raise errors.Forbidden(action="use the session cookie from another site")
    return cookie


def session_of(request: Request) -> str | None:
    """The session a browser brings; over HTTPS only a cookie that nobody but we can have set."""
    return request.cookies.get(cookie_name(secure=request.app.state.veraz.settings.secure_cookies))


def cookie_name(*, secure: bool) -> str:
    """The name of the session cookie."""
    return SECURE_COOKIE if secure else COOKIE


def same_origin(request: Request) -> bool:
    """A browser says where a request comes from; a page of another site must not use our cookie."""
    try:
        origin = urlsplit(request.headers["origin"])
    except (KeyError, ValueError):  # none, or nothing a browser sends
        return False
    return origin.netloc == request.headers.get("host")
