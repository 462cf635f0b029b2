"""What was proven, or why nothing was, as the answer its asker gets."""

from collections.abc import Sequence
from uuid import UUID

from veraz.answer.evidence import place_of
from veraz.answer.model import Answer, Claim, Degraded, Persona, QuotedPassage, Refusal
from veraz.answer.wording import headings, phrases, refusal_text
from veraz.answer.writer import Task
from veraz.providers.chat.base import Usage
from veraz.search import places
from veraz.search.model import Hit
from veraz.text.injection import position_in
from veraz.text.rectangles import MarkedPage
from veraz.verify.model import Checked, HeldBack, Quote

_NEAR = 0.2
"""Relevance from which on a passage is worth naming to somebody whose question it does not answer."""


def claim_of(checked: Checked, task: Task) -> Claim:
    """A proven sentence with where its quotes stand."""
    quotes = checked.proof.quotes if checked.proof else ()
    passages = tuple(_quoted_passage(quote, task.hits[quote.number - 1]) for quote in quotes)
    return Claim(
        text=checked.piece.text,
        verdict=checked.proof.verdict if checked.proof else "quoted",
        chunk_ids=tuple(dict.fromkeys(passage.chunk_id for passage in passages)),
        quotes=passages,
    )


def _quoted_passage(quote: Quote, hit: Hit) -> QuotedPassage:
    passage = hit.passage
    start = position_in(passage.content, quote.start)
    end = position_in(passage.content, quote.end - 1) + 1 if quote.end > quote.start else start
    place = places.place_of(passage, start, end)
    return QuotedPassage(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_name=passage.document_name,
        place=place_of(passage, place.headings),
        page_number=place.page_number,
        pages=() if place.page_number is None else (MarkedPage(page_number=place.page_number),),
        sheet=place.sheet,
        row=place.row,
        columns=place.columns,
        start_char=place.start_char,
        end_char=place.end_char,
        text=quote.text,
        corrected=place.corrected,
        linked_text=place.text,
    )


def answered(
    task: Task,
    text: str,
    claims: Sequence[Claim],
    *,
    model: str,
    usage: Usage,
    answerability: float,
    held_back: Sequence[HeldBack],
    degraded: Degraded | None,
) -> Answer:
    """An answer of proven sentences; in the evidence style with the list of its sources."""
    if task.persona.style == "evidence":
        text = f"{text.strip()}\n\n{_source_list(task, claims)}"
    return Answer(
        text=text.strip(),
        answerable=True,
        refused=False,
        refusal=None,
        claims=tuple(claims),
        evidence=task.hits,
        language=task.persona.language,
        model=model,
        answerability=answerability,
        degraded=degraded,
        held_back=tuple(held_back),
        usage=usage,
    )


def refused(
    task: Task,
    reason: Refusal,
    *,
    model: str,
    usage: Usage,
    answerability: float,
    held_back: Sequence[HeldBack],
    degraded: Degraded | None,
    handoff: bool,
) -> Answer:
    """Why there is no answer, and what was found near."""
    close = [hit for hit in task.hits[:2] if max(hit.similarity, hit.match) >= _NEAR]
    near = dict.fromkeys(" › ".join(place_of(hit.passage)[-2:]) for hit in close)
    return Answer(
        text=refusal_text(task.persona, reason, question=task.question, near=list(near), handoff=handoff),
        answerable=False,
        refused=True,
        refusal=reason,
        claims=(),
        evidence=task.hits,
        language=task.persona.language,
        model=model,
        answerability=answerability,
        degraded=degraded,
        held_back=tuple(held_back),
        usage=usage,
        handoff=handoff,
    )


def source_note(hit: Hit, persona: Persona) -> str:
    """«(Fuente: nombre, URL)», as the evidence style wants it behind every claim."""
    passage = hit.passage
    parts = [passage.title or passage.document_name, passage.source_url or ""]
    return f"({phrases(persona.language)['source']}: {', '.join(part for part in parts if part)})"


def _source_list(task: Task, claims: Sequence[Claim]) -> str:
    """The documents the answer stands on, with the pages of its quotes; ours, not the model's."""
    lines: list[str] = []
    cited: dict[UUID, set[int]] = {chunk: set() for claim in claims for chunk in claim.chunk_ids}
    for quote in (quote for claim in claims for quote in claim.quotes if quote.page_number):
        cited[quote.chunk_id].add(quote.page_number or 0)
    for number, hit in enumerate(task.hits, start=1):
        if hit.passage.chunk_id in cited:
            pages = ", ".join(map(str, sorted(cited[hit.passage.chunk_id])))
            page = f", p. {pages}" if pages else ""
            url = f" — {hit.passage.source_url}" if hit.passage.source_url else ""
            lines.append(f"{len(lines) + 1}. [Chunk {number}] {hit.passage.document_name}{page}{url}")
    return "\n".join([f"## {headings(task.persona.language)[4]}", *lines])
