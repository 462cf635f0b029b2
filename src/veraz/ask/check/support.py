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
from typing import NamedTuple

from veraz.ask.check.bounds import misplaced
from veraz.ask.check.crossed import crossed
from veraz.ask.check.facts import Facts, Name, facts_of, names
from veraz.ask.check.kin import kin_among
from veraz.ask.check.numbers import odd_numerals
from veraz.ask.check.opposites import NEGATIONS, opposed
from veraz.ask.check.reading import Reading, Sentence, read_sentence
from veraz.ask.check.turned import mixed_names, turned_round
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

PROVEN = 0.8
"""Least share for a claim all of whose words are found, though some only as kin or in the sentence before."""
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
_ONLY_LIST = """
    solo solamente unicamente unico unica unicos unicas exclusivamente only just solely exclusively
"""
_ONLY = frozenset(_ONLY_LIST.split())
_YES = re.compile(r"\W*(?:sí|yes|si(?=,))\b", re.IGNORECASE)
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
    weights: tuple[tuple[str, float], ...]
    """Both, each word with what it counts."""


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


class Asked(NamedTuple):
    """What a claim leaves open: the words of the question, and whom it is about when it does not say so."""

    words: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()


NOTHING = Asked()


def hangs(claim: Statement) -> bool:
    """Whether a claim leaves it to what stands before it whom it is about: «Cuesta 20 €», «20 €»."""
    return len(claim.content) < _ELLIPTIC or not _OPEN_STARTS.isdisjoint(claim.sentence.order[:1])


def named_in(text: str) -> frozenset[str]:
    """The names of a text."""
    return frozenset(name.word for name in names(text) if not name.leading)


@lru_cache(maxsize=2048)
def statement(text: str, language: str) -> Statement:
    """A claim's sentence with its facts and words."""
    facts = facts_of(text)
    spans = [(f.start, f.end) for f in facts.figures if f.explicit] + [(d.start, d.end) for d in facts.dates]
    rest = _without(text, spans)
    found = frozenset(word for word in lexemes(rest, language) if not any(sign.isdigit() for sign in word))
    letters = {name.word for name in facts.names if len(name.word) == 1}
    content, light = (found - _LIGHT) | letters, found & _LIGHT
    return Statement(
        sentence=read_sentence(text, language, order=False),
        facts=facts,
        content=content,
        light=light,
        language=language,
        weights=tuple((word, _LIGHT_WEIGHT if word in light else 1.0) for word in content | light),
    )


def prove(claim: Statement, reading: Reading, question: Asked = NOTHING) -> Proof:
    """The best proof of the whole statement by one sentence of the passage: without a flaw, then with most of its words.

    Words are counted first, so that flaws are looked for only until a sentence has none.
    """
    tries = [_by(claim, reading, index, question) for index in range(len(reading.sentences))]
    if reading.heading.text:
        tries.append(_try(claim, reading.heading, (), (), question))
    tries.sort(key=lambda one: -one.share)
    flawed: Proof | None = None
    for one in tries:
        proof = one.proof(claim)
        if not proof.flaw:
            return proof
        flawed = flawed or proof
    return flawed or Proof(share=0.0, flaw="empty passage")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """A sentence of the passage as the core of a proof, its words counted."""

    core: Sentence
    context: Sequence[Sentence]
    beside: Sequence[Sentence]
    """The passage's sentences, itself among them."""
    share: float
    unmatched: frozenset[str]
    about: frozenset[str]

    def proof(self, claim: Statement) -> Proof:
        """What it proves, with the first thing in the claim that it does not bear out."""
        if self.core.instructs:
            return Proof(share=0.0, flaw="an instruction is no evidence")
        flaw = next(_flaws(claim, self.core, self.context), "")
        flaw = flaw or self._said_elsewhere() or self._of_another(claim)
        return Proof(share=self.share, core=self.core, flaw=flaw, doubtful=self.unmatched)

    def _of_another(self, claim: Statement) -> str:
        """Whom the core names, when the claim hangs on a sentence about somebody else."""
        known = frozenset().union(*(s.words for s in (self.core, *self.context)))
        if self.about <= known:
            return ""
        expected = claim.sentence.words | self.about
        others = [n.word for n in _first_names(self.core.text[:60]) if not n.leading]
        return next((f"of something else: {name}" for name in others if name not in expected), "")

    def _said_elsewhere(self) -> str:
        others = [sentence.lexemes for sentence in self.beside if sentence is not self.core]
        borrowed = [word for word in self.unmatched if any(word in lexemes for lexemes in others)]
        return f"says elsewhere: {', '.join(sorted(borrowed))}" if borrowed else ""


def _by(claim: Statement, reading: Reading, index: int, question: Asked) -> _Try:
    core = reading.sentences[index]
    before = [s for s in reading.sentences[max(0, index - 2) : index] if not s.instructs]
    context = [reading.heading, *(before if before and _names_nobody_else(claim, core) else ())]
    return _try(claim, core, context, reading.sentences, question)


