"""Everything an installation holds, in one file: the database, the documents' files, the secret.

manifest.json   what is inside
secret          what stored tokens are encrypted with (absent when it is configured outside)
database.dump   PostgreSQL's own format
files/…         one per document

With a key the whole is sealed (sealed.py); the key is in no backup. Written and read in order, piece by piece.
"""

import asyncio
import io
import json
import os
import tarfile
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast
from uuid import UUID

from veraz import errors
from veraz.db import backup as database
from veraz.db.forgotten import forget_again
from veraz.db.forgotten import forgotten as known_forgotten
from veraz.ingest.forgotten_again import said_again
from veraz.providers.files.base import READ_BYTES, FileStore
from veraz.providers.files.pick import pick_file_store
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.sealed import OpeningReader, SealingWriter, is_sealed
from veraz.security import record
from veraz.settings import Settings
from veraz.wiring import events_kept, installation_secret, open_owner, open_store

FORMAT = 1
_SMALL = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What was saved or brought back."""

    documents: int
    missing: int
    bytes: int


async def save(settings: Settings, target: Path, *, key: str | None = None) -> Contents:
    """Writes the backup beside its final name first, so that a half-written one is never taken for whole."""
    draft = target.with_name(target.name + ".part")
    try:
        async with open_store(settings) as store, events_kept(settings, store):
            contents = await _save(settings, store.owner_url, draft, key)
            draft.replace(target)
            record(
                "backed_up",
                documents=contents.documents,
                bytes=contents.bytes,
                encrypted=key is not None,
            )
        return contents
    finally:
        draft.unlink(missing_ok=True)


async def restore(
    settings: Settings,
    source: Path,
    *,
    key: str | None = None,
    replace: bool = False,
    forgotten: Path | None = None,
) -> Contents:
    """Brings a backup into an empty installation; with `replace` also over a used one. It is read through before anything changes.

    What the used installation had forgotten, and what the list says that another had (`write_forgotten`), is forgotten again.
    """
    listed = json.loads(forgotten.read_text(encoding="utf-8")) if forgotten else []
    brings_secret = await asyncio.to_thread(check, source, key)
    if settings.secret_key is None and not brings_secret:
        raise errors.Invalid(field="VERAZ_SECRET_KEY", reason=_SECRET_NEEDED)
    settings.home.mkdir(parents=True, exist_ok=True)
    async with open_owner(settings) as owner_url:
        if not replace and not await asyncio.to_thread(database.is_empty, owner_url):
            raise errors.Conflict(reason=_NOT_EMPTY)
        listed += await asyncio.to_thread(known_forgotten, owner_url)
        contents = await _restore(settings, owner_url, source, key)
    async with open_store(settings) as store, events_kept(settings, store):
        await _forget_again(settings, store.owner_url, listed)
        record("restored", documents=contents.documents, bytes=contents.bytes)
    return contents


async def write_forgotten(settings: Settings, target: Path) -> int:
    """Writes down what this installation has forgotten, for restores of its older backups elsewhere; how many entries."""
    async with open_store(settings) as store:
        known = await asyncio.to_thread(known_forgotten, store.owner_url)
    await asyncio.to_thread(target.write_text, json.dumps(known), encoding="utf-8")
    return len(known)


async def _forget_again(settings: Settings, owner_url: str, known: list[dict[str, Any]]) -> None:
    every = Files(pick_file_store(settings))
    await PagePictures(settings.home).forget_all()
    for tenant_id in await asyncio.to_thread(forget_again, owner_url, known, said_again):
        files = every.of(UUID(tenant_id))
        for key in [entry.key async for entry in files.list()]:
            await files.delete(key)


def check(source: Path, key: str | None = None) -> bool:
    """Reads the whole backup: the key is right, nothing was changed, nothing is missing at its end. Whether it brings its secret."""
    sealed = is_sealed(source)
    if sealed and key is None:
        raise errors.Invalid(field="key", reason=_KEY_NEEDED)
    names, brings_secret = [], False
    with _opened(source, key) as tar:
        for member in tar:
            names.append(member.name)
            if member.name == "secret":
                stream = tar.extractfile(member)
                brings_secret = stream is not None and bool(stream.read(_SMALL).strip())
            if member.name == "manifest.json":
                _check_manifest(tar, member)
    if names[:1] != ["manifest.json"] or "database.dump" not in names:
        raise errors.Invalid(field="file", reason=_NOT_OURS)
    return brings_secret


async def _save(settings: Settings, owner_url: str, draft: Path, key: str | None) -> Contents:
    files = pick_file_store(settings)
    with tempfile.TemporaryDirectory(dir=settings.home) as folder:
        dump = Path(folder) / "database.dump"
        await asyncio.to_thread(database.dump, owner_url, dump)
        with _written(draft, key) as tar:
            _add_bytes(tar, "manifest.json", json.dumps(_manifest()).encode())
            if settings.secret_key is None:
                _add_bytes(tar, "secret", installation_secret(settings).encode())
            await asyncio.to_thread(tar.add, dump, "database.dump")
            keys = await asyncio.to_thread(database.storage_keys, owner_url)
            missing = [key for key in keys if not await _add_file(tar, files, key)]
    return Contents(documents=len(keys) - len(missing), missing=len(missing), bytes=draft.stat().st_size)


@contextmanager
def _written(draft: Path, key: str | None) -> Iterator[tarfile.TarFile]:
    """A new file that only its owner reads."""
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb", READ_BYTES) as file:
        sealing = SealingWriter(file, key) if key is not None else None
        with tarfile.open(fileobj=cast(Any, sealing or file), mode="w|") as tar:
            yield tar
        if sealing is not None:
            sealing.close()
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _opened(source: Path, key: str | None) -> Iterator[tarfile.TarFile]:
    with source.open("rb", READ_BYTES) as file:
        stream = OpeningReader(file, key or "") if is_sealed(source) else file
        try:
            with tarfile.open(fileobj=cast(Any, stream), mode="r|") as tar:
                yield tar
                while stream.read(READ_BYTES):  # to the end, where a cut shows
                    pass
        except tarfile.TarError as error:
            raise errors.Invalid(field="file", reason=_NOT_OURS) from error


async def _restore(settings: Settings, owner_url: str, source: Path, key: str | None) -> Contents:
    files, documents = pick_file_store(settings), 0
    with tempfile.TemporaryDirectory(dir=settings.home) as folder, _opened(source, key) as tar:
        dump, secret = Path(folder) / "database.dump", b""
        for member in tar:
            stream = tar.extractfile(member)
            if stream is None:
                continue
            if member.name == "secret":
                secret = stream.read(_SMALL)
            elif member.name == "database.dump":
                await asyncio.to_thread(_copy, stream, dump)
            elif member.name.startswith("files/"):
                await files.put(member.name.removeprefix("files/"), _pieces(stream), max_bytes=member.size)
                documents += 1
        await asyncio.to_thread(database.load, owner_url, dump)
        if settings.secret_key is None:
            _keep_secret(settings.home / "secret", secret)
    return Contents(documents=documents, missing=0, bytes=source.stat().st_size)


def _manifest() -> dict[str, object]:
    return {"format": FORMAT, "made_at": datetime.now(UTC).isoformat()}


def _check_manifest(tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    stream = tar.extractfile(member)
    try:
        ours = stream is not None and json.loads(stream.read(_SMALL)).get("format") == FORMAT
    except (ValueError, AttributeError):
        ours = False
    if not ours:
        raise errors.Invalid(field="file", reason=_NOT_OURS)


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


def _copy(stream: IO[bytes], target: Path) -> None:
    with target.open("wb") as file:
        while piece := stream.read(READ_BYTES):
            file.write(piece)


async def _pieces(stream: IO[bytes]) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(stream.read, READ_BYTES):
        yield piece


def _keep_secret(path: Path, secret: bytes) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(secret)


_NOT_OURS = errors.Phrase("it is not a backup of Veraz", es="no es una copia de seguridad de Veraz")
_KEY_NEEDED = errors.Phrase(
    "this backup is encrypted: give its key with --key-file or VERAZ_BACKUP_KEY",
    es="esta copia está cifrada: indique su clave con --key-file o VERAZ_BACKUP_KEY",
)
_SECRET_NEEDED = errors.Phrase(
    "this backup does not hold its installation's secret: give the same one",
    es="esta copia no contiene el secreto de su instalación: indique el mismo",
)
_NOT_EMPTY = errors.Phrase(
    "this installation is in use; say --replace to overwrite it",
    es="esta instalación está en uso; indique --replace para sobrescribirla",
)
