"""Work in the background: its stages, cancelling and retrying it, and what waits for a person."""

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.ingest.jobs import WorkFilter
from veraz.providers.embedding.fake import FakeEmbedder
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.people import add_person
else:
    from support.people import add_person

BROKEN = b"%PDF-1.7\n" + b"nothing that a reader could follow\n" * 20


def admin_of(person: "Person", owner: Connection[TupleRow]) -> Actor:
    found = owner.execute(
        "select id from veraz.app_user where tenant_id = %s", (person.tenant_id,)
    ).fetchone()
    assert found is not None
    return Actor(tenant_id=person.tenant_id, user_id=found[0], user_role="admin")  # type: ignore[arg-type]


async def job_of(person: "Person", document: str) -> dict[str, Any]:
    found = await person.call("GET", f"/jobs?document={document}", 200)
    return dict(found["items"][0])


async def test_a_document_shows_when_each_stage_began(at_work: "Door", owner: Connection[TupleRow]) -> None:
    document = await at_work.acme.bring("a.md", b"# Uno\n\nDos tres cuatro.")
    await at_work.acme.ended(document)
    await at_work.acme.idle()
    sheet = await at_work.veraz.jobs.work(admin_of(at_work.acme, owner), WorkFilter(text="A.MD"))
    (work,) = sheet.rows
    assert (work.name, work.kb_name, work.status, sheet.total, sheet.stats.done) == (
        "a.md",
        "Base",
        "DONE",
        1,
        1,
    )
    begun = [work.began(stage) for stage in ("PARSE", "CHUNK", "EMBED", "STORE")]
    assert begun == sorted(one for one in begun if one is not None)
    (speed,) = await at_work.veraz.jobs.throughput(admin_of(at_work.acme, owner))
    assert (speed.documents, speed.chunks) == (1, 1)
    theirs = await at_work.veraz.jobs.work(admin_of(at_work.rival, owner), WorkFilter())
    assert (theirs.rows, theirs.stats.done) == ([], 0)


async def test_cleaning_that_goes_well_is_only_for_who_asks_for_it(
    at_work: "Door", owner: Connection[TupleRow]
) -> None:
    acme = at_work.acme
    document = await acme.bring("a.md", b"# Uno")
    await acme.ended(document)
    await acme.call("DELETE", f"/knowledge-bases/{acme.kb}/documents/{document}", 204)
    await acme.idle()
    shown = await at_work.veraz.jobs.work(admin_of(acme, owner), WorkFilter())
    assert "forget_files" not in {one.kind for one in shown.rows}
    cleaning = await at_work.veraz.jobs.work(admin_of(acme, owner), WorkFilter(kind="forget_files"))
    assert {one.kind for one in cleaning.rows} == {"forget_files"}
    theirs = await at_work.veraz.jobs.work(admin_of(at_work.rival, owner), WorkFilter(kind="forget_files"))
    assert theirs.rows == []


async def test_a_document_is_one_row_however_often_it_was_read(
    at_work: "Door", owner: Connection[TupleRow]
) -> None:
    acme = at_work.acme
    document = await acme.bring("a.md", b"# Uno")
    await acme.ended(document)
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/{document}/reprocess", 202)
    await acme.idle()
    assert len((await acme.call("GET", f"/jobs?document={document}", 200))["items"]) == 2
    found = await at_work.veraz.jobs.work(admin_of(acme, owner), WorkFilter())
    assert [str(one.document_id) for one in found.rows] == [document]


async def test_a_waiting_document_is_cancelled_and_its_credits_go_back(door: "Door") -> None:
    acme = door.acme
    before = (await acme.call("GET", "/tenant", 200))["credits"]
    document = await acme.bring("a.md", b"# Uno")
    job = await job_of(acme, document)
    await acme.call("POST", f"/jobs/{job['id']}/cancel", 204)
    cancelled = await job_of(acme, document)
    assert (cancelled["status"], cancelled["error_code"]) == ("FAILED", "cancelled")
    (shown,) = await acme.ended(document)
    assert (shown["status"], shown["error_code"]) == ("failed", "cancelled")
    assert (await acme.call("GET", "/tenant", 200))["credits"] == before
    assert (await acme.call("POST", f"/jobs/{job['id']}/cancel", 409))["code"] == "job_ended"
    assert await acme.call("POST", "/jobs/retry", 200) == {"retried": 0}
    assert (await acme.call("GET", "/attention", 200))["items"] == []
    await acme.call("POST", f"/jobs/{job['id']}/retry", 204)
    assert (await job_of(acme, document))["status"] == "PENDING"


