"""The story of one job in a dialog: its stages, its attempts, and what happened to its document before."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from veraz import errors
from veraz.ingest.jobs import Work
from veraz.paging import PageRequest
from veraz.queue.model import Job
from veraz.ui.parts import dialog, heading, state, when
from veraz.ui.visit import Visit
from veraz.ui.work_row import clock, document_address, name_of, problem, work_row

_SHOWN = 10

Acts = list[tuple[str, Callable[[], Awaitable[None]]]]


async def show_work(visit: Visit, work: Work, acts: Acts) -> None:
    """What happened to the work; `acts` are what can be done about it."""
    t = visit.t
    before = await _siblings(visit, work)
    with dialog(name_of(visit, work)) as box:
        state(visit, work.status)
        if words := problem(visit, work):
            ui.label(words).classes("text-negative break")
        _facts(visit, work)
        _stages(visit, work)
        _links(visit, work)
        if before:
            heading(t("Other jobs of this document"), 3)
        for one in before:
            with ui.row().classes("w-full items-center"):
                ui.label(when(visit, one.created_at)).classes("small")
                state(visit, one.status)
                told = errors.retold(one.error_code, one.error_message, visit.language)
                ui.label(told or "").classes("quiet small break")
        with ui.row().classes("w-full justify-end"):
            ui.button(t("Close"), on_click=box.close).props("flat")
            for words, act in acts:
                ui.button(words, on_click=_closing(visit, box, act)).props("outline")


def _closing(
    visit: Visit, box: ui.dialog, act: Callable[[], Awaitable[None]]
) -> Callable[[], Awaitable[None]]:
    async def done() -> None:
        box.close()
        await visit.act(act)()

    return done


def _facts(visit: Visit, work: Work) -> None:
    t = visit.t
    facts = [
        (t("Attempts"), f"{work.attempt}/{work.max_attempts}"),
        (t("Created"), when(visit, work.created_at)),
        (t("Started"), when(visit, work.started_at)),
        (t("Finished"), when(visit, work.finished_at)),
        (t("Next attempt"), clock(visit, work.run_after) if work.status == "PENDING" else "–"),
    ]
    for words, value in facts:
        if value != "–":
            ui.label(f"{words}: {value}").classes("small")


def _stages(visit: Visit, work: Work) -> None:
    steps = work_row(visit, work)["steps"]
    if steps:
        heading(visit.t("Stages"), 3)
    for step in steps:
        if step["time"]:
            ui.label(f"{step['words']}: {step['time']}").classes("small")


def _links(visit: Visit, work: Work) -> None:
    with ui.row():
        if address := document_address(visit, work):
            ui.link(visit.t("To the document"), address)
        if work.kb_name:
            ui.link(visit.t("To the knowledge base"), visit.to(f"/knowledge-bases/{work.kb_id}"))


async def _siblings(visit: Visit, work: Work) -> list[Job]:
    if work.document_id is None:
        return []
    page = PageRequest(limit=_SHOWN)
    found = await visit.veraz.jobs.all(visit.actor, page, document_id=work.document_id)
    return [one for one in found.items if one.id != work.id]
