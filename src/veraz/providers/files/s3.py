"""Files in an S3-compatible bucket, streamed up in parts and down in pieces.

An upload becomes visible only when it is completed. When it is cut off the parts already sent are
taken back; what a killed process leaves is invisible, and a lifecycle rule of the bucket
(*abort incomplete multipart uploads*) removes it.
"""

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from veraz.errors import NotFound, OutsideDown, OutsideRejected
from veraz.providers.files.base import (
    READ_BYTES,
    FileEntry,
    Measure,
    Stored,
    checked_key,
    checked_prefix,
    missing,
)

if TYPE_CHECKING:
    from obstore import AsyncWritableFile, BytesStream
    from obstore.store import S3Config

PART_BYTES = 8 * 1024 * 1024
PARTS_AT_ONCE = 2
REFUSED = re.compile(r"status code: 4(?!08|29)\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Where the bucket is and how to enter it; without keys the machine's own role is used."""

    name: str
    prefix: str = ""
    endpoint: str | None = None
    region: str = "us-east-1"
    access_key_id: str | None = None
    secret_access_key: str | None = None
    retry_seconds: float = 60.0


class S3Files:
    """A `FileStore` in a bucket; `scratch` holds the copies that parsers read."""

    def __init__(self, bucket: Bucket, scratch: Path) -> None:
        self._bucket, self._scratch, self._store = bucket, scratch, _connect(bucket)

    async def put(self, key: str, chunks: AsyncIterator[bytes], *, max_bytes: int) -> Stored:
        """Send the stream in parts; the object appears when the last one is confirmed."""
        measure = Measure(checked_key(key), max_bytes=max_bytes)
        upload = obstore.open_writer_async(
            self._store, key, buffer_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE
        )
        try:
            async for chunk in chunks:
                measure.add(chunk)
                await self._send(upload, chunk)
        except BaseException as cut:
            await _take_back(upload, cut)
            raise
        with self._faults():
            await upload.close()
        return measure.result()

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The object piece by piece."""
        with self._faults(key):
            found = await obstore.get_async(self._store, checked_key(key))
        return self._pieces(found.stream(min_chunk_size=READ_BYTES))

    @asynccontextmanager
    async def local_copy(self, key: str) -> AsyncIterator[Path]:
        """A temporary copy, removed afterwards."""
        pieces = await self.open(key)
        file = await asyncio.to_thread(self._temporary)
        with file:
            async for piece in pieces:
                await asyncio.to_thread(file.write, piece)
            await asyncio.to_thread(file.flush)
            yield Path(file.name)

    async def delete(self, key: str) -> None:
        """Remove the object; S3 answers the same when it was never there."""
        with self._faults():
            await obstore.delete_async(self._store, checked_key(key))

    async def exists(self, key: str) -> bool:
        """Whether the object is there."""
        try:
            with self._faults(key):
                await obstore.head_async(self._store, checked_key(key))
        except NotFound:
            return False
        return True

    async def list(self, prefix: str) -> AsyncIterator[FileEntry]:
        """The objects below a folder, page by page."""
        with self._faults():
            async for page in obstore.list(self._store, checked_prefix(prefix) or None):
                for meta in page:
                    yield FileEntry(key=meta["path"], size=meta["size"], modified_at=meta["last_modified"])

    async def _send(self, upload: "AsyncWritableFile", chunk: bytes) -> None:
        """Shielded, because a write dropped half-way would lose track of the parts to take back."""
        with self._faults():
            await asyncio.shield(asyncio.ensure_future(upload.write(chunk)))

    async def _pieces(self, stream: "BytesStream") -> AsyncIterator[bytes]:
        with self._faults():
            async for piece in stream:
                yield bytes(piece)

    def _temporary(self) -> IO[bytes]:
        self._scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
        return tempfile.NamedTemporaryFile(dir=self._scratch, prefix="copy-")

    @contextmanager
    def _faults(self, key: str | None = None) -> Iterator[None]:
        """Say what the bucket's errors mean; only reading one `key` can end in *not found*."""
        try:
            yield
        except FileNotFoundError as problem:
            if key is not None and "NoSuchBucket" not in str(problem):
                raise missing(key) from problem
            raise self._rejected(f"NoSuchBucket {self._bucket.name}") from problem
        except (OSError, BaseError) as problem:
            # The streaming writer keeps no error types, only the text with the status.
            if REFUSED.search(str(problem)):
                raise self._rejected(_first_line(problem)) from problem
            raise OutsideDown(host=self._host, reason=_first_line(problem)) from problem

    def _rejected(self, reason: str) -> OutsideRejected:
        return OutsideRejected(host=self._host, reason=reason)

    @property
    def _host(self) -> str:
        return self._bucket.endpoint or f"s3://{self._bucket.name}"


def _connect(bucket: Bucket) -> S3Store:
    config: S3Config = {"region": bucket.region}
    if bucket.endpoint:
        config["endpoint"] = bucket.endpoint
    if bucket.access_key_id and bucket.secret_access_key:
        config |= {"access_key_id": bucket.access_key_id, "secret_access_key": bucket.secret_access_key}
    return S3Store(
        bucket.name,
        prefix=bucket.prefix or None,
        config=config,
        client_options={
            "allow_http": bool(bucket.endpoint and bucket.endpoint.startswith("http://")),
            "connect_timeout": timedelta(seconds=5),
            "timeout": timedelta(seconds=60),
        },
        retry_config={"max_retries": 4, "retry_timeout": timedelta(seconds=bucket.retry_seconds)},
    )


async def _take_back(upload: "AsyncWritableFile", cut: BaseException) -> None:
    """Ask the bucket to forget the parts; if it cannot be asked, they stay invisible."""
    with suppress(BaseError, OSError):
        await upload.__aexit__(type(cut), cut, cut.__traceback__)


def _first_line(problem: Exception) -> str:
    return str(problem).splitlines()[0][:300]
