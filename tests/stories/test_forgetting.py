"""Forgotten means forgotten: no table, no file, no log and no request to a model holds a word of it afterwards.

Each story first proves that its scan sees: before the forgetting it finds the canaries in many places.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from argon2 import PasswordHasher
from psycopg import Connection
from pydantic import SecretStr

from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.tenancy import tokens

if TYPE_CHECKING:
    from tests.support.canaries import in_files, in_tables
    from tests.support.chat_server import ChatServer, chat_server
    from tests.support.door import Door, Person, open_door, working
    from tests.support.people import acting, add_key, add_person, my_id
else:
    from support.canaries import in_files, in_tables
    from support.chat_server import ChatServer, chat_server
    from support.door import Door, Person, open_door, working
    from support.people import acting, add_key, add_person, my_id

SECRET = """# Plan Quirmelonda

La clave de la sala de servidores es zorbelfunto y cambia cada mes.
El contrato ZX-77319 lo firma la directora Trasmundia Velorcia en nombre de todas las sedes.
"""
GYM = """# Gimnasio

La cuota mensual del gimnasio municipal es de 30 euros. Ana García dirige el gimnasio municipal desde 2015.
"""
CANARIES = ("zorbelfunt", "77319", "quirmelond", "velorci", "brumaldin")
SAID = "La clave de la sala de servidores es zorbelfunto y cambia cada mes [Chunk 1]."


@dataclass(frozen=True, kw_only=True)
class House:
    """A company with an agent that has a chat model, and a look behind the walls."""

    door: Door
    owner: Connection[Any]
    model: ChatServer
    home: Path
    agent: str

    @property
    def acme(self) -> Person:
        """The company's admin."""
        return self.door.acme

    def found(self, *canaries: str) -> dict[str, int]:
        """Where the words still are: in the database, and in files."""
        tables = in_tables(self.owner, *canaries)
        files = {f"file {name}": 1 for name in in_files(self.home, *canaries)}
        return tables | files

    async def ask(self, who: Person, question: str, talk: str | None = None) -> dict[str, Any]:
        """An answer that is kept in a conversation."""
        body = {"question": question, "conversation_id": talk}
        answer: dict[str, Any] = await who.call("POST", f"/agents/{self.agent}/ask", 200, json=body)
        return answer

    async def forgotten(self) -> list[dict[str, Any]]:
        """The receipts, once all forgettings are done."""
        async with asyncio.timeout(60):
            while True:
                receipts: list[dict[str, Any]] = (await self.acme.call("GET", "/forgettings", 200))["items"]
                if receipts and all(one["status"] == "done" for one in receipts):
                    await self.acme.idle()
                    return receipts
                await asyncio.sleep(0.05)


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.answer = SAID
        yield running


