"""Administration of signing in: who must have a second factor, and the identity providers of the tenant."""

from typing import Any, Final
from uuid import UUID

from nicegui import ui

from veraz.sso.model import GroupRole, IdentityProvider, ProviderChange
from veraz.ui.parts import STATES, buttons, confirm, dialog, heading, typed
from veraz.ui.shell import shell
from veraz.ui.tables import NAME_CELL, STATE_CELL, CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting

_EDIT_CELL: Final = """
<q-td :props="props" auto-width><q-btn flat dense no-caps color="primary" :label="props.row.words_edit"
  :aria-label="props.row.words_edit + ' ' + props.row.name" @click="$parent.$emit('edit', props.row.id)"></q-btn></q-td>
"""
_RULES: Final = {
    "optional": "Whoever wants to",
    "rights": "Administrators and managers",
    "everyone": "Everyone",
}


async def page(visit: Visiting) -> None:
    """How people of the tenant sign in."""
    t = visit.t
    rule = await visit.veraz.second_factor.rule(visit.actor)
    await visit.veraz.identity_providers.all(visit.actor)
    with shell(visit, t("Sign-in"), active="/admin/sign-in"):
        with ui.card().classes("w-full"):
            heading(t("Second step"), 2)
            _rule(visit, rule)
        heading(t("Identity providers"), 2)
        ui.label(t("Your people sign in with the account of your organization (OpenID Connect).")).classes(
            "quiet"
        )
        row = ui.row()
        table = _table(visit)
        with row:
            ui.button(t("Connect a provider"), icon="add", on_click=lambda: _edit(visit, None, table.first))
        await table.refresh()


def _rule(visit: Visit, rule: str) -> None:
    t = visit.t

    async def save() -> None:
        try:
            await visit.veraz.second_factor.set_rule(visit.actor, str(choice.value))
        finally:
            choice.value = await visit.veraz.second_factor.rule(visit.actor)
        visit.done("Saved")

    ui.label(t("Who must type a code of an authenticator app when they sign in?"))
    with ui.row().classes("items-center"):
        options = {name: t(words) for name, words in _RULES.items()}
        choice = ui.select(options, value=rule, label=t("Second step for")).style("min-width: 16rem")
        ui.button(t("Save"), on_click=visit.act(save))
    ui.label(t("It holds at once: whoever owes one sets it up the next time, before anything else.")).classes(
        "quiet small"
    )


def _table(visit: Visit) -> CursorTable[IdentityProvider]:
    t = visit.t
    columns = [
        column("name", t("Name"), sortable=False, classes="name"),
        column("issuer", t("Issuer"), sortable=False, classes="name gt-xs"),
        column("status", t("State"), sortable=False),
        column("edit", t("Actions"), sortable=False),
    ]
    table: CursorTable[IdentityProvider] = CursorTable(
        visit,
        columns,
        lambda page: visit.veraz.identity_providers.all(visit.actor, page),
        lambda one: _row(visit, one),
        cells=(("name", NAME_CELL), ("status", STATE_CELL), ("edit", _EDIT_CELL)),
        nothing=t("None yet: everybody signs in with e-mail and password."),
    )

    def edit(event: Any) -> None:
        one = next(item for item in table.items if str(item.id) == event.args)
        _edit(visit, one, table.refresh)

    table.table.on("edit", edit)
    return table


def _row(visit: Visit, one: IdentityProvider) -> Row:
    kind, icon, words = STATES["enabled" if one.enabled else "disabled"]
    return {
        "id": str(one.id),
        "name": one.name,
        "issuer": one.issuer,
        "state": visit.t(words),
        "state_kind": kind,
        "state_icon": icon,
        "words_edit": visit.t("Edit"),
    }


