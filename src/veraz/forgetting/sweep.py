"""Looks for forgotten words in everything that may repeat them, a page at a time, and takes them out.

A table that is missing here and holds text fails a law (tests/laws/test_forgetting_covers.py), so a new one is thought about.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.forgetting.fingerprint import Fingerprint, fingerprint, redacted, telling_candidates
from veraz.text.words import lexeme_id, lexemes

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


TABLES: Final = (
    Table(name="message", rows=Q.message_rows, forget=Q.message_forget),
    Table(name="conversation", rows=Q.conversation_rows, forget=Q.conversation_forget),
    Table(name="feedback", rows=Q.feedback_rows, forget=Q.feedback_forget),
    Table(name="query_log", rows=Q.query_log_rows, forget=Q.query_log_forget),
    Table(name="query_trace", rows=Q.query_trace_rows, forget=Q.query_trace_forget),
    Table(name="exam_question", rows=Q.exam_question_rows, forget=Q.exam_question_forget),
    Table(name="domain_intelligence", rows=Q.domain_intelligence_rows, forget=Q.domain_intelligence_forget),
    Table(name="whatsapp_message", rows=Q.whatsapp_message_rows, forget=Q.whatsapp_message_forget),
    Table(name="webhook_delivery", rows=Q.webhook_delivery_rows, forget=Q.webhook_delivery_forget),
    Table(name="audit_entry", rows=Q.audit_entry_rows, forget=Q.audit_entry_forget),
    Table(name="exam_run", rows=Q.exam_run_rows, keep=Q.exam_run_keep),
    Table(name="agent_change", rows=Q.agent_change_rows, keep=Q.agent_change_keep),
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

    async def run(self, texts: Sequence[str], progress: Progress) -> dict[str, int]:
        """Takes these words out wherever they are repeated; how many rows of each table."""
        forgotten = await self._fingerprint(texts)
        removed: dict[str, int] = {}
        for number, table in enumerate(TABLES):
            if count := await self._table(table, forgotten):
                removed[table.name] = count
            await progress(100 * (number + 1) // len(TABLES))
        return removed

    async def _fingerprint(self, texts: Sequence[str]) -> Fingerprint:
        """Words that other documents hold too do not tell this one's."""
        async with self.db.transaction(self.scope) as tx:
            languages = await tx.values(Q.languages)
        candidates = await asyncio.to_thread(telling_candidates, texts)
        terms: dict[int, set[str]] = {}
        for word in candidates:
            for language in {*languages, "es"}:
                for lexeme in lexemes(word, language)[:1]:
                    terms.setdefault(lexeme_id(lexeme), set()).add(word)
        async with self.db.transaction(self.scope) as tx:
            common = await tx.values(Q.elsewhere, terms=list(terms))
        shared = {word for term in common for word in terms[term]}
        return await asyncio.to_thread(fingerprint, texts, candidates - shared)

    async def _table(self, table: Table, forgotten: Fingerprint) -> int:
        after: str | None = None
        count = 0
        while True:
            async with self.db.transaction(self.scope) as tx:
                rows = await tx.rows(table.rows, after=after)
                if not rows:
                    return count
                if table.forget:
                    count += await self._forget(tx, table, rows, forgotten)
                else:
                    count += await self._blank(tx, table, rows, forgotten)
            after = rows[-1]["key"]

    async def _forget(
        self, tx: Transaction, table: Table, rows: Sequence[dict[str, Any]], forgotten: Fingerprint
    ) -> int:
        found = await asyncio.to_thread(_repeating, rows, forgotten)
        if found:
            await tx.run(table.forget, keys=found, kind=self.kind, forgetting_id=self.forgetting_id)
        return len(found)

    async def _blank(
        self, tx: Transaction, table: Table, rows: Sequence[dict[str, Any]], forgotten: Fingerprint
    ) -> int:
        changed = await asyncio.to_thread(_blanked, rows, forgotten)
        for key, words in changed:
            await tx.run(table.keep, key=key, words=json.dumps(words, ensure_ascii=False))
        return len(changed)


def _repeating(rows: Sequence[dict[str, Any]], forgotten: Fingerprint) -> list[str]:
    return [row["key"] for row in rows if redacted(row["words"], forgotten, _MARK) != row["words"]]


def _blanked(rows: Sequence[dict[str, Any]], forgotten: Fingerprint) -> list[tuple[str, Any]]:
    pairs = ((row, redacted(row["words"], forgotten, _MARK)) for row in rows)
    return [(row["key"], words) for row, words in pairs if words != row["words"]]
