"""A backup brings everything back: rows, rights, files, and the secret they depend on."""

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from pydantic import SecretStr

from veraz import errors
from veraz.answer.service import Ask
from veraz.backup import restore, save, write_forgotten
from veraz.ingest.receive import Labels
from veraz.library.agents import AgentProfile
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.queue.worker import Worker
from veraz.sealed import new_key
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.security_events import Wanted
from veraz.tenancy.tenants import NewTenant
from veraz.wiring import Veraz, open_veraz, open_worker

KEY = new_key()


def _settings(home: Path) -> Settings:
    return Settings(home=home, embedding_model="fake:hash@64", log_level="error")


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "sealed"])
async def test_an_installation_comes_back_whole_in_another_home(tmp_path: Path, key: str | None) -> None:
    first, second, file = _settings(tmp_path / "a"), _settings(tmp_path / "b"), tmp_path / "veraz.tar"
    async with open_veraz(first) as veraz:
        await veraz.tenants.first_start(email="ana@example.com", password="tres gatos azules")
        actor = await veraz.tenants.operator()
        kb = await veraz.knowledge_bases.create(actor, NewKnowledgeBase(name="Manual"))
        text = io.BytesIO("La garantía dura dos años.".encode())
        received = await veraz.reception.file(actor, kb.id, "garantía.txt", text, Labels())
        key = (await veraz.keys.issue(actor, name="k")).secret

    saved = await save(first, file, key=key)
    assert (saved.documents, saved.missing) == (1, 0)
    assert file.stat().st_mode & 0o077 == 0, "a backup holds secrets"
    assert ("garantía".encode() in file.read_bytes()) == (key is None)
    await restore(second, file, key=key)

    async with open_veraz(second) as veraz:
        assert (await veraz.sign_in.login("ana@example.com", "tres gatos azules")).actor.is_platform_admin
        told = await veraz.security_events.all(
            await veraz.tenants.operator(), wanted=Wanted(of_installation=True)
        )
        assert told.items[0].kind == "restored"
        actor = await veraz.callers.authenticate(key)
        document = await veraz.documents.get(actor, kb.id, received.document_id)
        assert document.storage_key is not None
        stream = await veraz.files.of(actor.tenant_id).open(document.storage_key)
        assert b"".join([piece async for piece in stream]).decode() == "La garantía dura dos años."


async def test_a_used_installation_is_not_overwritten_and_a_strange_file_is_refused(tmp_path: Path) -> None:
    used = _settings(tmp_path / "used")
    async with open_veraz(used) as veraz:
        await veraz.tenants.first_start(email="ana@example.com", password="tres gatos azules")
    await save(used, tmp_path / "veraz.tar")
    with pytest.raises(errors.Conflict):
        await restore(used, tmp_path / "veraz.tar")
    (tmp_path / "strange").write_text("hola")
    with pytest.raises(errors.Invalid):
        await restore(used, tmp_path / "strange")
    async with open_veraz(used) as veraz:
        assert await veraz.sign_in.login("ana@example.com", "tres gatos azules")


