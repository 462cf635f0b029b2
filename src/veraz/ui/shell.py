"""What surrounds every page: navigation by role, project, language, dark mode, the way out."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from nicegui import ui

from veraz import errors
from veraz.tenancy.model import Project
from veraz.ui.parts import empty, heading, icon_button
from veraz.ui.visit import DARK_COOKIE, LANGUAGE_COOKIE, LANGUAGES, PROJECT_COOKIE, ZONE_COOKIE, Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An entry of the navigation."""

    path: str
    icon: str
    words: str
    managers: bool = False
    admins: bool = False
    platform: bool = False

    def shown_to(self, visit: Visit) -> bool:
        """Navigation only offers what the person may use; the services decide again."""
        if self.platform:
            return visit.actor.is_platform_admin
        if self.admins:
            return visit.actor.is_tenant_admin
        return visit.manages or not self.managers


PLACES: Final[dict[str, tuple[Place, ...]]] = {
    "": (
        Place(path="/", icon="home", words="Start"),
        Place(path="/chat", icon="forum", words="Chat"),
        Place(path="/conversations", icon="history_edu", words="Conversations"),
        Place(path="/personal", icon="person_pin", words="My knowledge"),
    ),
    "Knowledge": (
        Place(path="/knowledge-bases", icon="library_books", words="Knowledge bases", managers=True),
        Place(path="/agents", icon="smart_toy", words="Agents", managers=True),
        Place(path="/memory", icon="memory", words="Memory and licences", admins=True),
        Place(path="/console", icon="terminal", words="Ingestion console", managers=True),
        Place(path="/insight", icon="insights", words="Insight", managers=True),
    ),
    "Administration": (
        Place(path="/admin/users", icon="group", words="Users", admins=True),
        Place(path="/admin/projects", icon="workspaces", words="Projects", admins=True),
        Place(path="/admin/keys", icon="key", words="Keys"),
        Place(path="/admin/webhooks", icon="webhook", words="Webhooks", managers=True),
        Place(path="/admin/whatsapp", icon="chat", words="WhatsApp", managers=True),
        Place(path="/admin/plan", icon="toll", words="Plan and credits", admins=True),
        Place(path="/admin/tenants", icon="domain", words="Tenants", platform=True),
        Place(path="/admin/audit", icon="history", words="Audit", admins=True),
    ),
}


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
    """The page's frame; what the block draws is its content. `back` is where it belongs: words and path."""
    ui.page_title(f"{title} · Veraz")
    dark = ui.dark_mode(visit.dark)
    _remember_zone(visit)
    with _drawer() as drawer:
        _navigation(visit, active)
    with ui.header().classes("veraz-header items-center no-wrap").props("bordered=false"):
        icon_button("menu", visit.t("Menu"), lambda: drawer.run_method("toggle"))
        _brand(visit)
        ui.space()
        _project_switch(visit)
        _preferences(visit, dark)
        _user_menu(visit)
    with ui.column().classes("page wide" if wide else "page") as main:
        if back:
            ui.link(f"‹ {back[0]}", visit.to(back[1])).classes("small")
        with ui.column().classes("gap-1"):
            heading(title)
            if subtitle:
                ui.label(subtitle).classes("quiet break")
        yield
    ui.skip_link(visit.t("Skip to content"), target=main)


def sorry(visit: Visit, error: errors.VerazError) -> None:
    """A page that cannot be shown, and why."""
    with (
        shell(visit, visit.t("This page cannot be shown"), active=""),
        empty("travel_explore", visit.t("There is nothing here for you"), error.message(visit.language)),
    ):
        ui.button(visit.t("To the start"), on_click=lambda: ui.navigate.to(visit.to("/")))


def remember(name: str, value: str) -> str:
    """JavaScript that keeps a preference in this browser; values are ours, never people's."""
    return f"document.cookie = '{name}={value}; path=/; max-age=31536000; SameSite=Lax'"


def _remember_zone(visit: Visit) -> None:
    if visit.zone.key == "UTC":
        zone = "encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)"
        ui.run_javascript(
            f"document.cookie = '{ZONE_COOKIE}=' + {zone} + '; path=/; max-age=31536000; SameSite=Lax'"
        )


def _drawer() -> ui.element:
    """Open where there is room; the browser alone decides, so that no page waits for its answer."""
    layout = ui.context.client.layout
    with layout:
        drawer = (
            ui.element("q-drawer")
            .props("show-if-above side=left width=280 breakpoint=900")
            .classes("veraz-drawer")
        )
    layout.props["view"] = "hhh Lpr fff"
    drawer.move(target_index=layout.default_slot.children.index(ui.context.client.page_container))
    return drawer


def _brand(visit: Visit) -> None:
    with ui.link(target=visit.to("/")).classes("brand"):
        ui.icon("verified", color="primary", size="1.5rem").props("aria-hidden=true")
        ui.label("Veraz")


def _navigation(visit: Visit, active: str) -> None:
    with ui.element("nav").props(f'aria-label="{visit.t("Main navigation")}"').classes("w-full"):
        for group, places in PLACES.items():
            shown = [place for place in places if place.shown_to(visit)]
            if group and shown:
                ui.label(visit.t(group)).classes("nav-title")
            for place in shown:
                _nav_link(visit, place, active)


def _nav_link(visit: Visit, place: Place, active: str) -> None:
    with ui.link(target=visit.to(place.path)).classes("nav") as link:
        ui.icon(place.icon).props("aria-hidden=true")
        ui.label(visit.t(place.words))
    if place.path == active:
        link.props("aria-current=page")


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
        for language, name in LANGUAGES.items():
            if language != visit.language:
                path = f"/{language}/{visit.path.split('/', 2)[-1]}"
                code = f"{remember(LANGUAGE_COOKIE, language)}; location.href = {json.dumps(path)}"
                ui.menu_item(name).on("click", js_handler=f"() => {{ {code} }}")
        ui.menu_item(visit.t("Sign out")).on(
            "click", js_handler="() => document.getElementById('sign-out').submit()"
        )
    ui.element("form").props(f"id=sign-out method=post action=/{visit.language}/logout")
