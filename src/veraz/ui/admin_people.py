"""Administration of people: users of the tenant, projects and who is in them."""

from typing import Any
from uuid import UUID

from nicegui import ui

from veraz.paging import PageRequest
from veraz.tenancy.model import ApiKey, Member, Project, User
from veraz.tenancy.password_links import PasswordLink
from veraz.tenancy.users import NewUser, UserChange
from veraz.ui.alerts import filled
from veraz.ui.parts import STATES, buttons, confirm, dialog, heading, icon_button, show_secret, typed, when
from veraz.ui.shell import shell
from veraz.ui.tables import STATE_CELL, CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting

EDIT_CELL = """
<q-td :props="props" auto-width><q-btn flat dense no-caps color="primary" :label="props.row.words_edit"
  :aria-label="props.row.words_edit + ' ' + props.row.name" @click="$parent.$emit('edit', props.row.id)"></q-btn></q-td>
"""
ROLES = {"admin": "Administrator", "manager": "Manager", "member": "Member"}


async def users_page(visit: Visiting) -> None:
    """Everybody who signs in."""
    t = visit.t
    with shell(visit, t("Users"), active="/admin/users"):
        with ui.row():
            ui.button(t("New user"), icon="person_add", on_click=lambda: _new_user(visit, table.first))
        columns = [
            column("name", t("Name"), sortable=False, classes="name"),
            column("email", t("E-mail"), sortable=False, classes="name gt-xs"),
            column("role", t("Role"), sortable=False, classes="gt-xs"),
            column("status", t("State"), sortable=False),
            column("last", t("Last sign-in"), sortable=False, classes="gt-sm"),
            column("edit", t("Actions"), sortable=False),
        ]
        table: CursorTable[User] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.users.all(visit.actor, page),
            lambda one: _user_row(visit, one),
            cells=(("status", STATE_CELL), ("edit", EDIT_CELL)),
        )
        table.table.on("edit", lambda event: _edit_user(visit, _one(table.items, event.args), table.refresh))
        await table.refresh()


def _one(items: list[Any], wanted: str) -> Any:
    return next(item for item in items if str(item.id) == wanted)


def _user_row(visit: Visit, user: User) -> Row:
    kind, icon, words = STATES[_state(user)]
    return {
        "id": str(user.id),
        "name": user.display_name or user.email or user.external_id or "–",
        "email": user.email or user.external_id or "–",
        "role": visit.t(ROLES[user.role]),
        "state": visit.t(words),
        "state_kind": kind,
        "state_icon": icon,
        "last": when(visit, user.last_login_at),
        "words_edit": visit.t("Edit"),
    }


def _state(user: User) -> str:
    if user.disabled_at:
        return "disabled"
    return "invited" if user.email and not user.has_password and not user.last_login_at else "enabled"


def _new_user(visit: Visit, after: Any) -> None:
    t = visit.t

    async def create() -> None:
        if not filled(visit, email):
            return
        new = NewUser(
            email=typed(email.value, field=t("E-mail"), longest=320),
            display_name=typed(name.value, longest=200),
            role=role.value,
            language=visit.language,
        )
        link = await visit.veraz.password_links.invite(visit.actor, new)
        box.close()
        show_link(visit, t("Invitation for {who}", who=new.email), link)
        await after()

    with dialog(t("New user")) as box:
        name = ui.input(t("Name")).props("maxlength=200 autofocus").classes("w-full")
        email = ui.input(t("E-mail")).props("type=email maxlength=320 autocomplete=off").classes("w-full")
        role = ui.select(_tenant_roles(visit), value="member", label=t("Role")).classes("w-full")
        ui.label(t("Members see what the projects have that you add them to, under «Projects».")).classes(
            "quiet small"
        )
        ui.label(t("You get a link for them, with which they choose a password.")).classes("quiet small")
        buttons(visit, box, t("Create"), visit.act(create))


