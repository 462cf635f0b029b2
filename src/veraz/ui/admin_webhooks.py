"""Administration: who outside hears of what happens here, and what was sent to them."""

import json
from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.channels.webhooks import EVENT_KINDS, TEST_EVENT, Delivery, Webhook
from veraz.ui.parts import (
    STATES,
    buttons,
    confirm,
    dialog,
    empty,
    heading,
    number,
    show_secret,
    state,
    typed,
    when,
)
from veraz.ui.shell import shell
from veraz.ui.tables import NAME_CELL, STATE_CELL, CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting

_RESEND_CELL: Final = """
<q-td :props="props" auto-width>
  <q-btn flat round dense color="secondary" class="quiet" icon="info" :aria-label="props.row.words_more + ' ' + props.row.name"
    @click="$parent.$emit('more', props.row.id)"></q-btn>
  <q-btn v-if="props.row.over" flat round dense color="secondary" class="quiet" icon="replay"
    :aria-label="props.row.words_again + ' ' + props.row.name" @click="$parent.$emit('again', props.row.id)">
    <q-tooltip>{{ props.row.words_again }}</q-tooltip></q-btn>
</q-td>
"""
_EVENTS: Final = {
    "document.completed": "A document is ready",
    "document.failed": "A document failed",
    "knowledge_base.switched": "A knowledge base uses a new edition",
    "conversation.handoff": "A conversation needs a person",
    "conversation.message": "Message received while a person is handling the chat",
    "answer.refused": "A question found no evidence",
    "whatsapp.failed": "A WhatsApp message did not arrive",
    TEST_EVENT: "Test event",
}
_DELIVERY: Final = {"pending": "pending", "delivered": "completed", "failed": "failed"}
_REFRESH_SECONDS: Final = 5.0
After = Callable[[], Awaitable[None]]


async def list_page(visit: Visiting) -> None:
    """The webhooks the visitor manages."""
    t = visit.t
    await visit.veraz.webhooks.all(visit.actor)
    words = t(
        "Tell your other programs what happens here: each event is signed and sent to an address of yours."
    )
    with shell(visit, t("Webhooks"), active="/admin/webhooks", subtitle=words):
        with ui.row():
            ui.button(t("New webhook"), icon="add", on_click=lambda: _new(visit, renew))
        columns = [
            column("name", t("Name"), sortable=False, classes="name"),
            column("events", t("Events"), sortable=False, classes="name gt-sm"),
            column("where", t("Where"), sortable=False, classes="gt-xs"),
            column("status", t("State"), sortable=False),
        ]
        nothing = ui.column().classes("w-full")
        table: CursorTable[Webhook] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.webhooks.all(visit.actor, page),
            lambda one: _row(visit, one),
            cells=(("name", NAME_CELL), ("status", STATE_CELL)),
        )
        with nothing:
            empty(
                "webhook", t("No webhook yet"), t("Add the address of a program that should receive events.")
            )

        async def renew() -> None:
            await table.first()
            nothing.set_visibility(not table.items)
            table.table.set_visibility(bool(table.items))

        await renew()


def _row(visit: Visit, hook: Webhook) -> Row:
    kind, icon, words = STATES["enabled" if hook.enabled else "disabled"]
    project = next((one.name for one in visit.projects if one.id == hook.project_id), "–")
    return {
        "id": str(hook.id),
        "name": hook.name,
        "href": visit.to(f"/admin/webhooks/{hook.id}"),
        "note": hook.url,
        "events": ", ".join(visit.t(_EVENTS[one]) for one in hook.events if one in _EVENTS),
        "where": project if hook.project_id else visit.t("Whole tenant"),
        "state": visit.t(words),
        "state_kind": kind,
        "state_icon": icon,
    }


def _new(visit: Visit, after: After) -> None:
    t = visit.t

    async def create() -> None:
        issued = await visit.veraz.webhooks.create(
            visit.actor,
            name=typed(name.value, field=t("Name"), longest=100),
            url=typed(url.value, field=t("Address"), longest=4_000),
            events=events.value,
            project_id=None if tenant.value else visit.project_id,
        )
        box.close()
        show_secret(visit, t("The secret of your webhook"), issued.secret)
        await after()

    with dialog(t("New webhook")) as box:
        name = ui.input(t("Name")).props("autofocus maxlength=100").classes("w-full")
        url = (
            ui.input(t("Address"), placeholder="https://").props("type=url maxlength=4000").classes("w-full")
        )
        events = _events(visit, list(EVENT_KINDS))
        tenant = ui.switch(t("For every project of the tenant"))
        tenant.set_visibility(visit.actor.is_tenant_admin)
        buttons(visit, box, t("Create"), visit.act(create))


def _events(visit: Visit, chosen: list[str]) -> ui.select:
    options = {kind: visit.t(_EVENTS.get(kind, "Another event")) for kind in EVENT_KINDS}
    return (
        ui.select(options, value=chosen, multiple=True, label=visit.t("Events"))
        .props("use-chips")
        .classes("w-full")
    )


async def page(visit: Visiting, webhook_id: UUID) -> None:
    """One webhook: what it hears of, and what was sent."""
    hook = await visit.veraz.webhooks.get(visit.actor, webhook_id)
    back = (visit.t("Webhooks"), "/admin/webhooks")
    with shell(visit, hook.name, active="/admin/webhooks", subtitle=hook.url, back=back):
        await _One(visit, hook).draw()


