"""The promise of every file store, held against the local folder and an S3 server on loopback."""

import asyncio
import hashlib
import os
import resource
import stat
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
import pytest
from moto.server import ThreadedMotoServer
from pydantic import SecretStr

from veraz.errors import Invalid, NotFound, OutsideDown, OutsideRejected, TooLarge
from veraz.providers.files.base import FileStore
from veraz.providers.files.local import LocalFiles
from veraz.providers.files.pick import pick_file_store
from veraz.providers.files.s3 import Bucket, S3Files
from veraz.settings import Settings

MB = 1024 * 1024
KEYS = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["local", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    if request.param == "local":
        return pick_file_store(Settings(home=tmp_path))
    return _s3(request.getfixturevalue("s3_server"), tmp_path)


def _s3(endpoint: str, home: Path) -> FileStore:
    bucket = f"bucket-{uuid4()}"
    _client(endpoint).create_bucket(Bucket=bucket)
    return pick_file_store(
        Settings(
            home=home,
            storage_url=f"s3://{bucket}/documents/here",
            s3_endpoint=endpoint,
            s3_access_key_id="key",
            s3_secret_access_key=SecretStr("secret"),
        )
    )


def _client(endpoint: str) -> Any:
    return boto3.client("s3", endpoint_url=endpoint, **KEYS)


async def _once(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def _read(store: FileStore, key: str) -> bytes:
    return b"".join([piece async for piece in await store.open(key)])


async def _keys(store: FileStore, prefix: str) -> list[str]:
    return sorted([entry.key async for entry in store.list(prefix)])


async def test_what_goes_in_comes_out_with_its_size_and_hash(store: FileStore) -> None:
    stored = await store.put("t1/kb/doc", _once(b"hola ", b"", "señor".encode()), max_bytes=MB)
    content = "hola señor".encode()
    assert (stored.key, stored.size) == ("t1/kb/doc", len(content))
    assert stored.sha256 == hashlib.sha256(content).hexdigest()
    assert await _read(store, "t1/kb/doc") == content
    assert await store.exists("t1/kb/doc")


async def test_an_empty_file_is_a_file(store: FileStore) -> None:
    assert (await store.put("t1/kb/empty", _once(), max_bytes=MB)).size == 0
    assert await _read(store, "t1/kb/empty") == b""


async def test_a_local_copy_is_a_readable_path(store: FileStore) -> None:
    await store.put("t1/kb/doc", _once(b"bytes"), max_bytes=MB)
    async with store.local_copy("t1/kb/doc") as path:
        assert path.read_bytes() == b"bytes"
    if isinstance(store, S3Files):
        assert not path.exists()
    assert await _read(store, "t1/kb/doc") == b"bytes"


async def test_a_missing_file_is_not_found(store: FileStore) -> None:
    assert not await store.exists("t1/kb/none")
    with pytest.raises(NotFound):
        await store.open("t1/kb/none")
    with pytest.raises(NotFound):
        async with store.local_copy("t1/kb/none"):
            pass


async def test_delete_forgets_and_may_be_repeated(store: FileStore) -> None:
    await store.put("t1/kb/doc", _once(b"x"), max_bytes=MB)
    await store.delete("t1/kb/doc")
    await store.delete("t1/kb/doc")
    assert not await store.exists("t1/kb/doc")
    assert await _keys(store, "t1") == []


async def test_a_second_put_replaces_the_first(store: FileStore) -> None:
    await store.put("t1/kb/doc", _once(b"old" * 1000), max_bytes=MB)
    await store.put("t1/kb/doc", _once(b"new"), max_bytes=MB)
    assert await _read(store, "t1/kb/doc") == b"new"


async def test_too_large_says_so_and_leaves_the_old_file(store: FileStore) -> None:
    await store.put("t1/kb/doc", _once(b"old"), max_bytes=MB)
    with pytest.raises(TooLarge, match="1 MB"):
        await store.put("t1/kb/doc", _once(b"x" * MB, b"x"), max_bytes=MB)
    assert await _read(store, "t1/kb/doc") == b"old"
    with pytest.raises(TooLarge):
        await store.put("t1/kb/other", _once(*[b"x" * MB] * 20), max_bytes=18 * MB)
    assert await _keys(store, "") == ["t1/kb/doc"]


async def test_exactly_the_limit_is_allowed(store: FileStore) -> None:
    assert (await store.put("t1/kb/doc", _once(b"x" * MB), max_bytes=MB)).size == MB


async def test_a_source_that_fails_leaves_nothing_and_keeps_its_error(store: FileStore) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"x" * 9 * MB
        raise FileNotFoundError("the source's own trouble")

    with pytest.raises(FileNotFoundError, match="own trouble"):
        await store.put("t1/kb/doc", broken(), max_bytes=100 * MB)
    assert await _keys(store, "") == []


async def test_a_cancelled_put_leaves_nothing(store: FileStore) -> None:
    waiting = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b"x" * MB
        waiting.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(store.put("t1/kb/doc", endless(), max_bytes=100 * MB))
    await waiting.wait()
    assert not await store.exists("t1/kb/doc")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not await store.exists("t1/kb/doc")
    assert await _keys(store, "") == []


async def test_nothing_is_visible_before_the_end(store: FileStore) -> None:
    seen: list[bool] = []

    async def looking() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"x" * 9 * MB
            seen.append(await store.exists("t1/kb/doc") or bool(await _keys(store, "t1")))

    await store.put("t1/kb/doc", looking(), max_bytes=100 * MB)
    assert seen == [False, False, False]


async def test_puts_of_one_key_at_the_same_time_never_mix(store: FileStore) -> None:
    async def letters(letter: bytes) -> AsyncIterator[bytes]:
        for _ in range(10):
            await asyncio.sleep(0)
            yield letter * MB

    puts = [store.put("t1/kb/doc", letters(bytes([65 + n])), max_bytes=100 * MB) for n in range(4)]
    stored = await asyncio.gather(*puts)
    content = await _read(store, "t1/kb/doc")
    assert len(content) == 10 * MB and len(set(content)) == 1
    assert hashlib.sha256(content).hexdigest() in {one.sha256 for one in stored}


async def test_fifty_megabytes_pass_without_staying_in_memory(tmp_path: Path, s3_server: str) -> None:
    block = os.urandom(64 * 1024)

    async def big() -> AsyncIterator[bytes]:
        for _ in range(50 * 16):
            yield block

    store = LocalFiles(tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    stored = await store.put("t1/kb/big", big(), max_bytes=50 * MB)
    size = 0
    async for piece in await store.open("t1/kb/big"):
        size += len(piece)
    assert stored.size == size == 50 * MB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024


async def test_a_large_file_travels_to_s3_in_parts(tmp_path: Path, s3_server: str) -> None:
    store = _s3(s3_server, tmp_path)
    blocks = [os.urandom(MB) for _ in range(30)]
    stored = await store.put("t1/kb/big", _once(*blocks), max_bytes=50 * MB)
    assert stored.sha256 == hashlib.sha256(b"".join(blocks)).hexdigest()
    async with store.local_copy("t1/kb/big") as path:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == stored.sha256
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    pieces = [len(piece) async for piece in await store.open("t1/kb/big")]
    assert sum(pieces) == 30 * MB and max(pieces) <= 4 * MB


async def test_a_listing_never_shows_the_neighbour(store: FileStore) -> None:
    for key in ("t1/kb/a", "t1/kb/b", "t1/kb2/c", "t10/kb/d", "t2/kb/e"):
        await store.put(key, _once(b"x"), max_bytes=MB)
    assert await _keys(store, "t1") == ["t1/kb/a", "t1/kb/b", "t1/kb2/c"]
    assert await _keys(store, "t1/kb") == ["t1/kb/a", "t1/kb/b"]
    assert await _keys(store, "t1/") == ["t1/kb/a", "t1/kb/b", "t1/kb2/c"]
    assert await _keys(store, "t3") == []
    assert len(await _keys(store, "")) == 5


async def test_a_listing_tells_size_and_age(store: FileStore) -> None:
    await store.put("t1/kb/doc", _once(b"four"), max_bytes=MB)
    entries = [entry async for entry in store.list("t1")]
    assert [entry.size for entry in entries] == [4]
    assert abs(datetime.now(UTC) - entries[0].modified_at) < timedelta(minutes=5)


async def test_a_listing_of_many_loses_none(store: FileStore) -> None:
    count = 1203 if isinstance(store, LocalFiles) else 120
    wanted = [f"t1/kb/{n:05}" for n in range(count)]
    for start in range(0, count, 50):
        batch = wanted[start : start + 50]
        await asyncio.gather(*[store.put(key, _once(b"x"), max_bytes=MB) for key in batch])
    assert await _keys(store, "t1") == wanted


async def test_letters_of_every_alphabet_survive_in_a_key(store: FileStore) -> None:
    key = "t1/kb/ñandú-日本-Ünïcode_v1.2=x"
    await store.put(key, _once(b"x"), max_bytes=MB)
    assert await _keys(store, "t1/kb") == [key]
    assert await _read(store, key) == b"x"


ESCAPES = [
    "", "/", "/etc/passwd", "..", "../x", "a/../b", "a/..", "a//b", "a/", "./a", "a/./b", "a\0b", "a\nb",
    "a\\..\\b", "C:\\x", "~root/x", ".incoming/x", "a/.hidden", "a b", "a%2e%2e", "a?b", "a*b", "x" * 300, "a/" * 500 + "a",
]  # fmt: skip


@pytest.mark.parametrize("key", ESCAPES)
async def test_a_key_that_could_escape_is_refused(store: FileStore, key: str) -> None:
    with pytest.raises(Invalid):
        await store.put(key, _once(b"x"), max_bytes=MB)
    with pytest.raises(Invalid):
        await store.open(key)
    with pytest.raises(Invalid):
        await store.delete(key)
    with pytest.raises(Invalid):
        await store.exists(key)
    with pytest.raises(Invalid):
        async with store.local_copy(key):
            pass


async def test_only_the_owner_can_read_local_files(tmp_path: Path) -> None:
    await LocalFiles(tmp_path / "files").put("t1/kb/doc", _once(b"x"), max_bytes=MB)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "files").rglob("*")}
    assert modes == {True: 0o700, False: 0o600}
    assert stat.S_IMODE((tmp_path / "files").stat().st_mode) == 0o700


async def test_the_last_delete_takes_empty_folders_with_it(tmp_path: Path) -> None:
    store = LocalFiles(tmp_path)
    for key in ("t1/kb/a", "t1/kb/b"):
        await store.put(key, _once(b"x"), max_bytes=MB)
    await store.delete("t1/kb/a")
    assert (tmp_path / "t1/kb/b").exists()
    await store.delete("t1/kb/b")
    assert not (tmp_path / "t1").exists() and tmp_path.exists()


async def test_deletes_and_puts_in_one_folder_do_not_trip_each_other(tmp_path: Path) -> None:
    store = LocalFiles(tmp_path)

    async def come_and_go(name: int) -> None:
        for _ in range(15):
            await store.put(f"t1/kb/{name}", _once(b"x"), max_bytes=MB)
            await store.delete(f"t1/kb/{name}")

    await asyncio.gather(*[come_and_go(name) for name in range(6)])
    assert await _keys(store, "") == []


async def test_what_a_killed_process_left_is_swept_after_a_day(tmp_path: Path) -> None:
    incoming = tmp_path / ".incoming"
    incoming.mkdir()
    (incoming / "old").write_bytes(b"half")
    (incoming / "running").write_bytes(b"half")
    yesterday = datetime.now(UTC).timestamp() - 90_000
    os.utime(incoming / "old", (yesterday, yesterday))
    await LocalFiles(tmp_path).put("t1/kb/doc", _once(b"x"), max_bytes=MB)
    assert [path.name for path in incoming.iterdir()] == ["running"]


async def test_a_cancelled_upload_takes_its_parts_back(tmp_path: Path, s3_server: str) -> None:
    store, waiting = _s3(s3_server, tmp_path), asyncio.Event()
    client, bucket = _client(s3_server), (await _bucket_of(store))

    async def stuck() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b"x" * MB
        await _until(lambda: _parts(client, bucket) == 2)
        waiting.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(store.put("t1/kb/doc", stuck(), max_bytes=100 * MB))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert client.list_multipart_uploads(Bucket=bucket).get("Uploads", []) == []


async def test_a_bucket_that_is_missing_is_rejected_and_a_dead_one_is_down(
    tmp_path: Path, s3_server: str
) -> None:
    keys = {"access_key_id": "key", "secret_access_key": "secret", "retry_seconds": 0.5}
    nowhere = S3Files(Bucket(name="no-such-bucket", endpoint=s3_server, **keys), tmp_path)  # type: ignore[arg-type]
    with pytest.raises(OutsideRejected, match="no-such-bucket"):
        await nowhere.put("t1/kb/doc", _once(b"x"), max_bytes=MB)
    with pytest.raises(OutsideRejected):
        await nowhere.open("t1/kb/doc")
    dead = S3Files(Bucket(name="bucket", endpoint="http://127.0.0.1:9", **keys), tmp_path)  # type: ignore[arg-type]
    with pytest.raises(OutsideDown):
        await dead.put("t1/kb/doc", _once(b"x"), max_bytes=MB)
    with pytest.raises(OutsideDown):
        await _keys(dead, "t1")


@pytest.mark.parametrize("status", ["403 Forbidden", "401 Unauthorized"])
async def test_a_bucket_that_refuses_our_key_is_rejected(tmp_path: Path, status: str) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    endpoint = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        store = S3Files(
            Bucket(name="bucket", endpoint=endpoint, access_key_id="k", secret_access_key="s"), tmp_path
        )
        with pytest.raises(OutsideRejected):
            await store.put("t1/kb/doc", _once(b"x"), max_bytes=MB)
        with pytest.raises(OutsideRejected):
            await store.open("t1/kb/doc")
        with pytest.raises(OutsideRejected):
            await store.delete("t1/kb/doc")
        with pytest.raises(OutsideRejected):
            await _keys(store, "t1")


def test_a_storage_address_of_another_kind_is_refused(tmp_path: Path) -> None:
    for wrong in ("ftp://x/y", "s3://", "/some/folder"):
        with pytest.raises(Invalid, match="s3://bucket/prefix"):
            pick_file_store(Settings(home=tmp_path, storage_url=wrong))


async def _bucket_of(store: FileStore) -> str:
    assert isinstance(store, S3Files)
    return store._bucket.name


def _parts(client: Any, bucket: str) -> int:
    uploads = client.list_multipart_uploads(Bucket=bucket).get("Uploads", [])
    ids = [{"Key": one["Key"], "UploadId": one["UploadId"]} for one in uploads]
    return sum(len(client.list_parts(Bucket=bucket, **one).get("Parts", [])) for one in ids)


async def _until(true: Any) -> None:
    for _ in range(1000):
        if await asyncio.to_thread(true):
            return
        await asyncio.sleep(0.02)
