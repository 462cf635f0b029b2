"""Question sets in SQuAD's format: paragraphs, and questions with the paragraph each is about."""

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from veraz import errors

_WORD = re.compile(r"[^\W\d_]+")
_LONG_ENOUGH = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A question and what is right about it."""

    id: str
    question: str
    paragraph: int
    """Index of the paragraph it is about."""
    article: int
    answers: tuple[str, ...]
    answerable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Distinct paragraphs and the questions about them."""

    paragraphs: tuple[str, ...]
    articles: tuple[int, ...]
    """The article of each paragraph."""
    items: tuple[Item, ...]

    def answerable(self) -> "Dataset":
        """Only the questions whose answer is there."""
        return replace(self, items=tuple(item for item in self.items if item.answerable))

    def sample(self, limit: int | None) -> "Dataset":
        """At most so many questions, evenly from the whole; every paragraph stays."""
        if limit is None or limit >= len(self.items):
            return self
        step = len(self.items) / max(limit, 1)
        return replace(self, items=tuple(self.items[int(index * step)] for index in range(limit)))

    def asked_in(self, other: "Dataset") -> "Dataset":
        """The same questions in the words of another file, matched by id: for questions in another language."""
        wordings = {item.id: item.question for item in other.items}
        items = (replace(i, question=wordings[i.id]) for i in self.items if i.id in wordings)
        return replace(self, items=tuple(items))

    def without_accents(self) -> "Dataset":
        """The questions as people type them on a telephone."""
        return replace(self, items=tuple(replace(i, question=_plain(i.question)) for i in self.items))

    def with_typos(self) -> "Dataset":
        """The questions with two letters of their longest word swapped, or the last one dropped."""
        return replace(self, items=tuple(replace(i, question=_mistyped(i.question)) for i in self.items))


def read_squad(path: Path) -> Dataset:
    """A SQuAD file; equal paragraphs become one."""
    try:
        data: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["data"]
        return _dataset(data)
    except OSError as error:
        raise errors.NotFound(thing="file", id=path) from error
    except (ValueError, KeyError, TypeError) as error:
        raise errors.Invalid(field="file", reason="SQuAD: data[].paragraphs[].context, .qas[]") from error


def _dataset(data: Sequence[dict[str, Any]]) -> Dataset:
    places: dict[str, int] = {}
    articles: list[int] = []
    items: list[Item] = []
    for number, article in enumerate(data):
        for paragraph in article["paragraphs"]:
            place = places.setdefault(paragraph["context"], len(places))
            if place == len(articles):
                articles.append(number)
            items += (_item(qa, place, number) for qa in paragraph["qas"])
    return Dataset(paragraphs=tuple(places), articles=tuple(articles), items=tuple(items))


def _item(qa: dict[str, Any], paragraph: int, article: int) -> Item:
    return Item(
        id=str(qa["id"]),
        question=qa["question"],
        paragraph=paragraph,
        article=article,
        answers=tuple(answer["text"] for answer in qa["answers"]),
        answerable=not qa.get("is_impossible", False),
    )


def _plain(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))


def _mistyped(text: str) -> str:
    """One typo; always the same for the same text, so that measurements can be compared."""
    word = max(_WORD.findall(text), key=len, default="")
    if len(word) < _LONG_ENOUGH:
        return text
    place = 1 + len(text) % (len(word) - 2)
    first, second = word[place], word[place + 1]
    wrong = word[:place] + second + first + word[place + 2 :] if first != second else word[:-1]
    return text.replace(word, wrong, 1)
