"""A law: no row that injected SQL writes makes us read or delete a file of another company.

What may be written is in support/hostile_files.py; here it is committed, and workers and doors do what the rows say.
"""

import ast
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

import veraz
from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import NOBODY, Scope, Signer
from veraz.forgetting.job import Forget
from veraz.ingest.cleanup import ForgetFiles
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.queue import queue
from veraz.queue.handler import Handler
from veraz.queue.run import run_job

if TYPE_CHECKING:
    from tests.support import hostile_files as h
    from tests.support.access import ACCESS
    from tests.support.hostile_world import Attacker, HostileWorld, attackers, build
else:
    from support import hostile_files as h
    from support.access import ACCESS
    from support.hostile_world import Attacker, HostileWorld, attackers, build

Owner = Connection[TupleRow]


class Everybodys(Files):
    """The hole: a store that believes every key."""

    def of(self, tenant_id: object) -> "Everybodys":  # type: ignore[override]
        """Those of everybody."""
        return self

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def list(self, prefix: str = "") -> object:
        """Everything below."""
        return self._store.list(prefix)


@pytest.fixture
def world(owner: Owner) -> HostileWorld:
    """Two companies, with a file for each document."""
    return build(owner)


class Attack:
    """Injected SQL, and what workers and doors make of it."""

    def __init__(self, url: str, worker_db: Database, world: HostileWorld, folder: Path) -> None:
        self.url, self.worker_db, self.world = url, worker_db, world
        self.pictures = PagePictures(folder.parent)
        self.theirs = h.fill(folder, world)
        self.store = h.WatchedFiles(folder, world.mine)
        self.written = 0

    async def run(self, attacker: Attacker, files: Files) -> None:
        """Everything, as one attacker."""
        with psycopg.connect(ACCESS.address(self.url, attacker.role), autocommit=True) as connection:
            connection.prepare_threshold = None
            signer = Signer(ACCESS.scope_key, attacker.role)
            for statement in h.naming(self.world):
                self.written += self._commit(connection, signer.sign(attacker.scope), statement)
        await self._handle_jobs(files)
        await self._open_what_rows_name(files)

    def _commit(self, connection: Owner, scope: str, statement: str) -> bool:
        try:
            with connection.transaction():
                connection.execute("select set_config('veraz.scope', %s, true)", (scope,))
                return connection.execute(statement.encode()).rowcount > 0
        except psycopg.Error:
            return False

    async def _handle_jobs(self, files: Files) -> None:
        handlers: dict[str, Handler] = {
            "forget_files": ForgetFiles(files, self.pictures),
            "forget": Forget(self.worker_db, files, self.pictures),
        }
        assert set(handlers) == set(h.KINDS)
        while jobs := await queue.claim(self.worker_db, "w", 50, kinds=list(handlers)):
            for job in jobs:
                await run_job(self.worker_db, job, handlers, patience=1.0)

    async def _open_what_rows_name(self, files: Files) -> None:
        """As the doors do it, for whoever may see the row."""
        mine = files.of(self.world.mine)
        query = "select storage_key from veraz.document union select storage_key from veraz.document_version"
        async with self.worker_db.transaction(Scope(tenant_id=self.world.mine, role="worker")) as tx:
            keys = [str(key) for key in await tx.values(query) if key is not None]
        assert keys
        for key in keys:
            with suppress(errors.VerazError):
                async with mine.local_copy(key):
                    pass

    def gone(self) -> set[Path]:
        """Files of others that are there no more."""
        return {path for path in self.theirs if not path.exists()}


@pytest.fixture
async def attack(
    database_url: str, worker_db: Database, world: HostileWorld, tmp_path: Path
) -> AsyncIterator[Attack]:
    """On a database that nobody else needs."""
    yield Attack(database_url, worker_db, world, tmp_path / "files")


async def test_no_row_names_a_file_of_others(attack: Attack, world: HostileWorld) -> None:
    for attacker in attackers(world.world):
        if attacker.scope != NOBODY:
            await attack.run(attacker, Files(attack.store))
            assert not attack.store.touched, attacker
            assert not attack.gone(), attacker
    assert attack.written > 100, "some of it can be written, or nothing was tried"


async def test_a_hole_where_files_are_named_is_seen(
    attack: Attack, world: HostileWorld, owner: Owner
) -> None:
    """With a store that believes keys, and a table that takes any."""
    for table in ("document", "document_version"):
        owner.execute(f"alter table veraz.{table} drop constraint {table}_storage_key".encode())
    worker = next(a for a in attackers(world.world) if a.name == "a worker")
    await attack.run(worker, Everybodys(attack.store))
    assert {told.split(" ")[0] for told in attack.store.touched} >= {"copy", "delete"}
    assert attack.gone()


def test_only_who_puts_the_parts_together_knows_the_store_of_all_tenants() -> None:
    known = {"wiring.py", "backup.py"}
    home = Path(veraz.__file__).parent
    using = {
        str(path.relative_to(home))
        for path in home.rglob("*.py")
        if "providers/files" not in path.as_posix() and "pick_file_store" in _names(path)
    }
    assert using == known
    stores = {"FileStore", "LocalFiles", "S3Files", "TenantFiles"}
    holding = {
        str(path.relative_to(home))
        for path in home.rglob("*.py")
        if "providers/files" not in path.as_posix() and stores & set(_names(path))
    }
    assert holding <= known, "whoever handles files takes Files, and asks it for those of a tenant"


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
