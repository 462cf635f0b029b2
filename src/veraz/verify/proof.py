"""Pieces of a draft in, what may be shown out: the judge's verdict, then what code can hold against it.

Where no judge can be had, only quotations are shown: a sentence that stands in a document word for word.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, Usage
from veraz.text.injection import speaks_to_machine
from veraz.text.measures import measures
from veraz.text.plain import plain, plain_words
from veraz.verify.claims import Piece, is_admission_about
from veraz.verify.facts import Ground, flaw_in
from veraz.verify.judge import Judge
from veraz.verify.model import Checked, CheckedPieces, Fault, HeldBack, Judgement, Proof, Quote, Source
from veraz.verify.quotes import find_quote, quotation

_REMEMBERED = 4_096
_TITLE_WORDS = 5
"""A heading of so few words that stand one behind the other in a passage claims nothing."""
_MOST_SOURCES = 10
_LONGEST = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What claims are held against."""

    question: str
    """As the judge reads it, with what it means."""
    sources: tuple[Source, ...]
    asked: tuple[str, ...] = ()
    """What people typed, now and before: their own figures and names need no proof."""
    known: tuple[str, ...] = ()
    """Names that need no proof: the reader's, the agent's, the company's."""
    headings: tuple[str, ...] = ()
    """The agent's style's own headings; they claim nothing."""


class Verdicts:
    """Judgements of earlier requests, by claim, what stood before it, and passages: the same is never judged twice."""

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

    def __init__(self, judge: Judge | None, verdicts: Verdicts | None = None, owner: str = "") -> None:
        self._judge = judge
        self._verdicts = verdicts or Verdicts()
        self._owner = owner
        """Whose verdicts these are: nobody learns from another's."""
        self._fault: Fault | None = "no_judge" if judge is None else None
        self._heading = ""
        self._under_held = False

    async def check(self, pieces: Sequence[Piece], case: Case, before: str = "") -> CheckedPieces:
        """What becomes of each piece; one request to the judge for all claims among them.

        Where something was held back, what stood with it is judged once more without it: «Cuesta 70 euros.» may have
        been about a plan that is no longer named.
        """
        sections = self._sections(pieces, case)
        checked, usage = await self._checked(pieces, sections, case, before)
        if _lost_something(checked):
            kept = [one.piece for one in checked if one.held_back is None]
            places = [place for place, one in enumerate(checked) if one.held_back is None]
            again, more = await self._checked(kept, [sections[place] for place in places], case, before)
            usage = usage.plus(more)
            for place, one in zip(places, again, strict=True):
                checked[place] = one
        fault = self._fault if any(_claims(piece, case) for piece in pieces) else None
        return CheckedPieces(pieces=tuple(self._under(checked)), usage=usage, fault=fault)

    def _sections(self, pieces: Sequence[Piece], case: Case) -> list[str]:
        """The heading each piece stands under, as the judge reads it in front of the claim."""
        found: list[str] = []
        for piece in pieces:
            if piece.kind == "heading":
                bare = piece.text.strip("#*: ")
                self._heading = "" if plain(bare) in map(plain, case.headings) else bare
            found.append("" if piece.kind == "heading" else self._heading)
        return found

    def _under(self, checked: Sequence[Checked]) -> Iterator[Checked]:
        """What stands under a heading that was held back would be read under the one before it."""
        for one in checked:
            if one.piece.kind == "heading":
                self._under_held = one.held_back is not None
            if self._under_held and one.proof is not None:
                yield Checked(
                    piece=one.piece, held_back=HeldBack(text=one.piece.text, reason="heading_held_back")
                )
            else:
                yield one

    async def _checked(
        self, pieces: Sequence[Piece], sections: Sequence[str], case: Case, before: str
    ) -> tuple[list[Checked], Usage]:
        places = [
            place
            for place, piece in enumerate(pieces)
            if _claims(piece, case) and len(piece.text) <= _LONGEST
        ]
        told = [replace(pieces[place], text=_told(sections[place], pieces[place].text)) for place in places]
        judged, usage = await self._judged(told, case, before)
        by_place = dict(zip(places, judged, strict=True)) if judged else {}
        return [
            _checked(piece, case, by_place.get(place), self._fault) for place, piece in enumerate(pieces)
        ], usage

    async def _judged(
        self, claims: Sequence[Piece], case: Case, before: str
    ) -> tuple[Sequence[Judgement], Usage]:
        """A judgement for each claim, or none at all; a judge that failed once is not asked again."""
        if not claims or self._judge is None or self._fault is not None:
            return (), NO_USAGE
        sources = _relevant(claims, case.sources)
        texts = [piece.text for piece in claims]
        keys = _keys(f"{self._owner}\n{self._judge.name}", texts, case.question, before, sources)
        known = [found for key in keys if (found := self._verdicts.get(key))]
        if len(known) == len(keys):
            return known, NO_USAGE
        try:
            reply = await self._judge.judge(case.question, sources, texts, before)
        except OutsideFault as error:
            log.warning("judge_failed", model=self._judge.name, reason=error.code)
            self._fault = "judge_unreliable" if error.code == "unreliable_judge" else "judge_down"
            return (), NO_USAGE
        if reply.complete:
            self._verdicts.keep(dict(zip(keys, reply.judgements, strict=True)))
        return reply.judgements, reply.usage