def _edit(visit: Visit, one: IdentityProvider | None, after: Any) -> None:
    t, providers = visit.t, visit.veraz.identity_providers
    form = _Form(visit, one)

    async def save() -> None:
        change = form.change()
        made = await (
            providers.change(visit.actor, one.id, change) if one else providers.create(visit.actor, change)
        )
        box.close()
        await after()
        if one is None:
            _addresses(visit, made.id)
        else:
            visit.done("Saved")

    async def test() -> None:
        assert one is not None
        found = await providers.test(visit.actor, one.id)
        ui.notify(t("It answers: {issuer}", issuer=found.issuer), type="positive", position="bottom")

    async def delete() -> None:
        assert one is not None
        await providers.delete(visit.actor, one.id)
        await after()

    def ask_delete() -> None:
        assert one is not None
        box.close()
        text = t("The sessions that came through it end.")
        confirm(visit, t("Delete «{name}»?", name=one.name), text, t("Delete"), delete)

    with dialog(one.name if one else t("Connect a provider")) as box:
        form.draw()
        if one:
            _address_lines(visit, one.id)
            with ui.row():
                ui.button(t("Test"), icon="play_arrow", on_click=visit.act(test)).props("outline dense")
                ui.button(t("Delete"), icon="delete", on_click=ask_delete).props("flat dense color=negative")
        buttons(visit, box, t("Save"), visit.act(save))


def _addresses(visit: Visit, provider_id: UUID) -> None:
    t = visit.t
    with dialog(t("Almost done")) as box:
        _address_lines(visit, provider_id)
        with ui.row().classes("w-full justify-end"):
            ui.button(t("Done"), on_click=box.close)


def _address_lines(visit: Visit, provider_id: UUID) -> None:
    t, sso = visit.t, visit.veraz.sso
    ui.label(t("Register this address at the provider:")).classes("quiet small")
    ui.label(sso.redirect_uri(provider_id)).classes("secret w-full")
    ui.label(t("Your people sign in here:")).classes("quiet small")
    ui.label(sso.sign_in_uri(provider_id)).classes("secret w-full")


class _Form:
    """The fields of a provider."""

    def __init__(self, visit: Visit, one: IdentityProvider | None) -> None:
        self.visit = visit
        self.one = one

    def draw(self) -> None:
        """The fields with what is there."""
        t, one = self.visit.t, self.one
        self.name = _field(t("Name"), one.name if one else "", "autofocus maxlength=100")
        self.issuer = _field(t("Issuer (https://…)"), one.issuer if one else "", "maxlength=1000")
        self.client_id = _field(t("Client id"), one.client_id if one else "", "maxlength=500")
        self.secret = (
            ui.input(t("Client secret"), password=True).props("autocomplete=new-password").classes("w-full")
        )
        if one and one.has_secret:
            self.secret.props["hint"] = t("Kept; type to replace it")
        self.domains = _field(t("Mail domains"), ", ".join(one.domains) if one else "", "")
        self.domains.props["hint"] = t("Separated by commas")
        self.links = ui.switch(
            t("Link with users of the same verified e-mail"), value=bool(one and one.links_users)
        )
        self.creates = ui.switch(
            t("Add people of these domains as users"), value=bool(one and one.creates_users)
        )
        self.factor = ui.switch(t("It asks for a second step itself"), value=bool(one and one.shows_factor))
        admins = ", ".join(g.group for g in one.group_roles if g.project_id is None) if one else ""
        self.admins = _field(t("Groups of administrators"), admins, "")
        self.admins.props["hint"] = t("Separated by commas")
        if self.visit.actor.is_platform_admin:
            self.listed: ui.switch | None = ui.switch(
                t("Show it on everybody's sign-in page"), value=bool(one and one.listed)
            )
        else:
            self.listed = None
        self.enabled = ui.switch(t("Enabled"), value=one.enabled if one else True)

    def change(self) -> ProviderChange:
        """What was typed. Groups of projects, which this form does not show, stay as they are."""
        t = self.visit.t
        rest = [g for g in self.one.group_roles if g.project_id] if self.one else []
        admins = [GroupRole(group=group, role="admin") for group in _list(self.admins.value)]
        return ProviderChange(
            name=typed(self.name.value, field=t("Name"), longest=100),
            issuer=typed(self.issuer.value, field=t("Issuer (https://…)"), longest=1000),
            client_id=typed(self.client_id.value, field=t("Client id"), longest=500),
            client_secret=str(self.secret.value) if self.secret.value else None,
            domains=_list(self.domains.value),
            links_users=self.links.value,
            creates_users=self.creates.value,
            shows_factor=self.factor.value,
            groups=[*admins, *rest],
            listed=self.listed.value if self.listed else None,
            enabled=self.enabled.value,
        )


def _field(words: str, value: str, props: str) -> ui.input:
    return ui.input(words, value=value).props(props).classes("w-full")


def _list(text: object) -> list[str]:
    return [one.strip() for one in str(text or "").split(",") if one.strip()]
