"""Another way of cutting or embedding, through the HTTP door: beside the live edition, switched at once, undone."""

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database
from veraz.ingest import pipeline
from veraz.library import configs, separators
from veraz.library.separators import check_separator
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.door import Door, Person, working
else:
    from support.door import Door, Person, working

LONG = "\n\n".join(f"## Punto {n}\n\n" + f"El artículo {n} trata de la pieza {n}. " * 20 for n in range(8))
SMALL = {"strategy": "fixed", "chunk_size": 200, "chunk_overlap": 20}


async def test_an_empty_knowledge_base_takes_another_configuration_at_once(door: "Door") -> None:
    acme = door.acme
    kb = await acme.call("PATCH", f"/knowledge-bases/{acme.kb}", 200, json={"chunking_config": SMALL})
    assert (kb["status"], kb["chunking_config"]["chunk_size"]) == ("active", 200)
    again = await acme.call("PATCH", f"/knowledge-bases/{acme.kb}", 200, json={"chunking_config": SMALL})
    assert again["chunking_config"] == kb["chunking_config"]
    assert len(await _editions(acme)) == 2, "the same configuration again changes nothing"
    wrong = await acme.send("PATCH", f"/knowledge-bases/{acme.kb}", json={"chunking_config": {"size": 3}})
    assert wrong.status_code == 422


async def test_a_rebuild_says_its_price_switches_at_once_and_knows_the_way_back(at_work: "Door") -> None:
    acme = at_work.acme
    document = await acme.bring("largo.md", LONG.encode())
    (before,) = await acme.ended(document)
    plan = await acme.call(
        "POST", f"/knowledge-bases/{acme.kb}/rebuild", 200, json={"chunking_config": SMALL, "dry_run": True}
    )
    assert plan["documents"] == 1 and plan["tokens"] > 100 and plan["credits"] >= 2
    assert len(await _editions(acme)) == 1
    started = await acme.call(
        "POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json={"chunking_config": SMALL}
    )
    assert started["status"] in ("building", "live")
    await acme.idle()
    live, old = await _editions(acme)
    assert (live["status"], old["status"]) == ("live", "retired")
    assert len(await acme.chunks(document)) > before["chunks_count"]
    kb = await acme.call("GET", f"/knowledge-bases/{acme.kb}", 200)
    assert (kb["status"], kb["chunking_config"]["chunk_size"]) == ("active", 200)
    back = await acme.call("POST", f"/knowledge-bases/{acme.kb}/editions/{old['id']}/activate", 202)
    assert back["status"] == "live", "it lacks nothing, so the way back is immediate"
    assert len(await acme.chunks(document)) == before["chunks_count"]


async def test_another_model_is_another_space_and_never_mixes(
    at_work: "Door", owner: Connection[TupleRow]
) -> None:
    acme = at_work.acme
    documents = [await acme.bring(f"{n}.md", f"# {n}\n\nTexto {n}".encode()) for n in range(3)]
    await acme.ended(*documents)
    other = {"embedding_config": {"provider": "fake", "model": "words", "dimensions": 32}}
    await acme.call("PATCH", f"/knowledge-bases/{acme.kb}", 200, json=other)
    await acme.idle()
    live = (await _editions(acme))[0]
    assert live["status"] == "live" and live["embedding_config"]["dimensions"] == 32
    spaces = owner.execute(
        "select edition_id, count(distinct space_id), min(vector_dims(embedding)), max(vector_dims(embedding)) "
        "from veraz.chunk group by 1 order by 1"
    ).fetchall()
    assert [row[1:] for row in spaces] == [(1, 64, 64), (1, 32, 32)]


async def test_documents_that_arrive_during_a_rebuild_are_in_both_editions(
    door: "Door", door_settings: Settings, worker_db: Database, owner: Connection[TupleRow]
) -> None:
    acme = door.acme
    first = await acme.bring("uno.md", LONG.encode())
    async with working(door_settings, worker_db):
        await acme.ended(first)
        await acme.idle()
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json={"chunking_config": SMALL})
    kb = await acme.call("GET", f"/knowledge-bases/{acme.kb}", 200)
    assert kb["status"] == "processing" and kb["chunking_config"]["chunk_size"] == 1000
    busy = await acme.send("POST", f"/knowledge-bases/{acme.kb}/rebuild", json={"chunking_config": SMALL})
    assert (busy.status_code, busy.json()["code"]) == (409, "rebuild_running")
    late = [await acme.bring(f"tarde {n}.md", f"# {n}\n\n{LONG}".encode()) for n in range(4)]
    async with working(door_settings, worker_db):
        await acme.ended(*late)
        await acme.idle()
    live, old = await _editions(acme)
    assert (live["status"], old["status"]) == ("live", "retired")
    for document in [first, *late]:
        assert len(await acme.chunks(document)) > 10, "each is in the new edition"
    back = await acme.call("POST", f"/knowledge-bases/{acme.kb}/editions/{old['id']}/activate", 202)
    async with working(door_settings, worker_db):
        await acme.idle()
    assert back["status"] in ("live", "building")
    for document in [first, *late]:
        assert await acme.chunks(document), "and in the old one"
    counted = owner.execute(
        "select edition_id, sum(count) from veraz.edition_term where term = -1 group by 1"
    )
    really = owner.execute("select edition_id, count(*) from veraz.chunk group by 1").fetchall()
    assert sorted(counted.fetchall()) == sorted(really)


