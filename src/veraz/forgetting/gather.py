"""What no row stands for alone: a machine, an end user of a channel. What is theirs goes, and their words are gathered."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from veraz.db.pool import Transaction
from veraz.db.sql import queries

Q = queries(__file__)


async def gather(
    tx: Transaction, kind: str, forgetting_id: UUID, subjects: Sequence[str]
) -> Mapping[str, int]:
    """Gathers the words and removes what is theirs, in one transaction; how many rows of each kind."""
    if kind == "machine":
        return await _machine(tx, forgetting_id, list(subjects))
    if kind == "end_user":
        return await _end_user(tx, forgetting_id, list(subjects))
    return {}


async def _machine(tx: Transaction, forgetting_id: UUID, subjects: list[str]) -> dict[str, int]:
    await tx.run(Q.machine_words, id=forgetting_id, subjects=subjects)
    removed = {
        "query_trace": await tx.run(Q.machine_traces, subjects=subjects),
        "query_log": await tx.run(Q.machine_queries, subjects=subjects),
        "conversations": await tx.run(Q.machine_conversations, subjects=subjects),
        "audit_entry": int(await tx.value(Q.machine_audit, id=forgetting_id, subjects=subjects)),
    }
    await tx.run(Q.machine_documents, subjects=subjects)  # counted where documents are forgotten
    return removed


async def _end_user(tx: Transaction, forgetting_id: UUID, subjects: list[str]) -> dict[str, int]:
    await tx.run(Q.end_user_words, id=forgetting_id, subjects=subjects)
    asked = await tx.values(Q.end_user_talks, subjects=subjects)
    return {
        "query_trace": await tx.run(Q.end_user_traces, queries=asked),
        "query_log": await tx.run(Q.end_user_queries, queries=asked),
        "conversations": await tx.run(Q.end_user_conversations, subjects=subjects),
        "users": int(await tx.value(Q.end_user_rows, id=forgetting_id, subjects=subjects)),
        "contacts": await tx.run(Q.end_user_contacts, subjects=subjects),
    }