def _lost_something(checked: Sequence[Checked]) -> bool:
    """Whether something proven stands behind something that was held back."""
    held = next((place for place, one in enumerate(checked) if one.held_back), len(checked))
    return any(one.proof is not None and one.proof.verdict == "supported" for one in checked[held:])


def _told(heading: str, text: str) -> str:
    """A claim as the judge reads it: under its heading."""
    return f"{heading}: {text}" if heading else text


def _relevant(claims: Sequence[Piece], sources: Sequence[Source]) -> list[Source]:
    """The passages the claims cite, and the best of the others, in their order."""
    cited = {number for piece in claims for number in piece.cited}
    first = [source.number for source in sources if source.number not in cited][:_MOST_SOURCES]
    return [source for source in sources if source.number in cited or source.number in first]


def _keys(
    judge: str, claims: Sequence[str], question: str, before: str, sources: Sequence[Source]
) -> list[bytes]:
    """One for each claim: it is read with those before it, so they belong to what was judged."""
    read = (judge, question, before, *(f"{s.number}\n{s.heading}\n{s.page}\n{s.text}" for s in sources))
    known = hashlib.sha256("\0".join(read).encode())
    keys: list[bytes] = []
    for claim in claims:
        known.update(f"\0{claim}".encode())
        keys.append(known.digest())
    return keys


def _checked(piece: Piece, case: Case, judgement: Judgement | None, fault: Fault | None) -> Checked:
    if not _claims(piece, case):
        return _as_it_is(piece, case, fault)
    if len(piece.text) > _LONGEST:
        return Checked(piece=piece, held_back=HeldBack(text=piece.text[:_LONGEST], reason="too_long"))
    if speaks_to_machine(piece.text):
        return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason="order"))
    if judgement is None:
        return _quoted(piece, case, fault or "judge_down")
    if judgement.verdict != "supported":
        return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason=judgement.verdict))
    return _proven(piece, case, judgement)


def _as_it_is(piece: Piece, case: Case, fault: Fault | None) -> Checked:
    """What claims nothing is shown; a heading only where somebody judges what stands under it."""
    if (
        fault is None
        or piece.kind != "heading"
        or plain(piece.text.strip("#*: ")) in map(plain, case.headings)
    ):
        return Checked(piece=piece)
    return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason=fault))


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
    """The quotes, each in its passage or in another one the judge mistook for it; none where one stands nowhere."""
    by_number = {source.number: source for source in sources}
    found: list[Quote] = []
    for number, text in judgement.quotes:
        named = [by_number[number]] if number in by_number else []
        others = [source for source in sources if source.number != number]
        stands = next((quotes for source in [*named, *others] if (quotes := find_quote(text, source))), ())
        if not stands:
            return ()
        found += stands
    return tuple(dict.fromkeys(found))


def _ground(quotes: Sequence[Quote], case: Case) -> Ground:
    numbers = {quote.number for quote in quotes}
    quoted = [source for source in case.sources if source.number in numbers]
    return Ground(
        quotes=tuple(quote.text for quote in quotes if quote.start < quote.end),
        places=tuple(" ".join(source.place) for source in quoted),
        question="\n".join(case.asked or (case.question,)),
        known=case.known,
        passages=tuple(source.text for source in quoted),
    )


def _claims(piece: Piece, case: Case) -> bool:
    """Whether a piece has to be proven.

    Every claim; an admission that speaks of more than was asked («no tengo información sobre el fraude de Ana»); a heading that is
    neither the style's nor made of a passage's own words. The others are proven with what stands under them.
    """
    if piece.kind == "refusal":
        asked = {word for text in (case.question, *case.asked) for word in plain_words(text)}
        return not is_admission_about(piece.text, asked)
    if piece.kind != "heading":
        return piece.kind == "claim"
    bare = plain(piece.text.strip("#*: "))
    if bare in map(plain, case.headings):
        return False
    short = len(plain_words(bare)) <= _TITLE_WORDS and not measures(bare)
    return not (short and any(bare in plain(f"{source.heading}\n{source.text}") for source in case.sources))
