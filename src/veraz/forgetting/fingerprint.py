"""What tells a text that repeats forgotten words from one that only uses the same language.

Three signs are enough, each alone: a telling word (a name, a code, a figure that no dictionary has), a run of words in the
same order, and the words of a name together («Despido secreto de Rosa»). A sign counts only where nothing that stays holds
it too (elsewhere.py).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import unquote_plus

from veraz.text.plain import plain, words_in
from veraz.text.stop_words import STOP_WORDS
from veraz.text.vocabulary import has_dictionary, is_word

_RUN: Final = 5
"""So many words in the same order are no accident…"""
_HEAVY, _HEAVIES = 4, 3
"""…where so many of them are longer than articles and prepositions."""
_SHORTEST: Final = 4
_DIGITS: Final = 5
_TOGETHER: Final = 3
"""So many words of one name in one text mean it; of a shorter name they stand side by side."""
_LONGEST_NAME: Final = 12
_LANGUAGES: Final = ("es", "en", "pt")
_JOINT = re.compile(r"[-/._’'&+@]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_QUOTED = re.compile("«([^»]+)»")
_QUOTED_SIGNS: Final = 80
"""A question that is named in a sentence is cut there."""
_EMPTY_WORDS = frozenset[str]().union(*(STOP_WORDS[language] for language in _LANGUAGES))


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing by which forgotten words are known again."""

    kind: Literal["word", "run", "name"]
    words: tuple[str, ...]

    def stands_in(self, text: str) -> bool:
        """Whether this text holds it."""
        words = _words(text)
        if self.kind == "run":
            return any(words[at : at + _RUN] == list(self.words) for at in range(len(words) - _RUN + 1))
        if self.kind == "word":
            return self.words[0] in _with_parts(words)
        return _names(self.words, _content(words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Words on their way out: of a text, of a name, or typed by somebody, which is compared only as a whole."""

    text: str
    what: Literal["text", "name", "typed"] = "text"
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The signs of what is forgotten."""

    telling: frozenset[str]
    runs: frozenset[int]
    names: Mapping[str, Collection[tuple[str, ...]]]
    """By their longest word."""
    typed: frozenset[str]

    def signs(self, text: str, *, words_only: bool = False) -> set[Sign]:
        """The signs that this text holds; or only the telling words among them."""
        words = _words(text)
        found = {Sign("word", (word,)) for word in self.telling & _with_parts(words)}
        if words_only:
            return found
        found.update(Sign("run", run) for run in _runs(words) if hash(run) in self.runs)
        if self.names:
            content = _content(words)
            near = {name for word in content for name in self.names.get(word, ())}
            found.update(Sign("name", name) for name in near if _names(name, content))
        return found

    def was_typed(self, text: str) -> bool:
        """Whether this is, or names in quotation marks, the whole of something that was typed."""
        said = plain(text)
        return said in self.typed or any(
            part[:_QUOTED_SIGNS] in self.typed for part in map(plain, _QUOTED.findall(text))
        )


def fingerprint(sources: Sequence[Source], languages: Iterable[str] = ()) -> Fingerprint:
    """The signs of these sources, in a house that speaks these languages."""
    house = dict.fromkeys((*_LANGUAGES, *languages))
    telling: set[str] = set()
    runs: set[int] = set()
    names: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    typed: set[str] = set()
    known: dict[tuple[str, str | None], bool] = {}
    for source in sources:
        if source.what == "typed":
            said = plain(source.text)
            typed.update((said, said[:_QUOTED_SIGNS]))
            continue
        words = _words(source.text)
        runs.update(map(hash, _runs(words)))
        for word in _with_parts(words):
            key = (word, source.language)
            if key not in known:
                known[key] = len(word) >= _SHORTEST and _is_telling(word, house, source.language)
            if known[key]:
                telling.add(word)
        if source.what == "name" and (name := _name(source.text)):
            names[max(name, key=len)].add(name)
    return Fingerprint(
        telling=frozenset(telling), runs=frozenset(runs), names=dict(names), typed=frozenset(typed)
    )


def redacted(value: Any, marks: Callable[[str], bool], mark: str) -> Any:
    """The same JSON, with a mark where a string repeats forgotten words."""
    if isinstance(value, str):
        return mark if marks(value) else value
    if isinstance(value, list):
        return [redacted(one, marks, mark) for one in value]
    if isinstance(value, dict):
        return {mark if marks(key) else key: redacted(one, marks, mark) for key, one in value.items()}
    return value


def strings(value: Any) -> Iterator[str]:
    """Every string of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from strings(one)


def _words(text: str) -> list[str]:
    """Addresses say their words in another spelling."""
    return words_in(plain(unquote_plus(text) if _ESCAPE.search(text) else text))


def _with_parts(words: Iterable[str]) -> set[str]:
    found = set(words)
    found.update(part for word in words if _JOINT.search(word) for part in _JOINT.split(word))
    return found


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    for start in range(len(words) - _RUN + 1):
        run = words[start : start + _RUN]
        if sum(len(word) >= _HEAVY for word in run) >= _HEAVIES:
            yield tuple(run)


def _content(words: Iterable[str]) -> list[str]:
    """The words that say what it is about, in order: a figure, or a longer one that no sentence needs."""
    parts = (part for word in words for part in _JOINT.split(word))
    return [part for part in parts if part.isdigit() or (len(part) >= _SHORTEST and part not in _EMPTY_WORDS)]


def _name(text: str) -> tuple[str, ...] | None:
    """What a name is made of, where that says enough: two words, one of them no figure."""
    said = tuple(dict.fromkeys(_content(_words(_ENDING.sub("", text.strip())))))
    return said if 2 <= len(said) <= _LONGEST_NAME and not all(map(str.isdigit, said)) else None


def _names(name: tuple[str, ...], content: list[str]) -> bool:
    """Whether a text says this name: many words anywhere, a few side by side."""
    if len(name) >= _TOGETHER:
        return set(name) <= set(content)
    return any(tuple(content[at : at + len(name)]) == name for at in range(len(content) - len(name) + 1))


def _is_telling(word: str, house: Iterable[str], language: str | None) -> bool:
    """Without a dictionary of its language nobody knows whether a word is a name; a code is one in every language."""
    digits = sum(sign.isdigit() for sign in word)
    if digits:
        return digits >= _DIGITS or digits < len(word.replace(",", "").replace(".", ""))
    spoken = house if language is None else dict.fromkeys((*house, language[:2].lower()))
    if language is not None and not has_dictionary(language[:2].lower()):
        return False
    if _JOINT.search(word):
        return not all(_is_known(part, spoken) for part in _JOINT.split(word))
    return not _is_known(word, spoken)


def _is_known(word: str, languages: Iterable[str]) -> bool:
    return len(word) < _SHORTEST or any(is_word(word, language) for language in languages)
