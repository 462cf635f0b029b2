"""How well the sentences of a passage stand behind a claim.

A claim is proven by one sentence of the passage, its *core*: every figure, date, quotation and word that says what the
claim is about stands in the core. Names and words may come from the heading, or from the sentence before when the core
names nobody itself («Ella dirige…»). A claim that joins several statements is proven part by part.

Vectors cannot replace the words: measured on sentences with one word exchanged for another of the same kind, the cosine
stays as high (0.97) as between two translations of one sentence (0.93), so a cosine would let the exchange through.
They only decide where claim and passage are in different languages, see `judge`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from veraz.ask.check.crossed import crossed
from veraz.ask.check.facts import Facts, facts_of
from veraz.ask.check.opposites import NEGATIONS, opposed
from veraz.ask.check.reading import Reading, Sentence, read_sentence
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

PROVEN = 0.8
"""Least share for a claim all of whose words are found, though some only as kin or in the sentence before."""
_KIN_PREFIX, _KIN_SHARE = 5, 0.6
_ELLIPTIC = 2
_ELLIPTIC_CORE = 0.4
_LIGHT_WEIGHT = 0.15
_LIGHT_WORDS = """
    ser estar es son era eran fue fueron sido siendo ha han haber hay tener tiene tienen tuvo hacer hace hacen poder puede
    pueden deber debe deben existir existe existen encontrar encuentra encuentran llamar llama llaman llamado llamada indica
    indicar menciona mencionar segun documento texto contexto fragmento informacion ademas tambien asi tal manera forma caso
    general actualmente principalmente aproximadamente cerca alrededor siguiente siguientes respecto relacion parte total
    tipo cada varios diversos diferentes ejemplo trata tratarse denomina conoce considera mismo misma mismos propio dicho
    dicha pregunta respuesta responde consiste contar cuenta disponer dispone ofrecer ofrece proporciona
    be is are was were been being have has had do does did can could may might must should will would according document
    text context passage information also thus way case currently mainly approximately about around following regarding
    part kind type each several various different example called known considered same own question answer consists offers
"""
_LIGHT = frozenset(
    stem for language in ("es", "en") for stem in lexemes(_LIGHT_WORDS, language)
)  # words that carry a sentence without saying what it is about
_OPEN_STARTS_LIST = """
    ella ellas ello ellos este esta esto estos estas ese esa eso esos esas aquel aquella dicho dicha dichos dichas su sus lo le
    les se tambien ademas asimismo fue era es son fueron eran tiene tienen tenia tuvo cuenta mide miden pesa pesan cuesta
    cuestan incluye incluyen abre abren cierra dispone esta estan estaba nacio murio gano dirige contiene permite ofrece consta
    comenzo empezo termino sirve recibe trabaja vive ha han habia puede pueden debe deben sera seran fundado fundada inaugurado
    he she it they this that these those his her its their also was were is are has have had can must will there
"""
_OPEN_STARTS = frozenset(_OPEN_STARTS_LIST.split())
_JOINTS = re.compile(
    r"\s*[;:—–]\s+|,\s+(?:y|e|and|but|pero|mientras que|while|aunque|although|así como|as well as|o|or)\s+|,\s+"
    r"|\s+(?:y|e|and|but|pero|mientras que|while|así como|as well as)\s+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A claim, or a part of one, ready to be proven."""

    sentence: Sentence
    facts: Facts
    content: frozenset[str]
    """Lexemes without figures, dates and light words."""
    light: frozenset[str]
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What was found for a statement in one passage."""

    share: float
    core: Sentence | None = None
    flaw: str = ""
    """Why it cannot be right, whatever the words mean; empty when only the wording is in doubt."""
    doubtful: frozenset[str] = field(default_factory=frozenset)
    """Words of the statement that the passage does not use."""

    @property
    def proven(self) -> bool:
        """Proven by its words alone."""
        return not self.flaw and not self.doubtful and self.share >= PROVEN


@lru_cache(maxsize=2048)
def statement(text: str, language: str) -> Statement:
    """A claim's sentence with its facts and words."""
    facts = facts_of(text)
    spans = [(f.start, f.end) for f in facts.figures if f.explicit] + [(d.start, d.end) for d in facts.dates]
    rest = _without(text, spans)
    found = frozenset(word for word in lexemes(rest, language) if not any(sign.isdigit() for sign in word))
    names = {name.word for name in facts.names if len(name.word) == 1}
    return Statement(
        sentence=read_sentence(text, language),
        facts=facts,
        content=(found - _LIGHT) | names,
        light=found & _LIGHT,
        language=language,
    )


def prove(claim: Statement, reading: Reading, question: frozenset[str] = frozenset()) -> Proof:
    """The best proof of the whole statement by one sentence of the passage."""
    proofs = (_by(claim, reading, index, question) for index in range(len(reading.sentences)))
    best = max(proofs, key=_rank, default=Proof(share=0.0, flaw="empty passage"))
    heading = (
        _by_sentence(claim, reading.heading, (), frozenset(), question) if reading.heading.text else best
    )
    return max(best, heading, key=_rank)


def parts_of(claim: Statement) -> list[Statement]:
    """The statements a claim joins; a part too short to mean something stays with the one before."""
    pieces: list[str] = []
    for piece in _JOINTS.split(claim.sentence.text):
        parts = statement(piece, claim.language)
        alone = len(parts.content) >= _ELLIPTIC
        if pieces and not (alone and len(statement(pieces[-1], claim.language).content) >= _ELLIPTIC):
            pieces[-1] = f"{pieces[-1]}, {piece}"
        else:
            pieces.append(piece)
    return [statement(piece, claim.language) for piece in pieces]