async def test_a_document_under_way_while_the_edition_is_switched_goes_into_the_new_one(
    door: "Door", door_settings: Settings, worker_db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = door.acme
    prepare = getattr(pipeline, "prepare")  # noqa: B009
    switches: list[Any] = []

    async def switch_first(*args: Any) -> Any:
        if not switches:
            body = {"chunking_config": SMALL}
            switches.append(await acme.call("PATCH", f"/knowledge-bases/{acme.kb}", 200, json=body))
        return await prepare(*args)

    monkeypatch.setattr(pipeline, "prepare", switch_first)
    document = await acme.bring("uno.md", LONG.encode())
    async with working(door_settings, worker_db):
        (ended,) = await acme.ended(document)
    assert switches[0]["status"] == "active"
    chunks = await acme.chunks(document)
    assert ended["chunks_count"] == len(chunks) > 10
    assert max(len(chunk["content"]) for chunk in chunks) <= 200


async def test_a_rebuild_can_be_dropped_and_gives_its_credits_back(
    door: "Door", door_settings: Settings, worker_db: Database
) -> None:
    acme = door.acme
    document = await acme.bring("uno.md", LONG.encode())
    async with working(door_settings, worker_db):
        await acme.ended(document)
        await acme.idle()
    before = await acme.credits()
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json={"chunking_config": SMALL})
    assert await acme.credits() < before, "its price is reserved when it starts"
    assert (await acme.send("DELETE", f"/knowledge-bases/{acme.kb}/rebuild")).status_code == 204
    assert await acme.credits() == before
    assert [e["status"] for e in await _editions(acme)] == ["live"]
    kb = await acme.call("GET", f"/knowledge-bases/{acme.kb}", 200)
    assert kb["status"] == "active"
    assert (await acme.call("GET", "/jobs/stats", 200))["PENDING"] == 0
    assert (await acme.send("DELETE", f"/knowledge-bases/{acme.kb}/rebuild")).status_code == 404


async def test_a_rebuild_that_cannot_be_paid_does_not_start(
    door: "Door", door_settings: Settings, worker_db: Database, owner: Connection[TupleRow]
) -> None:
    acme = door.acme
    document = await acme.bring("uno.md", LONG.encode())
    async with working(door_settings, worker_db):
        await acme.ended(document)
    owner.execute("update veraz.credit_balance set credits = 1")
    poor = await acme.send("POST", f"/knowledge-bases/{acme.kb}/rebuild", json={"chunking_config": SMALL})
    assert (poor.status_code, poor.json()["code"]) == (402, "credits_exhausted")
    assert [e["status"] for e in await _editions(acme)] == ["live"]


async def test_deleting_the_last_missing_document_completes_a_rebuild(
    door: "Door", door_settings: Settings, worker_db: Database
) -> None:
    acme = door.acme
    document = await acme.bring("uno.md", LONG.encode())
    async with working(door_settings, worker_db):
        await acme.ended(document)
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/rebuild", 202, json={"chunking_config": SMALL})
    await acme.send("DELETE", f"/knowledge-bases/{acme.kb}/documents/{document}")
    assert [e["status"] for e in await _editions(acme)] == ["live", "retired"]


async def _editions(person: "Person") -> list[dict[str, Any]]:
    return list((await person.call("GET", f"/knowledge-bases/{person.kb}/editions", 200))["items"])


async def test_a_slow_separator_is_tried_beside_the_loop(
    door: "Door", monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def noted(pattern: str) -> None:
        threads.append(threading.get_ident())

    monkeypatch.setattr(configs, "check_separator", noted)
    slow = {"strategy": "semantic", "separator_regex": "(a+)+$"}
    await door.acme.call("PATCH", f"/knowledge-bases/{door.acme.kb}", 200, json={"chunking_config": slow})
    await door.acme.call("POST", "/knowledge-bases", 201, json={"name": "Lenta", "chunking_config": slow})
    assert threads and threading.get_ident() not in threads


async def test_slow_separators_wait_for_nobody_and_keep_nobody_from_signing_in(door: "Door") -> None:
    async def create(number: int) -> int:
        slow = {"strategy": "paragraph", "separator_regex": f"(a|a)+{number}$"}
        body = {"name": f"Lenta {number}", "chunking_config": slow}
        answer = await door.acme.send("POST", "/knowledge-bases", json=body)
        return int(answer.status_code)

    began = time.monotonic()
    trials = [asyncio.create_task(create(number)) for number in range(20)]
    await asyncio.sleep(0.2)
    signed_in = await door.rival.send(
        "POST", "/auth/login", json={"email": "nadie@rival.test", "password": "correcto caballo"}
    )
    assert signed_in.status_code == 401
    assert time.monotonic() - began < 5
    statuses = await asyncio.gather(*trials)
    assert set(statuses) == {422, 429}
    assert statuses.count(422) <= 4


def test_a_refused_separator_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.Invalid):
        check_separator("(a|a)+9$")
    monkeypatch.setattr(separators, "_run", None)
    for _ in range(3):
        with pytest.raises(errors.Invalid):
            check_separator("(a|a)+9$")
