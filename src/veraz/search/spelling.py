"""Misspelt words, put right from the reading set's own words: «devolusión» is not there, «devolución» is.

What is embedded is the question with those words put right (`respelt`); names stay as they were typed.
The few hundred spellings one letter away are looked up among the counted words. A word of the language («potable») or one
that the local model's tokeniser knows in one piece is meant as it is, also where nobody wrote it: without a dictionary, 103 words
of XQuAD-es and SQuAD-es were corrected that were right («cuántos» into «cuartos»), with it 16, most of them names.
Measured with one typo in every question, this wins back most of the MRR that was lost (XQuAD-es 0.943 → 0.965 of 0.970) and
changes nothing where every word is known (`veraz eval retrieval --typos`, `--no-spelling`).
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.providers.embedding.local import is_common_word, spelling_cost
from veraz.search.model import Question, Shelf
from veraz.search.retrieve import words_of
from veraz.text.languages import in_another_language
from veraz.text.names import names
from veraz.text.normal_forms import taken_apart
from veraz.text.plain import plain_word
from veraz.text.vocabulary import is_word
from veraz.text.words import lexeme_id, lexemes, stems

Q = queries(__file__)

_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST, _LONGEST = 4, 24
_MOST = 3
"""More unknown words than this are not typos but another subject."""


async def corrections(
    db: Database, scope: Scope, question: Question, reach: Sequence[Shelf]
) -> dict[str, Mapping[str, str]]:
    """For each language of the reading set the question's unknown words, each with the known one it stands for."""
    languages = dict.fromkeys(shelf.language for shelf in reach if shelf.chunks)
    found = {language: await _corrected(_Vocabulary(db, scope, question, language)) for language in languages}
    return {language: words for language, words in found.items() if words}


def respelt(text: str, corrected: Mapping[str, str], language: str) -> str:
    """A question with its misspelt words put right; names stay: Irak is not Irán."""
    if not corrected:
        return text
    named = {name.word for name in names(text) if not name.leading}

    def right(match: re.Match[str]) -> str:
        word = match[0]
        stem = lexemes(word, language)
        wanted = corrected.get(stem[0]) if len(stem) == 1 and plain_word(word) not in named else None
        return (_spelling_of(word, wanted, language) if wanted else None) or word

    return _WORD.sub(right, text)


def _spelling_of(typed: str, wanted: str, language: str) -> str | None:
    """The likeliest of the spellings one letter away that have a stem, if it is likelier than what was typed: «entran» is not
    «centran»."""
    near = (word for word in one_letter_away(_letters(typed)) if stems([word], language) == {wanted})
    best = min(near, key=spelling_cost, default=None)
    return best if best and spelling_cost(best) < spelling_cost(typed) else None


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The words of the reading set in one language."""

    db: Database
    scope: Scope
    question: Question
    language: str

    async def counted(self, words: Sequence[str]) -> dict[str, int]:
        """Which of the words are counted, and in how many chunks."""
        if not words:
            return {}
        terms = {word: lexeme_id(word) for word in words}
        array = ",".join(map(str, terms.values()))  # hundreds: as a list they take longer to send
        rows = await self._ask(Q.known, terms=f"{{{array}}}")
        chunks = {row["term"]: row["chunks"] for row in rows}
        return {word: chunks[term] for word, term in terms.items() if term in chunks}

    async def standing(self, words: Sequence[str]) -> set[str]:
        """Those of the counted words that truly stand there: another one may have been counted in their place."""
        return {row["word"] for row in await self._ask(Q.standing, words=list(words))} if words else set()

    async def _ask(self, query: str, **what: object) -> list[dict[str, Any]]:
        kb_ids = None if self.question.kb_ids is None else list(self.question.kb_ids)
        where = {"agent_id": self.question.agent_id, "kb_ids": kb_ids, "language": self.language}
        return await self.db.call(self.scope, query, **where, **what)


async def _corrected(vocabulary: _Vocabulary) -> dict[str, str]:
    text, language = vocabulary.question.text, vocabulary.language
    if in_another_language(text, language):
        return {}
    typed = _typed(text, language)
    known = await vocabulary.counted(list(typed))
    strange = {word: text for word, text in typed.items() if word not in known}
    unknown = await asyncio.to_thread(_misspelt, strange, language) if strange else {}
    if not 0 < len(unknown) <= _MOST:
        return {}
    near = {word: _near(text, language) for word, text in unknown.items()}
    there = await vocabulary.counted(sorted(set().union(*near.values())))
    chosen = {
        word: max(right, key=there.__getitem__) for word in unknown if (right := near[word] & there.keys())
    }
    likelier = {word: right for word, right in chosen.items() if _spelling_of(unknown[word], right, language)}
    standing = await vocabulary.standing(list(likelier.values()))
    return {word: right for word, right in likelier.items() if right in standing}


def _misspelt(typed: Mapping[str, str], language: str) -> dict[str, str]:
    """Those that are no words of the language; its dictionary is read at the first call, which takes a second."""
    return {
        stem: word
        for stem, word in typed.items()
        if _SHORTEST <= len(word) <= _LONGEST and not is_common_word(word) and not is_word(word, language)
    }


def _typed(text: str, language: str) -> dict[str, str]:
    """The question's plain words, from the stem they are searched by to the way they were typed."""
    cut = ((lexemes(word, language), word) for word in _WORD.findall(text))
    typed = {stem[0]: word for stem, word in cut if len(stem) == 1}
    return {word: typed[word] for word in words_of(text, language) if word in typed}


def _near(text: str, language: str) -> set[str]:
    """The stems of every spelling one letter away."""
    return {stem for stem in stems(one_letter_away(_letters(text)), language) if len(stem) >= _SHORTEST - 1}


def _letters(text: str) -> str:
    return "".join(sign for sign in taken_apart(text.lower()) if sign.isalpha())


def one_letter_away(word: str) -> Iterator[str]:
    """Every spelling with one letter missing, added, changed or swapped with its neighbour."""
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in _LETTERS:
            yield before + letter + after
            if after and letter != after[0]:
                yield before + letter + after[1:]
