"""Headings of texts that have no marks for them: lines in capitals, underlined lines, numbered titles."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from veraz.ingest.parse.marks import mark_of

_UNDERLINE = re.compile(r"[ \t]*([=\-_~*])\1{2,}[ \t]*")
_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})(?:\.-|[.)]|(?=\s))\s*(?=\S)")
_ROMAN = re.compile(r"[IVX]{1,5}\s?(?:\.-?|\)|-|–|—)\s+(?=\S)")
_PARENTHESES = re.compile(r"\([^()]*\)")
_FIRST_WORD = re.compile(r"\d|\W*[^\W\d_a-zß-öø-ÿ]+\b")
"""A number or a word in capitals: most lines need no closer look."""
_CODE = re.compile(r"\d")
_SENTENCE_MARK = re.compile(r"[,;:?!]$|(?<!\b\w\.\w)\.$")
_COLUMNS = re.compile(r"\t|\S {3,}\S|\.{3,}|…")
_CHARACTERS = 100
_WORDS = 14
_LETTERS_MIN = 4
_CHAIN_MAX = 4
_TITLE_SHARE = 0.7
"""How long a title may be, compared with the lines below it: a line that was broken by the margin is longer."""
_CAPITALS_RANK, _NUMBERED_RANK = 1, 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may be a heading."""

    rank: int
    name: str
    number: tuple[int, ...] = ()
    capitals: bool = False
    underlined: bool = False


def may_be_bold_heading(words: str) -> bool:
    """Whether words that are bold from first to last may be the heading of what follows."""
    line = words.strip()
    return (
        0 < len(line) <= _CHARACTERS
        and len(line.split()) <= _WORDS
        and "\n" not in line
        and line[-1] not in ".,;:"
        and any(letter.isalpha() for letter in line)
    )


def candidate_of(words: str) -> Candidate | None:
    """The heading a paragraph may be, judged by its own words."""
    line, _, below = words.partition("\n")
    underlined = bool(below and _UNDERLINE.fullmatch(below))
    if (below and not underlined) or not (underlined or _FIRST_WORD.match(line)) or not _short(line):
        return None
    found = _NUMBER.match(line)
    number = _leading_number(line)
    title = line[found.end() :] if found else _ROMAN.sub("", line, count=1)
    rank = _NUMBERED_RANK + len(number) if number else _CAPITALS_RANK
    name = " ".join(line.split())
    if underlined:
        return Candidate(rank, name, number, underlined=True)
    if _in_capitals(title):
        return Candidate(rank, name, number, capitals=True)
    return Candidate(rank, name, number) if number and title[:1].isupper() else None


def numbered_below(words: str, headers: Sequence[str]) -> Candidate | None:
    """A numbered title that continues the number of a heading above it: «2.1 Tolerancia» below «2. Citas»."""
    candidate = candidate_of(words)
    if candidate is None or len(candidate.number) < 2:
        return None
    outer = candidate.number[:-1]
    return candidate if any(_leading_number(header) == outer for header in headers) else None


def section_number(words: str) -> tuple[int, ...]:
    """The number of the section a paragraph of several lines begins: a short numbered title above ordinary lines."""
    if not words[:1].isdigit() or "\n" not in words:
        return ()
    first, _, rest = words.partition("\n")
    candidate = candidate_of(first)
    if not rest or not candidate or not candidate.number or _leading_number(rest):
        return ()
    short = len(first) <= _TITLE_SHARE * max(map(len, rest.split("\n")))
    return candidate.number if (rest[:1].isupper() and short) or mark_of(rest) else ()


def has_numbered_sections(texts: Iterable[str]) -> bool:
    """Whether the sections that paragraphs begin are several and count upwards."""
    numbers = [number for words in texts if (number := section_number(words))]
    return len(numbers) > 1 and all(upper < lower for upper, lower in pairwise(numbers))


def numbered_rank(line: str) -> int | None:
    """How deep the number a heading begins with is, as candidates are ranked; None when it begins with none."""
    number = _leading_number(line)
    return _NUMBERED_RANK + len(number) if number else None


def confirmed(candidates: Sequence[Candidate | None], bodies: Sequence[int]) -> list[Candidate | None]:
    """Those of the candidates, one per block, that are headings of what stands below them.

    `bodies` says how much ordinary text each block holds. Titles that only have a number must count upwards and all have
    something below them, else they are a list.
    """
    shouted = sum(len(each.name) for each in candidates if each and each.capitals) > sum(bodies)
    numbered = _are_headings([c.number if c and not c.capitals else () for c in candidates], bodies)
    found: list[Candidate | None] = [None] * len(candidates)
    chain = 0
    for at in reversed(range(len(candidates))):
        candidate = candidates[at]
        chain = chain + 1 if candidate else 0
        if candidate is None or at + 1 == len(candidates) or chain > _CHAIN_MAX:
            continue
        above_text = bodies[at + 1] > 0 or found[at + 1] is not None
        certain = candidate.underlined or (not shouted if candidate.capitals else numbered)
        found[at] = candidate if above_text and certain else None
    return found


def _leading_number(line: str) -> tuple[int, ...]:
    found = _NUMBER.match(line)
    return tuple(map(int, found.group(1).split("."))) if found else ()


def _short(line: str) -> bool:
    if len(line) > _CHARACTERS or len(line.split()) > _WORDS:
        return False
    return not (_SENTENCE_MARK.search(line.rstrip()) or _COLUMNS.search(line.strip()))


def _in_capitals(title: str) -> bool:
    words = (word for word in _PARENTHESES.sub("", title).split() if not _CODE.search(word))
    letters = [letter for word in words for letter in word if letter.isalpha()]
    return len(letters) >= _LETTERS_MIN and all(letter.isupper() for letter in letters)


def _are_headings(numbers: Sequence[tuple[int, ...]], bodies: Sequence[int]) -> bool:
    """Whether numbered lines count upwards and each has text, or a deeper one, below it."""
    places = [at for at, number in enumerate(numbers) if number]
    listed = [numbers[at] for at in places]
    if len(listed) < 2 or any(lower <= upper for upper, lower in pairwise(listed)):
        return False
    for at in places:
        below = numbers[at + 1] if at + 1 < len(numbers) else ()
        if at + 1 == len(numbers) or not (bodies[at + 1] or len(below) > len(numbers[at])):
            return False
    return True
