"""The order of a question's way out, in code: one stream of small events. Doors only render it.

rewrite → retrieve → rank → gate → write → check → (revise once) → answer. No transaction is open while a model works;
closing the stream stops the model. Who calls this writes the log line, whatever happens.
"""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field

from veraz.ask.asked import read_question
from veraz.ask.check.meaning import Meaning
from veraz.ask.check.referee import Referee
from veraz.ask.check.verify import Judged, Verdict, verify
from veraz.ask.gate import Opening, gate
from veraz.ask.model import Question, SearchResult
from veraz.ask.outcome import (
    Answer,
    Answered,
    Checked,
    Claim,
    Event,
    Found,
    History,
    Persona,
    Refusal,
    Revised,
    Searching,
    Wrote,
)
from veraz.ask.phrases import headings, refusal_text
from veraz.ask.service import Search
from veraz.ask.sources import sources_of
from veraz.ask.write.base import Task, Writer
from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, Delta, Finished, Restarted, Usage
from veraz.tenancy.model import Actor


@dataclass(slots=True, kw_only=True)
class Journey:
    """What one question has met so far, for the log line that is written however it ends."""

    question: Question
    result: SearchResult | None = None
    answer: Answer | None = None
    usage: Usage = NO_USAGE
    model: str = ""
    stages: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the milliseconds of a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - start) * 1000
            self.stages[name] = round(self.stages.get(name, 0.0) + spent, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What answering needs besides the question."""

    search: Search
    writer: Writer
    meaning: Meaning | None
    referee: Referee | None = None
    handoff_on_refusal: bool = False


async def answer(
    means: Means, actor: Actor, journey: Journey, persona: Persona, history: History = ()
) -> AsyncGenerator[Event, None]:
    """The events of one question, the last one `Answered`."""
    yield Searching(question=journey.question.text)
    journey.result = await means.search.find(actor, journey.question)
    journey.stages.update(journey.result.stages)
    task = _task(journey, persona, history)
    yield Found(evidence=task.hits)
    if task.opening.refusal:
        yield Answered(answer=_refused(means, journey, task, task.opening.refusal))
        return
    async with aclosing(_write(means, journey, task)) as written:
        async for event in written:
            yield event


def _task(journey: Journey, persona: Persona, history: History) -> Task:
    assert journey.result is not None
    with journey.stage("gate"):
        used = journey.result.context.used or journey.result.evidence.hits
        hits = tuple(hit for hit in journey.result.evidence.hits if hit in used)
        sources = tuple(sources_of(hits))
        spelling = journey.result.spelling(persona.language)
        asked = read_question(journey.question.text, persona.language).spelt(spelling)
        opening: Opening = gate(asked, hits, sources)
    return Task(asked=asked, persona=persona, hits=hits, sources=sources, opening=opening, history=history)


async def _write(means: Means, journey: Journey, task: Task) -> AsyncGenerator[Event, None]:
    draft: Finished | None = None
    start = time.perf_counter()
    async with aclosing(means.writer.write(task)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Delta):
                yield Wrote(delta=piece.text)
            elif isinstance(piece, Restarted):
                yield Revised(text="", reason=piece.reason)
            else:
                draft = piece
    journey.stages["write"] = round((time.perf_counter() - start) * 1000, 2)
    if draft is None:
        raise OutsideFault(host=means.writer.name, reason="the answer was cut off")
    async for event in _checked(means, journey, task, draft):
        yield event


async def _checked(means: Means, journey: Journey, task: Task, draft: Finished) -> AsyncIterator[Event]:
    journey.usage, journey.model = draft.usage, draft.model
    judged: Judged = {}
    with journey.stage("check"):
        verdict = await _verified(means, task, draft.text, judged)
    if verdict.removed and (second := await _second_draft(means, journey, task, draft, verdict)):
        with journey.stage("check"):
            verdict = _better(verdict, await _verified(means, task, second.text, judged))
    if verdict.nothing_left:
        reason: Refusal = "unsupported" if verdict.removed else "not_answered"
        yield Checked(text="", claims=(), removed=len(verdict.removed), repaired=0)
        yield Answered(answer=_refused(means, journey, task, reason, removed=len(verdict.removed)))
        return
    final = _final(journey, task, verdict, draft)
    if final.text.strip() != draft.text.strip():
        yield Revised(text=final.text, reason="checked")
    yield Checked(
        text=final.text, claims=final.claims, removed=len(verdict.removed), repaired=verdict.repaired
    )
    journey.answer = final
    yield Answered(answer=final)


async def _verified(means: Means, task: Task, text: str, judged: Judged) -> Verdict:
    persona = task.persona
    return await verify(
        _without_sources(text, persona.language),
        task.sources,
        question=task.asked.text,
        language=persona.language,
        meaning=means.meaning,
        referee=means.referee,
        known=(persona.user_name, persona.agent, persona.company),
        judged=judged,
    )


async def _second_draft(
    means: Means, journey: Journey, task: Task, draft: Finished, verdict: Verdict
) -> Finished | None:
    """One corrective try; when it fails, what was proven of the first draft stands."""
    wrong = [(removed.text, removed.reason) for removed in verdict.removed]
    with journey.stage("revise"):
        try:
            second = await means.writer.revise(task, draft.text, wrong)
        except OutsideFault as fault:
            log.warning("revision_failed", reason=fault.code)
            return None
    if second is not None:
        journey.usage = journey.usage.plus(second.usage)
    return second


def _better(first: Verdict, second: Verdict) -> Verdict:
    """The draft with more proven claims; of equals the one with less taken away."""
    return max(first, second, key=lambda verdict: (len(verdict.claims), -len(verdict.removed)))


def _final(journey: Journey, task: Task, verdict: Verdict, draft: Finished) -> Answer:
    ids = {source.number: source.chunk_id for source in task.sources}
    text = verdict.text
    if task.persona.style == "evidence":
        text = f"{text}\n\n{_source_list(task, verdict)}"
    return Answer(
        text=text,
        answerable=True,
        refused=False,
        refusal=None,
        claims=tuple(
            Claim(text=c.text, chunk_ids=tuple(ids[n] for n in c.numbers), support=c.support)
            for c in verdict.claims
        ),
        evidence=task.hits,
        language=task.persona.language,
        model=draft.model,
        answerability=task.opening.answerability,
        corrected=bool(verdict.removed or verdict.repaired),
        removed=len(verdict.removed),
        usage=journey.usage,
        stages=journey.stages,
    )


def _refused(means: Means, journey: Journey, task: Task, reason: Refusal, *, removed: int = 0) -> Answer:
    handoff = means.handoff_on_refusal
    journey.answer = Answer(
        text=refusal_text(task.persona, reason, handoff=handoff),
        answerable=False,
        refused=True,
        refusal=reason,
        claims=(),
        evidence=task.hits,
        language=task.persona.language,
        model=journey.model or means.writer.name,
        answerability=task.opening.answerability,
        corrected=bool(removed),
        removed=removed,
        usage=journey.usage,
        stages=journey.stages,
        handoff=handoff,
    )
    return journey.answer


def _source_list(task: Task, verdict: Verdict) -> str:
    """The documents the answer stands on; ours, not the model's."""
    cited = sorted({number for claim in verdict.claims for number in claim.numbers})
    lines = []
    for place, number in enumerate(cited, start=1):
        passage = task.hits[number - 1].passage
        page = f", p. {passage.page_number}" if passage.page_number else ""
        url = f" — {passage.source_url}" if passage.source_url else ""
        lines.append(f"{place}. [Chunk {number}] {passage.document_name}{page}{url}")
    return "\n".join([f"## {headings(task.persona.language)[4]}", *lines])


def _without_sources(text: str, language: str) -> str:
    """A model's own list of sources is left out; the one of the evidence replaces it."""
    for title in {headings(language)[4], headings("es")[4], headings("en")[4]}:
        head, mark, _ = text.partition(f"## {title}")
        text = head if mark else text
    return text
