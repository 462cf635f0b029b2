"""Administration: the WhatsApp numbers of a project and the agents that answer at them."""

from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.channels.whatsapp.numbers import NewNumber, Number, NumberChange
from veraz.ui.admin_people import EDIT_CELL
from veraz.ui.agents import agents_of
from veraz.ui.parts import STATES, buttons, confirm, dialog, empty, show_secret, typed
from veraz.ui.shell import shell
from veraz.ui.tables import NAME_CELL, STATE_CELL, CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting

_WHO: Final = {"veraz": "The agent answers", "outside": "Another program answers"}
After = Callable[[], Awaitable[None]]


async def page(visit: Visiting) -> None:
    """The numbers of the chosen project."""
    t, names = visit.t, {str(one.id): one.name for one in await agents_of(visit)}
    words = t("People write to a number of yours, and an agent answers them from its documents.")
    with shell(visit, "WhatsApp", active="/admin/whatsapp", subtitle=words):
        with ui.row():
            add = ui.button(t("New number"), icon="add", on_click=lambda: _new(visit, names, renew))
            add.set_enabled(bool(names))
        columns = [
            column("name", t("Name"), sortable=False, classes="name"),
            column("agent", t("Agent"), sortable=False, classes="gt-xs"),
            column("who", t("Who answers"), sortable=False, classes="gt-sm"),
            column("status", t("State"), sortable=False),
            column("edit", t("Actions"), sortable=False),
        ]
        nothing = ui.column().classes("w-full")
        with nothing:
            empty("chat", t("No number yet"), t("A number needs an agent and the keys of its Meta app."))
        table: CursorTable[Number] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.whatsapp_numbers.all(visit.actor, page, project_id=visit.project_id),
            lambda one: _row(visit, one, names),
            cells=(("name", NAME_CELL), ("status", STATE_CELL), ("edit", EDIT_CELL)),
        )

        async def renew() -> None:
            await table.first()
            nothing.set_visibility(not table.items)
            table.table.set_visibility(bool(table.items))

        def edit(number_id: str) -> None:
            _edit(visit, next(one for one in table.items if str(one.id) == number_id), names, renew)

        table.table.on("edit", lambda event: edit(event.args))
        await renew()


def _row(visit: Visit, one: Number, names: dict[str, str]) -> Row:
    kind, icon, words = STATES["enabled" if one.active else "disabled"]
    return {
        "id": str(one.id),
        "name": one.name,
        "note": errors.said(one.error_message, visit.language) or one.phone_number_id,
        "note_bad": one.error_message is not None,
        "agent": names.get(str(one.agent_id), "–"),
        "who": visit.t(_WHO[one.answered_by]),
        "state": visit.t(words),
        "state_kind": kind,
        "state_icon": icon,
        "words_edit": visit.t("Edit"),
    }


def _new(visit: Visit, names: dict[str, str], after: After) -> None:
    t = visit.t

    async def create() -> None:
        new = NewNumber(
            agent_id=UUID(agent.value),
            phone_number_id=_digits(visit, phone.value),
            access_token=typed(token.value, field=t("Access token"), longest=2_000),
            app_secret=typed(secret.value, field=t("App secret"), longest=2_000),
            name=typed(name.value, longest=200),
            answered_by=who.value,
        )
        added = await visit.veraz.whatsapp_numbers.add(visit.actor, new)
        box.close()
        show_secret(visit, t("Verify token for Meta's webhook settings"), added.verify_token)
        await after()

    with dialog(t("New number")) as box:
        name = ui.input(t("Name")).props("maxlength=200 autofocus").classes("w-full")
        agent = ui.select(names, value=next(iter(names), None), label=t("Agent")).classes("w-full")
        phone = ui.input(t("Phone number ID, as Meta shows it")).props("maxlength=32").classes("w-full")
        token, secret = _secrets(visit)
        who = _who(visit, "veraz")
        ui.label(t("Meta calls {address}", address="/api/webhooks/whatsapp")).classes("quiet small break")
        buttons(visit, box, t("Create"), visit.act(create))


def _edit(visit: Visit, one: Number, names: dict[str, str], after: After) -> None:
    t = visit.t

    async def save() -> None:
        change = NumberChange(
            agent_id=UUID(agent.value) if agent.value else None,
            name=typed(name.value, field=t("Name"), longest=200),
            answered_by=who.value,
            active=active.value,
            access_token=typed(token.value, longest=2_000) or None,
            app_secret=typed(secret.value, longest=2_000) or None,
        )
        await visit.veraz.whatsapp_numbers.change(visit.actor, one.id, change)
        box.close()
        visit.done("Saved")
        await after()

    async def delete() -> None:
        await visit.veraz.whatsapp_numbers.delete(visit.actor, one.id)
        await after()

    def ask_delete() -> None:
        box.close()
        text = t("Nobody answers at it any more; its conversations stay.")
        confirm(visit, t("Delete «{name}»?", name=one.name), text, t("Delete"), delete)

    with dialog(one.name) as box:
        name = ui.input(t("Name"), value=one.name).props("maxlength=200").classes("w-full")
        mine = str(one.agent_id) if str(one.agent_id) in names else None
        agent = ui.select(names, value=mine, label=t("Agent")).classes("w-full")
        ui.label(t("Empty keys stay as they are.")).classes("quiet small")
        token, secret = _secrets(visit)
        who = _who(visit, one.answered_by)
        active = ui.switch(t("Enabled"), value=one.active)
        ui.button(t("Delete"), icon="delete", on_click=ask_delete).props("flat dense color=negative").classes(
            "self-start"
        )
        buttons(visit, box, t("Save"), visit.act(save))


def _secrets(visit: Visit) -> tuple[ui.input, ui.input]:
    token = ui.input(visit.t("Access token"), password=True).props("autocomplete=off").classes("w-full")
    secret = ui.input(visit.t("App secret"), password=True).props("autocomplete=off").classes("w-full")
    return token, secret


def _who(visit: Visit, value: str) -> ui.select:
    options = {name: visit.t(words) for name, words in _WHO.items()}
    return ui.select(options, value=value, label=visit.t("Who answers")).classes("w-full")


def _digits(visit: Visit, value: object) -> str:
    text = typed(value, field=visit.t("Phone number ID, as Meta shows it"), longest=32)
    if not (text.isascii() and text.isdecimal()):
        raise errors.Invalid(field=visit.t("Phone number ID, as Meta shows it"), reason="0–9")
    return text
