"""Fixtures everybody uses: a real PostgreSQL, one migrated template, and a clone of it for every test.

    database_url   owner's address of this test's own database; row level security does not bind this owner
    app_url, worker_url   the same database as veraz_app and veraz_worker
    db, worker_db  open `Database` pools as veraz_app and veraz_worker; isolation applies
    owner          a plain autocommit psycopg connection as owner, for arranging and for looking behind the walls
    make_tenant    make_tenant(name="Acme") -> Tenant with an admin, a project and a global knowledge base
    make_user      make_user(tenant, role="member") -> Scope of a new user
    make_kb        make_kb(tenant, kind="global", …) -> id of another knowledge base
    make_document  make_document(tenant, name="a.md", …) -> id of a document row
    settings       Settings with a home of their own and nothing from the environment
    library        fills knowledge bases with chunks
    search         the search service with the fake embedder
    answers        answers(*models) -> the answers of scripted models
    own_server     a second, embedded server that the test may kill and start again

For type hints: `if TYPE_CHECKING: from tests.conftest import MakeTenant, Tenant`.

The server is a fresh embedded one per run, in memory where possible, without fsync. `VERAZ_TEST_DATABASE_URL` (the address of an owner
that may bypass row level security, on a PostgreSQL ≥ 15 with pgvector) uses that server over TCP instead, with passworded roles.
"""

import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import psutil  # type: ignore[import-untyped,unused-ignore]
import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from veraz.answer.service import Answers
from veraz.db.embedded import join, leave
from veraz.db.migrate import migrate, refuse_temporary_objects
from veraz.db.pool import Database
from veraz.db.scope import Role, Scope
from veraz.ids import new_id
from veraz.library.spaces import Spaces
from veraz.providers.chat.fake import ScriptedChat
from veraz.search.service import Search
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.access import ACCESS, act_in
    from tests.support.searchable import Library
else:
    from support.access import ACCESS, act_in
    from support.searchable import Library

_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A tenant with the least it needs to work."""

    id: UUID
    name: str
    admin_id: UUID
    project_id: UUID
    kb_id: UUID

    @property
    def admin(self) -> Scope:
        """The tenant's administrator, as a caller."""
        return Scope(tenant_id=self.id, user_id=self.admin_id, role="admin", names_machines=True)

    @property
    def worker(self) -> Scope:
        """A worker inside this tenant."""
        return Scope(tenant_id=self.id, role="worker")


MakeTenant = Callable[..., Tenant]


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Owner's address of the server all tests share."""
    if given := os.environ.get("VERAZ_TEST_DATABASE_URL"):
        yield given
        return
    server = EmbeddedServer()
    yield server.url
    server.close()


@pytest.fixture
def own_server() -> Iterator["EmbeddedServer"]:
    """A server nobody else uses, with a migrated database; takes two seconds."""
    server = EmbeddedServer()
    migrate(server.url, ACCESS)
    yield server
    server.close()


@pytest.fixture(scope="session")
def template_url(server_url: str) -> Iterator[str]:
    """A database migrated once; every test gets a copy."""
    name = f"veraz_template_{os.getpid()}"
    with new_database(server_url, name) as url:
        migrate(url, ACCESS)
        yield url


_numbers = count(1)


@pytest.fixture
def database_url(server_url: str, template_url: str) -> Iterator[str]:
    """Owner's address of a database of this test's own."""
    name = f"veraz_test_{os.getpid()}_{next(_numbers)}"
    with new_database(server_url, name, template=f"veraz_template_{os.getpid()}") as url:
        yield url


@pytest.fixture
def app_url(database_url: str) -> str:
    """The same database as the application sees it."""
    return as_role(database_url, "veraz_app")


@pytest.fixture
def worker_url(database_url: str) -> str:
    """The same database as a worker sees it."""
    return as_role(database_url, "veraz_worker")


@pytest.fixture
async def db(app_url: str) -> AsyncIterator[Database]:
    """A pool as veraz_app."""
    async with Database(app_url, ACCESS, size=6) as database:
        yield database


@pytest.fixture
async def worker_db(worker_url: str) -> AsyncIterator[Database]:
    """A pool as veraz_worker."""
    async with Database(worker_url, ACCESS, size=10) as database:
        yield database


@pytest.fixture
def owner(database_url: str) -> Iterator[Connection[TupleRow]]:
    """A plain connection as owner. It blocks the loop: while other tasks of the test hold locks, write with
    `await asyncio.to_thread(owner.execute, …)`.
    """
    with psycopg.connect(database_url, autocommit=True, options="-c lock_timeout=10s") as connection:
        yield connection


@pytest.fixture
def make_tenant(owner: Connection[TupleRow]) -> MakeTenant:
    """Makes a tenant with an administrator, a project and a global knowledge base."""

    def make(name: str = "Acme", *, plan: str = "unlimited", credits: int = 1_000_000) -> Tenant:
        tenant = Tenant(id=new_id(), name=name, admin_id=new_id(), project_id=new_id(), kb_id=new_id())
        with owner.transaction():
            act_in(owner, tenant.id)
            owner.execute(
                "insert into veraz.tenant (id, name, plan) values (%s, %s, %s)", (tenant.id, name, plan)
            )
            owner.execute(
                "insert into veraz.app_user (id, email, display_name, role) values (%s, %s, %s, 'admin')",
                (tenant.admin_id, f"{tenant.admin_id}@example.com", f"Admin of {name}"),
            )
            owner.execute("insert into veraz.project (id, name) values (%s, 'Main')", (tenant.project_id,))
            owner.execute(
                "insert into veraz.knowledge_base (id, project_id, kind, name) values (%s, %s, 'global', 'Base')",
                (tenant.kb_id, tenant.project_id),
            )
            owner.execute("insert into veraz.credit_balance (credits) values (%s)", (credits,))
        return tenant

    return make


