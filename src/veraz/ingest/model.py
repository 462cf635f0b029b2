"""The types that travel along a document's way in, one per arrow; no step changes its input."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from veraz import errors
from veraz.text.blocks import Block as Block
from veraz.text.blocks import BlockKind as BlockKind
from veraz.text.blocks import Span as Span
from veraz.text.blocks import TextLine as TextLine

Unit = Literal["page", "slide", "sheet", "row", "section", "text"]
"""What a document of this kind is counted and cited in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the reader should know about a document that was read all the same."""

    code: str
    en: str
    es: str

    @classmethod
    def of(cls, code: str, **fields: object) -> "Notice":
        """One of those `veraz.errors` has the sentences of."""
        return cls(code=code, **errors.notice(code, **fields))

    def message(self, language: str = "es") -> str:
        """The sentence a person reads, in Spanish or English."""
        return self.es if language.startswith("es") else self.en


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """The visible text of a document and where each piece of it stands.

    Blocks are in reading order, do not overlap, hold no blank edges, and everything outside them
    is white space. The text is NFC, without NUL, lone surrogates or control characters but
    newline and tab.
    """

    text: str
    blocks: tuple[Block, ...]
    unit: Unit = "text"
    title: str | None = None
    author: str | None = None
    created_date: date | None = None
    language: str | None = None
    """ISO 639-1, guessed from the text («es», «en», …)."""
    page_count: int | None = None
    notices: tuple[Notice, ...] = ()
    lines: tuple[TextLine, ...] = ()
    """The lines of pages in the order of the text, each within one block; none where a format has no pages."""

    def of(self, block: Block) -> str:
        """The text of one of its blocks."""
        return self.text[block.start : block.end]

    def count_words(self) -> int:
        """How many words it has; block by block, because the words of a huge text all at once fill the memory."""
        return sum(len(self.of(block).split()) for block in self.blocks)

    def parts(self) -> Iterator[tuple[Block, ...]]:
        """Blocks grouped by page and part, in order: pages, slides, sheets or records."""
        group: list[Block] = []
        for block in self.blocks:
            if group and (block.page, block.part) != (group[-1].page, group[-1].part):
                yield tuple(group)
                group = []
            group.append(block)
        if group:
            yield tuple(group)
