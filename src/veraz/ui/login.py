"""Signing in and out: plain forms to addresses of our own, a new session each time."""

import json
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import Annotated, Any, Final
from urllib.parse import quote, unquote, urlencode
from uuid import UUID

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse
from nicegui import ui

from veraz import errors
from veraz.api.accounts import device_of, forget_cookie, know_device, set_cookie
from veraz.api.bodies import SIGN_IN, takes
from veraz.api.caller import Services, same_origin, session_of
from veraz.tenancy.model import Actor
from veraz.ui import login_sso
from veraz.ui.formats import Language
from veraz.ui.login_factor import to_second_step
from veraz.ui.login_parts import TYPED_COOKIE, Reason, again, card, hidden_next, inside, notice
from veraz.ui.visit import LANGUAGE_COOKIE, LANGUAGES, language_of_path, say
from veraz.wiring import Veraz

router = APIRouter()

_COMPANIES_COOKIE: Final = "veraz_companies"
"""The companies of somebody whose password fits in several, for the form that asks which."""
_MOST_COMPANIES: Final = 12
_LONGEST_NAME: Final = 60


@router.get("/")
async def in_language(request: Request) -> RedirectResponse:
    """To the same address in the language remembered, or the browser's."""
    known = request.cookies.get(LANGUAGE_COOKIE)
    english = request.headers.get("accept-language", "").lower().startswith("en")
    language = known if known in LANGUAGES else "en" if english else "es"
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/{language}{quote(request.url.path)}{query}", 303)


@router.post("/{language}/login")
@takes(SIGN_IN)
async def sign_in(
    language: Language,
    request: Request,
    veraz: Services,
    email: Annotated[str, Form(max_length=320)] = "",
    password: Annotated[str, Form(max_length=1024)] = "",
    next: Annotated[str, Form(max_length=2000)] = "",
    tenant: Annotated[UUID | None, Form()] = None,
) -> RedirectResponse:
    """Email and password → a new session and the page the person wanted."""
    if not same_origin(request):
        raise errors.Forbidden(action="use the session cookie from another site")
    try:
        session = await veraz.sign_in.login(email, password, tenant=tenant, device=device_of(request))
    except errors.SecondFactorRequired as error:
        answer = to_second_step(language, error, next, secure=veraz.settings.secure_cookies)
        await know_device(request, answer, email, UUID(str(error.context["tenant_id"])))
        answer.delete_cookie(TYPED_COOKIE, path=f"/{language}/login")
        return answer
    except errors.RateLimited:
        return _again(language, "slow", next, email)
    except errors.WrongCredentials:
        return _again(language, "wrong", next, email)
    except errors.TenantNeeded as error:
        return _which_company(_again(language, "company", next, email), language, error.tenants)
    answer = RedirectResponse(inside(next) or f"/{language}/", 303)
    answer.delete_cookie(TYPED_COOKIE, path=f"/{language}/login")
    set_cookie(answer, session, secure=veraz.settings.secure_cookies)
    await know_device(request, answer, email, session.actor.tenant_id)
    return answer


@router.post("/{language}/logout")
async def sign_out(language: Language, request: Request, veraz: Services) -> RedirectResponse:
    """Ends the session."""
    if not same_origin(request):
        raise errors.Forbidden(action="use the session cookie from another site")
    provider = None
    if token := session_of(request):
        provider = await veraz.sso.leaving(token)
        await _end(veraz, token)
    query = urlencode({"reason": "out"} | ({"provider": str(provider)} if provider else {}))
    answer = RedirectResponse(f"/{language}/login?{query}", 303)
    forget_cookie(answer, secure=veraz.settings.secure_cookies)
    return answer


async def page(request: Request, next: str = "", reason: Reason = "", provider: UUID | None = None) -> Any:
    """The sign-in page; `provider` is where the person may still be signed in."""
    language = language_of_path(request.url.path)
    veraz: Veraz = request.app.state.veraz
    with card(request, language, say(language, "Sign in")) as column:
        notice(language, reason)
        if not reason and inside(next).startswith("/s/"):
            ui.label(say(language, "Sign in to see the quotation.")).classes("quiet")
        if reason == "out" and provider:
            await login_sso.leave_link(veraz, language, provider)
        _form(language, next, unquote(request.cookies.get(TYPED_COOKIE, "")), _companies(request))
        await login_sso.buttons(veraz, language, next)
    with column:
        _other_languages(language, next)


def _form(language: str, next: str, email: str, companies: dict[str, str]) -> None:
    form = ui.element("form").props(f"method=post action=/{language}/login").classes("column gap-4 w-full")
    with form:
        name, secret = ("", "autofocus") if email else ("autofocus", "")
        ui.input(say(language, "E-mail"), value=email).props(
            f"name=email type=email autocomplete=username required {name}"
        ).classes("w-full")
        ui.input(say(language, "Password"), password=True).props(
            f"name=password autocomplete=current-password required {secret}"
        ).classes("w-full")
        if companies:
            _company(language, companies)
        hidden_next(next)
        ui.button(say(language, "Enter")).props("type=submit").classes("w-full")


def _other_languages(language: str, next: str) -> None:
    for other, name in LANGUAGES.items():
        if other != language:
            there = inside(next).replace(f"/{language}/", f"/{other}/", 1)
            query = f"?{urlencode({'next': there})}" if there else ""
            ui.link(name, f"/{other}/login{query}").classes("small")


def _again(language: str, reason: Reason, next: str, email: str) -> RedirectResponse:
    """The form again, with the e-mail that was typed; in no address, so that no log keeps it."""
    answer = again(language, reason, next)
    answer.set_cookie(
        TYPED_COOKIE, quote(email), max_age=120, path=f"/{language}/login", httponly=True, samesite="strict"
    )
    return answer


def _company(language: str, companies: dict[str, str]) -> None:
    """Which of the companies where this e-mail and password fit; they are known to who typed both."""
    with ui.element("label").classes("column w-full"):
        ui.label(say(language, "Company")).classes("quiet small")
        with ui.element("select").props("name=tenant").classes("w-full"):
            for one, name in companies.items():
                option = ui.element("option")
                option._props["value"] = one
                option._text = name


def _which_company(answer: RedirectResponse, language: str, tenants: Mapping[UUID, str]) -> RedirectResponse:
    told = quote(
        json.dumps({str(one): name[:_LONGEST_NAME] for one, name in islice(tenants.items(), _MOST_COMPANIES)})
    )
    answer.set_cookie(
        _COMPANIES_COOKIE, told, max_age=120, path=f"/{language}/login", httponly=True, samesite="strict"
    )
    return answer


def _companies(request: Request) -> dict[str, str]:
    """As the cookie says, which anybody may have written."""
    with suppress(ValueError, AttributeError, RecursionError):
        told = json.loads(unquote(request.cookies.get(_COMPANIES_COOKIE, "")))
        named = islice(told.items(), _MOST_COMPANIES)
        return {str(UUID(one)): str(name)[:_LONGEST_NAME] for one, name in named}
    return {}


async def _end(veraz: Veraz, token: str) -> None:
    try:
        actor: Actor = await veraz.callers.before_password(token)
    except errors.Unauthenticated:
        return
    await veraz.sign_in.logout(actor)