class _One:
    """One webhook and the log of its deliveries."""

    def __init__(self, visit: Visit, hook: Webhook) -> None:
        self.visit, self.hook = visit, hook

    async def draw(self) -> None:
        """What can be done, what it is, what was sent."""
        visit, t = self.visit, self.visit.t
        with ui.element("div").classes("toolbar"):
            ui.button(t("Send a test"), icon="send", on_click=visit.act(self._test))
            ui.button(t("Edit"), icon="edit", on_click=self._edit).props("outline")
            ui.button(t("New secret"), icon="key", on_click=self._ask_rotate).props("outline")
            ui.space()
            ui.button(t("Delete"), icon="delete", on_click=self._ask_delete).props("outline color=negative")
        with ui.card().classes("w-full"):
            state(visit, "enabled" if self.hook.enabled else "disabled")
            if self.hook.note:
                ui.label(errors.said(self.hook.note, visit.language)).classes("text-negative break")
            for kind in self.hook.events:
                ui.label(f"{t(_EVENTS.get(kind, 'Another event'))} · {kind}").classes("small break")
            ui.label(t("Secret of {when}", when=when(visit, self.hook.secret_changed_at))).classes(
                "quiet small"
            )
        await self._deliveries()

    async def _deliveries(self) -> None:
        visit, t = self.visit, self.visit.t
        heading(t("Deliveries"), 2)
        columns = [
            column("name", t("Event"), sortable=False, classes="name"),
            column("status", t("State"), sortable=False),
            column("answer", t("Answer"), sortable=False, classes="gt-xs"),
            column("attempts", t("Attempts"), align="right", sortable=False, classes="num gt-sm"),
            column("created_at", t("Date"), sortable=False, classes="gt-xs"),
            column("more", t("Actions"), sortable=False),
        ]
        self.table: CursorTable[Delivery] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.webhooks.deliveries(visit.actor, self.hook.id, page),
            self._delivery_row,
            cells=(("name", NAME_CELL), ("status", STATE_CELL), ("more", _RESEND_CELL)),
        )
        self.table.table.on("again", visit.act(lambda event: self._again(event.args)))
        self.table.table.on("more", lambda event: self._more(event.args))
        await self.table.refresh()
        ui.timer(_REFRESH_SECONDS, self._tick)

    def _delivery_row(self, one: Delivery) -> Row:
        t = self.visit.t
        kind, icon, words = STATES[_DELIVERY[one.status]]
        spent = f" · {number(self.visit, one.response_ms)} ms" if one.response_ms is not None else ""
        return {
            "id": str(one.id),
            "name": t(_EVENTS.get(one.kind, "Another event")),
            "note": errors.said(one.error, self.visit.language),
            "note_bad": True,
            "state": t("Delivered") if one.status == "delivered" else t(words),
            "state_kind": kind,
            "state_icon": icon,
            "answer": f"{one.response_status}{spent}" if one.response_status else "–",
            "attempts": number(self.visit, one.attempts),
            "created_at": when(self.visit, one.created_at),
            "over": one.status != "pending",
            "words_again": t("Send again"),
            "words_more": t("Show"),
        }

    async def _tick(self) -> None:
        if any(one.status == "pending" for one in self.table.items):
            await self.visit.act(self.table.refresh, by_clock=True)()

    async def _test(self) -> None:
        await self.visit.veraz.webhooks.test(self.visit.actor, self.hook.id)
        self.visit.done("A test event is on its way")
        await self.table.first()

    async def _again(self, delivery_id: str) -> None:
        await self.visit.veraz.webhooks.resend(self.visit.actor, self.hook.id, UUID(delivery_id))
        self.visit.done("It is on its way again")
        await self.table.refresh()

    def _more(self, delivery_id: str) -> None:
        t, one = self.visit.t, next(item for item in self.table.items if str(item.id) == delivery_id)
        with dialog(t(_EVENTS.get(one.kind, "Another event")), wide=True) as box:
            ui.label(f"{one.kind} · {when(self.visit, one.happened_at)}").classes("quiet small break")
            text = json.dumps(one.data, ensure_ascii=False, indent=2, default=str)
            ui.label(text).classes("secret w-full small").style("white-space: pre-wrap")
            if one.error:
                ui.label(errors.said(one.error, self.visit.language)).classes("text-negative break")
            ui.button(t("Close"), on_click=box.close).props("flat").classes("self-end")

    def _edit(self) -> None:
        visit, t, hook = self.visit, self.visit.t, self.hook

        async def save() -> None:
            await visit.veraz.webhooks.change(
                visit.actor,
                hook.id,
                name=typed(name.value, field=t("Name"), longest=100),
                url=typed(url.value, field=t("Address"), longest=4_000),
                events=events.value,
                enabled=enabled.value,
            )
            ui.navigate.reload()

        with dialog(t("Edit")) as box:
            name = ui.input(t("Name"), value=hook.name).props("maxlength=100").classes("w-full")
            url = ui.input(t("Address"), value=hook.url).props("type=url maxlength=4000").classes("w-full")
            events = _events(visit, hook.events)
            enabled = ui.switch(t("Enabled"), value=hook.enabled)
            buttons(visit, box, t("Save"), visit.act(save))

    def _ask_rotate(self) -> None:
        visit, t = self.visit, self.visit.t

        async def rotate() -> None:
            issued = await visit.veraz.webhooks.rotate(visit.actor, self.hook.id)
            show_secret(visit, t("The secret of your webhook"), issued.secret)

        text = t("For one day deliveries are signed with both, the old one and the new one.")
        confirm(visit, t("Make a new secret?"), text, t("New secret"), rotate)

    def _ask_delete(self) -> None:
        visit, t = self.visit, self.visit.t

        async def delete() -> None:
            await visit.veraz.webhooks.delete(visit.actor, self.hook.id)
            ui.navigate.to(visit.to("/admin/webhooks"))

        text = t("What waits is not sent any more.")
        confirm(visit, t("Delete «{name}»?", name=self.hook.name), text, t("Delete"), delete)
