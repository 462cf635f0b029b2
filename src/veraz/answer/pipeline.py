"""The order of a question's way out, in code: one stream of small events. Doors only render it.

search → read → write → prove, sentence by sentence → (correct once) → answer. What is given out is proven and final. No
transaction is open while a model works; closing the stream stops the model. Where the model or the judge cannot be had, the
documents are quoted instead.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypedDict

from veraz.answer.assemble import Assembly
from veraz.answer.batches import batches
from veraz.answer.draft import Draft
from veraz.answer.evidence import reading, sources_of
from veraz.answer.model import (
    QUOTES,
    Answered,
    Checked,
    Claim,
    Degraded,
    Drafted,
    Event,
    Found,
    History,
    Persona,
    Refusal,
    Searching,
    Spent,
    Wrote,
)
from veraz.answer.outcome import answered, claim_of, refused, source_note
from veraz.answer.question import read_question
from veraz.answer.quoting.meanings import Meanings
from veraz.answer.quoting.read import read
from veraz.answer.quoting.units import units_of
from veraz.answer.quoting.write import quotation_pieces
from veraz.answer.wording import headings, phrases
from veraz.answer.writer import Task, Writer
from veraz.errors import OutsideFault, OutsideRejected
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, Usage
from veraz.search.model import Evidence, Question, SearchResult
from veraz.search.service import Search
from veraz.search.spelling import respelt
from veraz.tenancy.model import Actor
from veraz.text.plain import plain, plain_words
from veraz.verify.claims import Piece, says_it_is_missing
from veraz.verify.links import may_hold_links, without_strange_links
from veraz.verify.model import HeldBack
from veraz.verify.proof import Case, Prover


class _How(TypedDict):
    """What every end of a question says of its making."""

    model: str
    usage: Usage
    answerability: float
    held_back: list[HeldBack]
    degraded: Degraded | None


_NOTHING = ("nada", "nothing")
_HOPELESS = 0.01
"""Relevance of the best passage below which no model is asked: the question is clearly about something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDependencies:
    """What answering needs besides the question."""

    search: Search
    prover: Prover
    meanings: Meanings
    writer: Writer | None = None
    """None quotes."""
    degraded: Degraded | None = None
    """Why there is no writer although the agent has a model."""
    handoff_on_refusal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationContext:
    """A question as it was typed and as it is searched, by whom, of whom, after what."""

    typed: str
    question: Question
    persona: Persona
    history: History = ()
    eager: bool = False
    """Whether each sentence is proven as soon as it is written, or all of them in one request."""
    unchecked: bool = False
    """Whether the caller wants the draft too."""


async def answer(
    deps: AnswerDependencies, actor: Actor, context: ConversationContext
) -> AsyncGenerator[Event, None]:
    """The events of one question, the last one `Answered`."""
    yield Searching(question=context.typed)
    result = await deps.search.find(actor, context.question)
    run = _Run(deps, actor, context, result)
    yield Found(evidence=run.task.hits, result=result)
    async with aclosing(run.events()) as events:
        async for event in events:
            yield event


