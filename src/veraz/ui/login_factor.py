"""The second step of signing in: a code, or setting up an authenticator app first. Plain forms, as the first step."""

import base64
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse
from nicegui import ui

from veraz import errors
from veraz.api.accounts import device_of, know_device_of, set_cookie
from veraz.api.bodies import SIGN_IN, takes
from veraz.api.caller import Services, same_origin
from veraz.tenancy.model import Session
from veraz.ui.formats import Language
from veraz.ui.login_parts import Reason, again, card, hidden_next, inside, notice
from veraz.ui.visit import language_of_path, say
from veraz.wiring import Veraz

router = APIRouter()

_CHALLENGE_COOKIE: Final = "veraz_challenge"
"""A sign-in that waits for its second step. It is no session: nothing else takes it."""

_CODES_COOKIE: Final = "veraz_recovery"
"""New recovery codes on their way to the page that shows them; sealed, for minutes."""
_CODES_SECONDS: Final = 300


def to_second_step(
    language: Language, error: errors.SecondFactorRequired, next: str, *, secure: bool
) -> RedirectResponse:
    """From the first step to the second one."""
    page = "enrolment" if isinstance(error, errors.SecondFactorEnrolment) else "code"
    answer = RedirectResponse(_address(language, page, next), 303)
    answer.set_cookie(
        _CHALLENGE_COOKIE,
        str(error.context["challenge"]),
        max_age=int(str(error.context["seconds"])),
        httponly=True,
        samesite="lax",  # it may be set on the way back from an issuer
        secure=secure,
        path="/",
    )
    return answer


@router.post("/{language}/login/code")
@takes(SIGN_IN)
async def take_code(
    language: Language,
    request: Request,
    veraz: Services,
    code: Annotated[str, Form(max_length=64)] = "",
    next: Annotated[str, Form(max_length=2000)] = "",
) -> RedirectResponse:
    """A code → the session and the page the person wanted."""
    token = _challenge(request)
    try:
        session = await veraz.challenges.answer(token, code, device=device_of(request))
    except errors.VerazError as error:
        return _refused(language, "code", error, next)
    return await _in(RedirectResponse(inside(next) or f"/{language}/", 303), request, session)


@router.post("/{language}/login/enrolment")
@takes(SIGN_IN)
async def take_first_code(
    language: Language,
    request: Request,
    veraz: Services,
    code: Annotated[str, Form(max_length=64)] = "",
    next: Annotated[str, Form(max_length=2000)] = "",
) -> RedirectResponse:
    """The app's first code → the session, and once the recovery codes."""
    token = _challenge(request)
    try:
        done = await veraz.challenges.confirm_enrolment(token, code, device=device_of(request))
    except errors.VerazError as error:
        return _refused(language, "enrolment", error, next)
    answer = await _in(RedirectResponse(_address(language, "recovery", next), 303), request, done.session)
    sealed = veraz.second_factor.vault.seal(" ".join(done.recovery_codes), about=_CODES_COOKIE)
    answer.set_cookie(
        _CODES_COOKIE,
        base64.urlsafe_b64encode(sealed).decode(),
        max_age=_CODES_SECONDS,
        httponly=True,
        samesite="strict",
        secure=veraz.settings.secure_cookies,
        path=f"/{language}/login/recovery",
    )
    return answer


async def code_page(request: Request, next: str = "", reason: Reason = "") -> Any:
    """Asks for a code."""
    language = language_of_path(request.url.path)
    with card(request, language, say(language, "One more step")):
        notice(language, reason)
        ui.label(
            say(language, "Type the code your authenticator app shows now, or one of your recovery codes.")
        ).classes("quiet")
        _code_form(language, "code", next)
        ui.label(
            say(language, "No telephone and no recovery code? Ask your administrator to reset it.")
        ).classes("quiet small")
        _back(language)


