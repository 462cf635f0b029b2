"""The list of documents as a file for other programs: CSV, XLSX or JSON, row by row, harmless in a spreadsheet."""

import asyncio
import csv
import io
import json
import tempfile
from collections.abc import AsyncIterator, Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Final, Literal
from uuid import UUID

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from veraz.ingest.documents import Document

Format = Literal["csv", "xlsx", "json"]
Cell = str | int | float | bool | None

MEDIA_TYPES: Final[dict[str, str]] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}
COLUMNS: Final = (
    "id", "name", "title", "version", "author", "file_type", "size_bytes", "origin", "source_url", "machine_id", "status",
    "error_code", "error_message", "chunks_count", "pages_count", "word_count", "tokens_used", "language",
    "created_date", "tier", "authority_score", "evidence_level", "institution", "peer_reviewed", "metadata",
    "created_at", "processing_completed_at",
)  # fmt: skip
_LONGEST_CELL = 32_767
_PIECE = 64 * 1024


def exported(documents: AsyncIterator[Document], kind: Format) -> AsyncIterator[bytes]:
    """The documents as bytes of that format, piece by piece."""
    return _WRITERS[kind](documents)


def safe_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


async def _as_csv(documents: AsyncIterator[Document]) -> AsyncIterator[bytes]:
    yield b"\xef\xbb\xbf"  # without it Excel reads accents wrong
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    async for document in documents:
        writer.writerow(_row(document))
        if buffer.tell() > _PIECE:
            yield _taken(buffer)
    yield _taken(buffer)


async def _as_json(documents: AsyncIterator[Document]) -> AsyncIterator[bytes]:
    before = "["
    async for document in documents:
        record = {name: _plain(getattr(document, name)) for name in COLUMNS}
        yield (before + json.dumps(record, ensure_ascii=False)).encode()
        before = ",\n"
    yield b"[]" if before == "[" else b"]"


async def _as_xlsx(documents: AsyncIterator[Document]) -> AsyncIterator[bytes]:
    """A workbook cannot be sent before it is closed, so it waits on disk."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("documents")
    sheet.append(list(COLUMNS))
    async for document in documents:
        sheet.append([_for_excel(cell) for cell in _row(document)])
    with tempfile.TemporaryFile() as file:
        await asyncio.to_thread(book.save, file)
        file.seek(0)
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


_WRITERS: Final[dict[str, Callable[[AsyncIterator[Document]], AsyncIterator[bytes]]]] = {
    "csv": _as_csv,
    "json": _as_json,
    "xlsx": _as_xlsx,
}


def _row(document: Document) -> list[Cell]:
    return [_cell(_plain(getattr(document, name))) for name in COLUMNS]


def _plain(value: object) -> Cell | dict[str, object]:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    assert value is None or isinstance(value, str | int | float | bool | dict)
    return value


def _cell(value: Cell | dict[str, object]) -> Cell:
    if isinstance(value, dict):
        return safe_cell(json.dumps(value, ensure_ascii=False)) if value else ""
    return safe_cell(value) if isinstance(value, str) else value


def _for_excel(cell: Cell) -> Cell:
    return ILLEGAL_CHARACTERS_RE.sub("", cell)[:_LONGEST_CELL] if isinstance(cell, str) else cell


def _taken(buffer: io.StringIO) -> bytes:
    piece = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return piece
