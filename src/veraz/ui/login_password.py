"""Choosing a password: with the link of an invitation or a reset, or because somebody else chose the last one. Plain forms.

The secret of a link stands behind the `#`, which the browser keeps to itself; a script of ours takes it out of the address
line at once and puts it into the form that is sent.
"""

from typing import Annotated, Any, Final
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse
from nicegui import ui

from veraz import errors
from veraz.api.accounts import device_of
from veraz.api.bodies import SIGN_IN, takes
from veraz.api.caller import Services, same_origin, token_of
from veraz.ui.formats import Language
from veraz.ui.login_parts import TYPED_COOKIE, Reason, card, hidden_next, inside, notice
from veraz.ui.scripts import head_script
from veraz.ui.visit import language_of_path, say

router = APIRouter()

_TAKE_LINK: Final = """
const kept = "veraz_link", link = location.hash.slice(1) || sessionStorage.getItem(kept) || "";
if (location.hash) { sessionStorage.setItem(kept, link); history.replaceState(null, "", location.pathname); }
document.addEventListener("submit", event => {
  const field = event.target.querySelector("[name=token]"); if (field) field.value = link;
}, true);
"""

_REASONS: Final[tuple[tuple[type[errors.VerazError], Reason], ...]] = (
    (errors.RateLimited, "slow"),
    (errors.LinkUsed, "used"),
    (errors.CommonPassword, "common"),
    (errors.WeakPassword, "short"),
    (errors.Invalid, "current"),
)


@router.post("/{language}/password")
@takes(SIGN_IN)
async def choose(
    language: Language,
    request: Request,
    veraz: Services,
    token: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1024)] = "",
) -> RedirectResponse:
    """The password of whom the link is for; they sign in with it next."""
    _only_ours(request)
    try:
        email = await veraz.password_links.accept(token, password, device=device_of(request))
    except errors.VerazError as error:
        return RedirectResponse(f"/{language}/password?reason={_reason(error)}", 303)
    answer = RedirectResponse(f"/{language}/login?reason=chosen", 303)
    answer.set_cookie(
        TYPED_COOKIE, quote(email), max_age=120, path=f"/{language}/login", httponly=True, samesite="strict"
    )
    return answer


@router.post("/{language}/password/own")
@takes(SIGN_IN)
async def change(
    language: Language,
    request: Request,
    veraz: Services,
    current: Annotated[str, Form(max_length=1024)] = "",
    password: Annotated[str, Form(max_length=1024)] = "",
    next: Annotated[str, Form(max_length=2000)] = "",
) -> RedirectResponse:
    """A password of one's own for the one that somebody else chose."""
    _only_ours(request)
    try:
        actor = await veraz.callers.before_password(token_of(request) or "")
        await veraz.passwords.change(actor, current, password)
    except errors.Unauthenticated:
        return RedirectResponse(f"/{language}/login", 303)
    except errors.VerazError as error:
        return RedirectResponse(own_address(language, next, _reason(error)), 303)
    return RedirectResponse(inside(next) or f"/{language}/", 303)


async def choose_page(request: Request, reason: Reason = "") -> Any:
    """Asks who holds a link for a password."""
    language = language_of_path(request.url.path)
    head_script(_TAKE_LINK)
    with card(request, language, say(language, "Choose your password")):
        notice(language, reason)
        _hint(language)
        with _form(f"/{language}/password"):
            ui.element("input").props("type=hidden name=token")
            _password(language, "New password", "password", "new-password")
            _send(language)


async def own_page(request: Request, next: str = "", reason: Reason = "") -> Any:
    """Asks for the password that somebody else chose, and for one of one's own."""
    language = language_of_path(request.url.path)
    with card(request, language, say(language, "Choose your password")):
        notice(language, reason)
        ui.label(
            say(language, "Somebody else chose the one you have. Only you should know the next.")
        ).classes("quiet")
        _hint(language)
        with _form(f"/{language}/password/own"):
            _password(language, "Current password", "current", "current-password")
            _password(language, "New password", "password", "new-password")
            hidden_next(next)
            _send(language)


def own_address(language: str, next: str = "", reason: Reason = "") -> str:
    """Where somebody changes a password that another chose, and where they go then."""
    query = urlencode(
        ({"reason": reason} if reason else {}) | ({"next": inside(next)} if inside(next) else {})
    )
    return f"/{language}/password/own" + (f"?{query}" if query else "")


def _hint(language: str) -> None:
    ui.label(
        say(language, "At least 8 characters; best several words that only you would put together.")
    ).classes("quiet small")


def _form(action: str) -> ui.element:
    return ui.element("form").props(f"method=post action={action}").classes("column gap-4 w-full")


def _password(language: str, words: str, name: str, kind: str) -> None:
    ui.input(say(language, words), password=True).props(
        f"name={name} autocomplete={kind} required maxlength=1024"
    ).classes("w-full")


def _send(language: str) -> None:
    ui.button(say(language, "Save")).props("type=submit").classes("w-full")


def _only_ours(request: Request) -> None:
    if not same_origin(request):
        raise errors.Forbidden(action="use the session cookie from another site")


def _reason(error: errors.VerazError) -> Reason:
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), "late")
