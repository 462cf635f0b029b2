"""From a question and its passages to quotations, or to none: the order of the steps in code."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from veraz.answer.model import Refusal
from veraz.answer.question import ParsedQuestion, read_question
from veraz.answer.quoting.choose import (
    MOST,
    Quotation,
    asks_by_itself,
    choose,
    compared,
    parts,
    unjoined,
)
from veraz.answer.quoting.gate import EVEN, asks_for_what_is_not_there, probability
from veraz.answer.quoting.kinds import wants_summary
from veraz.answer.quoting.labels import NAMED
from veraz.answer.quoting.meanings import Meanings
from veraz.answer.quoting.not_mentioned import all_stands, stands_nowhere
from veraz.answer.quoting.rank import Asked, Rated, needed_words, rate
from veraz.answer.quoting.replaced import without_replaced
from veraz.answer.quoting.sections import Naming, current
from veraz.answer.quoting.units import Unit
from veraz.providers.embedding.base import Vectors

_OFF_TOPIC = 0.15
"""Probability under which a question is about something else."""
_LONGEST = 2_000
"""Characters of a question that are read."""
_MOST_ASKS = 6
"""Questions in one that are answered one by one; more of them are one text."""
_SUMMED_UP = 0.3
"""Score from which on a document is the one that is to be summed up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was found to quote, how surely it answers, and why it is not quoted where it is not."""

    probability: float
    refusal: Refusal | None
    quotations: tuple[Quotation, ...] = ()
    lost: tuple[str, ...] = ()
    """Which parts of the question ask about something that stands nowhere."""
    asked: Asked | None = None
    vectors: Mapping[str, Vectors] = field(default_factory=dict)


async def read(parsed: ParsedQuestion, question: str, units: Sequence[Unit], meanings: Meanings) -> Reading:
    """Reads the units beside the question (`question` as it was typed: it may ask several things, or go on with an earlier
    one)."""
    parsed, question = _as_far_as_read(parsed, question)
    parsed, asks, usable, wanted = await asyncio.to_thread(_prepared, parsed, question, units)
    vectors = await meanings.of(wanted)
    lost = await asyncio.to_thread(_lost, asks, parsed, usable, vectors)
    if not lost:
        return await asyncio.to_thread(judged, parsed, asks, usable, vectors)
    left = [ask for ask in asks if ask not in lost]
    parsed = _without(parsed, question, left)
    vectors |= await meanings.of((parsed.text,))
    reading = await asyncio.to_thread(judged, parsed, left, usable, vectors)
    return replace(reading, lost=tuple(map(unjoined, lost)))


def _as_far_as_read(parsed: ParsedQuestion, question: str) -> tuple[ParsedQuestion, str]:
    """The end of what is far longer than a question, where it is asked."""
    if len(parsed.text) <= _LONGEST:
        return parsed, question
    text = parsed.text[-_LONGEST:]
    said = read_question(text, parsed.language)
    words = parsed.words & said.words or said.words
    return replace(parsed, text=text, words=words, names=said.names), question[-_LONGEST:]


def _prepared(
    parsed: ParsedQuestion, question: str, units: Sequence[Unit]
) -> tuple[ParsedQuestion, list[str], list[Unit], list[str]]:
    """The question as it holds here, what it asks one by one, the units that hold, and everything whose meaning is needed."""
    usable = current(units, parsed.text)
    parsed = without_replaced(parsed, question, usable)
    asks = [part for part in parts(question) if part != question]
    asks = asks if len(asks) <= _MOST_ASKS else []
    wanted = [parsed.text, *asks, *(unit.meaning for unit in usable), *needed_words(parsed.text, usable)]
    return parsed, asks, usable, [*wanted, *(word for part in asks for word in needed_words(part, ()))]


def _lost(
    asks: Sequence[str], parsed: ParsedQuestion, units: Sequence[Unit], vectors: Mapping[str, Vectors]
) -> list[str]:
    """Which of several questions in one ask about something that stands nowhere in what they are about; none where all do."""
    if len(asks) < 2:
        return []
    own = Naming(parsed, units, vectors).own()
    lost = [
        ask
        for place, ask in enumerate(asks)
        if asks_by_itself(ask)
        and stands_nowhere(read_question(ask, parsed.language), own if place else units, vectors)
    ]
    return lost if len(lost) < len(asks) else []


def _without(parsed: ParsedQuestion, question: str, left: Sequence[str]) -> ParsedQuestion:
    """The question with only those of its parts that are left."""
    text = f"{parsed.text.removesuffix(question)}{' '.join(left)}"
    said = read_question(text, parsed.language)
    return replace(parsed, text=text, words=parsed.words & said.words or said.words, names=said.names)


def judged(
    parsed: ParsedQuestion, asks: Sequence[str], units: Sequence[Unit], vectors: Mapping[str, Vectors]
) -> Reading:
    """The same with all vectors at hand."""
    asked, rated = rate(parsed, units, vectors)
    chosen = answers(asked, asks, units, rated, vectors)
    if not chosen:
        return Reading(probability=0.0, refusal="no_evidence")
    sure = probability(asked, rated, chosen, vectors)
    if wants_summary(parsed.text):
        clear = chosen[0].rated.score >= _SUMMED_UP or len({unit.document_id for unit in units}) == 1
        sure = max(sure, EVEN) if clear else sure
    if chosen[0].over_all and all_stands(parsed, chosen[0].units, vectors):
        sure = sure if asks_for_what_is_not_there(asked, rated) else max(sure, EVEN)
    refusal: Refusal | None = None
    if sure < EVEN:
        refusal = "off_topic" if sure < _OFF_TOPIC else "not_answered"
    return Reading(
        probability=round(sure, 4), refusal=refusal, quotations=tuple(chosen), asked=asked, vectors=vectors
    )


def answers(
    asked: Asked,
    asks: Sequence[str],
    units: Sequence[Unit],
    rated: Sequence[Rated],
    vectors: Mapping[str, Vectors],
) -> list[Quotation]:
    """One quotation for each thing that is asked for, then what else answers the whole."""
    whole = choose(asked, rated, vectors)
    if len(asks) < 2 or wants_summary(asked.parsed.text) or compared(asked, rated):
        return whole
    scores = {id(each.unit): each.score for each in rated}
    chosen: list[Quotation] = []
    for ask in asks:
        part, order = rate(read_question(ask, asked.parsed.language), units, vectors)
        if chosen and not any(each.named >= NAMED for each in order):  # it goes on with what was named before
            order = [each for each in order if id(each.unit) in scores]
        order.sort(key=lambda each: -(each.score + scores.get(id(each.unit), each.score)))
        chosen += _new(choose(part, order, vectors)[:1], chosen)
    return [*chosen, *_new(whole, chosen)][: max(MOST, len(chosen))]


def _new(found: Sequence[Quotation], chosen: Sequence[Quotation]) -> list[Quotation]:
    known = {id(unit) for quotation in chosen for unit in quotation.units}
    return [quotation for quotation in found if not any(id(unit) in known for unit in quotation.units)]
