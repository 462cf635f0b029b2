"""Files inside files: workbooks, documents and PDFs put into a Word, PowerPoint or Excel file as objects."""

import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from veraz import errors
from veraz.ingest.parse.base import MB, Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.compound import compound_file
from veraz.ingest.parse.containers import OLE_MAGIC
from veraz.ingest.parse.ole import OleFile
from veraz.ingest.parse.ooxml import Package

DEPTH_MAX = 2
"""How many files deep: a workbook in a document in a presentation."""
_FILES_MAX = 50
_FILE_BYTES_MAX = 25 * MB
_TOTAL_BYTES_MAX = 60 * MB
_KINDS = frozenset({"package", "oleObject"})
_OFFICE_STREAMS = ("WordDocument", "Workbook", "Book", "PowerPoint Document")
_PACKAGE, _PDF, _ATTACHED = "Package", "CONTENTS", "\x01Ole10Native"

File = tuple[str, bytes]
"""Name and content; the name is empty when only the content says what it is."""


def write_embedded(source: Source, builder: Builder, files: Iterable[File]) -> None:
    """Add the text of files inside a file. One that cannot be read does not cost the whole."""
    if source.read_embedded is None:
        return
    left = _TOTAL_BYTES_MAX
    for name, data in islice(files, _FILES_MAX):
        left -= len(data)
        if len(data) > _FILE_BYTES_MAX or left < 0:
            continue
        inner = replace(source, data=data, filename=name or "embedded", progress=lambda _percent: None)
        parsed = None
        with suppress(errors.VerazError):
            parsed = source.read_embedded(inner)
        if parsed:
            builder.embed(parsed)


def in_package(package: Package, owner: str) -> Iterator[File]:
    """The files a part of an Office package shows as objects; the data behind charts is not among them."""
    targets = dict.fromkeys(
        relation.target
        for relation in package.relations(owner)
        if relation.kind in _KINDS and package.has(relation.target)
    )
    for target in targets:
        with suppress(errors.Corrupt):
            yield from in_object(package.read(target))


def in_object(data: bytes) -> Iterator[File]:
    """The file in an object: itself, or what its OLE wrapper holds."""
    if not data.startswith(OLE_MAGIC):
        yield "", data
        return
    with suppress(errors.Corrupt), OleFile(data) as ole:
        streams = ole.streams()
        if any(name in streams for name in _OFFICE_STREAMS):
            yield "", data
        else:
            yield from _wrapped(streams)


def in_storages(ole: OleFile) -> Iterator[File]:
    """The files an old Word or Excel file keeps in folders of its own."""
    for storage in ole.storages():
        with suppress(errors.Corrupt):
            streams = ole.streams(storage)
            if any(name in streams for name in _OFFICE_STREAMS):
                yield "", compound_file(streams)
            else:
                yield from _wrapped(streams)


def _wrapped(streams: Mapping[str, bytes]) -> Iterator[File]:
    if _PACKAGE in streams:
        yield "", streams[_PACKAGE]
    elif streams.get(_PDF, b"").startswith(b"%PDF"):
        yield "", streams[_PDF]
    elif _ATTACHED in streams:
        with suppress(struct.error, ValueError):
            yield _attached(streams[_ATTACHED])


def _attached(stream: bytes) -> File:
    """A file attached as it was: label, name and path, then its length and content."""
    label_end = stream.index(b"\x00", 6)
    name_end = stream.index(b"\x00", label_end + 1)
    (path_length,) = struct.unpack_from("<I", stream, name_end + 5)
    at = name_end + 9 + path_length
    (length,) = struct.unpack_from("<I", stream, at)
    label = stream[6:label_end].decode("cp1252", "replace")
    return label.replace("\\", "/").rsplit("/", 1)[-1], stream[at + 4 : at + 4 + length]
