"""The parsed document out of its text and blocks: its lists and articles, its title and its language."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from veraz import errors
from veraz.ingest.model import Block, Notice, Parsed, TextLine, Unit
from veraz.ingest.parse.articles import division_of
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.clean import one_line
from veraz.ingest.parse.language import guess_language
from veraz.ingest.parse.lists import Nesting
from veraz.ingest.parse.size import check_size
from veraz.ingest.parse.structure import structured

_PLACEHOLDER_TITLE = re.compile(
    r"^(microsoft (word|powerpoint|excel) - .*|untitled.*|sin t[íi]tulo.*|document[o ]?\d*|presentaci[óo]n( de powerpoint)?\s?\d*"
    r"|powerpoint[- ]?pr[eä]sentation|presentation\s?\d*|diapositiva \d+|slide \d+|libro\s?\d*|book\s?\d*|title|t[íi]tulo|.*\.(docx?|indd|qxd|dvi|tex|pptx?|xlsx?|pdf))$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a file says about itself."""

    title: str | None = None
    author: str | None = None
    created_date: date | None = None
    language: str | None = None
    page_count: int | None = None


def read_date(value: str | None) -> date | None:
    """The day in an ISO date or date-time; None when there is none or it cannot be."""
    try:
        return datetime.fromisoformat((value or "").strip()[:10]).date()
    except ValueError:
        return None


def _unmarked(words: str) -> str:
    """A heading without the marks around it."""
    return words.strip("#=- \n")


def finished(
    source: Source,
    text: str,
    blocks: tuple[Block, ...],
    *,
    unit: Unit,
    about: About,
    notices: tuple[Notice, ...] = (),
    lines: tuple[TextLine, ...] = (),
    nesting: Nesting | None = None,
    heading_name: Callable[[str], str] = _unmarked,
) -> Parsed:
    """The parsed document: lists and articles known, title and language found in the text when the file is silent."""
    if not blocks:
        raise errors.NoText()
    blocks = structured(text, blocks, nesting or Nesting())
    about = replace(about, title=_title(about.title) or _title_heading(text, blocks, unit, heading_name))
    check_size(source, len(text), len(blocks))
    return Parsed(
        text=text,
        blocks=blocks,
        unit=unit,
        title=about.title,
        author=one_line(about.author or "")[:200] or None,
        created_date=about.created_date,
        language=guess_language(text) or _short_language(about.language),
        page_count=about.page_count,
        notices=notices,
        lines=lines,
    )


def _title(value: str | None) -> str | None:
    line = one_line(value or "")
    return None if not line or _PLACEHOLDER_TITLE.match(line) else line[:500]


def _title_heading(
    text: str, blocks: tuple[Block, ...], unit: Unit, name: Callable[[str], str]
) -> str | None:
    """A heading among the first blocks that governs the document serves as title, unless it is of an article or a chapter.

    Articles and chapters are parts of what is named above them. Plain text marks no levels: the line it begins with names it.
    """
    for at, block in enumerate(blocks[:5]):
        title = name(text[block.start : block.end])
        if block.kind == "heading" and not division_of(title) and not title.endswith("?"):
            beside = [name(text[other.start : other.end]) for other in _beside(block, blocks[at + 1 :])]
            governs = all(map(division_of, beside)) or (unit == "text" and at == 0)
            return (title[:500] or None) if governs else None
    return None


def _beside(heading: Block, following: Sequence[Block]) -> list[Block]:
    """The headings of its part that do not stand under one; none where it has no text of its own and so names them."""
    own = [block for block in following if block.part == heading.part and block.kind != "note"]
    found = [block for block in own if block.kind == "heading" and len(block.headers) <= len(heading.headers)]
    return [] if found[:1] == own[:1] else found


def _short_language(value: str | None) -> str | None:
    code = (value or "").strip().lower()[:2]
    return code if len(code) == 2 and code.isalpha() else None
