"""Which kind of file this is: the bytes decide, the name only chooses between kinds of plain text."""

from pathlib import Path, PurePosixPath
from typing import BinaryIO

from veraz import errors
from veraz.ingest.parse.base import MB, FileType
from veraz.ingest.parse.containers import OLE_MAGIC, ZIP_MAGIC, ole_names, zip_names
from veraz.ingest.parse.text import looks_like_text, starts_like

_HEAD = 65_536
_TEXTS = frozenset({FileType.HTML, FileType.MARKDOWN, FileType.TEXT, FileType.CSV, FileType.JSON})
_ALIASES = {
    "docm": FileType.DOCX, "dotx": FileType.DOCX, "dotm": FileType.DOCX, "dot": FileType.DOC,
    "xlsm": FileType.XLSX, "xltx": FileType.XLSX, "xltm": FileType.XLSX, "xlt": FileType.XLS,
    "pptm": FileType.PPTX, "ppsx": FileType.PPTX, "ppsm": FileType.PPTX, "potx": FileType.PPTX,
    "potm": FileType.PPTX, "pps": FileType.PPT, "pot": FileType.PPT,
    "htm": FileType.HTML, "xhtml": FileType.HTML, "markdown": FileType.MARKDOWN, "mdown": FileType.MARKDOWN,
    "text": FileType.TEXT, "log": FileType.TEXT, "tsv": FileType.CSV,
    "jsonl": FileType.JSON, "ndjson": FileType.JSON,
}  # fmt: skip
_OLE_KINDS = (
    ("worddocument", FileType.DOC),
    ("workbook", FileType.XLS),
    ("book", FileType.XLS),
    ("powerpoint document", FileType.PPT),
)
_ZIP_KINDS = (("word/", FileType.DOCX), ("xl/", FileType.XLSX), ("ppt/", FileType.PPTX))
_OTHER_MAGIC = (
    (b"{\\rtf", "RTF"),
    (b"\x1f\x8b", "GZIP"),
    (b"Rar!", "RAR"),
    (b"7z\xbc\xaf", "7-Zip"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"MZ", "EXE"),
    (b"\x7fELF", "ELF"),
    (b"%!PS", "PostScript"),
    (b"ID3", "MP3"),
    (b"OggS", "Ogg"),
    (b"SQLite format 3", "SQLite"),
    (b"\xdb\xa5\x2d\x00", "Word 2"),
    (b"\x09\x00\x04\x00", "Excel 2"),
    (b"\x09\x02\x06\x00", "Excel 3"),
    (b"\x09\x04\x06\x00", "Excel 4"),
)


def declared_type(filename: str) -> FileType | None:
    """The type the name claims; None when it claims nothing or something unknown."""
    extension = _extension(filename)
    if extension in _ALIASES:
        return _ALIASES[extension]
    return FileType(extension) if extension in set(FileType) else None


def detect(path: Path, filename: str) -> FileType:
    """The type of a stored file by its content, with its size checked against that type's limit.

    Reads a bounded part of the file, so it is safe to call while receiving an upload.
    """
    size = path.stat().st_size
    refuse_size(size, declared_type(filename), filename)
    with path.open("rb") as file:
        kind = detect_in(file, filename)
    refuse_size(size, kind, filename)
    return kind


def detect_in(file: BinaryIO, filename: str) -> FileType:
    """The type of an open file by its content; errors when empty, unknown or not what its name says."""
    file.seek(0)
    head = file.read(_HEAD)
    if not head:
        raise errors.EmptyDocument()
    declared = declared_type(filename)
    actual = _binary_kind(file, head, filename)
    if actual is None:
        return _text_kind(head, declared, filename)
    if declared not in (None, actual):
        raise _mismatch(filename, actual.value)
    return actual


def refuse_size(size: int, kind: FileType | None, filename: str) -> None:
    """Refuse what is larger than its type (or, not known yet, than any type) may be."""
    limit = kind.max_bytes if kind else max(kind.max_bytes for kind in FileType)
    if size == 0:
        raise errors.EmptyDocument()
    if size > limit:
        raise errors.TooLarge(what=filename, limit=f"{limit // MB} MB")


def _binary_kind(file: BinaryIO, head: bytes, filename: str) -> FileType | None:
    """PDF, Office old or new; None when it may be text."""
    if b"%PDF-" in head[:1024]:
        return FileType.PDF
    if head.startswith(ZIP_MAGIC):
        return _zip_kind(file, filename)
    if head.startswith(OLE_MAGIC):
        return _ole_kind(file, filename)
    for magic, kind in _OTHER_MAGIC:
        if head.startswith(magic):
            raise _refusal(filename, kind)
    return None


def _zip_kind(file: BinaryIO, filename: str) -> FileType:
    names = [name.lower().lstrip("/") for name in zip_names(file)]
    if any(name.startswith("xl/") and name.endswith(".bin") and "workbook" in name for name in names):
        raise _refusal(filename, "XLSB")
    for prefix, kind in _ZIP_KINDS:
        if any(name.startswith(prefix) for name in names):
            return kind
    raise _refusal(filename, "OpenDocument" if "mimetype" in names else "ZIP")


def _ole_kind(file: BinaryIO, filename: str) -> FileType:
    names = ole_names(file)
    if "encryptedpackage" in names or "encryptioninfo" in names:
        raise errors.Protected()
    for name, kind in _OLE_KINDS:
        if name in names:
            return kind
    raise _refusal(filename, "OLE")


def _text_kind(head: bytes, declared: FileType | None, filename: str) -> FileType:
    if not looks_like_text(head):
        # A known name with unknown bytes is most likely a damaged file of that kind.
        if declared is not None and declared not in _TEXTS:
            raise errors.Corrupt()
        raise _refusal(filename, "binary")
    if declared in _TEXTS:
        return declared
    sniffed = FileType(starts_like(head))
    if declared is not None:
        raise _mismatch(filename, sniffed.value)
    if _extension(filename):
        raise errors.Unsupported(filename=filename, kind=_extension(filename).upper())
    return sniffed


def _refusal(filename: str, kind: str) -> errors.Unsupported:
    """A known name with other content is a mismatch; an unknown name is just not supported."""
    return _mismatch(filename, kind) if declared_type(filename) else _unsupported(filename, kind)


def _unsupported(filename: str, kind: str) -> errors.Unsupported:
    return errors.Unsupported(filename=filename, kind=kind)


def _mismatch(filename: str, actual: str) -> errors.TypeMismatch:
    declared = declared_type(filename)
    return errors.TypeMismatch(
        filename=filename, declared=declared.value.upper() if declared else "?", actual=actual.upper()
    )


def _extension(filename: str) -> str:
    return PurePosixPath(filename.replace("\\", "/")).suffix.lstrip(".").lower()
