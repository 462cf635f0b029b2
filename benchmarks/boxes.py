"""Whether the boxes people see hold the words that were quoted: `python -m benchmarks.boxes FILE_OR_FOLDER…`.

Ingests PDFs into a Veraz of its own, takes every sentence of their stored blocks, follows a signed link to each as the source
panel does, and reads back with PDFium what stands under its boxes: percent of the page's picture, as the browser is told
them. The letters and digits of the sentence must be among it.
"""

import argparse
import asyncio
import ctypes
import io
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]
from tests.support.load import Shelf, Workers, fresh_home, new_shelf, opened

from veraz import errors
from veraz.ingest.receive import Labels
from veraz.passages.model import SourceView
from veraz.settings import Settings
from veraz.text.page_shape import Box
from veraz.text.sentences import sentence_spans

_FINE = 10_000_000
_EMBEDDING = "fake:hash@64"


def main() -> None:
    """Measures every file and prints the share of sentences that stand under their boxes."""
    options = argparse.ArgumentParser()
    options.add_argument("paths", nargs="+", type=Path)
    options.add_argument("--show", action="store_true", help="print the sentences that were not found")
    chosen = options.parse_args()
    with fresh_home("veraz-boxes-") as home:
        asyncio.run(_measure(home, list(_files(chosen.paths)), show=chosen.show))


async def _measure(home: Path, files: list[Path], *, show: bool) -> None:
    settings = Settings(home=home, embedding_model=_EMBEDDING)
    begun, right, total = time.perf_counter(), 0, 0
    async with opened(settings) as veraz:
        shelf = await new_shelf(veraz, "boxes")
        with Workers(home, {"VERAZ_EMBEDDING_MODEL": _EMBEDDING}) as workers:
            workers.start()
            documents = [(path, await _ingested(shelf, path)) for path in files]
        for path, document_id in documents:
            held, asked = await _held(shelf, path, document_id, show=show) if document_id else (0, 0)
            print(f"{path.name}: {held} of {asked}" if document_id else f"{path.name}: no text", flush=True)
            right, total = right + held, total + asked
    share = right / max(total, 1)
    print(f"{share:.4f} of {total} sentences under their boxes, {time.perf_counter() - begun:.0f} s")


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("*.pdf")) if path.is_dir() else [path]


async def _ingested(shelf: Shelf, path: Path) -> UUID | None:
    """The document once it has been read; None of a file without text."""
    data = io.BytesIO(path.read_bytes())
    try:
        received = await shelf.veraz.reception.file(shelf.actor, shelf.kb_id, path.name, data, Labels())
    except errors.VerazError:
        return None
    while True:
        document = await shelf.veraz.documents.get(shelf.actor, shelf.kb_id, received.document_id)
        if document.status in ("completed", "failed"):
            return document.id if document.status == "completed" else None
        await asyncio.sleep(0.2)


async def _held(shelf: Shelf, path: Path, document_id: UUID, *, show: bool) -> tuple[int, int]:
    """How many sentences of a document stand under their boxes, and how many there are."""
    pages = _Pages(path)
    held = asked = 0
    async for start, end, sentence in _sentences(shelf, document_id):
        passages = shelf.veraz.passages
        url = passages.links.url(shelf.actor.tenant_id, document_id, start, end, sentence)
        shown = await passages.show(shelf.actor, url.rpartition("/s/")[2])
        under = pages.under(shown)
        asked += 1
        held += _plain(sentence) in _plain(under)
        if show and _plain(sentence) not in _plain(under):
            print(f"{path.name}: {sentence!r}\n    under its boxes: {under!r}")
    return held, asked


async def _sentences(shelf: Shelf, document_id: UUID) -> AsyncIterator[tuple[int, int, str]]:
    """Every sentence of the stored text, from where to where."""
    first: int | None = 0
    while first is not None:
        document = await shelf.veraz.passages.document(shelf.actor, document_id, first=first)
        for block in document.blocks:
            for start, end in sentence_spans(block.text, 0, len(block.text)):
                if _plain(block.text[start:end]):
                    yield block.start + start, block.start + end, block.text[start:end]
        first = document.next


class _Pages:
    """A PDF as PDFium reads it, without any of our code."""

    def __init__(self, path: Path) -> None:
        self.document = pdfium.PdfDocument(path)
        self.document.init_forms()
        self.known: dict[int, tuple[pdfium.PdfPage, pdfium.PdfTextPage]] = {}

    def under(self, shown: SourceView) -> str:
        """The text below all boxes."""
        return " ".join(self._below(page.page_number, box) for page in shown.pages for box in page.boxes)

    def _below(self, number: int, box: Box) -> str:
        if number not in self.known:
            page = self.document[number - 1]
            if pdfium_c.FPDFPage_GetAnnotCount(page) > 0:
                pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY)
                page = self.document[number - 1]
            self.known[number] = page, page.get_textpage()
        page, text = self.known[number]
        left, top, width, height = box
        x1, y1 = _point(page, left, top)
        x2, y2 = _point(page, left + width, top + height)
        return str(text.get_text_bounded(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)))


def _point(page: pdfium.PdfPage, x: float, y: float) -> tuple[float, float]:
    """Percent of the picture as points of the page."""
    left, bottom = ctypes.c_double(), ctypes.c_double()
    across, down = round(x / 100 * _FINE), round(y / 100 * _FINE)
    pdfium_c.FPDF_DeviceToPage(page.raw, 0, 0, _FINE, _FINE, 0, across, down, left, bottom)
    return left.value, bottom.value


def _plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


if __name__ == "__main__":
    main()
