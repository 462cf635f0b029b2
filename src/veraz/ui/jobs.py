"""One job as the console shows it: a row, and its story in a dialog."""

from typing import Final
from uuid import UUID

from nicegui import ui

from veraz.paging import PageRequest
from veraz.queue.model import Job
from veraz.ui.knowledge_base import in_words
from veraz.ui.parts import STATES, dialog, heading, state, when
from veraz.ui.tables import Row
from veraz.ui.visit import Visit

KINDS: Final = {
    "ingest": "Read a document",
    "crawl": "Read a site",
    "forget_files": "Delete files",
    "deliver_webhook": "Send an event",
    "whatsapp": "Answer on WhatsApp",
    "run_exam": "Run the exam",
}
STAGES: Final = {
    "FETCH": "fetching",
    "PARSE": "reading",
    "CHUNK": "cutting",
    "EMBED": "making vectors",
    "STORE": "storing",
}
_SHOWN = 10


def job_row(visit: Visit, job: Job, kb_name: str) -> Row:
    """A job as a table shows it."""
    kind, icon, words = STATES[job.status]
    stage = STAGES.get(job.stage or "") if job.status == "RUNNING" else None
    return {
        "id": str(job.id),
        "kind": visit.t(KINDS.get(job.kind, "Background work")),
        "note": _problem(visit, job),
        "note_bad": job.status in ("FAILED", "DLQ"),
        "kb": kb_name,
        "state": visit.t(words) + (f" · {visit.t(stage)}" if stage else ""),
        "state_kind": kind,
        "state_icon": icon,
        "progress": job.progress_percent if job.status == "RUNNING" else None,
        "attempt": f"{job.attempt}/{job.max_attempts}",
        "created_at": when(visit, job.created_at),
        "words_more": visit.t("Details of the job"),
    }


async def show_job(visit: Visit, job: Job) -> None:
    """What happened to the job, and to its document before."""
    t = visit.t
    before = await _siblings(visit, job)
    facts = [
        (t("Attempts"), f"{job.attempt}/{job.max_attempts}"),
        (t("Lost workers"), str(job.lost)),
        (t("Created"), when(visit, job.created_at)),
        (t("Started"), when(visit, job.started_at)),
        (t("Finished"), when(visit, job.finished_at)),
        (t("Next attempt"), when(visit, job.run_after) if job.status == "PENDING" else "–"),
    ]
    with dialog(t("Details of the job")) as box:
        state(visit, job.status)
        for words, value in facts:
            ui.label(f"{words}: {value}").classes("small")
        if words := _problem(visit, job):
            ui.label(words).classes("text-negative break")
        if job.document_id and job.kb_id:
            address = f"/knowledge-bases/{job.kb_id}/documents/{job.document_id}"
            ui.link(t("To the document"), visit.to(address))
        if before:
            heading(t("Other jobs of this document"), 3)
        for one in before:
            with ui.row().classes("w-full items-center"):
                ui.label(when(visit, one.created_at)).classes("small")
                state(visit, one.status)
                ui.label(_problem(visit, one)).classes("quiet small break")
        ui.button(t("Close"), on_click=box.close).props("flat").classes("self-end")


async def _siblings(visit: Visit, job: Job) -> list[Job]:
    if job.document_id is None:
        return []
    page = PageRequest(limit=_SHOWN)
    found = await visit.veraz.jobs.all(visit.actor, page, document_id=UUID(str(job.document_id)))
    return [one for one in found.items if one.id != job.id]


def _problem(visit: Visit, job: Job) -> str:
    return in_words(visit, job.error_code, job.error_message)
