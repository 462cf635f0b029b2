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
from veraz.providers.files.tenants import Files
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
    files = Files(LocalFiles(settings.home / "files"))
    return Forget(worker_db, files, PagePictures(settings.home), at_once=40)


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


async def test_nobody_but_the_platform_begins_to_forget_a_tenant(
    db: Database, make_tenant: "MakeTenant", owner: Owner
) -> None:
    """A machine and an end user are all that an administrator may name; the rest begins with the row that goes."""
    ours, theirs = make_tenant(), make_tenant("Other")
    for kind in ("tenant", "document", "person", "chunk", "", "TENANT"):
        for subject in (str(theirs.id), "", ".."):
            with pytest.raises(errors.Forbidden):
                async with db.transaction(ours.admin) as tx:
                    await tx.value(
                        "select veraz.begin_forgetting(%(kind)s, array[%(subject)s])",
                        kind=kind,
                        subject=subject,
                    )
    async with db.transaction(ours.admin) as tx:
        await tx.value("select veraz.begin_forgetting('machine', array['PC-7'])")
    assert owner.execute("select kind from veraz.forgetting").fetchall() == [("machine",)]


async def test_files_go_only_of_tenants_that_are_gone(
    forget: Forget, worker_db: Database, make_tenant: "MakeTenant", owner: Owner, settings: Settings
) -> None:
    """Whatever a receipt names: a tenant that lives keeps its files, and what is no id names none."""
    ours, theirs, gone = make_tenant(), make_tenant("Other"), new_id()
    files = settings.home / "files"
    for tenant_id in (ours.id, theirs.id, gone):
        (files / str(tenant_id)).mkdir(parents=True)
        (files / str(tenant_id) / "file").write_text("x")
    named = [str(theirs.id), str(ours.id), str(theirs.id).upper(), f"{theirs.id}/", "", ".", "..", str(gone)]
    receipt = new_id()
    with owner.transaction():
        act_in(owner, ours.id)
        owner.execute(
            "insert into veraz.forgetting (id, tenant_id, kind, subjects) values (%s, %s, 'tenant', %s)",
            (receipt, ours.id, named),
        )
    async with worker_db.transaction(ours.worker) as tx:
        await queue.enqueue(tx, FORGET, payload={"forgetting_id": str(receipt)})
    (job,) = await queue.claim(worker_db, "w", 1, kinds=[FORGET])
    await forget(job, JobControl(worker_db, job))
    assert {path.name for path in files.iterdir() if path.is_dir() and any(path.iterdir())} == {
        str(ours.id),
        str(theirs.id),
    }
    assert owner.execute("select removed, status from veraz.forgetting").fetchall() == [
        ({"files": 1}, "done")
    ]
