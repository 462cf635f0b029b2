"""Signing in at an identity provider: to it, back from it, and out of it."""

from typing import Annotated, Any, Final
from urllib.parse import quote, unquote, urlencode
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse
from nicegui import ui

from veraz import errors
from veraz.api.accounts import device_of, know_device_of, set_cookie
from veraz.api.caller import Services
from veraz.observe import log
from veraz.sso.sign_in import ATTEMPT_SECONDS, Returned
from veraz.ui.formats import Language
from veraz.ui.login_factor import to_second_step
from veraz.ui.login_parts import Reason, again, inside
from veraz.ui.visit import say
from veraz.wiring import Veraz

router = APIRouter(prefix="/auth/sso")

_KEPT_COOKIE: Final = "veraz_sso"
"""What binds the issuer's answer to this browser; sealed."""
_NEXT_COOKIE: Final = "veraz_sso_next"
"""In which language and to which page the person goes afterwards."""


@router.get("/{provider_id}")
async def start(
    provider_id: UUID, request: Request, veraz: Services, language: Language = "es", next: str = ""
) -> RedirectResponse:
    """To the issuer."""
    try:
        started = await veraz.sso.start(provider_id, device=device_of(request))
    except errors.VerazError as error:
        return _failed(language, error, next)
    answer = RedirectResponse(started.address, 303)
    _keep(answer, veraz, provider_id, _KEPT_COOKIE, started.kept)
    _keep(answer, veraz, provider_id, _NEXT_COOKIE, quote(f"/{language}/|{inside(next)}"))
    return answer


@router.get("/{provider_id}/callback")
async def callback(
    provider_id: UUID,
    request: Request,
    veraz: Services,
    state: Annotated[str, Query(max_length=200)] = "",
    code: Annotated[str, Query(max_length=4000)] = "",
    iss: Annotated[str | None, Query(max_length=1000)] = None,
    error: Annotated[str, Query(max_length=200)] = "",
) -> RedirectResponse:
    """Back from the issuer."""
    language, next = _wanted(request.cookies.get(_NEXT_COOKIE, ""))
    returned = Returned(
        kept=request.cookies.get(_KEPT_COOKIE, ""), state=state, code=code, issuer=iss, refused=bool(error)
    )
    try:
        session = await veraz.sso.finish(provider_id, returned, device=device_of(request))
        answer = RedirectResponse(next or f"/{language}/", 303)
        set_cookie(answer, session, secure=veraz.settings.secure_cookies)
        await know_device_of(request, answer, session)
    except errors.SecondFactorRequired as waiting:
        answer = to_second_step(language, waiting, next, secure=veraz.settings.secure_cookies)
    except errors.VerazError as problem:
        answer = _failed(language, problem, next)
    for name in (_KEPT_COOKIE, _NEXT_COOKIE):
        answer.delete_cookie(name, path=f"/auth/sso/{provider_id}")
    return answer


@router.get("/{provider_id}/leave")
async def leave(
    provider_id: UUID, request: Request, veraz: Services, language: Language = "es"
) -> RedirectResponse:
    """Out of the issuer too, for who has signed out here."""
    back = f"/{language}/login?reason=out"
    try:
        address = await veraz.sso.sign_out_address(
            provider_id, f"{veraz.settings.address}{back}", device=device_of(request)
        )
    except errors.VerazError as error:
        return _failed(language, error, "")
    return RedirectResponse(address or back, 303)


async def buttons(veraz: Veraz, language: str, next: str) -> None:
    """«Sign in with …», for the providers everybody may see."""
    listed = await veraz.sso.listed()
    if not listed:
        return
    ui.separator()
    for one in listed:
        query = urlencode({"language": language} | ({"next": inside(next)} if inside(next) else {}))
        button(say(language, "Sign in with {name}", name=one.name), f"/auth/sso/{one.id}?{query}")


async def leave_link(veraz: Veraz, language: str, provider_id: UUID) -> None:
    """The way out of the provider too: on a shared computer its session would let the next person in."""
    if name := await veraz.sso.name_of(provider_id):
        ui.link(
            say(language, "Sign out of {name} too", name=name),
            f"/auth/sso/{provider_id}/leave?language={language}",
        )


def button(words: str, address: str) -> None:
    """A link that looks like a button: the browser goes there as itself."""
    made: Any = ui.button(words, icon="login").props("outline").classes("w-full")
    made.props["href"] = address


def _failed(language: Language, error: errors.VerazError, next: str) -> RedirectResponse:
    """The form again, with what can be told; what it was exactly is in the log."""
    reason: Reason = "outside"
    if isinstance(error, errors.SessionExpired | errors.NotFound):
        reason = "late"
    elif isinstance(error, errors.Unauthenticated):
        reason = "refused"
    elif isinstance(error, errors.RateLimited):
        reason = "slow"
    log.warning("sso_failed", code=error.code, reason=str(error))
    return again(language, reason, next)


def _keep(answer: RedirectResponse, veraz: Veraz, provider_id: UUID, name: str, value: str) -> None:
    answer.set_cookie(
        name,
        value,
        max_age=ATTEMPT_SECONDS,
        httponly=True,
        samesite="lax",  # it comes back on the way from the issuer's site
        secure=veraz.settings.secure_cookies,
        path=f"/auth/sso/{provider_id}",
    )


def _wanted(kept: str) -> tuple[Language, str]:
    """Language and page, believed as little as if they stood in the address."""
    home, _, next = unquote(kept).partition("|")
    return ("en" if home == "/en/" else "es"), inside(next)
