"""The pages on the application of the API, which keeps every address of its own."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import ui
from nicegui.storage import Storage
from starlette.routing import Match, Mount
from starlette.types import Scope

from veraz import errors
from veraz.api.problems import status_of
from veraz.ui import login, theme
from veraz.ui.pages import PAGES
from veraz.ui.shell import sorry
from veraz.wiring import Veraz

_QUASAR: Final = {"es": "es", "en": "en-US"}
_SLOWEST_PAGE: Final = 30.0
_CLOSED_TAB_SECONDS: Final = 8.0
_SILENCE_SECONDS: Final = 25.0
"""The page framework asks whether a browser is there every 0.8 of this and waits 0.4 of it: a busy machine is no closed tab."""


def add_pages(app: FastAPI, veraz: Veraz) -> None:
    """Puts the pages beside the API. One process at a time can show pages: what people see lives in it."""
    Storage.path = veraz.settings.home / "pages"
    pages_app.state.veraz = veraz
    app.include_router(login.router, include_in_schema=False)
    theme.apply()
    for path, build in PAGES.items():
        _register(path, build)
    ui.run_with(
        app,
        title="Veraz",
        favicon=theme.FAVICON,
        dark=None,
        language="es",
        reconnect_timeout=_SILENCE_SECONDS,
        show_welcome_message=False,
    )
    app.router.routes[-1] = _Pages("/", app=pages_app)


def _register(path: str, build: Callable[..., Any]) -> None:
    @wraps(build)
    async def shown(**given: Any) -> Any:
        try:
            return await build(**given)
        except errors.VerazError as error:
            ui.status_code(status_of(error))
            _wipe()
            sorry(given["visit"], error)

    for language, quasar in _QUASAR.items():
        page = ui.page(
            f"/{language}{path}",
            language=quasar,  # type: ignore[arg-type]
            response_timeout=_SLOWEST_PAGE,
            reconnect_timeout=_CLOSED_TAB_SECONDS,
        )
        page(shown)


def _wipe() -> None:
    """Nothing of a page that was refused halfway is shown."""
    client = ui.context.client
    for element in list(client.layout.default_slot.children):
        if element is not client.page_container:
            element.delete()
    client.content.clear()


class _Pages(Mount):
    """Takes only addresses of pages, so that an unknown address of the API stays the API's to refuse.

    The uploads of the page framework, which know neither sessions nor limits, are refused with the rest.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path: str = scope.get("path", "")
        if path.split("/", 2)[1] not in ("es", "en", "_nicegui", "_nicegui_ws"):
            return Match.NONE, {}
        if path.startswith("/_nicegui/client/"):
            return Match.NONE, {}
        return super().matches(scope)
