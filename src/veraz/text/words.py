"""A text's lexemes and their BM25 weights: the words half of search, written at ingest and read at ask.

A lexeme is a word without accents, in lower case, cut to its stem. Codes and joined words are kept
whole as well, without their joints, so that «A-12/2024», «a12/2024» and «A 12 2024» find each other:

    «A-12/2024»     → a122024 12 2024        «1.234,56» → 123456        «50 %»  → 50% 50
    «físico-química» → fisicoquimic fisic quimic         «ChunkConfig» → chunkconfig chunk config
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

import Stemmer
from pgvector import SparseVector

from veraz.text.normal_forms import composed, taken_apart
from veraz.text.stop_words import STOP_WORDS

DIMENSIONS = 536_870_912
"""Length of the sparse vectors: a power of two within what pgvector allows."""
MAX_NONZERO = 16_000
"""More entries than this pgvector does not store."""
K1, B = 1.2, 0.75

_STEMMERS = {
    "ca": "catalan", "da": "danish", "de": "german", "en": "english", "es": "spanish", "eu": "basque",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
_LONGEST = 64
_REMEMBERED = 100_000

_TOKEN = re.compile(
    r"\d{1,18}+(?:[.,]\d{1,18}+){0,5}+%|[^\W_]+(?:[-/._’'&+@][^\W_]+|(?<=\d)[,:](?=\d)[^\W_]+){0,8}"
)
_SPACED_PERCENT = re.compile(r"(?<=\d)[ \u00a0\u202f]%")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)+")
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[^\W\d_]*?[a-zß-ÿ](?=[A-ZÀ-Þ])|[A-ZÀ-Þ]+(?=[A-ZÀ-Þ][a-zß-ÿ])")
_DIGITS_AND_LETTERS = re.compile(r"(\d+)([^\W\d_]+)|([^\W\d_]+)(\d+)")
_MARKS = re.compile("[\u0300-\u036f]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]{2,}")


def lexemes(text: str, language: str = "es") -> list[str]:
    """The searchable words of a text, in order and with repetitions."""
    text = composed(text)
    if "%" in text:
        text = _SPACED_PERCENT.sub("%", text)
    known = _known_words(language[:2].lower())
    found: list[str] = []
    for piece in text.split():
        found += known[piece]
    return found


def stems(words: Iterable[str], language: str = "es") -> set[str]:
    """The lexemes of many plain words (lower case, no accents), none of which is worth remembering."""
    known = _known_words(language[:2].lower())
    return set(known.stems([word for word in words if word]))


def term_weights(words: Iterable[str], average_length: float) -> dict[int, float]:
    """BM25's term weight of each lexeme of one chunk, by the lexeme's dimension."""
    counts = Counter(words)
    length = counts.total()
    norm = K1 * (1 - B + B * length / max(average_length, 1.0))
    weights: dict[int, float] = {}
    for word, count in counts.items():
        dimension = lexeme_id(word)
        weights[dimension] = weights.get(dimension, 0.0) + count * (K1 + 1) / (count + norm)
    return weights


def idf(chunks: int, chunks_with_word: int) -> float:
    """How telling a lexeme is among so many chunks (never negative)."""
    return math.log1p((chunks - chunks_with_word + 0.5) / (chunks_with_word + 0.5))


def lexeme_id(lexeme: str) -> int:
    """The lexeme's dimension, the same on every machine and for ever: 0 … DIMENSIONS - 1."""
    return zlib.crc32(lexeme.encode()) & (DIMENSIONS - 1)


def sparse_vector(weights: Mapping[int, float]) -> SparseVector:
    """The weights as pgvector's type; the heaviest ones when there are more than it can store."""
    return SparseVector(_heaviest(weights), DIMENSIONS)


