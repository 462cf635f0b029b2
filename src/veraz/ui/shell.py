"""What every page begins with: its title, where it belongs, and the way back."""

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from veraz import errors
from veraz.ui.alerts import Alert
from veraz.ui.parts import empty, heading
from veraz.ui.visit import Visit


@contextmanager
def shell(
    visit: Visit,
    title: str,
    *,
    active: str,
    wide: bool = False,
    subtitle: str = "",
    back: tuple[str, str] | None = None,
) -> Iterator[None]:
    """A page with its heading; what the block draws is its content. `back` is where it belongs: words and path."""
    begin(visit, title, active)
    with ui.column().classes("page wide" if wide else "page"):
        if back:
            ui.link(f"‹ {back[0]}", visit.to(back[1])).classes("small")
        with ui.column().classes("gap-1"):
            heading(title)
            if subtitle:
                ui.label(subtitle).classes("quiet break")
        Alert()
        yield


def begin(visit: Visit, title: str, active: str) -> None:
    """Names the tab and marks the page's place in the navigation; for pages that lay themselves out."""
    ui.page_title(f"{title} · Veraz")
    visit.opened(active)


def sorry(visit: Visit, error: errors.VerazError) -> None:
    """A page that cannot be shown, and why."""
    t = visit.t
    missing = isinstance(error, errors.NotFound)
    title = t("We could not find this page") if missing else t("This page cannot be shown")
    with (
        shell(visit, title, active=""),
        empty("travel_explore" if missing else "lock", title, _why(visit, error)),
    ):
        _ways_on(visit)


def _why(visit: Visit, error: errors.VerazError) -> str:
    if error.context.get("thing") == "page":
        return visit.t("It may have been moved or deleted, or the address has a typo.")
    return error.message(visit.language)


def broken(visit: Visit, incident: str) -> None:
    """A page that failed through our fault; the incident is what to look for in the log."""
    t = visit.t
    title = t("Something went wrong on our side")
    with (
        shell(visit, title, active=""),
        empty(
            "build",
            title,
            t("Try again in a moment. If it goes on, tell your administrator: {id}", id=incident),
        ),
    ):
        _ways_on(visit)


def _ways_on(visit: Visit) -> None:
    with ui.row().classes("justify-center"):
        ui.button(visit.t("Back"), icon="arrow_back", on_click=ui.navigate.back).props("outline")
        ui.button(visit.t("To the start"), on_click=lambda: ui.navigate.to(visit.to("/")))