@pytest.fixture
def make_user(owner: Connection[TupleRow]) -> Callable[..., Scope]:
    """Makes a user, a member of the tenant's project at `level` unless that is None; their scope."""

    def make(tenant: Tenant, *, role: Role = "member", level: str | None = "member") -> Scope:
        user_id = new_id()
        with owner.transaction():
            act_in(owner, tenant.id)
            owner.execute(
                "insert into veraz.app_user (id, email, role) values (%s, %s, %s)",
                (user_id, f"{user_id}@example.com", role),
            )
            if level is not None:
                owner.execute(
                    "insert into veraz.project_member (project_id, user_id, role) values (%s, %s, %s)",
                    (tenant.project_id, user_id, level),
                )
        return Scope(tenant_id=tenant.id, user_id=user_id, role=role)

    return make


@pytest.fixture
def make_kb(owner: Connection[TupleRow]) -> Callable[..., UUID]:
    """Makes another knowledge base; personal when an owner is given."""

    def make(tenant: Tenant, *, name: str | None = None, owner_id: UUID | None = None) -> UUID:
        kb_id = new_id()
        with owner.transaction():
            act_in(owner, tenant.id)
            owner.execute(
                "insert into veraz.knowledge_base (id, project_id, kind, owner_id, name) values (%s, %s, %s, %s, %s)",
                (
                    kb_id,
                    None if owner_id else tenant.project_id,
                    "personal" if owner_id else "global",
                    owner_id,
                    name or f"kb {kb_id}",
                ),
            )
        return kb_id

    return make


@pytest.fixture
def make_document(owner: Connection[TupleRow]) -> Callable[..., UUID]:
    """Makes a document row of the tenant's knowledge base (or another), without a file."""

    def make(
        tenant: Tenant, *, kb_id: UUID | None = None, name: str = "a.md", status: str = "pending"
    ) -> UUID:
        document_id = new_id()
        with owner.transaction():
            act_in(owner, tenant.id)
            owner.execute(
                "insert into veraz.document (id, kb_id, name, origin, file_type, size_bytes, status) "
                "values (%s, %s, %s, 'upload', 'md', 1, %s)",
                (document_id, kb_id or tenant.kb_id, name, status),
            )
        return document_id

    return make


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings with a home of their own and no rates; the environment of the person running the tests stays out."""
    for name in os.environ:
        if name.startswith("VERAZ_"):
            monkeypatch.delenv(name)
    return Settings(home=tmp_path, whatsapp_quiet_seconds=0).model_copy(update=NO_RATES)


NO_RATES = dict.fromkeys((f"{who}_requests_per_minute" for who in ("caller", "tenant", "stranger")), 0)
"""Tests ask faster than anybody; what rates do is told by tests that set them."""


class EmbeddedServer:
    """A fresh server of our own, without fsync, that can be killed and started again."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="veraz-pg-", dir=_memory()))
        self.home.chmod(0o755)  # as root, the server runs as another user
        self._joined = 0
        self.start()

    def start(self) -> None:
        """Starts it, also again after a kill (with crash recovery)."""
        self.url = join(self.home, _FAST).url
        self._joined += 1

    def url_as(self, role: str) -> str:
        """Its address for one of our roles."""
        return as_role(self.url, role)

    def kill(self) -> None:
        """kill -9 of the postmaster and every backend, as the kernel would do it."""
        (note,) = self.home.rglob("postmaster.pid")
        postmaster = psutil.Process(int(note.read_text().split()[0]))
        family = [postmaster, *postmaster.children(recursive=True)]
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(family, timeout=5)

    def close(self) -> None:
        """Stops it and removes its files."""
        for _ in range(self._joined):
            leave(self.home)
        shutil.rmtree(self.home, ignore_errors=True)


@contextmanager
def new_database(server_url: str, name: str, *, template: str = "template1") -> Iterator[str]:
    """Creates a database and drops it afterwards, whoever is still connected."""
    quoted = sql.Identifier(name)
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("create database {} template {} strategy file_copy").format(
                quoted, sql.Identifier(template)
            )
        )
        refuse_temporary_objects(connection, name)
        try:
            yield make_conninfo(server_url, dbname=name)
        finally:
            _drop(connection, quoted)


def _drop(connection: Connection[TupleRow], database: sql.Identifier, seconds: float = 5) -> None:
    """An owner who is no superuser cannot end other roles' connections, which take a moment to close."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            connection.execute(sql.SQL("drop database {} with (force)").format(database))
            return
        except psycopg.errors.InsufficientPrivilege:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def as_role(url: str, role: str) -> str:
    """The same address for another role."""
    return ACCESS.address(url, role)


def _memory() -> Path | None:
    """A file system in memory with room for a few hundred clones, where there is one: ten times as fast."""
    shm = Path("/dev/shm")
    return shm if shm.is_dir() and shutil.disk_usage(shm).free > 2 * 1024**3 else None


@pytest.fixture
def library(worker_db: Database) -> "Library":
    """Somebody who fills knowledge bases."""
    return Library(worker_db)


@pytest.fixture
async def search(db: Database, settings: Settings) -> AsyncIterator[Search]:
    """The service; calibrations it starts are awaited before the database goes."""
    service = Search(db, Spaces(settings.model_copy(update={"embedding_model": "fake:words@64"})))
    yield service
    await service.settle()


@pytest.fixture
def answers(db: Database, search: Search, settings: Settings) -> Callable[..., Answers]:
    """Makes the service with these models, each under its name."""

    def make(*models: ScriptedChat) -> Answers:
        by_name = {model.name: model for model in models}
        return Answers(db, search, settings, chats=lambda name, fallback: by_name[name])

    return make
