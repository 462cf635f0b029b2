"""Small things several pages show: numbers people can read, states, badges, confirmations."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from veraz import errors
from veraz.ui.alerts import Alert
from veraz.ui.formats import number as number
from veraz.ui.formats import percent as percent
from veraz.ui.formats import size as size
from veraz.ui.formats import when as when
from veraz.ui.visit import Visit

E = TypeVar("E", bound=ui.element)

STATES: Final[dict[str, tuple[str, str, str]]] = {
    # status: css class, icon, words
    "pending": ("idle", "schedule", "Waiting"),
    "processing": ("busy", "autorenew", "Processing"),
    "completed": ("good", "check_circle", "Ready"),
    "failed": ("bad", "error", "Failed"),
    "active": ("good", "check_circle", "Active"),
    "archived": ("idle", "inventory_2", "Archived"),
    "current": ("good", "check_circle", "Current"),
    "superseded": ("idle", "history", "Superseded"),
    "revoked": ("bad", "block", "Revoked"),
    "closed": ("bad", "block", "Closed"),
    "enabled": ("good", "check_circle", "Enabled"),
    "disabled": ("bad", "block", "Disabled"),
    "invited": ("idle", "email", "Invited"),
    "PENDING": ("idle", "schedule", "Waiting"),
    "RUNNING": ("busy", "autorenew", "Running"),
    "DONE": ("good", "check_circle", "Done"),
    "FAILED": ("bad", "error", "Failed"),
    "DLQ": ("bad", "report", "Out of attempts"),
}
TIERS: Final = {
    "tier1_gold": ("gold", "Gold"),
    "tier2_silver": ("silver", "Silver"),
    "tier3_bronze": ("bronze", "Bronze"),
}


def heading(text: str, level: int = 1) -> TextElement:
    """A heading whose text is only text."""
    return TextElement(tag=f"h{level}", text=text)


def called(element: E, words: str) -> E:
    """What a screen reader says. Names of people's things go in here: in `props("…")` a name could become code."""
    element.props["aria-label"] = words
    return element


def state(visit: Visit, status: str) -> None:
    """A state as icon and word, so that colour is never all there is."""
    kind, icon, words = STATES[status]
    with ui.element("span").classes(f"state {kind}"):
        ui.icon(icon).props("aria-hidden=true")
        ui.label(visit.t(words))


def tier_badge(visit: Visit, tier: str | None) -> None:
    """Gold is green, silver blue, bronze grey."""
    if tier:
        kind, words = TIERS[tier]
        ui.label(visit.t(words)).classes(f"tier {kind}")


def stat(value: str, words: str) -> ui.label:
    """One figure; its label, to be renewed later."""
    with ui.column().classes("stat"):
        shown = ui.label(value).classes("value")
        ui.label(words).classes("quiet small")
    return shown


def bar(share: float, words: str) -> None:
    """A thin bar from 0 to 1."""
    percent = max(0, min(100, round(share * 100)))
    with called(ui.element("div").classes("bar").props("role=img"), f"{words}: {percent} %"):
        ui.element("div").style(f"width: {percent}%")


def empty(icon: str, title: str, text: str = "") -> ui.card:
    """What to see where there is nothing yet; what to do about it goes inside."""
    with ui.card().classes("empty w-full") as card:
        ui.icon(icon).props("aria-hidden=true")
        heading(title, 2)
        if text:
            ui.label(text).classes("quiet")
    return card


def icon_button(icon: str, words: str, on_click: Callable[..., Any]) -> ui.button:
    """A button that only shows an icon, with its words for everybody who needs them."""
    button = called(ui.button(icon=icon, on_click=on_click).props("flat round dense"), words)
    button.props["title"] = words
    return button.props("color=secondary").classes("quiet")


@contextmanager
def dialog(title: str, *, wide: bool = False) -> Iterator[ui.dialog]:
    """A dialog with a heading; it is open when the block ends. Of the page, not of the dialog it may follow, which goes."""
    width = "min(860px, 94vw)" if wide else "min(520px, 94vw)"
    with (
        _page_shown(),
        ui.dialog() as box,
        ui.card().classes("w-full").style(f"max-width: {width}"),
    ):
        called(box, title)
        heading(title, 2)
        yield box
        if not any(isinstance(one, Alert) for one in ui.context.slot.children):
            Alert()
    box.on("hide", box.delete)
    box.open()


def _page_shown() -> ui.element:
    """The page inside the frame, with which its dialogs go."""
    content = ui.context.client.content
    pages = (one for one in content.descendants() if isinstance(one, ui.sub_pages))
    return next(pages, content)


def buttons(
    visit: Visit, box: ui.dialog, words: str, on_click: Callable[..., Any], *, danger: bool = False
) -> ui.button:
    """The last line of a dialog: cancel, and what it is for; above it, what went wrong."""
    Alert()
    with ui.row().classes("w-full justify-end"):
        ui.button(visit.t("Cancel"), on_click=box.close).props("flat")
        return ui.button(words, on_click=on_click, color="negative" if danger else "primary")


def show_secret(visit: Visit, title: str, secret: str, note: str = "") -> None:
    """Something that is shown this once."""
    t = visit.t
    with dialog(title) as box:
        ui.label(t("Copy it now; it is not shown again.")).classes("text-warning")
        if note:
            ui.label(note).classes("quiet small")
        ui.label(secret).classes("secret w-full")
        with ui.row().classes("w-full justify-end"):
            ui.button(t("Copy"), icon="content_copy", on_click=lambda: ui.clipboard.write(secret)).props(
                "outline"
            )
            ui.button(t("Done"), on_click=box.close)


def confirm(
    visit: Visit, title: str, text: str, words: str, on_yes: Callable[[], Any], *, danger: bool = True
) -> None:
    """Asks before something is lost, or, without danger, before much changes at once."""

    async def yes() -> None:
        box.close()
        await visit.act(on_yes)()

    with dialog(title) as box:
        ui.label(text).classes("break")
        buttons(visit, box, words, yes, danger=danger)


def typed(value: object, *, field: str = "", longest: int = 20_000) -> str:
    """What a person typed, without what no keyboard types; `field` must not be empty."""
    text = "".join(sign for sign in str(value or "") if sign.isprintable() or sign in "\n\t").strip()
    if field and not text:
        raise errors.Invalid(field=field, reason="fill it in")
    if len(text) > longest:
        raise errors.Invalid(field=field, reason=errors.length(longest))
    return text
