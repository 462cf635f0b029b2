"""The Python client against a real server on a real port."""

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from veraz.client import (
    Answered,
    AsyncVeraz,
    Delta,
    DocumentFailed,
    Duplicate,
    Forbidden,
    Found,
    Invalid,
    NotFound,
    Progress,
    Unauthenticated,
    Unsupported,
    Veraz,
)

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.loopback import served
    from tests.support.people import add_key
else:
    from support.door import Door, Person
    from support.loopback import served
    from support.people import add_key

TEXT = "# Garantía\n\nLa garantía cubre dos años desde la compra.\n"
QUESTION = "¿Cuántos años cubre la garantía?"


@pytest.fixture
async def address(at_work: Door) -> AsyncIterator[str]:
    async with served(at_work.http._transport.app) as found:  # type: ignore[attr-defined]
        yield found


def key_of(person: Person) -> str:
    return person.headers["Authorization"].removeprefix("Bearer ")


async def test_from_a_file_to_a_cited_answer(address: str, at_work: Door, tmp_path: Path) -> None:
    file = tmp_path / "garantía.md"
    file.write_text(TEXT)
    await asyncio.to_thread(_journey, address, key_of(at_work.acme), file)


async def test_a_large_file_goes_piece_by_piece(address: str, at_work: Door, tmp_path: Path) -> None:
    file, sent = tmp_path / "larga.txt", list[tuple[int, int]]()
    file.write_text("\n\n".join(f"Párrafo {n} sobre otra cosa." for n in range(8_000)))
    size = file.stat().st_size

    def send() -> str:
        with Veraz(address, key=key_of(at_work.acme)) as veraz:
            return veraz.upload(at_work.acme.kb, file, progress=lambda *step: sent.append(step))

    assert await asyncio.to_thread(send)
    assert len(sent) > 3
    assert [total for _, total in sent] == [size] * len(sent)
    assert sent[-1] == (size, size)


def _journey(address: str, key: str, file: Path) -> None:
    seen: list[Progress] = []
    with Veraz(address, key=key) as veraz:
        kb = veraz.knowledge_base("Productos", language="es")
        assert veraz.knowledge_base("productos").id == kb.id
        document = veraz.upload(kb.id, file, metadata={"origen": "prueba"})
        assert veraz.wait(kb.id, document, every=0.05, progress=seen.append).chunks_created == 1
        assert seen[-1].progress_percent == 100
        assert [(d.id, d.metadata["origen"]) for d in veraz.documents(kb.id)] == [(document, "prueba")]
        found = veraz.search("garantía dos años desde la compra", kb=kb.id, top_k=3)
        assert "dos años" in found.passages[0].content
        agent = veraz.agent("Ana", answer_style="strict")
        veraz.assign(agent.id, kb.id, priority=1)
        assert veraz.search("la garantía cubre dos años", agent=agent.id).passages
        answer = veraz.ask(agent.id, QUESTION)
        assert not answer.refused
        assert answer.sources(answer.claims[0])[0].document_id == document
        with veraz.stream(agent.id, QUESTION, conversation_id=answer.conversation_id) as events:
            heard = list(events)
        assert any(isinstance(event, Found) for event in heard)
        assert isinstance(heard[-1], Answered)
        assert heard[-1].answer.conversation_id == answer.conversation_id
        veraz.delete_document(kb.id, document)
        veraz.delete_document(kb.id, document)
        assert list(veraz.documents(kb.id)) == []
        assert veraz.call("GET", "/me")["tenant_id"]


async def test_the_same_with_an_event_loop(address: str, at_work: Door) -> None:
    async with AsyncVeraz(address, key=key_of(at_work.acme)) as veraz:
        kb = await veraz.knowledge_base("Productos")
        document = await veraz.upload(kb.id, TEXT.encode(), name="garantía.md")
        assert (await veraz.wait(kb.id, document, every=0.05)).status == "completed"
        assert [one.id async for one in veraz.documents(kb.id)] == [document]
        text = await veraz.add_text(kb.id, "Envío", "El envío tarda tres días.")
        await veraz.wait(kb.id, text.document_id or "", every=0.05)
        agent = await veraz.agent("Ana")
        await veraz.assign(agent.id, kb.id)
        assert (await veraz.search("garantía dos años", kb=kb.id)).passages
        assert not (await veraz.ask(agent.id, QUESTION)).refused
        async with veraz.stream(agent.id, QUESTION) as events:
            heard = [event async for event in events]
        assert "".join(event.text for event in heard if isinstance(event, Delta))
        assert isinstance(heard[-1], Answered)
        with pytest.raises(NotFound):
            async with veraz.stream(at_work.rival.kb, QUESTION):
                pass


