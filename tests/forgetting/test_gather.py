"""What somebody typed goes by whose it is; only what they are called is looked for in what others said."""

import asyncio
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz import errors
from veraz.forgetting.service import Forgettings, forget_machine
from veraz.ids import new_id
from veraz.ingest.crawling import CrawlSite
from veraz.queue import queue
from veraz.queue.model import Job
from veraz.settings import Settings
from veraz.tenancy.licences import Licences
from veraz.tenancy.plans import Plans

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.forgetting.conftest import Place
    from tests.support.searchable import admin_of
else:
    from support.searchable import admin_of

BIZUM = "¿Puedo pagar con Bizum?"
FEE = "¿Cuál es la cuota mensual del gimnasio municipal?"


@pytest.fixture
def forgettings(place: "Place") -> Forgettings:
    return Forgettings(place.db)


def exam(place: "Place", *questions: str) -> None:
    for question in questions:
        place.write("exam_question", agent_id=place.agent_id, question=question, expected_text="30")


def asked_in_exam(place: "Place") -> set[str]:
    return {question for (question,) in place.rows("select question from veraz.exam_question")}


async def test_what_two_people_asked_is_taken_from_the_one_who_is_forgotten(
    place: "Place", forgettings: Forgettings
) -> None:
    ana, bob = place.user("ana-quirmelonda"), place.user("bob-17")
    hers = [place.ask(question, user=ana) for question in (BIZUM, FEE)]
    his = [place.ask(question, user=bob) for question in (BIZUM, FEE)]
    about = place.ask("¿Quién es ana-quirmelonda?", user=bob)
    only_hers = "¿Hacéis descuento a las familias numerosas de la zona?"
    place.ask(only_hers, user=ana)
    exam(place, FEE, only_hers, "¿Hacéis descuento a las familias numerosas?")

    await forgettings.forget_end_user(admin_of(place.tenant), "ana-quirmelonda")
    await place.forgotten()
    for talk, question in zip(his, (BIZUM, FEE), strict=True):
        assert place.said(talk) == (question, question, "Claro.", question)
    assert "quirmelonda" not in place.said(about)[1]
    left = place.rows(
        "select question from veraz.query_log where id = any (%s)", [one.query_id for one in hers]
    )
    assert left == [("[olvidado]",)] * 2
    assert not place.rows("select 1 from veraz.conversation where id = any (%s)", [one.id for one in hers])
    assert asked_in_exam(place) == {FEE, "¿Hacéis descuento a las familias numerosas?"}


async def test_a_house_that_shares_part_of_an_address_keeps_its_name(
    place: "Place", forgettings: Forgettings
) -> None:
    place.user("bob@quirmelonda.test")
    place.user("ana.zorbelfunto@quirmelonda.test")
    about = place.ask("¿Qué es Quirmelonda?")
    named = place.ask("¿Y Zorbelfunto?")
    await forgettings.forget_end_user(admin_of(place.tenant), "ana.zorbelfunto@quirmelonda.test")
    await place.forgotten()
    assert place.said(about)[1] == "¿Qué es Quirmelonda?"
    assert "Zorbelfunto" not in place.said(named)[1]


async def test_the_name_a_caller_gave_to_a_conversation_does_not_lead_to_somebody_else(
    place: "Place", forgettings: Forgettings
) -> None:
    bob, carla = place.user("bob"), place.user("carla")
    named = place.ask("¿Cuándo abre?", user=bob, external_id="carla")
    receipt = await forgettings.forget_end_user(admin_of(place.tenant), "carla")
    assert receipt.subjects == [str(carla)]
    await place.forgotten()
    assert place.rows("select id from veraz.app_user where email is null") == [(bob,)]
    assert place.said(named)[1] == "¿Cuándo abre?"


async def test_a_name_of_several_peoples_conversations_is_told_apart_by_whoever_asks(
    place: "Place", forgettings: Forgettings
) -> None:
    admin = admin_of(place.tenant)
    talks = [  # a name is told apart within one channel
        place.ask("¿Cuándo abre?", user=place.user(name), external_id="lead", channel=f"channel of {name}")
        for name in ("ana", "bob")
    ]
    with pytest.raises(errors.SeveralPeople) as several:
        await forgettings.forget_end_user(admin, "lead")
    assert all(str(talk.id) in str(several.value.context["candidates"]) for talk in talks)
    await forgettings.forget_end_user(admin, str(talks[0].id))
    await place.forgotten()
    assert place.rows("select external_id from veraz.app_user where email is null") == [("bob",)]