def _rank(proof: Proof) -> tuple[bool, float]:
    return (not proof.flaw, proof.share)


def _by(claim: Statement, reading: Reading, index: int, question: frozenset[str]) -> Proof:
    core = reading.sentences[index]
    before = [s for s in reading.sentences[max(0, index - 2) : index] if not s.instructs]
    context = [reading.heading, *(before if _names_nobody_else(claim, core) else ())]
    elsewhere = frozenset().union(*(s.lexemes for s in reading.sentences if s is not core))
    return _by_sentence(claim, core, context, elsewhere, question)


def _by_sentence(
    claim: Statement,
    core: Sentence,
    context: Sequence[Sentence],
    elsewhere: frozenset[str],
    question: frozenset[str],
) -> Proof:
    if core.instructs:
        return Proof(share=0.0, flaw="an instruction is no evidence")
    flaw = _flaw(claim, core, context)
    share, unmatched = _coverage(claim, core, context)
    if len(claim.content) < _ELLIPTIC and question:
        share = min(share, 1.0 if _covered(question, core, context) >= _ELLIPTIC_CORE else 0.0)
    if not flaw and (borrowed := unmatched & elsewhere):
        flaw = f"says elsewhere: {', '.join(sorted(borrowed))}"
    return Proof(share=share, core=core, flaw=flaw, doubtful=frozenset(unmatched))


def _flaw(claim: Statement, core: Sentence, context: Sequence[Sentence]) -> str:
    """The first thing in a claim that the core does not bear out."""
    return next(_flaws(claim, core, context), "")


def _flaws(claim: Statement, core: Sentence, context: Sequence[Sentence]) -> Iterator[str]:
    facts = claim.facts
    yield from _wrong_values(claim, core)
    around = core.words.union(*(s.words for s in context))
    for name in facts.names:
        if not _named(name.word, around):
            yield f"name {name.word}"
    for quote in facts.quotes:
        if not any(quote in s.plain for s in (core, *context)):
            yield f"quotation «{quote}»"
    yield from _contradictions(claim, core)


def _wrong_values(claim: Statement, core: Sentence) -> Iterator[str]:
    text = claim.sentence.text
    for figure in claim.facts.figures:
        if figure.explicit and not any(figure.same(other) for other in core.figures):
            yield f"figure {text[figure.start : figure.end]}"
    for day in claim.facts.dates:
        if not any(day.within(other) for other in core.dates):
            yield f"date {text[day.start : day.end]}"


def _contradictions(claim: Statement, core: Sentence) -> Iterator[str]:
    own = claim.sentence
    if own.negated and not own.denied & core.denied:
        yield "denies what the passage does not deny"
    if not own.negated and core.denied & claim.content:
        yield "states what the passage denies"
    if rival := crossed(own.text, core, claim.language):
        yield f"of something else: {rival}"
    for word in own.words - core.words:
        if (other := opposed(word, core.words - own.words)) and other not in NEGATIONS:
            yield f"«{word}» against «{other}»"


def _named(word: str, around: frozenset[str]) -> bool:
    if word in around or word.removesuffix("'s") in around or word.removesuffix("’s") in around:
        return True
    if word.endswith("s") and word[:-1] in around:
        return True
    if word + "s" in around or word + "es" in around:
        return True
    parts = re.split(r"[-/.’'&+:_]", word)
    return len(parts) > 1 and all(part in around for part in parts if part)


def _names_nobody_else(claim: Statement, core: Sentence) -> bool:
    """Whether the core leaves open whom it is about («Ella…», «Fue inaugurada…»), so that the sentence before says it."""
    if core.order[:1] and core.order[0] not in _OPEN_STARTS:
        return False
    own = {name.word for name in claim.facts.names} | claim.sentence.words
    return all(name.leading or name.word in own for name in facts_of(core.text[:60]).names if name.start < 40)


def _coverage(claim: Statement, core: Sentence, context: Sequence[Sentence]) -> tuple[float, frozenset[str]]:
    around = frozenset().union(*(s.lexemes for s in context))
    words = frozenset().union(core.words, *(s.words for s in context))
    weight = got = 0.0
    unmatched: set[str] = set()
    for word in claim.content | claim.light:
        own = _LIGHT_WEIGHT if word in claim.light else 1.0
        found = _match(word, core.lexemes, around, words)
        weight += own
        got += own * found
        if not found and own == 1.0:
            unmatched.add(word)
    return (got / weight if weight else 1.0), frozenset(unmatched)


def _match(word: str, core: frozenset[str], around: frozenset[str], words: frozenset[str]) -> float:
    if word in core or (len(word) == 1 and word in words):
        return 1.0
    if word in around:
        return 0.9
    return 0.85 if any(kin(word, other) for other in core) else 0.0


def _covered(question: frozenset[str], core: Sentence, context: Sequence[Sentence]) -> float:
    known = core.lexemes.union(*(s.lexemes for s in context))
    asked = [word for word in question if word not in _LIGHT]
    return sum(word in known or any(kin(word, o) for o in known) for word in asked) / max(len(asked), 1)


@lru_cache(maxsize=65536)
def kin(a: str, b: str) -> bool:
    """Whether two stems begin alike enough to be forms of one word."""
    if len(a) < _KIN_PREFIX or len(b) < _KIN_PREFIX or a[:_KIN_PREFIX] != b[:_KIN_PREFIX]:
        return False
    common = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return common >= _KIN_SHARE * max(len(a), len(b))


def content_words(text: str, language: str) -> frozenset[str]:
    """What a text is about: its lexemes without light words."""
    return frozenset(lexemes(text, language)) - _LIGHT - STOP_WORDS["es"]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text