@pytest.fixture
async def house(
    settings_without_models: Settings,
    db: Database,
    worker_db: Database,
    owner: Connection[Any],
    model: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[House]:
    """Everything that can repeat a document's words, with a worker."""
    monkeypatch.setattr(tokens, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    keys = {
        "openai_api_key": SecretStr("k"),
        "openai_base_url": f"{model.url}/v1",
        "embedding_model": "fake:hash@64",
    }
    settings = settings_without_models.model_copy(update=keys)
    async with open_door(settings, db) as door, working(settings, worker_db):
        acme = door.acme
        await acme.ended(await acme.bring("gimnasio.md", GYM.encode()))
        body = {
            "name": "Luna",
            "model": "openai:loopback",
            "retrieval": {"rewrite": False, "similarity_threshold": 0.0},
        }
        agent = (await acme.call("POST", "/agents", 201, json=body))["id"]
        await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
        yield House(door=door, owner=owner, model=model, home=settings.home, agent=agent)


async def told(house: House) -> tuple[str, str]:
    """A document whose words went everywhere: its id, and a conversation about it."""
    acme = house.acme
    secret = await acme.bring("plan-quirmelonda.md", SECRET.encode())
    await acme.ended(secret)
    path = f"/knowledge-bases/{acme.kb}/documents/{secret}"
    changed = {
        "title": "Plan Quirmelonda",
        "author": "Trasmundia Velorcia",
        "metadata": {"contrato": "ZX-77319"},
    }
    await acme.call("PATCH", path, 200, json=changed)
    (chunk, *_) = await acme.chunks(secret)
    corrected = {
        "content": chunk["content"].replace("cada mes", "cada brumaldino"),
        "revision": chunk["revision"],
    }
    await acme.call("PATCH", f"{path}/chunks/{chunk['id']}", 200, json=corrected)
    first = await house.ask(acme, "¿Qué clave, quizá zorbelfunto, tiene la sala de servidores?")
    talk = first["conversation_id"]
    assert "zorbelfunto" in first["answer"]
    await house.ask(acme, "¿Y quién firma el contrato ZX-77319?", talk)
    rating = {"rating": "down", "reason": "zorbelfunto ya no vale"}
    await acme.call("POST", f"/messages/{first['message_id']}/feedback", 200, json=rating)
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/search", 200, json={"query": "clave zorbelfunto"})
    questions = [
        {"question": "¿Cuál es la clave de la sala de servidores?", "expected_text": "zorbelfunto"},
        {"question": "¿Qué dice el plan?", "expected_document_id": secret},
    ]
    quoting = (
        await acme.call(
            "POST", "/agents", 201, json={"name": "Cita", "retrieval": {"similarity_threshold": 0.0}}
        )
    )["id"]
    await acme.call("PUT", f"/agents/{quoting}/knowledge-bases/{acme.kb}", 200)
    await acme.call("POST", f"/agents/{quoting}/exam", 201, json={"questions": questions})
    await acme.call("POST", f"/agents/{quoting}/exam/runs", 201)
    await acme.call(
        "POST", f"/knowledge-bases/{acme.kb}/domain-intelligence", 201, json={"user_input": "Quirmelonda"}
    )
    await acme.ended(secret)
    await acme.idle()
    return secret, talk


async def test_nothing_is_left_of_a_deleted_document(house: House) -> None:
    secret, talk = await told(house)
    before = house.found(*CANARIES)
    tables = {name.split(".")[0] for name in before}
    wanted = {"message", "conversation", "query_log", "query_trace", "feedback", "exam_question", "exam_run"}
    assert wanted | {"audit_entry", "document", "document_text", "chunk", "correction"} <= tables, before
    assert any(name.startswith("file ") for name in before)

    await house.acme.call("DELETE", f"/knowledge-bases/{house.acme.kb}/documents/{secret}", 204)
    (receipt,) = await house.forgotten()
    assert house.found(*CANARIES) == {}
    assert receipt["kind"] == "document"
    assert receipt["subjects"] == [secret]
    assert receipt["removed"]["documents"] == 1
    assert receipt["removed"]["answers"] >= 1

    asked = len(house.model.requests)
    house.model.answer = "La cuota mensual del gimnasio municipal es de 30 euros [Chunk 1]."
    await house.ask(house.acme, "¿Y cuánto cuesta el gimnasio municipal?", talk)
    sent = json.dumps([one["body"] for one in house.model.requests[asked:]], ensure_ascii=False).lower()
    assert len(house.model.requests) > asked
    assert not [word for word in CANARIES if word in sent]
    assert "gimnasio municipal" in sent


async def test_the_conversation_says_what_happened_and_when(house: House) -> None:
    secret, talk = await told(house)
    await house.acme.call("DELETE", f"/knowledge-bases/{house.acme.kb}/documents/{secret}", 204)
    await house.forgotten()
    said = (await house.acme.call("GET", f"/conversations/{talk}/messages", 200))["items"]
    answers = [one for one in said if one["role"] == "assistant"]
    assert answers
    assert all(one["text"].startswith("[olvidado el 20") and one["forgotten_at"] for one in answers)
    assert all(one["forgotten_why"] == "document" and not one["claims"] for one in answers)


async def test_what_is_known_from_another_document_stays(house: House) -> None:
    secret, _ = await told(house)
    house.model.answer = "La cuota mensual del gimnasio municipal es de 30 euros [Chunk 1]."
    fee = "¿Cuál es la cuota mensual del gimnasio municipal?"
    kept = await house.ask(house.acme, fee)
    await house.acme.call("DELETE", f"/knowledge-bases/{house.acme.kb}/documents/{secret}", 204)
    await house.forgotten()
    path = f"/conversations/{kept['conversation_id']}/messages"
    question, answer = (await house.acme.call("GET", path, 200))["items"]
    assert question["text"] == fee
    assert "30 euros" in answer["text"]
    assert answer["claims"]
    assert house.found(*CANARIES) == {}


async def test_a_knowledge_base_takes_all_its_words_along(house: House) -> None:
    secret, _ = await told(house)
    assert house.found(*CANARIES)
    await house.acme.call("DELETE", f"/knowledge-bases/{house.acme.kb}", 204)
    await house.forgotten()
    assert house.found(*CANARIES) == {}
    assert secret in (await house.acme.call("GET", "/forgettings", 200))["items"][0]["subjects"]


async def test_a_document_that_is_being_read_does_not_come_back(house: House) -> None:
    for number in range(4):
        secret = await house.acme.bring(f"plan-{number}-quirmelonda.md", (SECRET + "x" * number).encode())
        await asyncio.sleep(0.02 * number)
        await house.acme.call("DELETE", f"/knowledge-bases/{house.acme.kb}/documents/{secret}", 204)
    await house.forgotten()
    await house.acme.idle()
    assert house.found(*CANARIES) == {}


async def test_another_tenant_cannot_make_anything_forgotten_or_see_a_receipt(house: House) -> None:
    secret, _ = await told(house)
    rival = house.door.rival
    await rival.call("DELETE", f"/knowledge-bases/{house.acme.kb}/documents/{secret}", 404)
    await rival.call("DELETE", "/machines/M-Zorbelfunto/memory", 404)
    assert house.found(*CANARIES)
    await house.acme.call("DELETE", f"/knowledge-bases/{house.acme.kb}/documents/{secret}", 204)
    (receipt,) = await house.forgotten()
    assert (await rival.call("GET", "/forgettings", 200))["items"] == []
    await rival.call("GET", f"/forgettings/{receipt['id']}", 404)


async def test_nothing_is_left_of_a_machine_and_what_was_said_in_front_of_it(house: House) -> None:
    acme = house.acme
    licence = {"machine_id": "M-1", "user_name": "Brumaldina", "metadata": {"lugar": "Quirmelonda"}}
    await acme.call("POST", "/licences", 201, json=licence)
    await acme.ended(await acme.bring("plan-quirmelonda.md", SECRET.encode(), machine_id="M-1"))
    key = acting(await add_key(acme, "ask", "read"), user="u-1", machine="M-1")
    answer = await house.ask(key, "¿Qué clave, quizá zorbelfunto, tiene la sala de servidores?")
    assert "zorbelfunto" in answer["answer"]
    await acme.idle()
    assert {"document.name", "message.text", "query_log.question", "licence.user_name"} <= set(
        house.found(*CANARIES)
    )

    receipt = await acme.call("DELETE", "/machines/M-1/memory", 202)
    assert receipt["kind"] == "machine"
    await house.forgotten()
    assert house.found(*CANARIES) == {}
    (licence_kept,) = (await acme.call("GET", "/licences", 200))["items"]
    assert licence_kept["user_name"] == ""
    await acme.call("DELETE", "/machines/M-1/memory", 202)  # twice changes nothing
    await house.forgotten()
    await acme.call("DELETE", "/machines/nobody/memory", 404)
    await acme.call("DELETE", "/machines/global/memory", 404)


async def test_nothing_is_left_of_a_person_but_that_somebody_was_there(house: House) -> None:
    acme = house.acme
    person = await add_person(acme, "velorcia@acme.test", **{await _project(acme): "member"})
    whose = await my_id(person)
    await acme.call("PATCH", f"/users/{whose}", 200, json={"display_name": "Trasmundia Velorcia"})
    await house.ask(person, "Soy Trasmundia Velorcia, ¿qué clave zorbelfunto tengo?")
    await acme.idle()
    assert {"app_user.email", "message.text", "query_log.question", "audit_entry.changes"} <= set(
        house.found(*CANARIES)
    )
    await acme.call("DELETE", f"/users/{whose}", 204)
    receipts = await house.forgotten()
    assert house.found(*CANARIES) == {}
    assert [one["kind"] for one in receipts] == ["person"]
    assert receipts[0]["subjects"] == [whose]


async def test_nothing_is_left_of_an_end_user_of_a_service(house: House) -> None:
    acme = house.acme
    key = acting(await add_key(acme, "ask", "read", "ingest", "manage"), user="cliente-quirmelond")
    body = {"name": "Mi base", "kind": "personal"}
    mine = (await key.call("POST", "/knowledge-bases", 201, json=body))["id"]
    await key.upload(("mio-velorcia.md", SECRET.encode()), kb=mine)
    await acme.idle()
    await house.ask(key, "Soy Trasmundia Velorcia, ¿qué clave zorbelfunto tengo?")
    await acme.idle()
    assert {"app_user.external_id", "document.name", "message.text"} <= set(house.found(*CANARIES))
    assert (await house.door.rival.send("DELETE", "/end-users/cliente-quirmelond")).status_code == 404
    receipt = await acme.call("DELETE", "/end-users/cliente-quirmelond", 202)
    assert receipt["kind"] == "end_user"
    await house.forgotten()
    assert house.found(*CANARIES) == {}
    await acme.call("DELETE", "/end-users/cliente-quirmelond", 404)


async def test_nothing_is_left_of_a_whole_tenant(house: House) -> None:
    secret, _ = await told(house)
    rival = house.door.rival
    await rival.ended(await rival.bring("plan-quirmelonda.md", SECRET.encode()))
    await rival.call("PATCH", f"/knowledge-bases/{rival.kb}", 200, json={"description": "brumaldina"})
    await rival.bring("otra-quirmelonda.md", (SECRET + "y más").encode())  # perhaps still being read
    await house.acme.call("DELETE", f"/knowledge-bases/{house.acme.kb}/documents/{secret}", 204)
    await house.forgotten()
    assert house.found(*CANARIES)

    path = f"/tenants/{rival.tenant_id}"
    await rival.call("DELETE", f"{path}?name=Rival", 403)
    await house.acme.call("DELETE", f"{path}?name=rival", 422)
    await house.acme.call("DELETE", f"/tenants/{house.acme.tenant_id}?name=Acme", 422)
    receipt = await house.acme.call("DELETE", f"{path}?name=Rival", 202)
    assert receipt["kind"] == "tenant"
    await house.forgotten()
    assert house.found(*CANARIES) == {}
    assert house.found(rival.tenant_id) == {
        "forgetting.subjects": 1,
        "security_event.about": 1,
    }  # that it went
    kept = await house.acme.call("GET", "/security-events?installation=true&kind=tenant_deleted", 200)
    assert [one["about"] for one in kept["items"]] == [rival.tenant_id]
    assert (await rival.send("GET", "/me")).status_code == 401
    await house.acme.call("DELETE", f"{path}?name=Rival", 404)
    assert await house.acme.chunks(
        (await house.acme.call("GET", f"/knowledge-bases/{house.acme.kb}/documents", 200))["items"][0]["id"]
    )


LONG = """# Normas

La piscina abre a las nueve de la mañana y cierra a las diez de la noche todos los días.

## Quirmelonda

La clave de la sala de servidores es zorbelfunto y la custodia la directora Velorcia desde marzo.

## Biblioteca

La biblioteca presta tres libros por persona durante quince días y admite una sola renovación.
"""


async def test_one_chunk_is_forgotten_and_stays_away_when_its_document_is_read_again(house: House) -> None:
    acme = house.acme
    small = {"chunking_config": {"strategy": "paragraph", "chunk_size": 120, "min_chunk_size": 20}}
    base = (await acme.call("POST", "/knowledge-bases", 201, json={"name": "Normas"} | small))["id"]
    mine = replace(acme, kb=base)
    await acme.call("PUT", f"/agents/{house.agent}/knowledge-bases/{base}", 200)
    document = await mine.bring("normas.md", LONG.encode())
    await mine.ended(document)
    chunks = await mine.chunks(document)
    (secret,) = [one for one in chunks if "zorbelfunto" in one["content"]]
    assert len(chunks) > 1
    house.model.answer = "La clave de la sala de servidores es zorbelfunto y la custodia la directora Velorcia desde marzo [Chunk 1]."
    answer = await house.ask(acme, "¿Cuál es la clave de la sala de servidores, zorbelfunto?")
    assert "zorbelfunto" in answer["answer"]
    await acme.idle()
    assert {"chunk.content", "document_text.text", "message.text", "query_trace.trace"} <= set(
        house.found("zorbelfunt")
    )

    path = f"/knowledge-bases/{base}/documents/{document}/chunks/{secret['id']}"
    assert (await house.door.rival.send("DELETE", path)).status_code == 404
    await acme.call("DELETE", path, 204)
    (receipt,) = await house.forgotten()
    assert receipt["kind"] == "chunk"
    await mine.ended(document)
    await acme.call("DELETE", path, 404)
    file = house.found("zorbelfunt", "velorci", "quirmelond")
    assert {name.split(" ")[0] for name in file} == {"file"}  # the original stays until the document goes
    for _ in range(2):
        kept = await mine.chunks(document)
        said = " ".join(one["content"] for one in kept)
        assert "piscina abre" in said
        assert "tres libros" in said
        assert not [one for one in kept if "█" in one["content"]]
        await acme.call("POST", f"/knowledge-bases/{base}/documents/{document}/reprocess", 202)
        await acme.idle()
        await mine.ended(document)
        assert house.found("zorbelfunt", "velorci", "quirmelond") == file

    asked = len(house.model.requests)
    house.model.answer = "La biblioteca presta tres libros por persona durante quince días y admite una sola renovación [Chunk 1]."
    await house.ask(acme, "¿Cuántos libros presta la biblioteca?", answer["conversation_id"])
    sent = json.dumps([one["body"] for one in house.model.requests[asked:]], ensure_ascii=False).lower()
    assert "tres libros" in sent
    assert not [word for word in ("zorbelfunt", "velorci", "quirmelond") if word in sent]
    await acme.call("DELETE", f"/knowledge-bases/{base}/documents/{document}", 204)
    await house.forgotten()
    assert house.found("zorbelfunt", "velorci", "quirmelond") == {}


async def _project(person: Person) -> str:
    return str((await person.call("GET", "/projects", 200))["items"][0]["id"])
