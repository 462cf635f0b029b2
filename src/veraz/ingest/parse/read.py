"""Reads one file, whatever it is: type by content → size → the reader of that type.

Runs inside the jail only; everything outside calls `sandbox.parse_file`.
"""

import io
from dataclasses import replace
from functools import partial

from veraz.ingest.model import Parsed
from veraz.ingest.parse import csv_rows, doc, docx, html, json_tree, markdown, pdf, ppt, pptx, text, xlsx
from veraz.ingest.parse.base import FileType, Reader, Source
from veraz.ingest.parse.embedded import DEPTH_MAX
from veraz.ingest.parse.pick import detect_in, refuse_size

READERS: dict[FileType, Reader] = {
    FileType.PDF: pdf.read,
    FileType.DOCX: docx.read,
    FileType.DOC: doc.read,
    FileType.XLSX: xlsx.read,
    FileType.XLS: xlsx.read,
    FileType.PPTX: pptx.read,
    FileType.PPT: ppt.read,
    FileType.HTML: html.read,
    FileType.MARKDOWN: markdown.read,
    FileType.TEXT: text.read,
    FileType.CSV: csv_rows.read,
    FileType.JSON: json_tree.read,
}


def read(source: Source) -> Parsed:
    """The visible text of any supported file, and of the files inside it."""
    return _read(source, depth=0)


def _read(source: Source, *, depth: int) -> Parsed:
    kind = detect_in(io.BytesIO(source.data), source.filename)
    refuse_size(len(source.data), kind, source.filename)
    further = partial(_read, depth=depth + 1) if depth < DEPTH_MAX else None
    return READERS[kind](replace(source, read_embedded=further))