async def test_cancelling_a_new_version_keeps_the_one_that_is_read(
    at_work: "Door", owner: Connection[TupleRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = at_work.acme
    document = await acme.bring("a.md", b"# Uno\n\nTreinta euros.")
    await acme.ended(document)
    await acme.idle()
    working, go_on = asyncio.Event(), asyncio.Event()
    embed = FakeEmbedder.embed

    async def slow(self: FakeEmbedder, *given: Any, **more: Any) -> Any:
        working.set()
        await go_on.wait()
        return await embed(self, *given, **more)

    monkeypatch.setattr(FakeEmbedder, "embed", slow)
    await acme.upload(("a.md", b"# Uno\n\nCuarenta euros."))
    await asyncio.wait_for(working.wait(), 60)
    await acme.call("POST", f"/jobs/{(await job_of(acme, document))['id']}/cancel", 204)
    go_on.set()
    await acme.idle()
    (shown,) = await acme.ended(document)
    assert (shown["status"], shown["version"], shown["error_code"]) == ("completed", 1, "cancelled")
    assert "Treinta" in str(await acme.chunks(document))


async def test_a_wrong_key_is_told_as_such_and_not_tried_again(
    at_work: "Door", monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = at_work.acme

    async def refused(self: FakeEmbedder, *given: Any, **more: Any) -> Any:
        raise errors.OutsideRejected(host="api.example", reason="401")

    embed = FakeEmbedder.embed
    monkeypatch.setattr(FakeEmbedder, "embed", refused)
    document = await acme.bring("a.md", b"# Uno\n\nDos tres cuatro.")
    (shown,) = await acme.ended(document)
    assert shown["error_code"] == "outside_rejected"
    assert "api.example" in shown["error_message"]
    job = await job_of(acme, document)
    assert (job["status"], job["attempt"]) == ("FAILED", 1)
    monkeypatch.setattr(FakeEmbedder, "embed", embed)
    assert await acme.call("POST", "/jobs/retry", 200, json={"kb": acme.kb}) == {"retried": 1}
    await acme.idle()
    assert (await acme.ended(document))[0]["status"] == "completed"
    assert await acme.call("POST", "/jobs/retry", 200) == {"retried": 0}


async def test_failed_documents_need_attention_until_they_are_mended(at_work: "Door") -> None:
    acme = at_work.acme
    broken = [await acme.bring(f"{n}.pdf", BROKEN + bytes([48 + n])) for n in range(2)]
    await acme.ended(*broken)
    await acme.idle()
    (item,) = (await acme.call("GET", "/attention", 200, headers={"Accept-Language": "en"}))["items"]
    assert (item["kind"], item["code"], item["count"], item["kb_id"]) == ("documents", "corrupt", 2, acme.kb)
    assert item["detail"] == errors.Corrupt().message("en")
    ids = {"ids": broken}
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/bulk-delete", 200, json=ids)
    assert (await acme.call("GET", "/attention", 200))["items"] == []


async def test_the_other_company_and_members_cannot(door: "Door") -> None:
    acme = door.acme
    document = await acme.bring("a.md", b"# Uno")
    job = (await job_of(acme, document))["id"]
    project = (await acme.call("GET", "/projects", 200))["items"][0]["id"]
    member = await add_person(acme, "miguel@acme.test", **{project: "member"})
    for person in (door.rival, member):
        await person.call("POST", f"/jobs/{job}/cancel", 404)
        await person.call("POST", f"/jobs/{job}/retry", 404)
        assert (await person.call("GET", "/attention", 200))["items"] == []
    await door.rival.call("GET", f"/attention?project_id={project}", 404)
    await member.call("GET", f"/attention?project_id={project}", 403)
    assert (await job_of(acme, document))["status"] == "PENDING"
