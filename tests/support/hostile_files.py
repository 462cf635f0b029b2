"""What injected SQL would write to make us read or delete files of others: keys in rows, jobs, and receipts that name them.

Row level security guards rows, and a row may name a file. So here statements are committed, and what they left is done:
workers handle the jobs, and every file that a row of the attacker's company names is opened. The store is a real one that
notes whatever is asked of it below a folder that is not the attacker's.
"""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import _AsyncGeneratorContextManager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from veraz.providers.files.base import FileEntry, Stored
from veraz.providers.files.local import LocalFiles

if TYPE_CHECKING:
    from tests.support.hostile_world import HostileWorld
else:
    HostileWorld = object

KINDS = ("forget_files", "forget")
"""Jobs that touch files by what their payload says."""
FORGETTINGS = ("tenant", "machine", "end_user", "document", "person", "chunk")


class WatchedFiles(LocalFiles):
    """A folder that notes what was asked of it outside one tenant's part."""

    def __init__(self, folder: Path, mine: UUID) -> None:
        super().__init__(folder)
        self._mine = f"{mine}/"
        self.touched: set[str] = set()

    def _note(self, what: str, key: str) -> None:
        if not f"{key}/".startswith(self._mine) or ".." in key:
            self.touched.add(f"{what} {key}")

    async def put(self, key: str, chunks: AsyncIterator[bytes], *, max_bytes: int) -> Stored:
        """Noted."""
        self._note("put", key)
        return await super().put(key, chunks, max_bytes=max_bytes)

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """Noted."""
        self._note("open", key)
        return await super().open(key)

    def local_copy(self, key: str) -> _AsyncGeneratorContextManager[Path]:
        """Noted."""
        self._note("copy", key)
        return super().local_copy(key)

    async def delete(self, key: str) -> None:
        """Noted."""
        self._note("delete", key)
        await super().delete(key)

    def list(self, prefix: str) -> AsyncIterator[FileEntry]:
        """Noted."""
        self._note("list", prefix)
        return super().list(prefix)


def fill(folder: Path, world: HostileWorld) -> set[Path]:
    """A file for each document; those of others, which must be there in the end."""
    theirs = set()
    for document in world.world.documents.values():
        path = folder / document.storage_key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"file of {document.tenant}")
        if document.tenant != world.mine:
            theirs.add(path)
    return theirs


def naming(world: HostileWorld) -> Iterator[str]:
    """Files of others in every place that names files."""
    theirs = next(d for d in world.world.documents.values() if d.tenant == world.theirs)
    keys = (
        theirs.storage_key, f"{world.mine}/../{theirs.storage_key}", f"../{theirs.storage_key}", f"/{theirs.storage_key}",
        str(world.theirs), f"{world.mine}/{theirs.kb}/../../{theirs.storage_key}", f"{world.mine}{theirs.storage_key}", "",
    )  # fmt: skip
    for key in keys:
        for table, columns in world.tables.items():
            if any(column.name == "storage_key" for column in columns):
                yield from _in_row(table, key)
        yield from _in_job({"keys": [key]})
    for subject in (str(world.theirs), f"{world.theirs}/", str(world.theirs).upper(), "", ".", "..", "/"):
        yield from _in_receipt(world, subject)


def _in_row(table: str, key: str) -> Iterator[str]:
    changed = f"jsonb_build_object('storage_key', '{key}', 'id', gen_random_uuid(), 'version', 77)"
    copied = (
        f"insert into veraz.{table} overriding user value select (jsonb_populate_record(x, {changed})).* "
        f"from (select * from veraz.{table} limit 1) x"
    )
    one = f"where ctid = (select ctid from veraz.{table} limit 1)"
    yield f"update veraz.{table} set storage_key = '{key}' {one}; delete from veraz.{table} where storage_key = '{key}'"
    yield f"{copied}; delete from veraz.{table} where storage_key = '{key}'"
    yield copied
    yield f"update veraz.{table} set storage_key = '{key}' {one}"


def _in_job(payload: dict[str, object]) -> Iterator[str]:
    said = json.dumps(payload)
    for kind in KINDS:
        for table in ("job", "job_history"):
            yield f"insert into veraz.{table} (id, kind, payload) values (gen_random_uuid(), '{kind}', '{said}')"
            yield (
                f"insert into veraz.{table} (id, kind, kb_id, payload) "
                f"select gen_random_uuid(), '{kind}', kb.id, '{said}' from veraz.knowledge_base kb limit 3"
            )
            yield (
                f"update veraz.{table} set kind = '{kind}', payload = '{said}', status = 'PENDING', run_after = now() "
                f"where ctid = (select ctid from veraz.{table} limit 1)"
            )
        waiting = f"ctid = (select ctid from veraz.job where kind = '{kind}' limit 1)"
        yield f"update veraz.job set payload = '{said}', status = 'PENDING', attempt = 0 where {waiting}"


def _in_receipt(world: HostileWorld, subject: str) -> Iterator[str]:
    begins = [f for f in world.functions if [kind for _, kind in f.arguments] == ["text", "text[]"]]
    assert begins
    again = (
        "insert into veraz.job (id, kind, payload) "
        "select gen_random_uuid(), 'forget', jsonb_build_object('forgetting_id', f.id) from veraz.forgetting f"
    )
    for kind in FORGETTINGS:
        for function in begins:
            yield f"select {function.schema}.{function.name}('{kind}', array['{subject}'])"
        yield (
            "insert into veraz.forgetting (id, kind, subjects) "
            f"values (gen_random_uuid(), '{kind}', array['{subject}']); {again}"
        )
        yield f"update veraz.forgetting set kind = '{kind}', subjects = array['{subject}'], status = 'pending'; {again}"
    yield f"update veraz.forgetting set subjects = array['{subject}'], status = 'pending'; {again}"
    yield again
