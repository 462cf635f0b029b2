"""A document as tables show it: what it is, how far it has come, and what went wrong in words."""

from datetime import UTC, datetime
from typing import Final

from veraz import errors
from veraz.ingest.documents import Document
from veraz.ui.parts import STATES, TIERS, number, size, when
from veraz.ui.tables import Row
from veraz.ui.visit import Visit

ICONS: Final = {
    "pdf": "picture_as_pdf",
    "csv": "table_chart",
    "xlsx": "table_chart",
    "xls": "table_chart",
    "pptx": "slideshow",
    "ppt": "slideshow",
    "html": "language",
}
_SHOWN_SHEETS = 4

NAME_CELL: Final = """
<q-td :props="props" class="name">
  <div class="doc-name"><q-icon :name="props.row.icon" size="1.3rem" class="quiet" aria-hidden="true"></q-icon>
  <div><a class="nicegui-link break clamp" :href="props.row.href" :title="props.row.name">{{ props.row.name }}</a>
  <span v-if="props.row.tier_kind" class="tier q-ml-sm" :class="props.row.tier_kind">{{ props.row.tier }}</span>
  <div v-if="props.row.about" class="small quiet break">{{ props.row.about }}</div>
  <div v-if="props.row.note" class="small" :class="props.row.note_bad ? 'text-negative' : 'quiet'">{{ props.row.note }}</div>
  <div class="lt-sm small quiet q-mt-xs"><span class="state" :class="props.row.state_kind"><q-icon :name="props.row.state_icon" aria-hidden="true">
  </q-icon>{{ props.row.state }}</span> · {{ props.row.facts }}</div></div></div>
</q-td>
"""


def document_row(visit: Visit, document: Document, sheets: list[str] | None = None) -> Row:
    """A document as a table shows it; `sheets` are the names of a workbook's."""
    t, base = visit.t, f"/knowledge-bases/{document.kb_id}/documents/{document.id}"
    kind, icon, words = STATES["superseded" if document.superseded_by else document.status]
    tier = TIERS.get(document.tier or "")
    busy = document.status in ("pending", "processing")
    chunks = number(visit, document.chunks_count) if document.chunks_count else "–"
    return {
        "id": str(document.id),
        "name": document.name,
        "icon": ICONS.get(document.file_type, "description"),
        "href": visit.to(base),
        "file": f"/api/v1{base}/file",
        "about": _about(visit, document, sheets or []),
        "note": problem(visit, document),
        "note_bad": document.status == "failed",
        "facts": t(
            "{type} · {size} · chunks: {n}",
            type=document.file_type.upper(),
            size=size(visit, document.size_bytes),
            n=chunks,
        ),
        "file_type": document.file_type.upper(),
        "size_bytes": size(visit, document.size_bytes),
        "status": document.status,
        "state": t(words) + _how_far(visit, document),
        "state_kind": kind,
        "state_icon": icon,
        "progress": document.progress_percent if busy else None,
        "chunks_count": chunks,
        "created_at": when(visit, document.created_at),
        "tier": t(tier[1]) if tier else "",
        "tier_kind": tier[0] if tier else "",
        "machine_id": document.machine_id,
        "actions": t("Actions for"),
        "words_open": t("Open"),
        "words_file": t("Original file"),
        "words_again": t("Process again"),
        "words_delete": t("Delete"),
    }


def problem(visit: Visit, document: Document) -> str:
    """Why it failed, or what to know about it; the sentence says what to do."""
    return in_words(visit, document.error_code, document.error_message)


def in_words(visit: Visit, code: str | None, message: str | None) -> str:
    """What was written down in Spanish when something went wrong, in the visitor's language where it has one."""
    return errors.retold(code, message, visit.language) or ""


def _how_far(visit: Visit, document: Document) -> str:
    left = document.remaining_seconds(datetime.now(UTC))
    if left is None:
        return ""
    time = visit.t("{n} s", n=left) if left < 90 else visit.t("{n} min", n=-(-left // 60))
    return f" {document.progress_percent} % · " + visit.t("about {time} left", time=time)


def _about(visit: Visit, document: Document, sheets: list[str]) -> str:
    """Version, sheets and the machine it is for, where there is something to say."""
    t, facts = visit.t, []
    if document.version > 1:
        facts.append(t("Version {n}", n=document.version))
    if len(sheets) > 1:
        shown = ", ".join(sheets[:_SHOWN_SHEETS]) + (" …" if len(sheets) > _SHOWN_SHEETS else "")
        facts.append(t("{n} sheets: {names}", n=len(sheets), names=shown))
    if document.machine_id != "global":
        facts.append(t("Only for {machine}", machine=document.machine_id))
    return " · ".join(facts)
