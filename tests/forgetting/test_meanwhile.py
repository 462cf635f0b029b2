"""What is under way while something is forgotten brings nothing of it back."""

import os
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz import errors
from veraz.answer.model import Found, Searching
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.ingest.cleanup import tidy
from veraz.ingest.fetch_rules import FetchLimits
from veraz.ingest.fetching import Fetcher
from veraz.ingest.keys import storage_key
from veraz.learn.domain import Domains
from veraz.learn.exam import Exams
from veraz.providers.files.local import INCOMING, LocalFiles
from veraz.providers.files.tenants import Files
from veraz.queue import queue
from veraz.search.service import Search
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.forgetting.conftest import Place
    from tests.support.canaries import in_tables
    from tests.support.searchable import admin_of
    from tests.support.web_site import reply, web_site
else:
    from support.canaries import in_tables
    from support.searchable import admin_of
    from support.web_site import reply, web_site

Make = Callable[..., Answers]
GYM = "El gimnasio municipal abre de lunes a viernes."


async def asked(place: "Place", answers: Answers, ask: Ask, when: type, document: UUID) -> str:
    """An answer, while a document is deleted and forgotten as soon as this happens."""
    text = ""
    deleted = False
    async with aclosing(answers.ask(admin_of(place.tenant), place.agent_id, ask)) as events:
        async for event in events:
            if isinstance(event, when) and not deleted:
                deleted = True
                await place.delete(document)
            if hasattr(event, "answer"):
                text = event.answer.text
    assert deleted
    return text


@pytest.mark.parametrize("remember", [True, False])
async def test_a_question_under_way_before_anything_was_found_leaves_no_word(
    place: "Place", answers: Make, remember: bool
) -> None:
    gone = await place.document("clave.md", "La clave es zorbelfunto.")
    ask = Ask(question="¿Qué es zorbelfunto?", remember=remember)
    await asked(place, answers(), ask, Searching, gone)
    assert in_tables(place.owner, "zorbelfunt") == {}


async def test_a_question_about_something_else_is_kept_though_something_was_forgotten(
    place: "Place", answers: Make
) -> None:
    gone = await place.document("clave.md", "La clave es zorbelfunto.")
    await place.document("gimnasio.md", GYM)
    question = "¿Cuándo abre el gimnasio municipal?"
    text = await asked(place, answers(), Ask(question=question), Searching, gone)
    assert "lunes a viernes" in text
    assert place.rows("select question from veraz.query_log") == [(question,)]
    assert place.rows("select text from veraz.message where role = 'user'") == [(question,)]
    assert len(place.rows("select 1 from veraz.query_trace")) == 1


async def test_the_story_of_an_answer_that_only_found_it_is_not_kept(place: "Place", answers: Make) -> None:
    gone = await place.document("clave.md", "El gimnasio municipal abre con la clave zorbelfunto.")
    await place.document("gimnasio.md", GYM)
    await asked(place, answers(), Ask(question="¿Cuándo abre el gimnasio municipal?"), Found, gone)
    assert in_tables(place.owner, "zorbelfunt") == {}
    assert place.rows("select 1 from veraz.query_trace") == []