def sparse_text(weights: Mapping[int, float]) -> str:
    """The weights as the text of a `sparsevec`, whose indices count from 1."""
    entries = ",".join(f"{key + 1}:{value:.7g}" for key, value in sorted(_heaviest(weights).items()))
    return f"{{{entries}}}/{DIMENSIONS}"


def tsvector_text(words: Iterable[str]) -> str:
    """The lexemes as the text of a `tsvector`, without positions; safe whatever they hold."""
    return " ".join(f"'{_quoted(word)}'" for word in sorted(set(words)) if word)


def tsquery_text(words: Iterable[str]) -> str:
    """A `tsquery` for what holds all these lexemes, as text; empty when there are none."""
    return " & ".join(f"'{_quoted(word)}'" for word in sorted(set(words)) if word)


def _heaviest(weights: Mapping[int, float]) -> dict[int, float]:
    stored = {key: value for key, value in weights.items() if value}
    if len(stored) <= MAX_NONZERO:
        return stored
    return dict(sorted(stored.items(), key=lambda entry: -entry[1])[:MAX_NONZERO])


def _quoted(word: str) -> str:
    return word.replace("\\", "\\\\").replace("'", "''").replace("\0", "")


class _KnownWords(dict[str, tuple[str, ...]]):
    """The lexemes of everything seen between two spaces in one language: texts repeat themselves, so each is worked out once."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stops = STOP_WORDS.get(language, frozenset())
        algorithm = _STEMMERS.get(language)
        self._stemmer = Stemmer.Stemmer(algorithm, 0) if algorithm else None

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        tokens = _TOKEN.findall(piece)
        if tokens == [piece]:
            answer = tuple(dict.fromkeys(self._expand(piece)))
        else:
            answer = tuple(word for token in tokens for word in self[token])
        if len(piece) <= 2 * _LONGEST:
            self[piece] = answer
        return answer

    def stems(self, words: Sequence[str]) -> Sequence[str]:
        """Of each word that is not left out; all in one call."""
        telling = [word[:_LONGEST] for word in words if word not in self._stops]
        return self._stemmer.stemWords(telling) if self._stemmer else telling

    def _expand(self, token: str) -> Iterator[str]:
        if token.isascii() and token.isalpha() and (token.islower() or token[1:].islower()):
            yield from self._stem(token.lower())
        elif token.endswith("%"):
            number = "".join(_PART.findall(token))
            yield from (number + "%", number)
        elif _NUMBER.fullmatch(token):
            yield "".join(_PART.findall(token))
        else:
            yield from self._expand_joined(token)

    def _expand_joined(self, token: str) -> Iterator[str]:
        parts = _PART.findall(token)
        if len(parts) > 1:
            yield from self._stem(_plain("".join(parts)))
        for part in parts:
            yield from self._stem(_plain(part))
            for piece in _pieces(part):
                yield from self._stem(_plain(piece))

    def _stem(self, word: str) -> Iterator[str]:
        if not word or word in self._stops:
            return
        word = word[:_LONGEST]
        yield self._stemmer.stemWord(word) if self._stemmer and not word.isdigit() else word


@cache
def _known_words(language: str) -> _KnownWords:
    return _KnownWords(language if language in _STEMMERS else "")


def _plain(word: str) -> str:
    """Lower case, compatibility forms unfolded, accents off."""
    if word.isascii():
        return word.lower()
    return composed(_MARKS.sub("", taken_apart(word))).lower()


def _pieces(part: str) -> Iterator[str]:
    """Smaller words inside one: the humps of CamelCase, «3kg», pairs of signs where nobody writes spaces."""
    if len(part) <= _LONGEST and not part.islower() and not part.isupper() and _HUMP.match(part):
        yield from _HUMP.sub(lambda hump: hump[0] + " ", part).split()
    elif match := _DIGITS_AND_LETTERS.fullmatch(part):
        yield from (group for group in match.groups() if group)
    for run in _UNSPACED.findall(part):
        yield from (run[index : index + 2] for index in range(len(run) - 1))
