"""What stands around every page and stays while pages change: header, navigation, preferences, shortcuts."""

from pathlib import Path
from typing import Any, Final

from nicegui import ui
from nicegui.element import Element

from veraz.ui.navigation import Group, Place, groups_for
from veraz.ui.palette import Palette
from veraz.ui.scripts import head_script
from veraz.ui.visit import DARK_COOKIE, LANGUAGE_COOKIE, LANGUAGES, PROJECT_COOKIE, ZONE_SCRIPT, Visit

_SHORTCUTS: Final = Path(__file__).with_name("frame.js").read_text(encoding="utf-8")


class _Navigation(Element, component="frame_navigation.js"):
    """The groups as one element: they come with every document, and elements are what a document costs."""


class _HeaderLine(Element, component="frame_header.js"):
    """What stands in the header, as one element."""


class Frame:
    """The frame of one tab. Pages tell it which place they belong to."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    def draw(self) -> None:
        """Header and navigation; what is built next is the page."""
        visit = self.visit
        self.dark = ui.dark_mode(visit.dark)
        head_script(ZONE_SCRIPT + _SHORTCUTS)
        Palette(visit)
        with _drawer() as self.drawer:
            self.navigation = _Navigation()
        self.navigation.props.update(_navigation(visit))
        with ui.header().classes("veraz-header"):
            line = _HeaderLine().on("dark", self._toggle_dark)
        line.props.update(_header(visit), drawer=self.drawer.id)

    def opened(self, path: str) -> None:
        """Marks the place a page belongs to and shows its neighbours."""
        self.navigation.props["current"] = path
        if not ui.context.client.sub_pages_router.is_initial_request:
            ui.run_javascript(f"if (innerWidth < 900) runMethod({self.drawer.id}, 'hide', [])")

    async def count_attention(self) -> None:
        """How many things wait for a person, beside the group that shows them; no document waits for it."""
        visit = self.visit
        if not visit.manages or visit.project_id is None:
            return
        count = await visit.veraz.attention.count(visit.actor, visit.project_id)
        words = visit.t("One urgent matter" if count == 1 else "{n} urgent matters", n=count)
        waiting = {"count": count, "words": words} if count else None
        if self.navigation.props.get("waiting") != waiting:
            self.navigation.props["waiting"] = waiting

    def _toggle_dark(self) -> None:
        self.dark.set_value(not self.dark.value)
        ui.run_javascript(remember(DARK_COOKIE, "1" if self.dark.value else "0"))


def remember(name: str, value: str) -> str:
    """JavaScript that keeps a preference in this browser; values are ours, never people's."""
    return f"document.cookie = '{name}={value}; path=/; max-age=31536000; SameSite=Lax'"


def _drawer() -> ui.element:
    """Open where there is room; the browser alone decides, so that no page waits for its answer."""
    layout = ui.context.client.layout
    with layout:
        drawer = (
            ui.element("q-drawer")
            .props("show-if-above side=left width=240 breakpoint=900")
            .classes("veraz-drawer")
        )
    layout.props["view"] = "hhh Lpr fff"
    drawer.move(target_index=layout.default_slot.children.index(ui.context.client.page_container))
    return drawer


def _navigation(visit: Visit) -> dict[str, Any]:
    groups = [_group(visit, group, places) for group, places in groups_for(visit)]
    return {"words": visit.t("Main navigation"), "groups": groups}


def _group(visit: Visit, group: Group, places: list[Place]) -> dict[str, Any]:
    return {
        "key": group.key,
        "icon": group.icon,
        "words": visit.t(group.words),
        "places": [
            {"path": one.path, "href": visit.to(one.path), "words": visit.t(one.words)} for one in places
        ],
    }


def _header(visit: Visit) -> dict[str, Any]:
    t, user = visit.t, visit.user
    return {
        "words": {
            "menu": t("Menu"),
            "palette": t("Search or go to…"),
            "project": t("Project"),
            "dark": t("Light or dark"),
            "account": t("Your account"),
            "own": t("Your account"),
            "shortcuts": t("Keyboard shortcuts"),
            "leave": t("Sign out"),
        },
        "home": visit.to("/"),
        "own": visit.to("/account"),
        "leaving": visit.to("/logout"),
        "user": {"name": user.display_name or user.email or "", "email": user.email or ""},
        "project": str(visit.project_id or ""),
        "projects": [{"id": str(one.id), "name": one.name} for one in visit.projects],
        "languages": {one: name for one, name in LANGUAGES.items() if one != visit.language},
        "cookies": {"project": PROJECT_COOKIE, "language": LANGUAGE_COOKIE},
    }