async def test_a_search_under_way_leaves_no_word(
    place: "Place", search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = await place.document("clave.md", "La clave es zorbelfunto.")
    real = search.find

    async def slow(*args: Any, **more: Any) -> Any:
        found = await real(*args, **more)
        await place.delete(gone)
        return found

    monkeypatch.setattr(search, "find", slow)
    await search.search_kb(admin_of(place.tenant), place.kb.id, "clave zorbelfunto")
    assert in_tables(place.owner, "zorbelfunt") == {}
    monkeypatch.undo()
    await search.search_kb(admin_of(place.tenant), place.kb.id, "clave nueva")
    said = {question for (question,) in place.rows("select question from veraz.query_log")}
    assert said == {"[olvidado]", "clave nueva"}


async def test_what_was_found_out_meanwhile_about_a_knowledge_base_is_not_kept(
    place: "Place", settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = await place.document("clave.md", "La clave es zorbelfunto, zorbelfunto, zorbelfunto.")
    domains, admin = Domains(place.db, settings), admin_of(place.tenant)

    async def slow(*_: object) -> None:
        await place.delete(gone)

    monkeypatch.setattr(domains, "_filled", slow)
    with pytest.raises(errors.ForgottenMeanwhile):
        await domains.analyse(admin, place.kb.id, "zorbelfunto")
    assert in_tables(place.owner, "zorbelfunt") == {}
    monkeypatch.undo()
    assert (await domains.analyse(admin, place.kb.id)).kb_id == place.kb.id


async def test_an_exam_under_way_keeps_what_still_stands(place: "Place", answers: Make) -> None:
    gone = await place.document("clave.md", "La clave de la sala de servidores es zorbelfunto.")
    await place.document("gimnasio.md", GYM)
    for question, text in (
        ("¿Cuál es la clave de la sala de servidores?", "zorbelfunto"),
        ("¿Cuándo abre el gimnasio municipal?", "lunes"),
    ):
        place.write("exam_question", agent_id=place.agent_id, question=question, expected_text=text)
    exams = Exams(place.db, answers())
    reached: list[int] = []
    real = exams.ask_all

    async def slow(*args: Any, **more: Any) -> Any:
        found = await real(*args, **more)
        reached.append(len(found.results))
        await place.delete(gone)
        return found

    exams.ask_all = slow  # type: ignore[method-assign]
    run = await exams.run(admin_of(place.tenant), place.agent_id)
    assert reached == [2]
    assert [result["question"] for result in run.results] == ["¿Cuándo abre el gimnasio municipal?"]
    assert in_tables(place.owner, "zorbelfunt") == {}


@pytest.fixture
def files(settings: Settings) -> LocalFiles:
    return LocalFiles(settings.home / "files")


async def one_piece(text: str) -> Any:
    yield text.encode()


async def test_a_page_that_is_fetched_while_its_document_goes_is_not_stored(
    place: "Place", files: LocalFiles, settings: Settings
) -> None:
    async with web_site() as site:
        document = await place.document("pagina", source_url=site.url("/"), status="pending")
        place.write("job", kind="ingest", kb_id=place.kb.id, document_id=document)
        (job,) = await queue.claim(place.worker_db, "w2", 1, kinds=["ingest"])

        async def page(writer: Any) -> None:
            await place.delete(document)
            writer.write(reply(b"<p>La clave es zorbelfunto.</p>"))
            await writer.drain()

        site.pages["/"] = page
        fetcher = Fetcher(place.worker_db, Files(files), settings)
        fetcher.limits = FetchLimits(seconds=20, allow_private=True, ports=None)
        with pytest.raises(errors.LeaseLost):
            await fetcher.fetch_into(job, document, place.kb.id, site.url("/"))
    assert [entry async for entry in files.list("")] == []


async def test_files_that_nobody_claims_go_and_all_others_stay(
    place: "Place", files: LocalFiles, settings: Settings, worker_db: Database, make_tenant: "MakeTenant"
) -> None:
    gone = new_id()
    place.write("forgetting", kind="tenant", subjects=[str(gone)], status="done")
    claimed = storage_key(place.tenant.id, place.kb.id, new_id())
    await place.document("una.md", storage_key=claimed)
    others = storage_key(make_tenant("Rival").id, new_id(), new_id())
    left = storage_key(place.tenant.id, place.kb.id, new_id())
    young = storage_key(place.tenant.id, place.kb.id, new_id())
    of_gone = storage_key(gone, new_id(), new_id())
    for key in (claimed, others, left, young, of_gone):
        await files.put(key, one_piece("zorbelfunto"), max_bytes=100)
    half = settings.home / "files" / INCOMING / "half"
    half.write_text("zorbelfunto")
    old = time.time() - 2 * 3_600
    for path in (half, *(settings.home / "files" / key for key in (claimed, others, left, of_gone))):
        os.utime(path, (old, old))
    assert await tidy(worker_db, Files(files)) == 3
    assert {entry.key async for entry in files.list("")} == {claimed, young}
    assert not half.exists()
