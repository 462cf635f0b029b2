"""Forgetting goes on after a crash, changes nothing the second time, and meets ingestion and answers that are under way."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from psycopg import Connection

from veraz import errors
from veraz.db.pool import Database
from veraz.forgetting.job import FORGET, Forget
from veraz.forgetting.service import Forgettings
from veraz.forgetting.sweep import Sweep
from veraz.ids import new_id
from veraz.ingest.documents import Documents
from veraz.providers.files.local import LocalFiles
from veraz.providers.files.pictures import PagePictures
from veraz.queue import queue
from veraz.queue.handler import JobControl
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.access import act_in
    from tests.support.canaries import in_tables
    from tests.support.searchable import Library, admin_of
else:
    from support.access import act_in
    from support.canaries import in_tables
    from support.searchable import Library, admin_of

Owner = Connection[Any]
CANARIES = ("zorbelfunt", "velorci")


@pytest.fixture
def forget(worker_db: Database, settings: Settings) -> Forget:
    """The handler, which takes a few words at a time."""
    return Forget(worker_db, LocalFiles(settings.home / "files"), PagePictures(settings.home), at_once=40)


@pytest.fixture
async def told(library: Library, make_tenant: "MakeTenant", owner: Owner) -> tuple["Tenant", UUID, UUID]:
    """A tenant, its knowledge base, and a document of several chunks that people asked about."""
    tenant = make_tenant()
    kb = await library.kb(tenant)
    document = await library.document(
        kb,
        "zorbelfunto.md",
        "La clave es zorbelfunto.",
        "La directora Velorcia firma.",
        "Nada más hay que decir.",
    )
    with owner.transaction():
        act_in(owner, tenant.id)
        for number in range(1_200):
            text = "¿Quién es Velorcia?" if number % 400 == 7 else f"¿Qué cuesta el plan {number}?"
            owner.execute(
                "insert into veraz.query_log (id, kind, kb_ids, question, stages, latency_ms) "
                "values (%s, 'search', '{}', %s, '{}', 1)",
                (new_id(), text),
            )
    return tenant, kb.id, document


async def claimed(db: Database, kind: str = FORGET) -> Any:
    """The job, with a worker that holds it."""
    (job,) = await queue.claim(db, "w1", 1, kinds=[kind])
    return job


async def test_a_crash_halfway_is_gone_on_from(
    told: tuple["Tenant", UUID, UUID],
    db: Database,
    worker_db: Database,
    owner: Owner,
    forget: Forget,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tenant, kb, document = told
    await Documents(db).delete(admin_of(tenant), kb, [document])
    assert in_tables(owner, *CANARIES)
    job = await claimed(worker_db)
    real, calls = Sweep.run, 0

    async def failing(self: Sweep, texts: Any, progress: Any) -> dict[str, int]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise errors.DatabaseUnavailable(reason="killed here")
        return await real(self, texts, progress)

    monkeypatch.setattr(Sweep, "run", failing)
    with pytest.raises(errors.DatabaseUnavailable):
        await forget(job, JobControl(worker_db, job))
    (receipt,) = (await Forgettings(db).all(admin_of(tenant))).items
    assert receipt.status == "running"
    await forget(job, JobControl(worker_db, job))
    assert calls > 2
    (receipt,) = (await Forgettings(db).all(admin_of(tenant))).items
    assert (receipt.status, receipt.removed["documents"], receipt.removed["query_log"]) == ("done", 1, 3)
    assert in_tables(owner, *CANARIES) == {}
    kept = owner.execute("select count(*) from veraz.query_log where question like '¿Qué cuesta%'").fetchone()
    assert kept == (1_197,)


async def test_twice_changes_nothing(
    told: tuple["Tenant", UUID, UUID], db: Database, worker_db: Database, owner: Owner, forget: Forget
) -> None:
    tenant, kb, document = told
    await Documents(db).delete(admin_of(tenant), kb, [document])
    job = await claimed(worker_db)
    await forget(job, JobControl(worker_db, job))
    (first,) = (await Forgettings(db).all(admin_of(tenant))).items
    await forget(job, JobControl(worker_db, job))
    assert (await Forgettings(db).all(admin_of(tenant))).items == [first]
    assert await Documents(db).delete(admin_of(tenant), kb, [document]) == []
    assert len((await Forgettings(db).all(admin_of(tenant))).items) == 1


async def test_another_tenants_words_are_never_looked_at(
    told: tuple["Tenant", UUID, UUID],
    db: Database,
    worker_db: Database,
    owner: Owner,
    forget: Forget,
    make_tenant: "MakeTenant",
) -> None:
    tenant, kb, document = told
    other = make_tenant("Rival")
    with owner.transaction():
        act_in(owner, other.id)
        owner.execute(
            "insert into veraz.query_log (id, kind, kb_ids, question, stages, latency_ms) "
            "values (%s, 'search', '{}', '¿Quién es Velorcia?', '{}', 1)",
            (new_id(),),
        )
    await Documents(db).delete(admin_of(tenant), kb, [document])
    job = await claimed(worker_db)
    await forget(job, JobControl(worker_db, job))
    assert in_tables(owner, *CANARIES) == {"query_log.question": 1}
    assert (await Forgettings(db).all(admin_of(other))).items == []
    with pytest.raises(errors.NotFound):
        await Forgettings(db).forget_machine(admin_of(other), "M-1")
