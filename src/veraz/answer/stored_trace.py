"""How a question was answered, as it is kept for those who manage the agent: once per question, for some days.

The texts of passages are not kept: who reads the story later reads them where they are, if they may. Prompts and drafts are,
cut to a size that a busy installation can afford.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from veraz.answer.evidence import place_of, why_unread
from veraz.answer.model import Answer, Claim
from veraz.answer.recording import ModelCall
from veraz.answer.trace import Trace
from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.providers.chat.base import Usage
from veraz.search.model import Hit, SearchResult

Q = queries(__file__)

_MOST_PASSAGES = 60
_LONGEST_TEXT = 24_000
_MOST_CALLS = 12
_LARGEST = 240_000
"""Characters of one stored trace; what is over goes from the prompts first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One finished turn, from which its story is told."""

    typed: str
    turn: str
    history: int
    """How many messages before it were read with it."""
    trace: Trace
    answer: Answer
    calls: Sequence[ModelCall]
    failure: str | None
    credits: int


async def keep_trace(tx: Transaction, told: Told, *, agent_id: UUID, conversation_id: UUID | None) -> None:
    """Keeps the story beside the log line, in its transaction."""
    await tx.run(
        Q.keep,
        query_id=told.answer.query_id,
        agent_id=agent_id,
        conversation_id=conversation_id,
        personal=_is_personal(told),
        trace=json.dumps(_within_size(story(told))),
    )


def _is_personal(told: Told) -> bool:
    """Prompts stand in a trace too: of passages that were sent to a model and left out after it."""
    return told.trace.personal or bool(told.calls and told.trace.result and told.trace.result.is_personal)


def story(told: Told) -> dict[str, Any]:
    """The turn from its question to what was shown, as JSON."""
    trace, result = told.trace, told.trace.result
    return {
        "question": told.typed,
        "turn": told.turn,
        "history": told.history,
        "failure": told.failure,
        "understood": _understood(told.typed, result) if result else None,
        "search": _search(result) if result else None,
        "passages": list(_passages(told, result)) if result else [],
        "calls": [_call(call) for call in told.calls[:_MOST_CALLS]],
        "sentences": _sentences(told),
        "answer": _shown(told.answer),
        "spans": [asdict(span) for span in trace.spans],
        "total_ms": told.answer.latency_ms,
        "usage": _usage(told.answer.usage) | {"credits": told.credits},
    }


def _understood(typed: str, result: SearchResult) -> dict[str, Any]:
    """The question as it was searched."""
    alone = result.queries[0].text if result.queries else typed
    return {
        "stand_alone": alone if alone != typed else None,
        "spelling": result.spelling(),
        "wordings": result.rewrites,
    }


def _search(result: SearchResult) -> dict[str, Any]:
    config = result.question.config
    return {
        "bases": [
            {"id": str(shelf.kb_id), "name": shelf.kb_name, "chunks": shelf.chunks, "kind": shelf.kind}
            for shelf in result.shelves
            if shelf.kind == "global"
        ],
        "searched": result.evidence.searched,
        "retrieved": result.evidence.retrieved,
        "reranked": result.evidence.reranked,
        "threshold": config.similarity_threshold,
        "top_k": config.top_k,
        "reading_tokens": config.reading_tokens,
        "without_meaning": list(result.without_meaning),
        "helped": [
            {"stage": help_.stage, "model": help_.model, "fault": help_.fault} | _usage(help_.usage)
            for help_ in result.helped
        ],
    }


def _passages(told: Told, result: SearchResult) -> Iterator[dict[str, Any]]:
    """What was found, best first: read as which number, quoted or not, or why it was left out."""
    read = {hit.passage.chunk_id: number for number, hit in enumerate(told.answer.evidence, start=1)}
    quoted = {chunk for claim in told.answer.claims for chunk in claim.chunk_ids}
    cuts = {one.hit.passage.chunk_id: one.cut for one in result.evidence.dropped}
    found = [*result.evidence.hits, *(one.hit for one in result.evidence.dropped)]
    may_name = _is_personal(told)  # then nobody but who asked ever reads it
    for hit in sorted(found, key=lambda hit: -hit.relevance)[:_MOST_PASSAGES]:
        chunk = hit.passage.chunk_id
        yield {
            **(_named(hit) if may_name or hit.passage.kind == "global" else {"personal": True}),
            **_scores(hit),
            "number": read.get(chunk),
            "quoted": chunk in quoted,
            "cut": cuts.get(chunk),
            "unread": None if chunk in read else why_unread(result, hit),
        }


def _named(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    return {
        "chunk_id": str(passage.chunk_id),
        "document_id": str(passage.document_id),
        "kb_id": str(passage.kb_id),
        "document": passage.title or passage.document_name,
        "place": list(place_of(passage)),
        "page": passage.page_number,
        "personal": passage.kind == "personal",
    }


def _scores(hit: Hit) -> dict[str, Any]:
    return {
        "relevance": round(hit.relevance, 4),
        "similarity": round(hit.similarity, 4),
        "match": round(hit.match, 4),
        "words": round(hit.passage.bm25, 3),
        "boost": round(hit.boost, 3),
        "reranked": hit.reranked,
        "tokens": hit.passage.tokens,
    }


def _call(call: ModelCall) -> dict[str, Any]:
    return {
        "purpose": call.purpose,
        "model": call.model,
        "instructions": _short(call.request.instructions),
        "messages": [{"role": one.role, "text": _short(one.text)} for one in call.request.messages],
        "reply": _short(call.reply),
        "ms": call.milliseconds,
        "whole": call.whole,
    } | _usage(call.usage)


def _sentences(told: Told) -> list[dict[str, Any]]:
    """Every sentence that was checked, in the order they were written: shown with its proof, or held back and why."""
    draft = "\n".join(call.reply for call in told.calls if call.purpose == "write")
    numbers = {hit.passage.chunk_id: number for number, hit in enumerate(told.answer.evidence, start=1)}
    shown = [_proven(claim, numbers) for claim in told.answer.claims]
    held = [{"text": one.text, "verdict": "held_back", "reason": one.reason} for one in told.answer.held_back]
    if not held:
        return shown
    return sorted([*shown, *held], key=lambda one: _place(one["text"], draft))


def _place(text: str, draft: str) -> int:
    found = draft.find(text[:60])
    return found if found >= 0 else len(draft)


def _proven(claim: Claim, numbers: dict[UUID, int]) -> dict[str, Any]:
    return {
        "text": claim.text,
        "verdict": claim.verdict,
        "quotes": [
            {
                "number": numbers.get(quote.chunk_id),
                "document": quote.document_name,
                "page": quote.page_number,
                "text": quote.text,
            }
            for quote in claim.quotes
        ],
    }


def _shown(answer: Answer) -> dict[str, Any]:
    return {
        "text": answer.text,
        "refusal": answer.refusal,
        "degraded": answer.degraded,
        "handoff": answer.handoff,
        "answerability": round(answer.answerability, 3),
        "language": answer.language,
        "model": answer.model,
    }


def _usage(usage: Usage) -> dict[str, Any]:
    cost = usage.cost_usd
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": None if cost is None else float(cost),
    }


def _short(text: str) -> str:
    """Not too long, and without what no database takes."""
    text = text.encode("utf-8", "ignore").decode().replace("\0", "")
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} […]"


def _within_size(told: dict[str, Any]) -> dict[str, Any]:
    """Without the longest prompts, as far as it takes; what is left is small by itself."""
    size = len(json.dumps(told))
    calls = list(told["calls"])
    for call in sorted(calls, key=lambda one: -len(json.dumps(one["messages"]))):
        if size <= _LARGEST:
            break
        size -= len(json.dumps(call["messages"]))
        call["messages"], call["left_out"] = [], True
    return told
