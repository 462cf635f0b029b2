"""The licences that name the machines: registered, revoked, and closed for good."""

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from veraz.tenancy.model import Licence, UnknownMachines
from veraz.ui.alerts import Alert, filled
from veraz.ui.parts import STATES, buttons, dialog, heading, typed, when
from veraz.ui.tables import STATE_CELL, CursorTable, Row, column
from veraz.ui.visit import Visit

_LICENCE_CELL = """
<q-td :props="props" auto-width><q-btn flat dense no-caps color="primary" :label="props.row.words_edit"
  :aria-label="props.row.words_edit + ' ' + props.row.machine_id" @click="$parent.$emit('edit', props.row.id)"></q-btn></q-td>
"""


async def licence_list(visit: Visit) -> None:
    """The register, and what becomes of a machine that is not in it."""
    t = visit.t
    with ui.row().classes("w-full items-center q-mt-md"):
        heading(t("Licences"), 2)
        ui.space()
        ui.button(t("New licence"), icon="add", on_click=lambda: _edit(visit, None, table.first))
    columns = [
        column("machine_id", t("Machine"), sortable=False, classes="name"),
        column("user_name", t("Name to greet"), sortable=False, classes="gt-xs"),
        column("status", t("State"), sortable=False),
        column("created_at", t("Date"), sortable=False, classes="gt-xs"),
        column("edit", t("Actions"), sortable=False),
    ]
    table: CursorTable[Licence] = CursorTable(
        visit,
        columns,
        lambda page: visit.veraz.licences.all(visit.actor, page),
        lambda one: _licence_row(visit, one),
        cells=(("status", STATE_CELL), ("edit", _LICENCE_CELL)),
    )
    table.table.on(
        "edit",
        lambda event: _edit(
            visit, next(one for one in table.items if str(one.id) == event.args), table.refresh
        ),
    )
    await table.refresh()
    if visit.actor.is_tenant_admin:
        await _rule(visit)


def _licence_row(visit: Visit, licence: Licence) -> Row:
    kind, icon, words = STATES[licence.status]
    return {
        "id": str(licence.id),
        "machine_id": licence.machine_id,
        "user_name": licence.user_name or "–",
        "state": visit.t(words),
        "state_kind": kind,
        "state_icon": icon,
        "created_at": when(visit, licence.created_at),
        "words_edit": visit.t("Edit"),
    }


async def _rule(visit: Visit) -> None:
    """Machines that are named and have no licence: in, with one, or out."""
    t = visit.t
    tenant = (await visit.veraz.tenants.overview(visit.actor)).tenant

    async def change(event: ValueChangeEventArguments[bool]) -> None:
        rule: UnknownMachines = "create" if event.value else "refuse"
        await visit.veraz.tenants.change(visit.actor, visit.actor.tenant_id, unknown_machines=rule)
        visit.done("Saved")

    ui.switch(
        t("Machines without a licence get one when they are named"),
        value=tenant.unknown_machines == "create",
        on_change=visit.act(change),
    )
    ui.label(t("Otherwise they are refused until somebody registers them here.")).classes("quiet small")


def _delete(visit: Visit, licence: Licence, editing: ui.dialog, after: object) -> None:
    """Asks what becomes of the machine's memory; nothing is chosen beforehand."""
    t = visit.t

    async def delete() -> None:
        await visit.veraz.licences.delete(visit.actor, licence.id, memory=memory.value)
        box.close()
        editing.close()
        visit.done("Deleted")
        await after()  # type: ignore[operator]

    with dialog(t("Delete the licence of «{name}»?", name=licence.machine_id)) as box:
        ui.label(t("Nobody can act for this machine again, under this name.")).classes("break")
        ways = {
            "keep": t("Keep its memory, for administrators to see"),
            "forget": t("Forget its memory: documents, conversations and questions"),
        }
        memory = ui.radio(ways)
        button = buttons(visit, box, t("Delete"), visit.act(delete), danger=True)
        button.bind_enabled_from(memory, "value", backward=lambda chosen: chosen is not None)


def _edit(visit: Visit, licence: Licence | None, after: object) -> None:
    t = visit.t

    async def save() -> None:
        greeting = typed(name.value, longest=200)
        if licence is None:
            if not filled(visit, machine):
                return
            machine_id = typed(machine.value, longest=200)
            await visit.veraz.licences.create(visit.actor, machine_id=machine_id, user_name=greeting)
        else:
            status = "active" if active.value else "revoked"
            await visit.veraz.licences.change(visit.actor, licence.id, user_name=greeting, status=status)  # type: ignore[arg-type]
        box.close()
        visit.done("Saved")
        await after()  # type: ignore[operator]

    with dialog(t("Licence") if licence else t("New licence")) as box:
        machine = (
            ui.input(t("Machine"), value=licence.machine_id if licence else "")
            .props("maxlength=200")
            .classes("w-full")
        )
        machine.set_enabled(licence is None)
        name = (
            ui.input(t("Name to greet"), value=licence.user_name if licence else "")
            .props("maxlength=200")
            .classes("w-full")
        )
        active = ui.switch(t("Active"), value=licence is None or licence.status == "active")
        active.set_visibility(licence is not None)
        Alert()
        with ui.row().classes("w-full justify-end"):
            if licence is not None:
                ui.button(t("Delete"), on_click=lambda: _delete(visit, licence, box, after)).props(
                    "flat color=negative"
                )
                ui.space()
            ui.button(t("Cancel"), on_click=box.close).props("flat")
            ui.button(t("Save"), on_click=visit.act(save))
