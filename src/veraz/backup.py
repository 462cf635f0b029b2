"""Everything an installation holds, in one file: the database, the documents' files, the secret.

manifest.json   what is inside
secret          what stored tokens are encrypted with (absent when it is configured outside)
database.dump   PostgreSQL's own format
files/…         one per document
"""

import asyncio
import io
import json
import tarfile
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from veraz import errors
from veraz.db import backup as database
from veraz.providers.files.base import READ_BYTES, FileStore
from veraz.providers.files.pick import pick_file_store
from veraz.security import record
from veraz.settings import Settings
from veraz.wiring import events_kept, installation_secret, open_owner, open_store

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What was saved or brought back."""

    documents: int
    missing: int
    bytes: int


async def save(settings: Settings, target: Path) -> Contents:
    """Writes the backup beside its final name first, so that a half-written one is never taken for whole."""
    draft = target.with_name(target.name + ".part")
    try:
        async with open_store(settings) as store, events_kept(settings, store):
            contents = await _save(settings, store.owner_url, draft)
            draft.replace(target)
            record("backed_up", documents=contents.documents, bytes=contents.bytes)
        return contents
    finally:
        draft.unlink(missing_ok=True)


async def restore(settings: Settings, source: Path, *, replace: bool = False) -> Contents:
    """Brings a backup into an empty installation; with `replace` also over a used one."""
    if not await asyncio.to_thread(tarfile.is_tarfile, source):
        raise errors.Invalid(field="file", reason=_NOT_OURS)
    settings.home.mkdir(parents=True, exist_ok=True)
    async with open_owner(settings) as owner_url:
        if not replace and not await asyncio.to_thread(database.is_empty, owner_url):
            raise errors.Conflict(reason=_NOT_EMPTY)
        contents = await _restore(settings, owner_url, source)
    async with open_store(settings) as store, events_kept(settings, store):
        record("restored", documents=contents.documents, bytes=contents.bytes)
    return contents


async def _save(settings: Settings, owner_url: str, draft: Path) -> Contents:
    files = pick_file_store(settings)
    with tempfile.TemporaryDirectory(dir=settings.home) as folder:
        dump = Path(folder) / "database.dump"
        await asyncio.to_thread(database.dump, owner_url, dump)
        draft.touch(mode=0o600)
        with tarfile.open(draft, "w") as tar:
            _add_bytes(tar, "manifest.json", json.dumps(_manifest()).encode())
            if settings.secret_key is None:
                _add_bytes(tar, "secret", installation_secret(settings).encode())
            await asyncio.to_thread(tar.add, dump, "database.dump")
            keys = await asyncio.to_thread(database.storage_keys, owner_url)
            missing = [key for key in keys if not await _add_file(tar, files, key)]
    return Contents(documents=len(keys) - len(missing), missing=len(missing), bytes=draft.stat().st_size)


async def _restore(settings: Settings, owner_url: str, source: Path) -> Contents:
    files = pick_file_store(settings)
    documents = 0
    with tempfile.TemporaryDirectory(dir=settings.home) as folder, tarfile.open(source) as tar:
        manifest = json.loads(_read(tar, "manifest.json"))
        if manifest.get("format") != FORMAT:
            raise errors.Invalid(field="file", reason=_NOT_OURS)
        for member in tar:
            if member.name.startswith("files/") and member.isreg():
                stream = tar.extractfile(member)
                assert stream is not None
                await files.put(member.name.removeprefix("files/"), _pieces(stream), max_bytes=member.size)
                documents += 1
        dump = Path(folder) / "database.dump"
        await asyncio.to_thread(dump.write_bytes, _read(tar, "database.dump"))
        await asyncio.to_thread(database.load, owner_url, dump)
        if settings.secret_key is None:
            _keep_secret(settings.home / "secret", _read(tar, "secret"))
    return Contents(documents=documents, missing=0, bytes=source.stat().st_size)


def _manifest() -> dict[str, object]:
    return {"format": FORMAT, "made_at": datetime.now(UTC).isoformat()}


def _add_bytes(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), 0o600
    tar.addfile(entry, io.BytesIO(data))


async def _add_file(tar: tarfile.TarFile, files: FileStore, key: str) -> bool:
    """A document's file; one deleted meanwhile is counted, not fatal."""
    try:
        async with files.local_copy(key) as path:
            await asyncio.to_thread(tar.add, path, f"files/{key}")
    except errors.NotFound:
        return False
    return True


def _read(tar: tarfile.TarFile, name: str) -> bytes:
    try:
        stream = tar.extractfile(name)
    except KeyError:
        raise errors.Invalid(field="file", reason=_NOT_OURS) from None
    assert stream is not None
    return stream.read()


async def _pieces(stream: IO[bytes]) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(stream.read, READ_BYTES):
        yield piece


def _keep_secret(path: Path, secret: bytes) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(secret)


_NOT_OURS = errors.Phrase("it is not a backup of Veraz", es="no es una copia de seguridad de Veraz")
_NOT_EMPTY = errors.Phrase(
    "this installation is in use; say --replace to overwrite it",
    es="esta instalación está en uso; indique --replace para sobrescribirla",
)
