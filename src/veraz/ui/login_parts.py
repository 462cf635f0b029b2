"""What the pages of signing in have in common."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse
from nicegui import ui

from veraz.ui.parts import heading
from veraz.ui.scripts import head_script
from veraz.ui.visit import DARK_COOKIE, ZONE_SCRIPT, say

Reason = Literal[
    "",
    "wrong",
    "slow",
    "out",
    "code",
    "late",
    "refused",
    "outside",
    "chosen",
    "used",
    "common",
    "short",
    "current",
    "company",
]

TYPED_COOKIE: Final = "veraz_typed"
"""The e-mail of a sign-in that failed, or of a password just chosen, for the form that follows."""

REASONS: Final[dict[Reason, str]] = {
    "wrong": "The e-mail or the password is wrong.",
    "slow": "Too many attempts. Wait a minute.",
    "out": "You have signed out.",
    "code": "The code is wrong, too old, or was used already.",
    "refused": "This account does not open anything here. Ask your administrator, or use e-mail and password.",
    "outside": "The identity provider could not confirm the sign-in. Try again later, or use e-mail and password.",
    "late": "The sign-in took too long. Begin again.",
    "chosen": "Your password is set. Sign in with it.",
    "used": "This link was used already, or its time is over. Ask your administrator for a new one.",
    "common": "This password is among the first that others would try. Choose several words that only you would put together.",
    "short": "The password is too short.",
    "current": "The current password is wrong, or the new one is the same.",
    "company": "Choose the company and type the password again.",
}


@contextmanager
def card(request: Request, language: str, title: str) -> Iterator[ui.column]:
    """A page of its own with one card in the middle; what it gives is the column around, for what stands below."""
    ui.dark_mode({"1": True, "0": False}.get(request.cookies.get(DARK_COOKIE, "")))
    ui.page_title(f"{title} · Veraz")
    head_script(ZONE_SCRIPT)
    with ui.column().classes("login") as column:
        with ui.row().classes("items-center gap-2"):
            ui.icon("verified", color="primary", size="2.2rem").props("aria-hidden=true")
            ui.label("Veraz").style("font-size: 1.7rem; font-weight: 700")
        with ui.card().style("width: min(400px, 94vw)").classes("gap-4"):
            heading(title)
            yield column


def notice(language: str, reason: Reason) -> None:
    """Why the form is here again."""
    if not reason:
        return
    good, asks = reason in ("out", "chosen"), reason == "company"
    with (
        ui.element("div")
        .classes(f"state {'good' if good else 'idle' if asks else 'bad'}")
        .props("role=alert")
        .style("white-space: normal")
    ):
        ui.icon("check_circle" if good else "info" if asks else "error").props("aria-hidden=true")
        ui.label(say(language, REASONS[reason]))


def hidden_next(next: str) -> None:
    """Where the person wanted to go, inside a form."""
    hidden = ui.element("input").props("type=hidden name=next")
    hidden._props["value"] = inside(next)


def again(language: str, reason: Reason, next: str) -> RedirectResponse:
    """The first form again."""
    query = urlencode({"reason": reason} | ({"next": inside(next)} if inside(next) else {}))
    return RedirectResponse(f"/{language}/login?{query}", 303)


def inside(path: str) -> str:
    """The path if it is one of our pages, else nothing: nobody is led to another site after signing in."""
    ours = (
        path.startswith(("/es/", "/en/", "/s/")) and "\\" not in path and not any(c.isspace() for c in path)
    )
    return path if ours else ""