async def test_a_wrong_key_or_a_damaged_backup_is_told_before_anything_changes(tmp_path: Path) -> None:
    used, file = _settings(tmp_path / "used"), tmp_path / "veraz.tar"
    async with open_veraz(used) as veraz:
        await veraz.tenants.first_start(email="ana@example.com", password="tres gatos azules")
    await save(used, file, key=KEY)
    whole = file.read_bytes()
    for key, why in ((None, "encrypted"), (new_key(), "not the key")):
        with pytest.raises(errors.Invalid, match=why):
            await restore(used, file, key=key, replace=True)
    for damaged in (whole[:-20], whole[: len(whole) // 2], whole[:5000] + b"x" + whole[5001:], whole + b"x"):
        file.write_bytes(damaged)
        with pytest.raises(errors.Invalid, match="changed"):
            await restore(used, file, key=KEY, replace=True)
    async with open_veraz(used) as veraz:
        assert await veraz.sign_in.login("ana@example.com", "tres gatos azules")


async def test_a_backup_without_its_secret_wants_the_same_one_before_anything_changes(tmp_path: Path) -> None:
    """Else the installation would go on with an empty one, from which anybody derives passwords and signatures."""
    outside = {"secret_key": SecretStr("kept outside of the installation")}
    first, second, file = _settings(tmp_path / "a"), _settings(tmp_path / "b"), tmp_path / "veraz.tar"
    async with open_veraz(first.model_copy(update=outside)) as veraz:
        await veraz.tenants.first_start(email="ana@example.com", password="tres gatos azules")
    await save(first.model_copy(update=outside), file)
    with pytest.raises(errors.Invalid, match="does not hold"):
        await restore(second, file)
    assert not second.home.exists()
    await restore(second.model_copy(update=outside), file)
    async with open_veraz(second.model_copy(update=outside)) as veraz:
        assert await veraz.sign_in.login("ana@example.com", "tres gatos azules")


async def test_an_empty_secret_is_none(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("\n")
    with pytest.raises(errors.Invalid, match="empty"):
        async with open_veraz(_settings(tmp_path)):
            pass


async def test_the_key_is_not_in_the_backup(tmp_path: Path) -> None:
    home, file = _settings(tmp_path / "a"), tmp_path / "veraz.tar"
    async with open_veraz(home) as veraz:
        await veraz.tenants.first_start(email="ana@example.com", password="tres gatos azules")
    await save(home.model_copy(update={"backup_key": SecretStr(KEY)}), file)
    assert KEY.encode() not in file.read_bytes()


async def test_what_was_forgotten_since_is_forgotten_again(tmp_path: Path) -> None:
    home, other, file = _settings(tmp_path / "a"), _settings(tmp_path / "b"), tmp_path / "veraz.tar"
    async with open_veraz(home) as veraz:
        await veraz.tenants.first_start(email="ana@example.com", password="tres gatos azules")
        actor = await veraz.tenants.operator()
        kb = await veraz.knowledge_bases.create(actor, NewKnowledgeBase(name="Manual"))
        ids = []
        for name, machine in (
            ("garantía.txt", "global"),
            ("zorbelfunto.txt", "global"),
            ("velorcia.txt", "M-1"),
        ):
            text = io.BytesIO(f"Esto dice {name}".encode())
            labels = Labels(machine_id=machine)
            if machine != "global":
                await veraz.licences.create(actor, machine_id=machine, user_name="Velorcia")
            ids.append((await veraz.reception.file(actor, kb.id, name, text, labels)).document_id)
        await save(home, file)
        await veraz.documents.delete(actor, kb.id, [ids[1]])
        await veraz.forgettings.forget_machine(actor, "M-1")
    assert await write_forgotten(home, tmp_path / "list") == 2
    assert "zorbelfunto" not in (tmp_path / "list").read_text()
    for place, how in ((home, {"replace": True}), (other, {"forgotten": tmp_path / "list"})):
        await restore(place, file, **how)
        async with open_veraz(place) as veraz:
            actor = await veraz.tenants.operator()
            left = {document.id for document in (await veraz.documents.all(actor, kb.id)).items}
            assert ids[0] in left
            assert ids[1] not in left
            kinds = {one.kind: one.subjects for one in (await veraz.forgettings.all(actor)).items}
            assert kinds["machine"] == ["M-1"]
            assert kinds["document"] == [str(ids[1])]
            assert [one.user_name for one in (await veraz.licences.all(actor)).items] == [""]


async def test_a_forgotten_chunk_does_not_come_back_with_an_older_backup(tmp_path: Path) -> None:
    home, other, file = _settings(tmp_path / "a"), _settings(tmp_path / "b"), tmp_path / "veraz.tar"
    async with open_veraz(home) as veraz, open_worker(home) as worker, _running(worker):
        await veraz.tenants.first_start(email="ana@example.com", password="tres gatos azules")
        actor = await veraz.tenants.operator()
        kb = await veraz.knowledge_bases.create(actor, NewKnowledgeBase(name="Manual"))
        text = f"# Manual\n\n{_fill('alto')}\n\n## Sueldos\n\n{_SECRET}\n\n{_fill('bajo')}"
        document = await _brought(veraz, actor, kb.id, text)
        agent = await veraz.agents.create(actor, None, AgentProfile(name="Cita"))
        await veraz.assignments.put(actor, kb.id, [agent.id])
        talk = await _asked(veraz, actor, agent.id)
        await save(home, file)
        await veraz.reception.again(actor, kb.id, [document])
        await _read(veraz, actor, kb.id, document)  # its chunks have other ids now
        for chunk in (await veraz.documents.chunks(actor, kb.id, document)).items:
            if "Velorcio" in chunk.content:
                await veraz.chunk_forgetter.forget(actor, kb.id, document, chunk.id)
        await _read(veraz, actor, kb.id, document)
        licence = await veraz.licences.create(actor, machine_id="PC-7")
        await veraz.licences.delete(actor, licence.id, memory="keep")
    await write_forgotten(home, tmp_path / "list")
    assert "Velorcio" not in (tmp_path / "list").read_text()
    for place, how in ((home, {"replace": True}), (other, {"forgotten": tmp_path / "list"})):
        await restore(place, file, **how)
        async with open_veraz(place) as veraz:
            actor = await veraz.tenants.operator()
            assert (await veraz.documents.chunks(actor, kb.id, document)).items == []
            said = (await veraz.conversations.messages(actor, talk)).items
            assert said[1].text.startswith("[olvidado el ")
            assert [(one.machine_id, one.status) for one in (await veraz.licences.all(actor)).items] == [
                ("PC-7", "closed")
            ]
            async with open_worker(place) as worker, _running(worker):
                await _read(veraz, actor, kb.id, document)
            chunks = (await veraz.documents.chunks(actor, kb.id, document)).items
            assert any("alto número 3" in one.content for one in chunks)
            assert not [one for one in chunks if "Velorcio" in one.content or "█" in one.content]


async def test_receipts_outlive_a_restore_for_the_one_after(tmp_path: Path) -> None:
    home, first, second = _settings(tmp_path / "a"), tmp_path / "b1.tar", tmp_path / "b2.tar"
    async with open_veraz(home) as veraz:
        await veraz.tenants.first_start(email="ana@example.com", password="tres gatos azules")
        actor = await veraz.tenants.operator()
        kb = await veraz.knowledge_bases.create(actor, NewKnowledgeBase(name="Manual"))
        await save(home, first)
        later = await veraz.knowledge_bases.create(actor, NewKnowledgeBase(name="Después"))
        gone = await _brought(veraz, actor, kb.id, "zorbelfunto", read=False)
        licence = await veraz.licences.create(actor, machine_id="PC-7")
        new = NewTenant(name="Después", admin_email="raul@example.com", plan="business")
        tenant = await veraz.tenants.create(actor, new)
        await save(home, second)
        await veraz.documents.delete(actor, kb.id, [gone])
        await veraz.licences.delete(actor, licence.id, memory="keep")
        await veraz.forgettings.forget_tenant(actor, tenant.id, name="Después")
    await restore(home, first, replace=True)
    async with open_veraz(home) as veraz:
        actor = await veraz.tenants.operator()
        kinds = {one.kind for one in (await veraz.forgettings.all(actor)).items}
        assert kinds == {"document", "tenant"}
        assert (await veraz.licences.all(actor)).items[0].status == "closed"
    await restore(home, second, replace=True)
    async with open_veraz(home) as veraz:
        actor = await veraz.tenants.operator()
        assert {one.id for one in (await veraz.knowledge_bases.all(actor)).items} == {kb.id, later.id}
        assert (await veraz.documents.all(actor, kb.id)).items == []
        assert [one.status for one in (await veraz.licences.all(actor)).items] == ["closed"]
        assert "Después" not in {one.name for one in (await veraz.tenants.all(actor)).items}


_SECRET = "El director Velorcio Trasmundo cobra un sobresueldo de 77319 euros por la sede de Burgos."


def _fill(word: str) -> str:
    return " ".join(
        f"En el apartado {word} número {number} se explica cómo se atiende a las personas usuarias del centro."
        for number in range(20)
    )


@asynccontextmanager
async def _running(worker: Worker) -> AsyncIterator[None]:
    task = asyncio.create_task(worker.run())
    try:
        yield
    finally:
        worker.stop()
        await task


async def _brought(veraz: Veraz, actor: Actor, kb_id: UUID, text: str, *, read: bool = True) -> UUID:
    received = await veraz.reception.file(actor, kb_id, "manual.md", io.BytesIO(text.encode()), Labels())
    if read:
        await _read(veraz, actor, kb_id, received.document_id)
    return received.document_id


async def _read(veraz: Veraz, actor: Actor, kb_id: UUID, document_id: UUID) -> None:
    async with asyncio.timeout(60):
        while True:
            if (await veraz.documents.get(actor, kb_id, document_id)).status == "completed":
                return
            await asyncio.sleep(0.05)


async def _asked(veraz: Veraz, actor: Actor, agent_id: UUID) -> UUID:
    """A conversation in which the secret was quoted."""
    ask = Ask(question="¿Qué sobresueldo cobra el director Velorcio Trasmundo en Burgos?")
    answer = await veraz.answers.answer(actor, agent_id, ask)
    assert "Velorcio" in answer.text
    assert answer.conversation_id is not None
    return answer.conversation_id