def _try(
    claim: Statement,
    core: Sentence,
    context: Sequence[Sentence],
    beside: Sequence[Sentence],
    question: Asked,
) -> _Try:
    share, unmatched = (0.0, frozenset[str]()) if core.instructs else _coverage(claim, core, context)
    if share and question.words and (len(claim.content) < _ELLIPTIC or _YES.match(claim.sentence.text)):
        share = min(share, 1.0 if _covered(question.words, core, context) >= _ELLIPTIC_CORE else 0.0)
    return _Try(
        core=core, context=context, beside=beside, share=share, unmatched=unmatched, about=question.about
    )


def _flaws(claim: Statement, core: Sentence, context: Sequence[Sentence]) -> Iterator[str]:
    facts, around = claim.facts, (core, *context)
    yield from _wrong_values(claim, core)
    for name in facts.names:
        if not _named(name.word, around):
            yield f"name {name.word}"
    for quote in facts.quotes:
        if not any(quote in s.plain for s in around):
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
    for numeral in odd_numerals(text) - odd_numerals(core.text):
        yield f"figure {numeral}"
    yield from misplaced(text, core.text, claim.language)


def _contradictions(claim: Statement, core: Sentence) -> Iterator[str]:
    own = claim.sentence
    if own.negated and not own.denied & core.denied:
        yield "denies what the passage does not deny"
    if not own.negated and core.denied & claim.content:
        yield "states what the passage denies"
    yield from _misattributed(claim, core)
    if not own.words.isdisjoint(_ONLY) and core.words.isdisjoint(_ONLY):
        yield "«only» where the passage does not say so"
    for word, other in opposed(own.words - core.words, core.words - own.words):
        if other not in NEGATIONS:
            yield f"«{word}» against «{other}»"


def _misattributed(claim: Statement, core: Sentence) -> Iterator[str]:
    """What the core says of somebody or something else."""
    own = claim.sentence
    if rival := crossed(own.text, core, claim.language):
        yield f"of something else: {rival}"
    if verb := turned_round(own.order, core.order, claim.language):
        yield f"the other way round: {verb}"
    for name in mixed_names(own.text, core.text):
        yield f"name {name}"


def _named(word: str, around: Sequence[Sentence]) -> bool:
    forms, parts = _written(word)
    if any(not forms.isdisjoint(sentence.words) for sentence in around):
        return True
    return len(parts) > 1 and all(any(part in s.words for s in around) for part in parts if part)


@lru_cache(maxsize=8192)
def _written(name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """How a name may stand in a text, and the words it is joined of."""
    fewer = (name.removesuffix("'s"), name.removesuffix("’s"), name.removesuffix("s"))
    return frozenset((name, *fewer, f"{name}s", f"{name}es")), tuple(re.split(r"[-/.’'&+:_]", name))


def _names_nobody_else(claim: Statement, core: Sentence) -> bool:
    """Whether the core leaves open whom it is about («Ella…», «Fue inaugurada…»), so that the sentence before says it."""
    if core.order[:1] and core.order[0] not in _OPEN_STARTS:
        return False
    own = {name.word for name in claim.facts.names} | claim.sentence.words
    return all(name.leading or name.word in own for name in _first_names(core.text[:60]))


@lru_cache(maxsize=8192)
def _first_names(text: str) -> tuple[Name, ...]:
    return tuple(name for name in names(text) if name.start < 40)


def _coverage(claim: Statement, core: Sentence, context: Sequence[Sentence]) -> tuple[float, frozenset[str]]:
    weight = got = 0.0
    unmatched: list[str] = []
    for word, own in claim.weights:
        found = 1.0 if word in core.lexemes else _match(word, core, context)
        weight += own
        got += own * found
        if not found and own == 1.0:
            unmatched.append(word)
    return (got / weight if weight else 1.0), frozenset(unmatched)


def _match(word: str, core: Sentence, context: Sequence[Sentence]) -> float:
    """What a word counts that is no lexeme of the core."""
    if len(word) == 1 and any(word in s.words for s in (core, *context)):
        return 1.0
    for sentence in context:
        if word in sentence.lexemes:
            return 0.9
    return 0.85 if kin_among(word, core.roots) else 0.0


def _covered(question: frozenset[str], core: Sentence, context: Sequence[Sentence]) -> float:
    around = (core, *context)
    asked = [word for word in question if word not in _LIGHT]
    known = sum(any(word in s.lexemes or kin_among(word, s.roots) for s in around) for word in asked)
    return known / max(len(asked), 1)


def content_words(text: str, language: str) -> frozenset[str]:
    """What a text is about: its lexemes without light words."""
    return frozenset(lexemes(text, language)) - _LIGHT - STOP_WORDS["es"]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text
