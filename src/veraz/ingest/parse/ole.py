"""The OLE file behind DOC, XLS and PPT: its streams, and what it says about itself, within bounds."""

import struct
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from types import TracebackType

import olefile

from veraz import errors
from veraz.ingest.parse.base import MB
from veraz.ingest.parse.finish import About

_STREAM_MAX = 60 * MB
_STORAGES_MAX = 200
_STREAMS_MAX = 50
_PROPERTIES_MAX = 256 * 1024
_TITLE, _AUTHOR, _CREATED, _CODE_PAGE, _PAGES = 2, 4, 12, 1, 14
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_BROKEN = (OSError, ValueError, IndexError, KeyError, struct.error, TypeError, AttributeError)


class OleFile:
    """Streams by name; a damaged file is `Corrupt`, never a stray exception."""

    def __init__(self, data: bytes) -> None:
        try:
            self._ole = olefile.OleFileIO(data)
        except _BROKEN as error:
            raise errors.Corrupt() from error

    def __enter__(self) -> "OleFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ole.close()

    def read(self, name: str, limit: int = _STREAM_MAX) -> bytes | None:
        """A stream's bytes; None when there is no such stream."""
        try:
            if not self._ole.exists(name) or self._ole.get_type(name) != olefile.STGTY_STREAM:
                return None
            with self._ole.openstream(name) as stream:
                return bytes(stream.read(limit))
        except _BROKEN as error:
            raise errors.Corrupt() from error

    def storages(self) -> list[str]:
        """The folders that hold streams, those of embedded objects among them."""
        folders = ("/".join(path[:-1]) for path in self._paths() if len(path) > 1)
        return list(dict.fromkeys(folders))[:_STORAGES_MAX]

    def streams(self, storage: str = "") -> dict[str, bytes]:
        """The streams directly in a folder (or in the file itself), by name."""
        inside = [path[-1] for path in self._paths() if "/".join(path[:-1]) == storage][:_STREAMS_MAX]
        prefix = f"{storage}/" if storage else ""
        return {name: self.read(prefix + name) or b"" for name in inside}

    def _paths(self) -> list[list[str]]:
        try:
            return list(self._ole.listdir())
        except _BROKEN as error:
            raise errors.Corrupt() from error

    def about(self) -> About:
        """Title, author, date and page count from the summary; nothing when it is damaged."""
        with suppress(errors.Corrupt, *_BROKEN):
            stream = self.read("\x05SummaryInformation", _PROPERTIES_MAX)
            if stream:
                return _summary(stream)
        return About()


def _summary(stream: bytes) -> About:
    (section,) = struct.unpack_from("<I", stream, 44)
    (count,) = struct.unpack_from("<I", stream, section + 4)
    places = dict(struct.unpack_from("<2I", stream, section + 8 + 8 * at) for at in range(min(count, 64)))
    found = {key: section + offset for key, offset in places.items()}
    code_page = _short(stream, found.get(_CODE_PAGE))
    return About(
        title=_string(stream, found.get(_TITLE), code_page),
        author=_string(stream, found.get(_AUTHOR), code_page),
        created_date=_day(stream, found.get(_CREATED)),
        page_count=_count(stream, found.get(_PAGES)),
    )


def _short(stream: bytes, at: int | None) -> int:
    return 1252 if at is None else int(struct.unpack_from("<H", stream, at + 4)[0])


def _string(stream: bytes, at: int | None, code_page: int) -> str | None:
    if at is None:
        return None
    kind, length = struct.unpack_from("<2I", stream, at)
    if kind == 31:  # UTF-16, counted in characters
        return stream[at + 8 : at + 8 + 2 * min(length, 2000)].decode("utf-16-le", "replace").rstrip("\x00")
    if kind != 30:
        return None
    raw = stream[at + 8 : at + 8 + min(length, 2000)].split(b"\x00")[0] if code_page != 1200 else b""
    if code_page == 1200:
        return stream[at + 8 : at + 8 + min(length, 4000)].decode("utf-16-le", "replace").rstrip("\x00")
    try:
        return raw.decode("utf-8" if code_page == 65001 else f"cp{code_page}", "replace")
    except LookupError:
        return raw.decode("cp1252", "replace")


def _day(stream: bytes, at: int | None) -> date | None:
    if at is None or struct.unpack_from("<I", stream, at)[0] != 64:
        return None
    ticks = struct.unpack_from("<Q", stream, at + 4)[0]
    try:
        day = (_EPOCH + timedelta(microseconds=ticks // 10)).date()
    except OverflowError:
        return None
    return day if day.year > 1970 else None


def _count(stream: bytes, at: int | None) -> int | None:
    if at is None or struct.unpack_from("<I", stream, at)[0] != 3:
        return None
    pages = int(struct.unpack_from("<i", stream, at + 4)[0])
    return pages if 0 < pages < 100_000 else None
