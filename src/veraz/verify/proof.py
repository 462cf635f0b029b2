"""Pieces of a draft in, what may be shown out: the judge's verdict, then what code can hold against it.

Where no judge can be had, only quotations are shown: a sentence that stands in a document word for word.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, Usage
from veraz.text.injection import speaks_to_machine
from veraz.text.measures import measures
from veraz.text.plain import plain, plain_words
from veraz.verify.claims import Piece
from veraz.verify.facts import Ground, flaw_in
from veraz.verify.judge import Judge
from veraz.verify.model import Checked, CheckedPieces, Fault, HeldBack, Judgement, Proof, Quote, Source
from veraz.verify.quotes import find_quote, quotation

STANDARD_HEADINGS = frozenset(
    plain(heading)
    for heading in (
        "Qué dice la evidencia", "Qué hacer", "Qué no hacer", "Señales de alerta", "Fuentes",
        "What the evidence says", "What to do", "What not to do", "Warning signs", "Sources",
    )
)  # fmt: skip
_REMEMBERED = 4_096
_TITLE_WORDS = 5
"""A heading of so few words that were read or asked one behind the other claims nothing."""
_MOST_SOURCES = 10
_LONGEST = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What claims are held against."""

    question: str
    sources: tuple[Source, ...]
    known: tuple[str, ...] = ()
    """Names that need no proof: the reader's, the agent's, the company's."""


class Verdicts:
    """Judgements of earlier requests, by claim and passages, so that the same is never judged twice."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, Judgement] = OrderedDict()

    def get(self, key: bytes) -> Judgement | None:
        """What was said before."""
        return self._kept.get(key)

    def keep(self, found: Mapping[bytes, Judgement]) -> None:
        """Remembers the newest."""
        self._kept.update(found)
        while len(self._kept) > _REMEMBERED:
            self._kept.popitem(last=False)


class Prover:
    """Proves drafts; without a judge it only lets quotations through."""

    def __init__(self, judge: Judge | None, verdicts: Verdicts | None = None) -> None:
        self._judge = judge
        self._verdicts = verdicts or Verdicts()

    async def check(self, pieces: Sequence[Piece], case: Case, before: str = "") -> CheckedPieces:
        """What becomes of each piece; one request to the judge for all claims among them."""
        claims = [piece for piece in pieces if _claims(piece, case) and len(piece.text) <= _LONGEST]
        judgements, usage, fault = await self._judged(claims, case, before)
        checked = [_checked(piece, case, judgements.get(piece.text), fault) for piece in pieces]
        return CheckedPieces(pieces=tuple(checked), usage=usage, fault=fault)

    async def _judged(
        self, claims: Sequence[Piece], case: Case, before: str
    ) -> tuple[dict[str, Judgement], Usage, Fault | None]:
        if not claims:
            return {}, NO_USAGE, None
        if self._judge is None:
            return {}, NO_USAGE, "no_judge"
        sources = _relevant(claims, case.sources)
        keys = {
            piece.text: _key(self._judge.name, piece.text, case.question, before, sources) for piece in claims
        }
        known = {text: found for text, key in keys.items() if (found := self._verdicts.get(key))}
        new = [text for text in keys if text not in known]
        if not new:
            return known, NO_USAGE, None
        try:
            reply = await self._judge.judge(case.question, sources, new, before)
        except OutsideFault as error:
            log.warning("judge_failed", model=self._judge.name, reason=error.code)
            return {}, NO_USAGE, "judge_unreliable" if error.code == "unreliable_judge" else "judge_down"
        fresh = dict(zip(new, reply.judgements, strict=True))
        self._verdicts.keep({keys[text]: judgement for text, judgement in fresh.items()})
        return known | fresh, reply.usage, None


def _relevant(claims: Sequence[Piece], sources: Sequence[Source]) -> list[Source]:
    """The passages the claims cite, and the best of the others, in their order."""
    cited = {number for piece in claims for number in piece.cited}
    first = [source.number for source in sources if source.number not in cited][:_MOST_SOURCES]
    return [source for source in sources if source.number in cited or source.number in first]


def _key(judge: str, claim: str, question: str, before: str, sources: Sequence[Source]) -> bytes:
    parts = (judge, claim, question, before, *(f"{s.number}\n{s.heading}\n{s.text}" for s in sources))
    return hashlib.sha256("\0".join(parts).encode()).digest()


def _checked(piece: Piece, case: Case, judgement: Judgement | None, fault: Fault | None) -> Checked:
    if not _claims(piece, case):
        return Checked(piece=piece)
    if len(piece.text) > _LONGEST:
        return Checked(piece=piece, held_back=HeldBack(text=piece.text[:_LONGEST], reason="too_long"))
    if speaks_to_machine(piece.text):
        return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason="order"))
    if judgement is None:
        return _quoted(piece, case, fault or "judge_down")
    if judgement.verdict != "supported":
        return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason=judgement.verdict))
    return _proven(piece, case, judgement)


def _quoted(piece: Piece, case: Case, fault: str) -> Checked:
    quote = quotation(piece.text, case.sources)
    if quote is None:
        return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason=fault))
    return Checked(piece=piece, proof=Proof(verdict="quoted", quotes=(quote,)))


def _proven(piece: Piece, case: Case, judgement: Judgement) -> Checked:
    """Supported, as far as its quotes stand where they are said to and hold its facts."""
    quotes = _found(judgement, case.sources)
    if not quotes:
        return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason="quote_not_found"))
    if flaw := flaw_in(piece.text, _ground(quotes, case)):
        return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason=flaw))
    return Checked(piece=piece, proof=Proof(verdict="supported", quotes=quotes))


def _found(judgement: Judgement, sources: Sequence[Source]) -> tuple[Quote, ...]:
    """The quotes that stand word for word in their passage, or in another one the judge mistook for it."""
    by_number = {source.number: source for source in sources}
    found: list[Quote] = []
    for number, text in judgement.quotes:
        named = [by_number[number]] if number in by_number else []
        others = [source for source in sources if source.number != number]
        found += next((quotes for source in [*named, *others] if (quotes := find_quote(text, source))), ())
    return tuple(dict.fromkeys(found))


def _ground(quotes: Sequence[Quote], case: Case) -> Ground:
    numbers = {quote.number for quote in quotes}
    quoted = [source for source in case.sources if source.number in numbers]
    return Ground(
        quotes=tuple(quote.text for quote in quotes),
        places=tuple(" ".join(source.place) for source in quoted),
        question=case.question,
        known=case.known,
        passages=tuple(source.text for source in quoted),
    )


def _claims(piece: Piece, case: Case) -> bool:
    """Whether a piece has to be proven: every claim, and a heading that is neither ours nor one of the documents'."""
    if piece.kind != "heading":
        return piece.kind == "claim"
    bare = plain(piece.text.strip("#*: "))
    if bare in STANDARD_HEADINGS:
        return False
    read = (case.question, *(f"{source.heading}\n{source.text}" for source in case.sources))
    short = len(plain_words(bare)) <= _TITLE_WORDS and not measures(bare)
    return not (short and any(bare in plain(text) for text in read))
