"""What goes by whose it is: of a machine, of somebody who asked. What they are called is left to be looked for."""

from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import UUID

from veraz import errors
from veraz.db.pool import Transaction
from veraz.db.sql import queries

Q = queries(__file__)


async def gather(
    tx: Transaction, kind: str, forgetting_id: UUID, subjects: Sequence[str]
) -> Mapping[str, int]:
    """Gathers the words and removes what is theirs, in one transaction; how many rows of each kind."""
    removed: Counter[str] = Counter()
    if kind == "machine":
        removed.update(await _machine(tx, forgetting_id, list(subjects)))
    if kind == "end_user":
        removed.update(await _end_user(tx, forgetting_id, list(subjects)))
    if kind in ("person", "end_user"):
        removed.update(await _asked(tx, list(subjects)))
    if kind in ("machine", "person", "end_user"):
        removed["webhook_delivery"] += await tx.run(Q.told_of)
        removed["event"] += await tx.run(Q.events_of)
    return removed


async def latecomers(tx: Transaction, kind: str, forgetting_id: UUID, subjects: Sequence[str]) -> int:
    """Removes what was still being added when the forgetting began; how many documents."""
    if kind != "machine":
        return 0
    return await tx.run(Q.machine_latecomers, id=forgetting_id, subjects=list(subjects))


async def _machine(tx: Transaction, forgetting_id: UUID, subjects: list[str]) -> dict[str, int]:
    ended = errors.Cancelled()
    await tx.run(Q.machine_jobs, subjects=subjects, code=ended.code, message=ended.message("es"))
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


async def _asked(tx: Transaction, subjects: list[str]) -> dict[str, int]:
    return {
        "query_trace": await tx.run(Q.traces_of, subjects=subjects),
        "query_log": await tx.run(Q.asked_by, subjects=subjects),
        "feedback": await tx.run(Q.rated_by, subjects=subjects),
    }
