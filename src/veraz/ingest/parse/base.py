"""What every reader is given, what it gives back and how much it may take."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from veraz.ingest.model import Parsed

if TYPE_CHECKING:
    from veraz.settings import Settings

MB = 1024 * 1024


class FileType(StrEnum):
    """The formats that can be read."""

    PDF = "pdf"
    DOCX = "docx"
    DOC = "doc"
    XLSX = "xlsx"
    XLS = "xls"
    PPTX = "pptx"
    PPT = "ppt"
    HTML = "html"
    MARKDOWN = "md"
    TEXT = "txt"
    CSV = "csv"
    JSON = "json"

    @property
    def max_bytes(self) -> int:
        """The largest file of this type that is accepted."""
        return _MAX_MB.get(self, 10) * MB


_MAX_MB = {
    FileType.PDF: 50,
    FileType.DOCX: 25,
    FileType.DOC: 25,
    FileType.PPTX: 50,
    FileType.PPT: 50,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseLimits:
    """How much one file may cost before it is given up."""

    seconds: float = 120
    """Wall clock, beside the time its scanned pages need."""
    memory_mb: int = 1536
    ocr_pages_max: int = 300
    ocr_page_seconds: float = 60
    """The longest one scanned page may take; the wall clock grows by a part of it per page to scan."""
    tesseract: str | None = None
    """Path of the Tesseract program; None when it is not installed."""
    characters_max: int = 30_000_000
    blocks_max: int = 500_000
    columns_max: int = 16_384
    """As many as a spreadsheet can have: what has more is no table."""
    output_mb: int = 160
    """The most an answer may weigh on its way out of the jail."""

    @classmethod
    def of(cls, settings: "Settings") -> "ParseLimits":
        """The limits an operator has set, and Tesseract wherever it is installed."""
        return cls(
            seconds=settings.parse_seconds,
            memory_mb=settings.parse_memory_mb,
            ocr_pages_max=settings.ocr_pages_max,
            tesseract=shutil.which("tesseract"),
        )


def _no_progress(_percent: int) -> None:
    """Nobody is watching."""


def _no_scans(_pages: int) -> None:
    """Nobody is timing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file as a reader sees it: its bytes, its name for the messages, its limits."""

    data: bytes = field(repr=False)
    filename: str
    limits: ParseLimits = ParseLimits()
    progress: Callable[[int], None] = _no_progress
    """Told how many percent are read, when reading takes long."""
    expect_scans: Callable[[int], None] = _no_scans
    """Told how many pages will go through OCR, before the first one."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What else is wanted: the page to draw and its marks."""
    read_embedded: "Reader | None" = None
    """Reads a file that lies inside this one; None when nothing further in may be opened."""


class Reader(Protocol):
    """Reads one format: a pure function of the bytes."""

    def __call__(self, source: Source, /) -> Parsed:
        """The visible text, or an error of `veraz.errors`."""
        ...
