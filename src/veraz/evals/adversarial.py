"""Questions nobody can answer, made from questions somebody can: what the gate's weights are fitted on.

Each edit is one of those people make when they write unanswerable questions on purpose: another name, another figure,
the contrary, a negation, another word of the same paragraph; or the sentence with the answer is taken away, or the article.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from veraz.evals.datasets import Dataset, Item
from veraz.text.opposites import opposites_of
from veraz.text.plain import plain
from veraz.text.sentences import sentences
from veraz.text.stop_words import STOP_WORDS

Edit = Literal[
    "none", "name", "distant_name", "figure", "word", "contrary", "negation", "sentence", "article"
]

_NAME = re.compile(
    r"(?<![.?!¿¡] )(?<!^)(?<![¿¡])\b[A-ZÁÉÍÓÚÑ][\wáéíóúñü]{2,}(?: (?:de |del |of |the |la )?[A-ZÁÉÍÓÚÑ][\wáéíóúñü]{2,})*"
)
_FIGURE = re.compile(r"\b\d[\d.,]*\b")
_WORD = re.compile(r"\b[a-záéíóúñü]{5,}\b")
_VERB = re.compile(
    r"\b(?:se|es|fue|son|era|ha|fueron|tiene|puede|está|[a-záéíóú]{3,}(?:ó|aba|ía|aron|ieron))\b"
)
_STEPS = (-30, -7, -2, -1, 1, 3, 12, 50)
_NEGATED = 0.35
"""Share of the questions that are also asked with a «no»."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question, what was done to it, and what its paragraph says in this case (None: the paragraph's article is away)."""

    question: str
    paragraph: int
    article: int
    text: str | None
    edit: Edit

    @property
    def answerable(self) -> bool:
        """Whether the answer is still there."""
        return self.edit == "none"


def cases(dataset: Dataset, language: str, *, seed: int = 7) -> list[Case]:
    """Every answerable question as it is and as everything that can be made of it; the same for the same seed."""
    dice = random.Random(seed)
    names = _names_by_article(dataset)
    return [
        case
        for item in dataset.items
        if item.answerable
        for case in _of(item, dataset.paragraphs[item.paragraph], names[item.article], language, dice)
    ]


def _names_by_article(dataset: Dataset) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for paragraph, article in zip(dataset.paragraphs, dataset.articles, strict=True):
        found.setdefault(article, set()).update(_NAME.findall(paragraph))
    return found


def _of(item: Item, text: str, names: set[str], language: str, dice: random.Random) -> Iterator[Case]:
    def case(edit: Edit, question: str = item.question, said: str | None = text) -> Case:
        return Case(question=question, paragraph=item.paragraph, article=item.article, text=said, edit=edit)

    yield case("none")
    yield case("article", said=None)
    near = set(_NAME.findall(text))
    edited: dict[Edit, str | None] = {
        "name": _exchanged(item, _NAME, dice, lambda _: near),
        "distant_name": _exchanged(item, _NAME, dice, lambda _: names - near),
        "figure": _exchanged(item, _FIGURE, dice, lambda old: _figures(old, text)),
        "word": _exchanged(item, _WORD, dice, lambda old: _words(old, text, language)),
        "contrary": _exchanged(item, _WORD, dice, lambda old: opposites_of(plain(old))),
        "negation": _negated(item.question) if language == "es" and dice.random() < _NEGATED else None,
    }
    yield from (case(edit, question) for edit, question in edited.items() if question)
    if left := _without_answer(text, item.answers):
        yield case("sentence", said=left)


def _exchanged(
    item: Item, pattern: re.Pattern[str], dice: random.Random, pool: Callable[[str], Iterable[str]]
) -> str | None:
    """The question with one match exchanged for something else that is neither in it nor its answer."""
    question, known = item.question, plain(" ".join((item.question, *item.answers)))
    matches = list(pattern.finditer(question))
    dice.shuffle(matches)
    for match in matches:
        others = sorted(
            o for o in pool(match[0]) if plain(o) not in known and plain(match[0]) not in plain(o)
        )
        if others:
            return question[: match.start()] + dice.choice(others) + question[match.end() :]
    return None


def _figures(old: str, text: str) -> set[str]:
    moved = {str(int(old) + step) for step in _STEPS if int(old) + step > 0} if old.isdigit() else set()
    return moved | set(_FIGURE.findall(text))


def _words(old: str, text: str, language: str) -> set[str]:
    """Words of the paragraph that end alike, so that the sentence still reads."""
    stops = STOP_WORDS[language]
    if plain(old) in stops:
        return set()
    alike = {word for word in _WORD.findall(text) if word[-2:] == old[-2:] and plain(word) not in stops}
    return {word for word in alike if plain(word)[:4] != plain(old)[:4]}


def _negated(question: str) -> str | None:
    verb = _VERB.search(question)
    return f"{question[: verb.start()]}no {question[verb.start() :]}" if verb else None


def _without_answer(text: str, answers: Iterable[str]) -> str | None:
    gold = [plain(answer) for answer in answers if answer.strip()]
    every = sentences(text)
    left = [sentence for sentence in every if not any(answer in plain(sentence) for answer in gold)]
    return " ".join(left) if left and len(left) < len(every) else None