async def test_another_tenants_people_are_not_found(
    place: "Place", forgettings: Forgettings, make_tenant: "MakeTenant"
) -> None:
    talk = place.ask("¿Cuándo abre?", user=place.user("ana"))
    rival = admin_of(make_tenant("Rival"))
    for name in ("ana", str(talk.id)):
        with pytest.raises(errors.NotFound):
            await forgettings.forget_end_user(rival, name)


async def closed(place: "Place") -> None:
    """The machine's licence is deleted, and its memory with it."""
    ((licence,),) = place.rows("select id from veraz.licence where machine_id = 'M-1'")
    await Licences(place.db, forget_machine).delete(admin_of(place.tenant), licence, memory="forget")
    await place.forgotten()


async def add_page(crawl: CrawlSite, job: Job, kb: UUID) -> None:
    await crawl._add(job, kb, "http://a.test/next")


async def test_a_crawl_for_a_machine_that_is_forgotten_adds_nothing_more(
    place: "Place", settings: Settings
) -> None:
    place.write("licence", machine_id="M-1")
    await place.document("http://a.test/", "La clave es zorbelfunto.", machine="M-1")
    payload = {"url": "http://a.test/", "machine_id": "M-1", "max_pages": 5, "max_depth": 1}
    place.write("job", kind="crawl", kb_id=place.kb.id, payload=payload)
    (job,) = await queue.claim(place.worker_db, "w2", 1, kinds=["crawl"])
    crawl = CrawlSite(place.worker_db, Plans(place.worker_db), settings)
    await add_page(crawl, job, place.kb.id)
    await closed(place)
    assert place.rows("select status, error_code from veraz.job where id = %s", job.id) == [
        ("FAILED", "cancelled")
    ]
    with pytest.raises(errors.LeaseLost):
        await add_page(crawl, job, place.kb.id)
    assert place.rows("select id from veraz.document where machine_id = 'M-1'") == []


@pytest.mark.parametrize("status", ["revoked", "closed"])
async def test_nothing_is_added_for_a_machine_that_was_closed(
    place: "Place", settings: Settings, status: str
) -> None:
    place.write("licence", machine_id="M-1", status=status)
    payload = {"url": "http://a.test/", "machine_id": "M-1", "max_pages": 5, "max_depth": 1}
    place.write("job", kind="crawl", kb_id=place.kb.id, payload=payload)
    (job,) = await queue.claim(place.worker_db, "w2", 1, kinds=["crawl"])
    with pytest.raises(errors.LicenceRevoked):
        await add_page(CrawlSite(place.worker_db, Plans(place.worker_db), settings), job, place.kb.id)
    with pytest.raises(errors.LicenceRevoked):
        await place.document("nota.md", "La clave.", machine="M-1")
    await place.document("nota.md", "La clave.", machine="M-2")


async def test_what_was_being_added_while_a_machine_was_forgotten_goes_too(
    place: "Place", forgettings: Forgettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("licence", machine_id="M-1")
    await place.document("una.md", "La clave es zorbelfunto.", machine="M-1")
    begun = await forgettings.forget_machine(admin_of(place.tenant), "M-1")
    swept = asyncio.Event()
    real = place.forget._swept

    async def late(*args: Any) -> bool:
        if not swept.is_set():
            swept.set()
            await place.document("otra.md", "Quirmelonda firma.", machine="M-1", created_at=begun.created_at)
            await place.document("nueva.md", "Brumaldina firma.", machine="M-1")
        return await real(*args)

    monkeypatch.setattr(place.forget, "_swept", late)
    about = place.ask("¿Quién es Quirmelonda?")
    await place.forgotten()
    assert place.rows("select name from veraz.document where machine_id = 'M-1'") == [("nueva.md",)]
    assert "Quirmelonda" not in place.said(about)[1]


async def test_what_was_told_of_a_conversation_goes_with_it(place: "Place", forgettings: Forgettings) -> None:
    ana = place.user("ana")
    gone, stays = place.ask("¿Soy yo?", user=ana), place.ask("¿Soy yo?")
    for talk in (gone, stays):
        payload = json_of(talk.id)
        place.rows(
            "insert into veraz.event (tenant_id, kind, payload) values (%s, 'conversation.message', %s) returning 1",
            place.tenant.id,
            payload,
        )
    await forgettings.forget_end_user(admin_of(place.tenant), "ana")
    await place.forgotten()
    told = dict(
        place.rows(
            "select payload ->> 'conversation_id', payload ->> 'message' from veraz.event "
            "where kind = 'conversation.message'"
        )
    )
    assert told == {str(gone.id): "[olvidado]", str(stays.id): "¿Soy yo?"}


def json_of(talk: UUID) -> str:
    return f'{{"conversation_id": "{talk}", "message": "¿Soy yo?", "message_id": "{new_id()}"}}'
