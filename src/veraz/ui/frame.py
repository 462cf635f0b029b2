"""What stands around every page and stays while pages change: header, navigation, preferences, shortcuts."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from nicegui import ui

from veraz.tenancy.model import Project
from veraz.ui.navigation import Group, Place, groups_for
from veraz.ui.palette import Palette
from veraz.ui.parts import called, icon_button
from veraz.ui.visit import DARK_COOKIE, LANGUAGE_COOKIE, LANGUAGES, PROJECT_COOKIE, ZONE_COOKIE, Visit

_SHORTCUTS: Final = Path(__file__).with_name("frame.js").read_text(encoding="utf-8")


@dataclass(slots=True)
class _Entry:
    """One group in the drawer: its own link and, while it is open, its places."""

    link: ui.link
    places: ui.element
    links: dict[str, ui.link] = field(default_factory=dict)


class Frame:
    """The frame of one tab. Pages tell it which place they belong to."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.entries: list[_Entry] = []

    def draw(self) -> None:
        """Header and navigation; what is built next is the page."""
        visit = self.visit
        dark = ui.dark_mode(visit.dark)
        self._remember_zone()
        ui.add_head_html(f"<script>{_SHORTCUTS}</script>")
        self.palette = Palette(visit)
        with _drawer() as self.drawer:
            self._navigation()
        with ui.header().classes("veraz-header items-center no-wrap").props("bordered=false"):
            icon_button("menu", visit.t("Menu"), lambda: self.drawer.run_method("toggle"))
            _brand(visit)
            ui.space()
            self._palette_button()
            _project_switch(visit)
            _preferences(visit, dark)
            _user_menu(visit)

    def opened(self, path: str) -> None:
        """Marks the place a page belongs to and shows its neighbours."""
        for entry in self.entries:
            here = path in entry.links
            entry.places.set_visibility(here and len(entry.links) > 1)
            _mark(entry.link, here and len(entry.links) == 1)
            for place, link in entry.links.items():
                _mark(link, place == path)
        if not ui.context.client.sub_pages_router.is_initial_request:
            ui.run_javascript(f"if (innerWidth < 900) runMethod({self.drawer.id}, 'hide', [])")

    async def count_attention(self) -> None:
        """How many things wait for a person, beside the group that shows them; as it was when the tab was opened."""
        visit = self.visit
        entry = next((one for one in self.entries if "/attention" in one.links), None)
        if entry is None or visit.project_id is None:
            return
        count = await visit.veraz.attention.count(visit.actor, visit.project_id)
        with entry.link:
            if count:
                called(
                    ui.label(str(count)).classes("badge").props("role=img"),
                    visit.t("{n} things need attention", n=count),
                )

    def _navigation(self) -> None:
        visit = self.visit
        with ui.element("nav").props(f'aria-label="{visit.t("Main navigation")}"').classes("w-full"):
            self.entries = [self._group(group, places) for group, places in groups_for(visit)]

    def _group(self, group: Group, places: list[Place]) -> _Entry:
        visit = self.visit
        with ui.link(target=visit.to(places[0].path)).classes("nav").props(f"data-go={group.key}") as link:
            ui.icon(group.icon).props("aria-hidden=true")
            ui.label(visit.t(group.words))
        with ui.element("div").classes("nav-places") as below:
            links = {place.path: _nav_link(visit, place) for place in places} if len(places) > 1 else {}
        below.set_visibility(False)
        return _Entry(link=link, places=below, links=links or {places[0].path: link})

    def _palette_button(self) -> None:
        words = self.visit.t("Search or go to…")
        with called(
            ui.button(on_click=self.visit.act(self.palette.open)).props("flat color=secondary no-wrap"), words
        ).classes("palette-button"):
            ui.icon("search").props("aria-hidden=true")
            ui.label(words).classes("gt-sm")
            ui.html("<kbd>Ctrl</kbd> <kbd>K</kbd>", sanitize=False).classes("gt-sm")

    def _remember_zone(self) -> None:
        if self.visit.zone.key == "UTC":
            zone = "encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)"
            ui.run_javascript(
                f"document.cookie = '{ZONE_COOKIE}=' + {zone} + '; path=/; max-age=31536000; SameSite=Lax'"
            )


def remember(name: str, value: str) -> str:
    """JavaScript that keeps a preference in this browser; values are ours, never people's."""
    return f"document.cookie = '{name}={value}; path=/; max-age=31536000; SameSite=Lax'"


def _mark(link: ui.link, here: bool) -> None:
    if here:
        link.props("aria-current=page")
    else:
        link.props(remove="aria-current")


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


def _brand(visit: Visit) -> None:
    with ui.link(target=visit.to("/")).classes("brand"):
        ui.icon("verified", color="primary", size="1.5rem").props("aria-hidden=true")
        ui.label("Veraz")


def _nav_link(visit: Visit, place: Place) -> ui.link:
    with ui.link(target=visit.to(place.path)).classes("nav place") as link:
        ui.label(visit.t(place.words))
    return link


def _project_switch(visit: Visit) -> None:
    if visit.project is None:
        return
    with (
        ui.button(visit.project.name, icon="workspaces")
        .props(f'flat color=secondary no-wrap aria-label="{visit.t("Project")}"')
        .classes("quiet gt-xs ellipsis")
        .style("max-width: 260px"),
        ui.menu(),
    ):
        for project in visit.projects:
            ui.menu_item(project.name, on_click=lambda chosen=project: _choose(visit, chosen))


def _choose(visit: Visit, project: Project) -> None:
    ui.run_javascript(f"{remember(PROJECT_COOKIE, str(project.id))}; location.href = '{visit.to('/')}'")


def _preferences(visit: Visit, dark: ui.dark_mode) -> None:
    def toggle() -> None:
        dark.set_value(not dark.value)
        ui.run_javascript(remember(DARK_COOKIE, "1" if dark.value else "0"))

    icon_button("contrast", visit.t("Light or dark"), toggle)


def _user_menu(visit: Visit) -> None:
    with icon_button("account_circle", visit.t("Your account"), lambda: None), ui.menu():
        ui.label(visit.user.display_name or visit.user.email or "").classes("q-px-md q-pt-sm text-bold")
        ui.label(visit.user.email or "").classes("q-px-md q-pb-sm quiet small")
        ui.separator()
        if len(visit.projects) > 1:
            for project in visit.projects:
                ui.menu_item(project.name, on_click=lambda chosen=project: _choose(visit, chosen)).classes(
                    "lt-sm"
                )
        ui.menu_item(visit.t("Keyboard shortcuts")).on("click", js_handler="() => emitEvent('shortcuts')")
        for language, name in LANGUAGES.items():
            if language != visit.language:
                here = (
                    f"location.pathname.replace(/^\\/[a-z]+/, {json.dumps('/' + language)}) + location.search"
                )
                code = f"{remember(LANGUAGE_COOKIE, language)}; location.href = {here}"
                ui.menu_item(name).on("click", js_handler=f"() => {{ {code} }}")
        ui.menu_item(visit.t("Sign out")).on(
            "click",
            js_handler="() => { localStorage.clear(); document.getElementById('sign-out').submit() }",
        )
    ui.element("form").props(f"id=sign-out method=post action=/{visit.language}/logout")