class _Run:
    """One question from its evidence to its answer; what it has shown so far only grows."""

    def __init__(
        self, deps: AnswerDependencies, actor: Actor, context: ConversationContext, result: SearchResult
    ) -> None:
        self.deps, self.actor, self.context = deps, actor, context
        self.degraded = deps.degraded
        self.model = QUOTES
        self.usage: Usage = NO_USAGE
        self.held: list[HeldBack] = []
        self.draft = ""
        self.wish: str | None = None
        """What the writer wants to be looked for instead of answering."""
        self._read(result)

    def _read(self, result: SearchResult, *, again: bool = False) -> None:
        """Begins with this evidence; nothing has been shown yet."""
        hits = reading(result, self.context.question.config.reading_tokens)
        self.result = result
        self.searched_again = again
        self.task = Task(
            question=self.context.typed,
            meant=self.context.question.text,
            persona=self.context.persona,
            hits=hits,
            sources=sources_of(hits),
            history=self.context.history,
            may_search=not again and len(hits) < sum(kb.chunks for kb in result.shelves),
        )
        noted = self.context.persona.style == "evidence"
        self.assembly = Assembly([source_note(hit, self.context.persona) for hit in hits] if noted else ())
        self.claims: list[Claim] = []

    async def events(self) -> AsyncGenerator[Event, None]:
        """Writes and proves, or quotes."""
        writer = self.deps.writer
        if writer is not None and not self._hopeless():
            try:
                async with aclosing(self._write(writer)) as events:
                    async for event in events:
                        yield event
            except OutsideFault as fault:
                log.warning("model_failed", model=writer.name, reason=fault.code)
                self.degraded = "model_rejected" if isinstance(fault, OutsideRejected) else "model_down"
            if self.claims or self.degraded is None:
                for event in self._end(1.0 if self.claims else 0.0):
                    yield event
                return
        async for event in self._quote():
            yield event

    def _hopeless(self) -> bool:
        return not self.task.hits or self.task.hits[0].relevance < _HOPELESS

    # --- with a model --------------------------------------------------------------------------------------------

    async def _write(self, writer: Writer) -> AsyncGenerator[Event, None]:
        while True:
            async with aclosing(self._draft(writer)) as events:
                async for event in events:
                    yield event
            if self.wish is None or self.searched_again:
                break
            for found in await self._search_again(self.wish):
                yield found
        if self.held and self.degraded is None:
            async for fresh in self._correct(writer):
                yield fresh
        if closing := self.assembly.close():
            yield Wrote(delta=closing)

    async def _draft(self, writer: Writer) -> AsyncGenerator[Event, None]:
        """The draft's sentences, proven batch by batch while the model goes on writing."""
        start = time.perf_counter()
        self.model = writer.name
        async with aclosing(batches(writer, self.task, self._names(), eager=self.context.eager)) as written:
            async for batch in written:
                if self.context.unchecked and (drafted := _drafted(batch.pieces)):
                    yield Drafted(delta=drafted)
                if batch.end is not None:
                    self.draft, self.wish = batch.draft, batch.wish
                    self.model, self.usage = batch.end.model, self.usage.plus(batch.end.usage)
                    yield Spent(
                        stage="write", milliseconds=_since(start), usage=batch.end.usage, model=self.model
                    )
                async for event in self._prove(batch.pieces):
                    yield event

    async def _prove(self, pieces: Sequence[Piece]) -> AsyncIterator[Event]:
        if not pieces:
            return
        start = time.perf_counter()
        new = list(map(self._without_links, pieces))
        checked = await self.deps.prover.check(new, self._case(), before=self.assembly.text)
        self.degraded = self.degraded or checked.fault
        self.usage = self.usage.plus(checked.usage)
        self.held += [one.held_back for one in checked.pieces if one.held_back]
        self.claims += [claim_of(one, self.task) for one in checked.pieces if one.proof]
        yield Spent(stage="judge", milliseconds=_since(start), usage=checked.usage)
        if delta := self.assembly.add(checked.pieces):
            yield Wrote(delta=delta)

    async def _correct(self, writer: Writer) -> AsyncIterator[Event]:
        """One corrective try, which only adds; when it fails, what was proven stands."""
        start = time.perf_counter()
        try:
            second = await writer.revise(self.task, self.draft, self.held)
        except OutsideFault as fault:
            log.warning("revision_failed", reason=fault.code)
            return
        self.usage = self.usage.plus(second.usage)
        yield Spent(stage="correct", milliseconds=_since(start), usage=second.usage, model=second.model)
        again = Draft(self._names())
        nothing = plain(second.text).strip(" .") in _NOTHING
        pieces = [] if nothing else [*again.feed(second.text), *again.close()]
        fresh = [piece for piece in pieces if piece.kind == "claim" and not self._said(piece)]
        async for event in self._prove(fresh):
            yield event
        self.held = list(dict.fromkeys(self.held))

    async def _search_again(self, wish: str) -> list[Event]:
        """What the model wants to be looked for, once: read beside what was found before."""
        start = time.perf_counter()
        found = await self.deps.search.find(self.actor, replace(self.context.question, text=wish))
        self._read(_together(self.result, found), again=True)
        spent = Spent(stage="search_again", milliseconds=_since(start))
        return [spent, Found(evidence=self.task.hits, result=self.result)]

    def _without_links(self, piece: Piece) -> Piece:
        if not may_hold_links(piece.text):
            return piece
        evidence = [
            f"{hit.passage.source_url or ''}\n{source.heading}\n{source.text}"
            for source, hit in zip(self.task.sources, self.task.hits, strict=True)
        ]
        text = without_strange_links(piece.text, evidence).strip()
        return replace(piece, text=text) if text else Piece(kind="blank", text="", ends_line=piece.ends_line)

    def _said(self, piece: Piece) -> bool:
        """Whether the answer holds this very sentence already."""
        return any(plain(claim.text) == plain(piece.text) for claim in self.claims)

    def _case(self) -> Case:
        task, persona = self.task, self.task.persona
        leans = task.meant != task.question
        return Case(
            question=f"{task.question} ({task.meant})" if leans else task.question,
            sources=task.sources,
            asked=(task.question, *(message.text for message in task.history)),
            known=tuple(name for name in (persona.user_name, persona.agent, persona.company) if name),
            headings=tuple(headings(persona.language)),
        )

    def _names(self) -> frozenset[str]:
        persona = self.task.persona
        names = (persona.user_name, persona.agent, persona.company)
        return frozenset(word for name in names for word in plain_words(name))

    # --- without one ---------------------------------------------------------------------------------------------

    async def _quote(self) -> AsyncIterator[Event]:
        """The sentences that answer, word for word; or a refusal."""
        start = time.perf_counter()
        # words are compared as the knowledge base cuts them, in whatever language they were asked
        language = self.task.sources[0].language if self.task.sources else self.task.persona.language
        spelling = self.result.spelling(language)
        meant, asked = (respelt(text, spelling, language) for text in (self.task.meant, self.task.question))
        parsed = read_question(meant, language).spelt(spelling)
        hits = await self.deps.search.placed(self.actor, self.context.question, self.task.hits)
        units = await asyncio.to_thread(units_of, hits, self.task.sources)
        found = await read(parsed, asked, units, self.deps.meanings)
        yield Spent(stage="gate", milliseconds=_since(start))
        self._read(self.result)
        self.task = replace(self.task, hits=hits)
        if not found.refusal:
            checked = await asyncio.to_thread(quotation_pieces, self.task, found)
            self.claims = [claim_of(one, self.task) for one in checked if one.proof]
            yield Wrote(delta=self.assembly.add(checked) + self.assembly.close())
        for event in self._end(found.probability, found.refusal):
            yield event

    # --- the end -------------------------------------------------------------------------------------------------

    def _end(self, answerability: float, refusal: Refusal | None = None) -> list[Event]:
        if all(says_it_is_missing(claim.text) for claim in self.claims):
            reason = refusal or ("unsupported" if self.held else "not_answered")
            handoff = self.deps.handoff_on_refusal
            final = refused(self.task, reason, handoff=handoff, **self._how(answerability))
            return [Answered(answer=final)]
        shown = self.assembly.text
        unchecked = self.held and self.degraded in ("judge_down", "judge_unreliable")
        note = f"\n\n{phrases(self.task.persona.language)['not_checked']}" if unchecked else ""
        final = answered(self.task, shown + note, self.claims, **self._how(answerability))
        rest = final.text.removeprefix(shown.strip())
        checked = Checked(text=final.text, claims=final.claims, removed=final.removed)
        return [*([Wrote(delta=rest)] if rest else []), checked, Answered(answer=final)]

    def _how(self, answerability: float) -> "_How":
        return {
            "model": self.model,
            "usage": self.usage,
            "answerability": answerability,
            "held_back": self.held,
            "degraded": self.degraded,
        }


def _drafted(pieces: Sequence[Piece]) -> str:
    """Sentences nobody has checked, without links, images and tags."""
    texts = (without_strange_links(piece.text, ()) for piece in pieces)
    return "".join(f"{text} " for text in texts if text)


def _together(first: SearchResult, second: SearchResult) -> SearchResult:
    """Both searches' evidence, each passage once."""
    known = {hit.passage.chunk_id for hit in first.evidence.hits}
    new = tuple(hit for hit in second.evidence.hits if hit.passage.chunk_id not in known)
    found = {hit.passage.chunk_id for hit in new}
    dropped = tuple(one for one in first.evidence.dropped if one.hit.passage.chunk_id not in found)
    evidence = Evidence(hits=(*first.evidence.hits, *new), dropped=dropped, searched=first.evidence.searched)
    return replace(first, evidence=evidence, helped=(*first.helped, *second.helped))


def _since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 2)
