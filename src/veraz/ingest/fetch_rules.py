"""How a fetch is bounded and how a server's answer is judged: limits, status, name, packed bodies."""

import zlib
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from urllib.parse import unquote

import httpx

from veraz.errors import FetchRefused, OutsideBusy, OutsideDown, Phrase, TooLarge
from veraz.providers.web_rules import WEB_PORTS, shown
from veraz.settings import Settings

PIECE_BYTES = 256 * 1024
RETRY_SECONDS_MAX = 3600.0
NAME_LENGTH_MAX = 200
GZIP_START = b"\x1f\x8b"

GONE = Phrase("the page is no longer there", es="la página ya no existe")
CLOSED = Phrase("the site does not let us in", es="el sitio no nos deja entrar")

SUFFIX_OF = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "application/json": ".json",
    "application/msword": ".doc",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.ms-powerpoint": ".ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
}
KNOWN_SUFFIXES = frozenset({*SUFFIX_OF.values(), ".htm"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """How much of a stranger's server we are willing to bear."""

    seconds: float = 30.0
    """For everything: robots, redirects and the whole body."""
    connect_seconds: float = 10.0
    max_bytes: int = 25 * 1024 * 1024
    """Of the unpacked body."""
    redirects: int = 5
    allow_private: bool = False
    ports: frozenset[int] | None = WEB_PORTS

    @classmethod
    def of(cls, settings: Settings) -> "FetchLimits":
        """The limits an operator configured."""
        private = settings.fetch_allow_private
        return cls(
            seconds=settings.fetch_seconds,
            max_bytes=settings.fetch_max_bytes,
            allow_private=private,
            ports=None if private else WEB_PORTS,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A page that answered; its body is read once, piece by piece, under the limits."""

    url: str
    final_url: str
    content_type: str
    """Lower case, without parameters; empty when the server does not say."""
    charset: str | None
    filename: str
    """Safe to show and store: no folders, no control characters."""
    robots_tag: str
    """The `X-Robots-Tag` header, lower case."""
    body: AsyncIterator[bytes]


def judge(url: httpx.URL, response: httpx.Response) -> None:
    """Nothing for a good answer; otherwise the error that says whether to try again."""
    status = response.status_code
    if status in (200, 203):
        return
    if status in (404, 410):
        raise FetchRefused(url=shown(url), reason=GONE)
    if status in (401, 403, 407, 451):
        raise FetchRefused(url=shown(url), reason=CLOSED)
    _judge_trouble(url, response)
    raise FetchRefused(
        url=shown(url), reason=Phrase(f"the site answered {status}", es=f"el sitio respondió {status}")
    )


def _judge_trouble(url: httpx.URL, response: httpx.Response) -> None:
    """What passes with time."""
    status, wait = response.status_code, retry_after(response.headers.get("retry-after"))
    if status == 429 or (status == 503 and wait is not None):
        raise OutsideBusy(host=url.host, retry_after=wait)
    if status >= 500 or status in (408, 425):
        raise OutsideDown(
            host=url.host, reason=Phrase(f"the site answered {status}", es=f"el sitio respondió {status}")
        )


def retry_after(value: str | None) -> float | None:
    """Seconds from a number or a date, at most an hour; None for nothing or nonsense."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            until = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (until.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), RETRY_SECONDS_MAX) if seconds == seconds else None


def page_of(
    url: httpx.URL, final: httpx.URL, response: httpx.Response, body: AsyncIterator[bytes]
) -> FetchedPage:
    """What the headers tell about a page."""
    header = Message()
    header["content-type"] = response.headers.get("content-type", "")
    kind = header.get_content_type() if "/" in str(header["content-type"]) else ""
    charset = header.get_param("charset")
    return FetchedPage(
        url=shown(url),
        final_url=shown(final),
        content_type=kind,
        charset=charset if isinstance(charset, str) else None,
        filename=filename_of(final, kind, response.headers.get("content-disposition")),
        robots_tag=response.headers.get("x-robots-tag", "").lower(),
        body=body,
    )


def filename_of(url: httpx.URL, content_type: str, disposition: str | None) -> str:
    """The name the server gives, else the last part of the address, else the host; with a true suffix."""
    given = Message()
    given["content-disposition"] = (disposition or "").replace("\n", " ").replace("\r", " ")
    name = _plain_name(given.get_filename() or "") or _plain_name(unquote(url.path)) or url.host
    suffix = SUFFIX_OF.get(content_type, "")
    return name if not suffix or PurePosixPath(name.lower()).suffix in KNOWN_SUFFIXES else name + suffix


def _plain_name(name: str) -> str:
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    kept = "".join(letter for letter in last if letter.isprintable()).strip(" .")
    stem, dot, suffix = kept.rpartition(".")
    return (
        f"{stem[: NAME_LENGTH_MAX - len(suffix)]}.{suffix}"
        if dot and len(suffix) < 10
        else kept[:NAME_LENGTH_MAX]
    )


class Unpacker:
    """Unpacks a body in small pieces, so that a few bytes never become gigabytes at once."""

    def __init__(self, url: httpx.URL, response: httpx.Response, max_bytes: int) -> None:
        self._url, self._max_bytes, self._size = url, max_bytes, 0
        self._gzip = _gunzip() if _is_packed(url, response) else None
        if _declared_length(response) > max_bytes:
            raise self._too_large()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The plain pieces of a chunk as it came, until the limit is reached."""
        return self._limited(self._unpacked(chunk) if self._gzip else [chunk])

    def finish(self) -> Iterator[bytes]:
        """What the unpacking still held back; a packed body must have come to its own end."""
        if self._gzip and self._size:
            yield from self._limited([self._gzip.flush()])
            if not self._gzip.eof:
                raise OutsideDown(
                    host=self._url.host, reason=Phrase("the page was cut off", es="la página llegó cortada")
                )

    def _limited(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._size += len(piece)
            if self._size > self._max_bytes:
                raise self._too_large()
            if piece:
                yield piece

    def _unpacked(self, chunk: bytes) -> Iterator[bytes]:
        assert self._gzip is not None
        try:
            while chunk:
                if self._gzip.eof and not chunk.startswith(GZIP_START):
                    return
                if self._gzip.eof:
                    self._gzip = _gunzip()
                yield self._gzip.decompress(chunk, PIECE_BYTES)
                chunk = self._gzip.unconsumed_tail or self._gzip.unused_data
        except zlib.error as problem:
            raise FetchRefused(
                url=shown(self._url), reason=Phrase("its content is damaged", es="su contenido está dañado")
            ) from problem

    def _too_large(self) -> TooLarge:
        return TooLarge(what=shown(self._url), limit=f"{self._max_bytes / 1_048_576:g} MB")


def _gunzip() -> "zlib._Decompress":
    return zlib.decompressobj(wbits=31)


def _is_packed(url: httpx.URL, response: httpx.Response) -> bool:
    """Only one layer of gzip is asked for; layers on layers are how bombs are built."""
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing in ("gzip", "x-gzip"):
        return True
    if packing in ("identity", ""):
        return False
    reason = Phrase(
        f"its packing «{packing[:40]}» is not read", es=f"su compresión «{packing[:40]}» no se lee"
    )
    raise FetchRefused(url=shown(url), reason=reason)


def _declared_length(response: httpx.Response) -> int:
    declared = response.headers.get("content-length", "")
    return int(declared) if declared.isdecimal() and len(declared) < 20 else 0