def show_link(visit: Visit, title: str, link: PasswordLink) -> None:
    """The link for somebody, to be copied and handed on."""
    until = visit.t(
        "Hand it to the person yourself. It works once, until {when}.", when=when(visit, link.expires_at)
    )
    show_secret(visit, title, link.address(visit.veraz.settings.address), note=until)


def _edit_user(visit: Visit, user: User, after: Any) -> None:
    t = visit.t

    async def save() -> None:
        change = UserChange(
            display_name=typed(name.value, longest=200),
            role=role.value if role.value != user.role else None,
            disabled=disabled.value if disabled.value != bool(user.disabled_at) else None,
        )
        changed = await visit.veraz.users.change(visit.actor, user.id, change)
        box.close()
        visit.done("Saved")
        await after()
        if change.disabled and changed.disabled_at:
            await _ask_about_keys(visit, changed)

    async def make_link() -> None:
        link = await visit.veraz.password_links.make(visit.actor, user.id)
        box.close()
        show_link(visit, t("Link for {who}", who=user.email), link)

    def ask_reset() -> None:
        box.close()
        _ask_reset(visit, user)

    async def ask_delete() -> None:
        box.close()
        await _ask_delete(visit, user, after)

    with dialog(user.email or user.display_name) as box:
        name = ui.input(t("Name"), value=user.display_name).props("maxlength=200").classes("w-full")
        role = ui.select(_tenant_roles(visit), value=user.role, label=t("Role")).classes("w-full")
        if user.email and not user.disabled_at:
            ui.button(t("Link for a new password"), icon="link", on_click=visit.act(make_link)).props(
                "flat dense"
            ).classes("self-start")
        disabled = ui.switch(t("Disabled"), value=bool(user.disabled_at))
        ui.button(t("Reset the second step"), icon="phone", on_click=ask_reset).props("flat dense").classes(
            "self-start"
        )
        ui.button(t("Delete user"), icon="delete", on_click=visit.act(ask_delete)).props(
            "flat dense color=negative"
        ).classes("self-start")
        buttons(visit, box, t("Save"), visit.act(save))


async def _ask_about_keys(visit: Visit, user: User) -> None:
    """The organization's keys that somebody made go on without them, unless it is said now that they do not."""
    t = visit.t
    keys = await visit.veraz.keys.made_by(visit.actor, user.id)
    if not keys:
        return

    async def revoke() -> None:
        await visit.veraz.users.change(visit.actor, user.id, UserChange(revoke_keys=True))
        visit.done("The keys are revoked.")

    question = t("Revoke the keys that «{name}» made?", name=user.email or user.display_name)
    confirm(visit, question, _going_on(visit, keys), t("Revoke"), revoke)


def _going_on(visit: Visit, keys: list[ApiKey]) -> str:
    named = ", ".join(f"{key.name} ({key.prefix}…)" for key in keys)
    return visit.t(
        "Programs of the organization use keys that they made, which go on working: {keys}.", keys=named
    )


def _ask_reset(visit: Visit, user: User) -> None:
    t = visit.t

    async def reset() -> None:
        await visit.veraz.second_factor.reset(visit.actor, user.id)
        visit.done("Reset: the password alone lets them in until they set up another one.")

    question = t("Reset the second step of «{name}»?", name=user.email or user.display_name)
    text = t("Make sure that it is really this person who asks. Their sessions end.")
    confirm(visit, question, text, t("Reset"), reset)


async def _ask_delete(visit: Visit, user: User, after: Any) -> None:
    t = visit.t
    keys = await visit.veraz.keys.made_by(visit.actor, user.id)

    async def delete() -> None:
        await visit.veraz.users.delete(visit.actor, user.id)
        await after()

    question = t("Delete «{name}»?", name=user.email or user.display_name)
    text = t("Their personal knowledge goes with them.") + (f" {_going_on(visit, keys)}" if keys else "")
    confirm(visit, question, text, t("Delete"), delete)


def _tenant_roles(visit: Visit) -> dict[str, str]:
    return {name: visit.t(ROLES[name]) for name in ("member", "admin")}


