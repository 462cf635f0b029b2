"""A store of one tenant believes no key: what is not below its own folder is refused, told of, and left as it was."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from veraz import errors, security
from veraz.providers.files.local import LocalFiles
from veraz.providers.files.tenants import Files, TenantFiles
from veraz.security import SecurityEvent

MINE, THEIRS = uuid4(), uuid4()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(LocalFiles(tmp_path / "files"))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[SecurityEvent]:
    """What was recorded."""
    events: list[SecurityEvent] = []
    monkeypatch.setattr(security, "_keepers", [events.append])
    return events


async def _bytes(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


async def _keep(store: TenantFiles, tenant_id: UUID) -> str:
    key = f"{tenant_id}/{uuid4()}/{uuid4()}"
    await store.put(key, _bytes("hola"), max_bytes=100)
    return key


async def test_a_tenant_keeps_reads_lists_and_deletes_its_own_files(files: Files) -> None:
    mine = files.of(MINE)
    key = await _keep(mine, MINE)
    assert b"".join([piece async for piece in await mine.open(key)]) == b"hola"
    async with mine.local_copy(key) as path:
        assert path.read_bytes() == b"hola"
    assert [entry.key async for entry in mine.list()] == [key]
    assert [entry.key async for entry in mine.list(key.rpartition("/")[0])] == [key]
    await mine.delete(key)
    assert not await mine.exists(key)


async def test_files_of_another_tenant_are_neither_read_nor_changed(
    files: Files, told: list[SecurityEvent]
) -> None:
    key, mine = await _keep(files.of(THEIRS), THEIRS), files.of(MINE)
    near = f"{MINE}-2/kb/document"
    tricks = (f"{MINE}/../{key}", f"../{key}", f"/{key}", f"{MINE}//{key}", str(THEIRS), str(MINE), "", ".")
    for wrong in (key, near, *tricks):
        with pytest.raises(errors.ForeignFile):
            await mine.open(wrong)
        with pytest.raises(errors.ForeignFile):
            mine.local_copy(wrong)
        with pytest.raises(errors.ForeignFile):
            await mine.delete(wrong)
        with pytest.raises(errors.ForeignFile):
            await mine.exists(wrong)
        with pytest.raises(errors.ForeignFile):
            await mine.put(wrong, _bytes("x"), max_bytes=100)
    for folder in (str(THEIRS), f"{THEIRS}/", "..", "."):
        with pytest.raises(errors.ForeignFile):
            mine.list(folder)
    assert await files.of(THEIRS).exists(key)
    assert {(one.kind, one.outcome, one.tenant_id) for one in told} == {("foreign_file", "refused", MINE)}
