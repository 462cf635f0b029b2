"""Exact windows: never longer than the size, sharing the overlap with the one before, words kept whole.

Only a single word longer than the whole window is cut.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from veraz.ingest.chunk.model import Span
from veraz.ingest.chunk.rulers import Ruler
from veraz.ingest.chunk.sections import Places, sections
from veraz.ingest.model import Parsed
from veraz.library.configs import ChunkingConfig

_BLANK = re.compile(r"\s")
_INK = re.compile(r"\S")


def fixed(parsed: Parsed, config: ChunkingConfig, ruler: Ruler) -> Iterator[Span]:
    """The windows of a document, section by section."""
    for blocks in sections(parsed):
        places = Places(blocks)
        yield from windows(
            parsed.text, blocks[0].start, blocks[-1].end, ruler, config.longest, config.chunk_overlap, places
        )


def windows(
    text: str, start: int, end: int, ruler: Ruler, size: int, overlap: int, places: Places
) -> Iterator[Span]:
    """Windows over `text[start:end]`, which has no blank edges."""
    position, covered = start, start
    while covered < end:
        header, room = below_header(places.table_header(position), ruler, size)
        stop = _stop(text, position, end, ruler, room)
        if stop <= covered:  # the overlap left no room for the next word, so it goes without overlap
            position = _skip_blanks(text, covered, end)
            continue
        yield Span(start=position, end=stop, table_header=header)
        covered = stop
        position = _next_start(text, position, stop, end, ruler, overlap)


def below_header(header: str, ruler: Ruler, size: int) -> tuple[str, int]:
    """The header line as far as it takes at most half the size, and what remains of the size below it."""
    return _below_header(header, ruler.of, size) if header else ("", size)


@lru_cache(maxsize=256)
def _below_header(header: str, measure: Callable[[str], int], size: int) -> tuple[str, int]:
    while header and measure(header + "\n") > size // 2:
        header = header[: len(header) * 3 // 4].rsplit(None, 1)[0] if len(header) > 8 else ""
    return header, size - measure(header + "\n") if header else size


def _stop(text: str, start: int, end: int, ruler: Ruler, room: int) -> int:
    """The end of the longest run of whole words from `start` that fits."""
    stop = min(ruler.reach(start, room), end)
    while stop > start:
        if stop < end and not (text[stop].isspace() or text[stop - 1].isspace()):
            words = text[start:stop].rsplit(None, 1)
            if len(words) < 2:
                break
            stop = start + len(words[0])
        stop = start + len(text[start:stop].rstrip())
        if ruler.size(start, stop) <= room:
            return stop
        stop -= 1
    return _cut_word(text, start, end, ruler, room)


def _cut_word(text: str, start: int, end: int, ruler: Ruler, room: int) -> int:
    """The end of the longest piece of one long word that fits; at least one character."""
    blank = _BLANK.search(text, start, min(end, start + 16 * room))
    high = blank.start() if blank else min(end, start + 16 * room)
    if (
        ruler.size(start, high) <= room
    ):  # it is not too long after all: how far a ruler reaches is only about right
        return high
    low, guess = start + 1, min(ruler.reach(start, room), high)
    if guess > start:
        if ruler.size(start, guess) <= room:
            return guess
        high = guess - 1
    while low < high:
        middle = (low + high + 1) // 2
        if ruler.size(start, middle) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _next_start(text: str, start: int, stop: int, end: int, ruler: Ruler, overlap: int) -> int:
    if overlap == 0 or stop >= end:
        return _skip_blanks(text, stop, end)
    target = max(ruler.back(stop, overlap), start + 1)
    if text[target - 1].isspace() or text[target].isspace():
        return _skip_blanks(text, target, end)
    blank = _BLANK.search(text, target, stop)
    if blank is not None:
        return _skip_blanks(text, blank.start(), end)
    inside_word = not text[stop].isspace() and not text[stop - 1].isspace()
    return target if inside_word else _skip_blanks(text, stop, end)


def _skip_blanks(text: str, position: int, end: int) -> int:
    match = _INK.search(text, position, end)
    return match.start() if match else end