async def enrolment_page(request: Request, next: str = "", reason: Reason = "") -> Any:
    """Shows the secret of an authenticator app and asks for its first code."""
    language = language_of_path(request.url.path)
    veraz: Veraz = request.app.state.veraz
    try:
        token = request.cookies.get(_CHALLENGE_COOKIE, "")
        made = await veraz.challenges.begin_enrolment(token, device=device_of(request))
    except errors.VerazError:
        return RedirectResponse(f"/{language}/login?reason=late", 303)
    with card(request, language, say(language, "Protect your account")):
        notice(language, reason)
        ui.label(
            say(language, "Your organization asks for a second step. Scan this with an authenticator app.")
        ).classes("quiet")
        qr_code(language, made.qr_svg, made.secret)
        _code_form(language, "enrolment", next)
        _back(language)
    return None


async def recovery_page(request: Request, next: str = "") -> Any:
    """The recovery codes, once."""
    language = language_of_path(request.url.path)
    veraz: Veraz = request.app.state.veraz
    try:
        sealed = base64.urlsafe_b64decode(request.cookies.get(_CODES_COOKIE, ""))
        codes = veraz.second_factor.vault.open(sealed, about=_CODES_COOKIE).split()
    except (ValueError, errors.Unavailable):
        return RedirectResponse(inside(next) or f"/{language}/", 303)
    with card(request, language, say(language, "Keep your recovery codes")):
        recovery_codes(language, codes)
        ui.button(
            say(language, "I have kept them"),
            on_click=lambda: ui.navigate.to(inside(next) or f"/{language}/"),
        ).classes("w-full")
    return None


def qr_code(language: str, svg: str, secret: str) -> None:
    """The picture to scan, and the same as text for who cannot."""
    ui.html(svg, sanitize=False).classes("qr self-center").props(
        f'role=img aria-label="{say(language, "QR code")}"'
    )
    ui.label(say(language, "Or type this key in the app:")).classes("quiet small")
    ui.label(" ".join(secret[i : i + 4] for i in range(0, len(secret), 4))).classes("secret w-full")


def recovery_codes(language: str, codes: list[str]) -> None:
    """What to do with them, and them."""
    ui.label(
        say(
            language,
            "Each lets you in once without your telephone. Keep them where you keep your passwords; they are not shown again.",
        )
    ).classes("quiet")
    ui.label("\n".join(codes)).classes("secret w-full").style("white-space: pre-line")
    ui.button(
        say(language, "Copy"), icon="content_copy", on_click=lambda: ui.clipboard.write("\n".join(codes))
    ).props("outline")


def _challenge(request: Request) -> str:
    if not same_origin(request):
        raise errors.Forbidden(action="use the session cookie from another site")
    return request.cookies.get(_CHALLENGE_COOKIE, "")


def _refused(
    language: Language, page: Literal["code", "enrolment"], error: errors.VerazError, next: str
) -> RedirectResponse:
    if isinstance(error, errors.WrongCode):
        return RedirectResponse(_address(language, page, next, reason="code"), 303)
    if isinstance(error, errors.RateLimited):
        return RedirectResponse(_address(language, page, next, reason="slow"), 303)
    if isinstance(error, errors.Unauthenticated):
        return again(language, "late", next)
    raise error


async def _in(answer: RedirectResponse, request: Request, session: Session) -> RedirectResponse:
    veraz: Veraz = request.app.state.veraz
    answer.delete_cookie(_CHALLENGE_COOKIE, path="/")
    set_cookie(answer, session, secure=veraz.settings.secure_cookies)
    await know_device_of(request, answer, session)
    return answer


def _address(language: str, page: str, next: str, *, reason: str = "") -> str:
    query = urlencode(
        {name: value for name, value in {"reason": reason, "next": inside(next)}.items() if value}
    )
    return f"/{language}/login/{page}" + (f"?{query}" if query else "")


def _code_form(language: str, page: str, next: str) -> None:
    form = (
        ui.element("form")
        .props(f"method=post action=/{language}/login/{page}")
        .classes("column gap-4 w-full")
    )
    with form:
        ui.input(say(language, "Code")).props(
            "name=code autocomplete=one-time-code autocapitalize=off spellcheck=false maxlength=64 required autofocus"
        ).classes("w-full")
        hidden_next(next)
        ui.button(say(language, "Go on")).props("type=submit").classes("w-full")


def _back(language: str) -> None:
    ui.link(say(language, "Begin again"), f"/{language}/login").classes("small")
