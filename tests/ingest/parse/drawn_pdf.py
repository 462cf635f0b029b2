"""PDF pages with words and lines exactly where a test wants them, drawn through PDFium."""

import ctypes
from collections.abc import Sequence
from io import BytesIO

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

Words = tuple[float, float, str]
"""Left, base line and text; a text that begins with `**` is set in bold."""
Stroke = tuple[float, float, float, float]
"""From one point to another."""


class Sheet:
    """A new PDF, page by page."""

    def __init__(self) -> None:
        self._document = pdfium.PdfDocument.new()

    def page(
        self,
        words: Sequence[Words],
        strokes: Sequence[Stroke] = (),
        *,
        size: tuple[float, float] = (595, 842),
        rotation: int = 0,
        letters: float = 10,
        face: str = "Helvetica",
    ) -> "Sheet":
        """One more page."""
        page = self._document.new_page(*size)
        regular, bold = (
            pdfium_c.FPDFText_LoadStandardFont(self._document.raw, name)
            for name in (face.encode(), f"{face}-Bold".encode())
        )
        for x, y, text in words:
            font = bold if text.startswith("**") else regular
            item = pdfium_c.FPDFPageObj_CreateTextObj(self._document.raw, font, letters)
            wide = ctypes.create_string_buffer(text.removeprefix("**").encode("utf-16-le") + b"\0\0")
            pdfium_c.FPDFText_SetText(item, ctypes.cast(wide, ctypes.POINTER(pdfium_c.FPDF_WCHAR)))
            pdfium_c.FPDFPageObj_Transform(item, 1, 0, 0, 1, x, y)
            pdfium_c.FPDFPage_InsertObject(page.raw, item)
        for x0, y0, x1, y1 in strokes:
            path = pdfium_c.FPDFPageObj_CreateNewPath(x0, y0)
            pdfium_c.FPDFPath_LineTo(path, x1, y1)
            pdfium_c.FPDFPath_SetDrawMode(path, 0, 1)
            pdfium_c.FPDFPage_InsertObject(page.raw, path)
        page.set_rotation(rotation)
        page.gen_content()
        return self

    def data(self) -> bytes:
        """The file."""
        out = BytesIO()
        self._document.save(out)
        return out.getvalue()


def grid(xs: Sequence[float], ys: Sequence[float]) -> list[Stroke]:
    """Lines at these places, each over the whole grid."""
    across = [(min(xs), y, max(xs), y) for y in ys]
    return across + [(x, min(ys), x, max(ys)) for x in xs]


def column(*lines: str, top: float = 740, left: float = 60, step: float = 14) -> list[Words]:
    """Lines one below the other; an empty one leaves half a line of white."""
    found, y = list[Words](), top
    for line in lines:
        if line:
            indent = len(line) - len(line.lstrip())
            found.append((left + 6 * indent, y, line.strip()))
        y -= step if line else step / 2
    return found
