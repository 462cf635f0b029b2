"""Looks for forgotten words in everything that may repeat them, a page at a time, and takes them out.

A table that is missing here and holds text fails a law (tests/laws/test_forgetting_covers.py), so a new one is thought about.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from uuid import UUID

from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.forgetting.elsewhere import Elsewhere
from veraz.forgetting.fingerprint import Fingerprint, Sign, Source, fingerprint, redacted, strings

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table that may repeat forgotten words: how it is read, and what becomes of a row that does."""

    name: str
    rows: str
    forget: str = ""
    """The row goes, or is blanked as a whole…"""
    keep: str = ""
    """…or keeps its shape without the strings that repeat them."""
    from_questions: bool = False
    """Whether it is made from what people typed: what was typed by who is forgotten goes, where nobody else typed it."""


# What people typed comes before what was made from it: who writes something down late asks whether it is still there.
TABLES: Final = (
    Table(name="message", rows=Q.message_rows, forget=Q.message_forget),
    Table(name="conversation", rows=Q.conversation_rows, forget=Q.conversation_forget),
    Table(name="feedback", rows=Q.feedback_rows, forget=Q.feedback_forget),
    Table(name="query_log", rows=Q.query_log_rows, forget=Q.query_log_forget),
    Table(name="query_trace", rows=Q.query_trace_rows, forget=Q.query_trace_forget),
    Table(
        name="exam_question", rows=Q.exam_question_rows, forget=Q.exam_question_forget, from_questions=True
    ),
    Table(name="domain_intelligence", rows=Q.domain_intelligence_rows, forget=Q.domain_intelligence_forget),
    Table(name="whatsapp_message", rows=Q.whatsapp_message_rows, forget=Q.whatsapp_message_forget),
    Table(name="webhook_delivery", rows=Q.webhook_delivery_rows, forget=Q.webhook_delivery_forget),
    Table(name="audit_entry", rows=Q.audit_entry_rows, forget=Q.audit_entry_forget),
    Table(name="exam_run", rows=Q.exam_run_rows, keep=Q.exam_run_keep, from_questions=True),
    Table(name="agent_change", rows=Q.agent_change_rows, keep=Q.agent_change_keep, from_questions=True),
    Table(name="event", rows=Q.event_rows, keep=Q.event_keep),
    Table(name="job", rows=Q.job_rows, keep=Q.job_keep),
    Table(name="job_history", rows=Q.job_history_rows, keep=Q.job_history_keep),
)

_MARK: Final = "[olvidado]"

Progress = Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One look through a tenant for the words of one forgetting."""

    db: Database
    scope: Scope
    forgetting_id: UUID
    kind: str

    async def run(self, sources: Sequence[Source], progress: Progress) -> dict[str, int]:
        """Takes these words out wherever they are repeated; how many rows of each table."""
        async with self.db.transaction(self.scope) as tx:
            languages = {*await tx.values(Q.languages), "es"}
            typed = [source.text for source in sources if source.what == "typed"]
            others = set(await tx.values(Q.typed_by_others, texts=typed)) if typed else set()
        theirs = [source for source in sources if source.what != "typed" or source.text not in others]
        look = _Look(
            forgotten=await asyncio.to_thread(fingerprint, theirs, languages),
            elsewhere=Elsewhere(languages=languages),
        )
        removed: dict[str, int] = {}
        for number, table in enumerate(TABLES):
            if count := await self._table(table, look):
                removed[table.name] = count
            await progress(100 * (number + 1) // len(TABLES))
        return removed

    async def _table(self, table: Table, look: "_Look") -> int:
        after: str | None = None
        count = 0
        while True:
            async with self.db.transaction(self.scope) as tx:
                rows = await tx.rows(table.rows, after=after)
                if not rows:
                    return count
                count += await self._page(tx, table, rows, look)
            after = rows[-1]["key"]

    async def _page(
        self, tx: Transaction, table: Table, rows: Sequence[dict[str, Any]], look: "_Look"
    ) -> int:
        await look.elsewhere.look(tx, await asyncio.to_thread(look.met, rows))
        changed = await asyncio.to_thread(look.changed, rows, typed=table.from_questions)
        if table.forget and changed:
            keys = [key for key, _ in changed]
            await tx.run(table.forget, keys=keys, kind=self.kind, forgetting_id=self.forgetting_id)
        elif table.keep:
            for key, words in changed:
                await tx.run(table.keep, key=key, words=json.dumps(words, ensure_ascii=False))
        return len(changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What is looked for, and what is known to stand elsewhere too."""

    forgotten: Fingerprint
    elsewhere: Elsewhere

    def met(self, rows: Sequence[dict[str, Any]]) -> set[Sign]:
        """All signs in these rows."""
        said = (self.forgotten.signs(text) for row in rows for text in strings(row["words"]))
        read = (
            self.forgotten.signs(text, words_only=True) for row in rows for text in strings(row.get("beside"))
        )
        return set(chain.from_iterable(chain(said, read)))

    def changed(self, rows: Sequence[dict[str, Any]], *, typed: bool) -> list[tuple[str, Any]]:
        """The rows that repeat what is forgotten, by their keys, with the words that stay."""
        found: list[tuple[str, Any]] = []
        for row in rows:
            kept = redacted(row["words"], lambda text: self._repeats(text, typed), _MARK)
            if kept != row["words"] or any(map(self._names, strings(row.get("beside")))):
                found.append((row["key"], kept))
        return found

    def _repeats(self, text: str, typed: bool) -> bool:
        if typed and self.forgotten.was_typed(text):
            return True
        return not self.elsewhere.own.isdisjoint(self.forgotten.signs(text))

    def _names(self, text: str) -> bool:
        return not self.elsewhere.own.isdisjoint(self.forgotten.signs(text, words_only=True))
