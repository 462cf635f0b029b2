"""One document or job in the ingestion console: an element of its own, so that only rows that changed are sent."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from nicegui import ui

from veraz import errors
from veraz.ingest.jobs import CANCELLABLE, Work
from veraz.ui.parts import STATES, TIERS, number, when
from veraz.ui.visit import Visit

Row = dict[str, Any]

KINDS: Final = {
    # kind: what the row is called, what stands beside it
    "ingest": ("", ""),
    "rebuild": ("Read again: {name}", ""),
    "crawl": ("Pages of {name}", "Web site"),
    "run_exam": ("Exam of {name}", "Exam"),
    "deliver_webhook": ("Event for {name}", "Webhook"),
    "whatsapp": ("Answer to {name}", "WhatsApp"),
    "forget_files": ("Delete files that nobody needs", "Cleaning"),
}
ORIGINS: Final = {
    "upload": "Uploaded file",
    "text": "Written text",
    "manual": "Written answer",
    "url": "Web page",
}
_STEPS: Final = {
    "FETCH": "Received",
    "PARSE": "Read",
    "CHUNK": "Cut",
    "EMBED": "Vectors",
    "STORE": "Stored",
}
_READING = ("ingest", "rebuild")


class WorkRow(ui.element, component="work_row.js"):
    """A row of the table; `show` sends it again only when something in it changed."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self._props["row"] = row

    def show(self, row: Row) -> None:
        """The row as it is now."""
        if self._props["row"] != row:
            self._props["row"] = row
            self.update()


def work_row(visit: Visit, work: Work, now: datetime | None = None) -> Row:
    """What a row of work says."""
    t, moment = visit.t, now or datetime.now(UTC)
    kind, icon, words = STATES[work.status]
    busy, failed = work.status in ("PENDING", "RUNNING"), work.status in ("FAILED", "DLQ")
    return {
        "id": str(work.id),
        "name": name_of(visit, work),
        "href": document_address(visit, work),
        "type": _type(visit, work),
        "note": problem(visit, work),
        "note_bad": failed,
        **_source(visit, work),
        "kb": work.kb_name or "",
        "kb_href": visit.to(f"/knowledge-bases/{work.kb_id}") if work.kb_name else "",
        "steps": _steps(visit, work, moment) if work.kind in _READING else [],
        "times": _times(visit, work),
        "state": t(words) + (f" {work.progress_percent} %" if work.status == "RUNNING" else ""),
        "state_kind": kind,
        "state_icon": icon,
        "rest": _rest(visit, work, moment),
        "retry": t("Retry") if failed else "",
        "cancel": t("Cancel") if busy and work.kind in CANCELLABLE else "",
        "more": t("Details"),
    }


def name_of(visit: Visit, work: Work) -> str:
    """What the work is about, in words."""
    words = KINDS.get(work.kind, ("Background work", ""))[0]
    return visit.t(words, name=work.name or "–") if words else work.name or "–"


def document_address(visit: Visit, work: Work) -> str:
    """The page of the document, where it has one."""
    if not work.document_id:
        return ""
    return visit.to(f"/knowledge-bases/{work.kb_id}/documents/{work.document_id}")


def problem(visit: Visit, work: Work) -> str:
    """Why the last attempt failed; the sentence says what to do."""
    told = errors.retold(work.error_code, work.error_message, visit.language)
    return "" if work.status == "DONE" else told or ""


def span(visit: Visit, length: timedelta) -> str:
    """How long something took or takes: 0.8 s, 23 s, 2 min, 1 h 5 min."""
    seconds = max(0.0, length.total_seconds())
    if seconds < 60:
        return f"{number(visit, seconds, 1 if seconds < 10 else 0)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def clock(visit: Visit, moment: datetime | None) -> str:
    """The time of day; with the day when it was another one."""
    if moment is None:
        return "–"
    local = moment.astimezone(visit.zone)
    today = local.date() == datetime.now(visit.zone).date()
    return local.strftime("%H:%M:%S") if today else when(visit, moment)


def _type(visit: Visit, work: Work) -> str:
    words = KINDS.get(work.kind, ("", ""))[1]
    return (work.file_type or "").upper() or (visit.t(words) if words else "")


def _source(visit: Visit, work: Work) -> Row:
    tier = TIERS.get(work.tier or "")
    standing = [
        visit.t("words: {n}", n=number(visit, work.word_count)) if work.word_count else "",
        visit.t("authority {n}", n=number(visit, float(work.authority_score)))
        if work.authority_score
        else "",
    ]
    return {
        "url": work.source_url if (work.source_url or "").startswith(("http://", "https://")) else "",
        "source": work.source_url or (visit.t(ORIGINS[work.origin]) if work.origin else ""),
        "tier": visit.t(tier[1]) if tier else "",
        "tier_kind": tier[0] if tier else "",
        "standing": " · ".join(filter(None, standing)),
    }


def _steps(visit: Visit, work: Work, now: datetime) -> list[Row]:
    """Received → read → cut → vectors → stored, each with its state and how long it took."""
    begun = [work.created_at, *(work.began(stage) for stage in list(_STEPS)[1:])]
    reached = max(place for place, moment in enumerate(begun) if moment is not None)
    ended = work.finished_at or (now if work.status == "RUNNING" else None)
    steps = []
    for place, words in enumerate(_STEPS.values()):
        begin, end = begun[place], next((m for m in begun[place + 1 :] if m), ended)
        took = span(visit, end - begin) if begin and end and end >= begin else ""
        time = clock(visit, work.created_at) if place == 0 else took
        steps.append({"words": visit.t(words), "time": time, "state": _step_state(work, place, reached)})
    return steps


def _step_state(work: Work, place: int, reached: int) -> str:
    if work.status == "DONE" or place < reached:
        return "done"
    if work.status == "PENDING":
        return "done" if place == 0 else ""
    if place == reached:
        return "now" if work.status == "RUNNING" else "bad"
    return ""


def _times(visit: Visit, work: Work) -> str:
    if work.started_at and work.finished_at:
        return f"{clock(visit, work.started_at)} · {span(visit, work.finished_at - work.started_at)}"
    return clock(visit, work.started_at or work.created_at)


def _rest(visit: Visit, work: Work, now: datetime) -> str:
    """What is still to come: time left, the next attempt; else how many attempts it took."""
    t = visit.t
    if left := work.remaining(now):
        return t("About {time} left", time=span(visit, left))
    tried = t("Attempt {n} of {most}", n=work.attempt, most=work.max_attempts)
    if work.status == "PENDING" and work.attempt and work.run_after > now:
        return f"{tried} · {t('next at {time}', time=clock(visit, work.run_after))}"
    if work.status == "DONE" and work.chunks_count:
        return t("chunks: {n}", n=number(visit, work.chunks_count))
    return tried if work.attempt > 1 else ""