async def projects_page(visit: Visiting) -> None:
    """Rooms of the tenant and who may enter them."""
    t = visit.t
    projects = (await visit.veraz.projects.all(visit.actor, PageRequest(limit=500))).items
    known = await _emails(visit)
    with shell(visit, t("Projects"), active="/admin/projects"):
        with ui.row():
            ui.button(t("New project"), icon="add", on_click=lambda: _new_project(visit))
        for project in projects:
            with ui.card().classes("w-full"):
                await _project(visit, project, known)


async def _emails(visit: Visit) -> list[str]:
    """Whom one may add, for who may see everybody."""
    if not visit.actor.is_tenant_admin:
        return []
    users = (await visit.veraz.users.all(visit.actor, PageRequest(limit=500))).items
    return sorted(one.email for one in users if one.email)


async def _project(visit: Visit, project: Project, known: list[str]) -> None:
    _project_title(visit, project)
    if project.description:
        ui.label(project.description).classes("quiet small break")
    await _Members(visit, project, known).draw()


def _project_title(visit: Visit, project: Project) -> None:
    t = visit.t

    async def delete() -> None:
        await visit.veraz.projects.delete(visit.actor, project.id)
        ui.navigate.reload()

    with ui.row().classes("w-full items-center no-wrap"):
        heading(project.name, 2)
        ui.space()
        text = t("Its agents and knowledge bases go with it.")
        icon_button(
            "delete",
            t("Delete «{name}»", name=project.name),
            lambda: confirm(visit, t("Delete «{name}»?", name=project.name), text, t("Delete"), delete),
        )


class _Members:
    """Who is in one project."""

    def __init__(self, visit: Visit, project: Project, known: list[str]) -> None:
        self.visit, self.project, self.known = visit, project, known

    async def draw(self) -> None:
        """The people, and a line to add one more."""
        t = self.visit.t
        self.people = ui.column().classes("w-full gap-1")
        with ui.row().classes("w-full items-center"):
            self.email = ui.input(t("E-mail of a user"), autocomplete=self.known).classes("grow")
            self.role = ui.select(
                {name: t(words) for name, words in ROLES.items()}, value="member", label=t("Role")
            ).style("min-width: 160px")
            ui.button(t("Add"), icon="person_add", on_click=self.visit.act(self._add)).props("outline")
        await self._show()

    async def _show(self) -> None:
        members = await self.visit.veraz.projects.members(self.visit.actor, self.project.id)
        self.people.clear()
        with self.people:
            for member in members:
                self._row(member)
            if not members:
                ui.label(self.visit.t("Nobody but the administrators")).classes("quiet small")

    def _row(self, member: Member) -> None:
        t, name = self.visit.t, member.email or member.display_name
        with ui.row().classes("w-full items-center no-wrap"):
            ui.label(member.display_name or member.email or "").classes("grow break")
            ui.label(t(ROLES[member.role])).classes("quiet small")
            remove = self.visit.act(lambda: self._remove(member.user_id))
            icon_button("person_remove", t("Remove {name}", name=name), remove)

    async def _remove(self, user_id: UUID) -> None:
        await self.visit.veraz.projects.remove_member(self.visit.actor, self.project.id, user_id)
        await self._show()

    async def _add(self) -> None:
        email = typed(self.email.value, field=self.visit.t("E-mail"))
        await self.visit.veraz.projects.put_member(
            self.visit.actor, self.project.id, role=self.role.value, email=email
        )
        self.email.set_value("")
        self.visit.done("Added")
        await self._show()


def _new_project(visit: Visit) -> None:
    t = visit.t

    async def create() -> None:
        await visit.veraz.projects.create(
            visit.actor,
            name=typed(name.value, field=t("Name"), longest=100),
            description=typed(description.value),
        )
        box.close()
        ui.navigate.reload()

    with dialog(t("New project")) as box:
        name = ui.input(t("Name")).props("maxlength=100 autofocus").classes("w-full")
        description = ui.textarea(t("Description")).props("autogrow").classes("w-full")
        buttons(visit, box, t("Create"), visit.act(create))
