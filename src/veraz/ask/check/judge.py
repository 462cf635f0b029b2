"""One claim against the passages it cites, then against the others: proven, repaired or unsupported."""

from collections.abc import Sequence
from dataclasses import dataclass

from veraz.ask.check.meaning import SAME_ABROAD, Meaning
from veraz.ask.check.reading import Reading, Sentence, Source, read
from veraz.ask.check.referee import Referee
from veraz.ask.check.support import NOTHING, PROVEN, Asked, Proof, Statement, parts_of, prove
from veraz.text.languages import in_another_language

_MOST_SENTENCES = 40
_IN_DOUBT = 0.4
"""Share of a claim's words below which nobody is asked for a second opinion."""

_Found = tuple[Proof, Reading]
"""What was found for a claim in one passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Which passages prove a claim, and how surely; none when `support` is zero."""

    numbers: tuple[int, ...] = ()
    support: float = 0.0
    flaw: str = ""

    @property
    def supported(self) -> bool:
        """Whether the claim may be shown."""
        return bool(self.numbers)


async def judge(
    claim: Statement,
    cited: Sequence[Source],
    others: Sequence[Source],
    meaning: Meaning | None,
    question: Asked = NOTHING,
    referee: Referee | None = None,
) -> Judgement:
    """The best that can be said for a claim; passages it cites come first, others are read only when those say nothing."""
    proofs: list[_Found] = []
    for sources in (cited, others):
        found = [(prove(claim, reading, question), reading) for reading in map(read, sources)]
        if (judged := _by_words(claim, found, question)).supported:
            return judged
        proofs += found
    if meaning is not None:
        for sources in (cited, others):
            if (judged := await _by_meaning(claim, sources, meaning)).supported:
                return judged
    cited_proofs = proofs[: len(cited)]
    if referee is not None and (judged := await _by_referee(claim, cited_proofs, referee)).supported:
        return judged
    return Judgement(flaw=_best_flaw([proof for proof, _ in proofs]))


def _by_words(claim: Statement, proofs: Sequence[_Found], question: Asked) -> Judgement:
    """Proven by one passage, or part by part by several."""
    proven = [(proof.share, reading.source.number) for proof, reading in proofs if proof.proven]
    if proven:
        share, number = max(proven, key=lambda pair: (pair[0], -pair[1]))
        return Judgement(numbers=(number,), support=round(min(share, 1.0), 3))
    return _by_parts(claim, [reading for _, reading in proofs], question)


def _by_parts(claim: Statement, readings: Sequence[Reading], question: Asked) -> Judgement:
    parts = parts_of(claim)
    if len(parts) < 2 or not readings:
        return Judgement()
    numbers: list[int] = []
    shares: list[float] = []
    for part in parts:
        proof, reading = max(
            ((prove(part, reading, question), reading) for reading in readings),
            key=lambda pair: _order(pair[0]),
        )
        if not proof.proven:
            return Judgement()
        numbers.append(reading.source.number)
        shares.append(proof.share)
    return Judgement(numbers=tuple(dict.fromkeys(numbers)), support=round(min(shares), 3))


def _order(proof: Proof) -> tuple[bool, float]:
    return (not proof.flaw, proof.share)


async def _by_meaning(claim: Statement, sources: Sequence[Source], meaning: Meaning) -> Judgement:
    """By the nearest sentence in another language whose facts agree."""
    foreign = [read(s) for s in sources if in_another_language(s.text[:600], claim.language)]
    pairs = [(r.source.number, core) for r in foreign for core in _agreeing(claim, r)][:_MOST_SENTENCES]
    cosines = await meaning.closeness([(claim.sentence.text, core.text) for _, core in pairs])
    near = [(cosine, number) for (number, _), cosine in zip(pairs, cosines, strict=True)]
    cosine, number = max(near, default=(0.0, 0))
    return Judgement(numbers=(number,), support=round(cosine, 3)) if cosine >= SAME_ABROAD else Judgement()


async def _by_referee(claim: Statement, cited: Sequence[_Found], referee: Referee) -> Judgement:
    """By a cited sentence that agrees in every fact, when the referee says that the claim follows from it."""
    near = [pair for pair in cited if not pair[0].flaw and pair[0].share >= _IN_DOUBT]
    if not near:
        return Judgement()
    proof, reading = max(near, key=lambda pair: pair[0].share)
    if proof.core is None or not await referee.follows(claim.sentence.text, proof.core.text):
        return Judgement()
    return Judgement(numbers=(reading.source.number,), support=round(min(proof.share, PROVEN), 3))


def _agreeing(claim: Statement, reading: Reading) -> list[Sentence]:
    """The sentences that hold every figure, date, name and quotation of the claim, and deny nothing when it does not."""
    alone = (
        Reading(source=reading.source, sentences=(s,), heading=reading.heading) for s in reading.sentences
    )
    proofs = [prove(claim, one) for one in alone]
    cores = [proof.core for proof in proofs if proof.core is not None and not proof.flaw]
    return [core for core in cores if claim.sentence.negated or not core.negated]


def _best_flaw(proofs: Sequence[Proof]) -> str:
    best = max(proofs, key=lambda proof: proof.share, default=None)
    if best is None:
        return "no evidence"
    return best.flaw or f"not said: {', '.join(sorted(best.doubtful)[:6])}"
