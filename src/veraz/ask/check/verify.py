"""Draft and evidence in, verdict out: what may be shown, what it stands on, what was taken away and why."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from veraz.ask.check.claims import Kind, Piece, pieces_of
from veraz.ask.check.injection import visible
from veraz.ask.check.judge import Judgement, judge
from veraz.ask.check.links import without_strange_links
from veraz.ask.check.meaning import Meaning
from veraz.ask.check.plain import plain, plain_words
from veraz.ask.check.reading import Source
from veraz.ask.check.rebuild import Kept, rebuild
from veraz.ask.check.referee import Referee
from veraz.ask.check.support import Asked, content_words, hangs, named_in, statement

STANDARD_HEADINGS = frozenset(
    plain(heading)
    for heading in (
        "Qué dice la evidencia", "Qué hacer", "Qué no hacer", "Señales de alerta", "Fuentes",
        "What the evidence says", "What to do", "What not to do", "Warning signs", "Sources",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenClaim:
    """A sentence of the answer with the passages that prove it."""

    text: str
    numbers: tuple[int, ...]
    support: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A sentence nobody may see, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is left of a draft after every claim was checked."""

    text: str
    claims: tuple[ProvenClaim, ...]
    removed: tuple[Removed, ...] = ()
    repaired: int = 0
    """Claims whose citation was missing or wrong and could be put right."""

    @property
    def nothing_left(self) -> bool:
        """Whether no claim survived; then the honest answer is a refusal."""
        return not self.claims


Judged = dict[tuple[Kind, str, tuple[int, ...], frozenset[str]], Judgement | None]
"""Pieces of a draft, each with whom it is about where it does not say so itself, and what was said about it."""
_LONGEST = 4_000
"""Characters of a claim; no sentence of a passage proves more."""


async def verify(
    draft: str,
    sources: Sequence[Source],
    *,
    question: str,
    language: str,
    meaning: Meaning | None = None,
    known: Sequence[str] = (),
    referee: Referee | None = None,
    judged: Judged | None = None,
) -> Verdict:
    """Checks every sentence; `known` are names a courtesy may use (the reader's, the agent's, the company's).

    What stands in `judged`, from an earlier draft of the same answer, is not judged again.
    """
    judged = {} if judged is None else judged
    text = without_strange_links(visible(draft), [visible(f"{s.heading}\n{s.text}") for s in sources])
    names = frozenset(word for name in known for word in plain_words(name))
    asked = content_words(question, language)
    kept: list[Kept] = []
    removed: list[Removed] = []
    about = named_in(question)
    for piece in pieces_of(text, known=names):
        hanging = piece.kind == "claim" and hangs(statement(piece.text[:_LONGEST], language))
        key = (piece.kind, piece.text, piece.cited, about if hanging else frozenset())
        if key not in judged:
            await asyncio.sleep(0)  # others on the loop get their turn
            judged[key] = await _judged(piece, sources, language, meaning, Asked(asked, key[3]), referee)
        if piece.kind in ("claim", "heading") and not hanging:
            about = named_in(piece.text[:_LONGEST])
        judgement = judged[key]
        if judgement is None or judgement.supported:
            kept.append(Kept(piece=piece, judgement=judgement))
        else:
            removed.append(Removed(text=piece.text, reason=judgement.flaw))
    return _verdict(kept, removed)


async def _judged(
    piece: Piece,
    sources: Sequence[Source],
    language: str,
    meaning: Meaning | None,
    asked: Asked,
    referee: Referee | None,
) -> Judgement | None:
    """None for what claims nothing."""
    if len(piece.text) > _LONGEST:
        return Judgement(flaw="too long for one sentence to prove")
    if piece.kind == "heading" and plain(piece.text.strip("#*: ")) not in STANDARD_HEADINGS:
        own = await judge(statement(piece.text.strip("#*: "), language), (), sources, None)
        return None if own.supported else own
    if piece.kind != "claim":
        return None
    cited = [source for source in sources if source.number in piece.cited]
    others = [source for source in sources if source.number not in piece.cited]
    return await judge(statement(piece.text, language), cited, others, meaning, asked, referee)


def _verdict(kept: list[Kept], removed: list[Removed]) -> Verdict:
    claims = [
        (
            item.piece,
            ProvenClaim(text=item.piece.text, numbers=item.judgement.numbers, support=item.judgement.support),
        )
        for item in kept
        if item.judgement is not None
    ]
    return Verdict(
        text=rebuild(kept),
        claims=tuple(claim for _, claim in claims),
        removed=tuple(removed),
        repaired=sum(not set(claim.numbers) <= set(piece.cited) for piece, claim in claims),
    )
