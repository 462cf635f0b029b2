"""The pages on the application of the API, which keeps every address of its own."""

from typing import ClassVar, Final

from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import ui
from nicegui.storage import Storage
from starlette.datastructures import Headers
from starlette.routing import Match, Mount, Route
from starlette.types import Scope

from veraz.api.bodies import PAGE
from veraz.api.caller import cookie_name
from veraz.ui import login, login_factor, login_password, login_sso, theme
from veraz.ui.frame import Frame
from veraz.ui.pages import MOVED, PAGES
from veraz.ui.routing import FramedPages
from veraz.ui.scripts import sign_scripts
from veraz.ui.sockets import guard_sockets
from veraz.ui.visit import Visiting
from veraz.ui.visitors import Visitors
from veraz.wiring import Veraz

_QUASAR: Final = {"es": "es", "en": "en-US"}
_SLOWEST_PAGE: Final = 30.0
_ATTENTION_SECONDS: Final = 20.0
_ASLEEP_SECONDS: Final = 120.0
"""How long a tab that went silent finds everything as it was; after that it is built again from what is stored."""
_SILENCE_SECONDS: Final = 25.0
"""The page framework asks whether a browser is there every 0.8 of this and waits 0.4 of it: a busy machine is no closed tab."""


def add_pages(app: FastAPI, veraz: Veraz) -> None:
    """Puts the pages beside the API. One process at a time can show pages: what people see lives in it."""
    Storage.path = veraz.settings.home / "pages"
    pages_app.state.veraz = veraz
    app.include_router(login.router, include_in_schema=False)
    for steps in (login_factor, login_password, login_sso):
        app.include_router(steps.router, include_in_schema=False)
    theme.apply()
    sign_scripts()
    guard_sockets(cookie_name(secure=veraz.settings.secure_cookies))
    for language in _QUASAR:
        _page(language, "/login")(login.page)
        _page(language, "/password")(login_password.choose_page)
        _page(language, "/password/own")(login_password.own_page)
        _page(language, "/login/code")(login_factor.code_page)
        _page(language, "/login/enrolment")(login_factor.enrolment_page)
        _page(language, "/login/recovery")(login_factor.recovery_page)
        for path in ("", "/", "/{rest:path}"):
            _page(language, path)(framed)
    ui.run_with(
        app,
        title="Veraz",
        tailwind=False,  # its script costs 67 KB a visit and watches every change of a page
        favicon=theme.FAVICON,
        dark=None,
        language="es",
        reconnect_timeout=_SILENCE_SECONDS,
        show_welcome_message=False,
    )
    app.router.routes[-1] = _Pages("/", app=Visitors(pages_app))
    app.router.routes.append(_Unknown("/{path:path}", login.in_language))


async def framed(visit: Visiting) -> None:
    """The frame with the page of this address in it."""
    frame = Frame(visit)
    frame.draw()
    pages = FramedPages(frame, PAGES | MOVED).classes("w-full")
    ui.skip_link(visit.t("Skip to content"), target=pages)
    await pages.built()
    ui.timer(_ATTENTION_SECONDS, visit.act(frame.count_attention, by_clock=True))


def _page(language: str, path: str) -> ui.page:
    return ui.page(
        f"/{language}{path}",
        language=_QUASAR[language],  # type: ignore[arg-type]
        response_timeout=_SLOWEST_PAGE,
        reconnect_timeout=_ASLEEP_SECONDS,
    )


class _Unknown(Route):
    """Addresses that nobody has, in a browser: the same below a language, where it is a page or told not to be one."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        wants_page = (
            "text/html" in Headers(scope=scope).get("accept", "") if scope["type"] == "http" else False
        )
        if not wants_page or scope["path"].startswith(("/api/", "/_nicegui", "/es/", "/en/")):
            return Match.NONE, {}
        return super().matches(scope)


class _Pages(Mount):
    """Takes only addresses of pages, so that an unknown address of the API stays the API's to refuse.

    The uploads of the page framework, which know neither sessions nor limits, are refused with the rest.
    """

    portions: ClassVar = {"/_nicegui_ws/": PAGE}
    """What browsers send where they have no socket."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path: str = scope.get("path", "")
        first = path.removeprefix("/").split("/", 1)[0]
        if not path.startswith("/") or first not in ("es", "en", "_nicegui", "_nicegui_ws"):
            return Match.NONE, {}
        if path.startswith("/_nicegui/client/"):
            return Match.NONE, {}
        return super().matches(scope)
