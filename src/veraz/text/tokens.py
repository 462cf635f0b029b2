"""Tokens as OpenAI's embedding models count them (cl100k_base), offline and exactly.

The vocabulary ships beside this file, byte for byte the one tiktoken (MIT) would download.
Counting a text costs one pass over its words; a word's tokens are remembered.
"""

import base64
import lzma
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

import numpy as np
import regex
import tiktoken
from numpy.typing import NDArray

_WORD_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_WORD = regex.compile(_WORD_PATTERN)
_SINGLE_SPACE = re.compile(r"(?<=\S) (?=\S)")
_SEGMENT = 262_144
_REMEMBERED_WORDS = 100_000
_LONGEST_REMEMBERED = 200
_LONGEST_WORD = 256
_LONG_PIECE = 2_000


def count_tokens(text: str) -> int:
    """How many tokens the text has."""
    return sum(map(_tokens_of, _words(text)))


class TokenRuler:
    """Measures any span of one text in tokens after reading the text once.

    It remembers the total before every single space between two words (whatever stands around such
    a space, a token starts there), and before every word where a text has no such spaces.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts, self._totals = _measure(text)

    def size(self, start: int, end: int) -> int:
        """Tokens of `text[start:end]`, exactly as if it stood alone (it must not end in white space)."""
        first, position, head = self._synchronise(start, end)
        last = bisect_right(self._starts, end) - 1
        if last < first:
            return head + count_tokens(self._text[position:end])
        tail = count_tokens(self._text[self._starts[last] : end])
        return head + self._totals[last] - self._totals[first] + tail

    def reach(self, start: int, limit: int) -> int:
        """The farthest end of a token within about `limit` tokens of `start`."""
        return self._position(self._total(start) + limit)

    def back(self, end: int, limit: int) -> int:
        """The earliest start of a token within about `limit` tokens before `end`."""
        return self._position(max(self._total(end) - limit, 0))

    def _synchronise(self, start: int, end: int) -> tuple[int, int, int]:
        """Words from `start` on until one of them starts at a remembered place."""
        head, position = 0, start
        first = bisect_left(self._starts, position)
        while position < end and self._starts[first] != position:
            match = _WORD.match(self._text, position, end)
            if match is None:
                break
            head += count_tokens(match[0])
            position = match.end()
            first = bisect_left(self._starts, position)
        return first, position, head

    def _total(self, position: int) -> int:
        piece = bisect_right(self._starts, position) - 1
        return self._totals[piece] + count_tokens(self._text[self._starts[piece] : position])

    def _position(self, total: int) -> int:
        """Where the text has had so many tokens, or the last place before."""
        piece = bisect_right(self._totals, total) - 1
        position, spare = self._starts[piece], total - self._totals[piece]
        end = self._starts[min(piece + 1, len(self._starts) - 1)]
        for word in _words(self._text[position:end]):
            spare -= _tokens_of(word)
            if spare < 0:
                break
            position += len(word)
        return position


def _measure(text: str) -> tuple["array[int]", "array[int]"]:
    """Places where tokens start and the tokens before each, from the text's start to its end."""
    lengths: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]
    counts: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]
    position = 0
    while position < len(text):
        for measured in _segment(text, position):
            lengths.append(measured[0])
            counts.append(measured[1])
            position += int(measured[0].sum())
    return _running_total(lengths), _running_total(counts)


_Measured = tuple[NDArray[np.int64], NDArray[np.int64]]


def _segment(text: str, position: int) -> Iterator[_Measured]:
    """Lengths and tokens of the next pieces of a text."""
    cut = _SINGLE_SPACE.search(text, position + _SEGMENT, position + 2 * _SEGMENT)
    if cut is None and position + 2 * _SEGMENT < len(text):
        # hardly any spaces: the words at the edge may have been cut, so they are read again
        words = _words(text[position : position + 2 * _SEGMENT])
        yield _of_words(words[:-2] or words)
        return
    first, *pieces = _SINGLE_SPACE.split(text[position : cut.start() if cut else len(text)])
    yield _of_words(_words(first))
    if max(map(len, pieces), default=0) <= _LONG_PIECE:
        yield _array(map(len, pieces)) + 1, _array(map(_tokens_after_space, pieces))
        return
    yield _of_words([word for piece in pieces for word in _words(" " + piece)])


def _of_words(words: list[str]) -> _Measured:
    return _array(map(len, words)), _array(map(_tokens_of, words))


def _array(values: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(values, dtype=np.int64)


def _running_total(pieces: list[NDArray[np.int64]]) -> "array[int]":
    return array("q", np.cumsum(np.concatenate(pieces)).tobytes())


def _words(text: str) -> list[str]:
    """The words a tokeniser sees. Endless ones are counted in pieces: nobody waits minutes for a row of x."""
    words: list[str] = _WORD.findall(text)
    if max(map(len, words), default=0) <= _LONGEST_WORD:
        return words
    return [
        word[index : index + _LONGEST_WORD] for word in words for index in range(0, len(word), _LONGEST_WORD)
    ]


class _Remembered(dict[str, int]):
    """Tokens per word, worked out once; forgets everything when it grows too large."""

    def __init__(self, before: str) -> None:
        super().__init__()
        self._before = before

    def _count(self, word: str) -> int:
        if len(word) > _LONGEST_WORD:
            return count_tokens(self._before + word)
        return len(_encoding().encode_ordinary(self._before + word))

    def __missing__(self, word: str) -> int:
        count = self._count(word)
        if len(self) >= _REMEMBERED_WORDS:
            self.clear()
        if len(word) <= _LONGEST_REMEMBERED:
            self[word] = count
        return count


_tokens_of = _Remembered("").__getitem__
_tokens_after_space = _Remembered(" ").__getitem__


@cache
def _encoding() -> tiktoken.Encoding:
    packed = files("veraz.text").joinpath("cl100k_base.tiktoken.xz").read_bytes()
    lines = (line.split() for line in lzma.decompress(packed).splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding("cl100k_base", pat_str=_WORD_PATTERN, mergeable_ranks=ranks, special_tokens={})