async def test_refusals_are_typed_and_carry_the_stable_code(address: str, at_work: Door) -> None:
    acme = at_work.acme
    async with AsyncVeraz(address, key=key_of(acme), language="en") as veraz:
        document = await veraz.upload(acme.kb, io.BytesIO(TEXT.encode()), name="a.md")
        with pytest.raises(Duplicate) as twin:
            await veraz.upload(acme.kb, TEXT.encode(), name="b.md")
        assert (twin.value.document_id, twin.value.code) == (document, "duplicate_document")
        with pytest.raises(Unsupported):
            await veraz.upload(acme.kb, b"MZ\x90\x00\x03" + bytes(60), name="a.exe")
        broken = await veraz.upload(acme.kb, b"%PDF-1.7\n1 0 obj\n<< >>", name="roto.pdf")
        with pytest.raises(DocumentFailed) as failed:
            await veraz.wait(acme.kb, broken, every=0.05)
        assert failed.value.code == "corrupt"
        with pytest.raises(Invalid) as invalid:
            await veraz.search("", kb=acme.kb)
        assert invalid.value.request_id
    async with AsyncVeraz(address, key="vzk_no") as stranger:
        with pytest.raises(Unauthenticated):
            await stranger.call("GET", "/me")


async def test_the_other_tenants_client_finds_nothing(address: str, at_work: Door) -> None:
    async with AsyncVeraz(address, key=key_of(at_work.rival)) as rival:
        with pytest.raises(NotFound):
            await rival.search("garantía", kb=at_work.acme.kb)
        with pytest.raises(NotFound):
            await rival.upload(at_work.acme.kb, b"hola", name="a.txt")
        assert [kb.id async for kb in rival.knowledge_bases()] == [at_work.rival.kb]


async def test_a_key_without_the_scope_is_forbidden(address: str, at_work: Door) -> None:
    key = await add_key(at_work.acme, "ask")
    async with AsyncVeraz(address, key=key_of(key)) as veraz:
        with pytest.raises(Forbidden) as raised:
            await veraz.search("garantía", kb=at_work.acme.kb)
        assert raised.value.code == "scope_missing"


async def test_versions_corrections_and_several_bases_through_the_client(address: str, at_work: Door) -> None:
    await asyncio.to_thread(_replacing, address, key_of(at_work.acme))


def _replacing(address: str, key: str) -> None:
    with Veraz(address, key=key) as veraz:
        kb, other = veraz.knowledge_base("Uno").id, veraz.knowledge_base("Dos").id
        document = veraz.upload(kb, io.BytesIO(TEXT.encode()), name="garantia.md")
        veraz.wait(kb, document)
        new = TEXT.replace("dos años", "tres años").encode()
        assert veraz.upload(kb, io.BytesIO(new), name="garantia_2.md", document=document) == document
        veraz.wait(kb, document)
        assert [(one.version, one.status) for one in veraz.versions(kb, document)] == [
            (2, "current"),
            (1, "superseded"),
        ]
        assert veraz.restore_version(kb, document, 1).version == 3
        veraz.wait(kb, document)
        written = veraz.add_text(kb, "Nota", "La garantía es ahora de cinco años.").document_id or ""
        veraz.wait(kb, written)
        assert veraz.replace_text(kb, written, content="La garantía es ahora de seis años.").version == 2
        veraz.wait(kb, written)
        assert veraz.supersede(kb, document, written).superseded_by == written
        found = veraz.search(QUESTION, kb=[kb, other], similarity_threshold=0)
        assert {one.document_id for one in found.passages} == {written}
        (chunk,) = veraz.call("GET", f"/knowledge-bases/{kb}/documents/{written}/chunks")["items"]
        path = f"/knowledge-bases/{kb}/documents/{written}/chunks/{chunk['id']}"
        veraz.call("PATCH", path, {"content": "La garantía es ahora de diez años.", "revision": 1})
        assert [(one.before, one.after) for one in veraz.corrections(kb, written)] == [("seis", "diez")]
