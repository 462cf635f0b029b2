"""Administration: what happened to the security of the tenant, and for the platform to that of the installation."""

from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from veraz.forgetting.model import Forgetting
from veraz.security import KINDS
from veraz.tenancy.security_events import EVERYTHING, StoredEvent, Wanted
from veraz.ui.parts import heading, when
from veraz.ui.security_words import FORGOTTEN, SAID, beside, what
from veraz.ui.shell import shell
from veraz.ui.tables import CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting

_EXPORT: Final = "/api/v1/security-events/export?format=csv"


async def page(visit: Visiting) -> None:
    """Security events, newest first."""
    t = visit.t
    people = {
        one.id: one.display_name or one.email for one in (await visit.veraz.users.all(visit.actor)).items
    }
    wanted = [EVERYTHING]
    with shell(
        visit,
        t("Security"),
        active="/admin/security",
        subtitle=t("Sign-ins, keys, rights and refusals: who, from where and when. Nobody can change them."),
    ):
        with ui.row().classes("items-center gap-4"):
            _choices(visit, wanted, lambda: table.first())
            ui.link(t("Export CSV"), _EXPORT, new_tab=True)
        columns = [
            column("at", t("Date"), sortable=False),
            column("what", t("What"), sortable=False, classes="name"),
            column("who", t("Who"), sortable=False, classes="name"),
            column("about", t("About"), sortable=False, classes="gt-xs"),
            column("address", t("From"), sortable=False, classes="gt-xs"),
            column("details", t("Details"), sortable=False, classes="name gt-xs small quiet"),
        ]
        table: CursorTable[StoredEvent] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.security_events.all(visit.actor, page, wanted[0]),
            lambda one: _row(visit, one, people),
        )
        table.table.classes("events")
        await table.refresh()
        heading(t("What was forgotten"), 2)
        ui.label(t("Receipts of what was deleted for ever: what and when, without any text.")).classes(
            "quiet"
        )
        await _receipts(visit, people)


async def _receipts(visit: Visit, people: dict[UUID, str | None]) -> None:
    t = visit.t
    columns = [
        column("at", t("Date"), sortable=False),
        column("what", t("What"), sortable=False, classes="name"),
        column("who", t("Who"), sortable=False, classes="gt-xs"),
        column("state", t("State"), sortable=False),
    ]
    table: CursorTable[Forgetting] = CursorTable(
        visit,
        columns,
        lambda page: visit.veraz.forgettings.all(visit.actor, page),
        lambda one: {
            "id": str(one.id),
            "at": when(visit, one.created_at),
            "what": t(FORGOTTEN[one.kind]),
            "who": _named(one.created_by, people) or "–",
            "state": t("Done") if one.status == "done" else t("Running"),
        },
        nothing=t("Nothing was forgotten yet."),
    )
    await table.refresh()


def _choices(visit: Visit, wanted: list[Wanted], again: Any) -> None:
    t = visit.t

    async def refusals(event: Any) -> None:
        wanted[0] = replace(wanted[0], outcome="refused" if event.value else None)
        await again()

    async def kind(event: Any) -> None:
        wanted[0] = replace(wanted[0], kinds=(event.value,) if event.value else None)
        await again()

    async def installation(event: Any) -> None:
        wanted[0] = replace(wanted[0], of_installation=bool(event.value))
        await again()

    options = {"": t("Everything")} | {one: t(SAID[one]) for one in KINDS}
    ui.select(options, value="", label=t("What"), on_change=visit.act(kind)).style("min-width: 16rem")
    ui.switch(t("Only what was refused"), on_change=visit.act(refusals))
    if visit.actor.scope().platform:
        ui.switch(t("Of the installation"), on_change=visit.act(installation))


def _row(visit: Visit, event: StoredEvent, people: dict[UUID, str | None]) -> Row:
    return {
        "id": event.id,
        "at": when(visit, event.at),
        "what": what(visit, event.kind, event.outcome),
        "who": _named(event.user_id, people) or (visit.t("A key") if event.key_id else "–"),
        "about": _named(event.about, people) or "–",
        "address": event.address or "–",
        "details": beside(visit, event.details),
    }


def _named(one: UUID | None, people: dict[UUID, str | None]) -> str:
    return (people.get(one) or f"…{str(one)[-6:]}") if one else ""
