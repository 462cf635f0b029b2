"""How a question was answered can be read by who manages the agent, for some days, and by nobody else."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz import errors
from veraz.answer.conversations import Conversations
from veraz.answer.model import Answer
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.learn.traces import QuestionFilter, Traces
from veraz.paging import PageRequest
from veraz.search.service import Search
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.upkeep import forget_old

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import FALSE, PRICES, QUESTION, TRUE, Owner, give_model, manage_another_project
    from tests.support.reader import Reader
    from tests.support.searchable import Library, admin_of
else:
    from support.asking import FALSE, PRICES, QUESTION, TRUE, Owner, give_model, manage_another_project
    from support.reader import Reader
    from support.searchable import Library, admin_of

Make = Callable[..., Answers]
Agent = tuple["Tenant", UUID]
UNKNOWN = "¿Qué volcanes hay en Islandia?"


@pytest.fixture
async def agent(library: Library, make_tenant: "MakeTenant") -> Agent:
    """A company's agent that reads one document."""
    tenant = make_tenant()
    kb = await library.kb(tenant, name="Tarifas")
    await library.document(kb, "precios.md", PRICES)
    return tenant, await library.agent(tenant, kb)


def person(tenant: "Tenant", make_user: Callable[..., Any], level: str | None = "member") -> Actor:
    """A new user of the tenant."""
    return Actor(tenant_id=tenant.id, user_id=make_user(tenant, level=level).user_id, user_role="member")


async def traced(db: Database, actor: Actor, answer: Answer) -> dict[str, Any]:
    """The story of an answer."""
    assert answer.query_id
    found = await Traces(db).of_question(actor, answer.query_id)
    assert found.trace
    return found.trace


async def test_the_story_of_a_quoted_answer(db: Database, answers: Make, agent: Agent) -> None:
    tenant, agent_id = agent
    answer = await answers().answer(
        admin_of(tenant), agent_id, Ask(question="cuanto cuesta el plam premium al mez")
    )
    told = await traced(db, admin_of(tenant), answer)
    assert told["understood"]["spelling"]["plam"] == "plan"
    assert told["search"]["bases"][0]["name"] == "Tarifas"
    best = told["passages"][0]
    assert (best["number"], best["quoted"], best["document"], best["unread"]) == (1, True, "precios.md", None)
    assert told["calls"] == []
    assert [(one["verdict"], one["quotes"][0]["number"]) for one in told["sentences"]] == [("quoted", 1)]
    assert told["answer"]["text"] == answer.text
    assert {span["stage"] for span in told["spans"]} >= {"plan", "search", "rank", "gate"}
    texts = (await Traces(db).of_question(admin_of(tenant), answer.query_id or new_id())).texts
    assert texts[best["chunk_id"]] == PRICES


async def test_the_story_tells_what_the_model_was_sent_and_said_and_what_was_held_back(
    db: Database, answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader(f"{TRUE} {FALSE}", "nada")
    give_model(owner, agent_id, model.name, system_prompt="Hable como un pirata.")
    answer = await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    told = await traced(db, admin_of(tenant), answer)
    purposes = [call["purpose"] for call in told["calls"]]
    assert (purposes[0], "judge" in purposes) == ("write", True)
    wrote = told["calls"][0]
    assert "pirata" in wrote["instructions"]
    assert PRICES.split(".")[0] in wrote["messages"][-1]["text"]
    assert wrote["reply"] == f"{TRUE} {FALSE}"
    verdicts = [one["verdict"] for one in told["sentences"]]
    assert verdicts == ["supported", "held_back"]
    assert told["sentences"][1]["reason"]
    assert told["usage"]["credits"] > 0


async def test_a_question_in_a_talk_tells_what_it_was_understood_as(
    db: Database, answers: Make, agent: Agent
) -> None:
    tenant, agent_id = agent
    first = await answers().answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    ask = Ask(question="¿Y el básico?", conversation_id=first.conversation_id)
    told = await traced(db, admin_of(tenant), await answers().answer(admin_of(tenant), agent_id, ask))
    assert (told["question"], told["history"]) == ("¿Y el básico?", 2)
    assert QUESTION in told["understood"]["stand_alone"]


async def test_a_passage_that_was_not_read_says_why(
    db: Database, answers: Make, agent: Agent, library: Library, owner: Owner
) -> None:
    tenant, agent_id = agent
    owner.execute(
        """update veraz.agent set retrieval = '{"reading_tokens": 500, "top_k": 1}' where id = %s""",
        (agent_id,),
    )
    kb = await library.kb(tenant, name="Largo")
    long = "El plan premium se describe aquí con muchas palabras y rodeos. " * 60
    await library.document(kb, "largo.md", long)
    owner.execute(
        "insert into veraz.assignment (id, tenant_id, agent_id, kb_id) values (%s, %s, %s, %s)",
        (new_id(), tenant.id, agent_id, kb.id),
    )
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    told = await traced(db, admin_of(tenant), answer)
    left = next(one for one in told["passages"] if one["document"] == "largo.md")
    assert (left["number"], left["unread"], left["cut"]) == (None, "token_budget", "below_threshold")


async def test_a_turn_nobody_waited_for_is_told_as_not_finished(
    db: Database, answers: Make, agent: Agent
) -> None:
    tenant, agent_id = agent
    stream = answers().ask(admin_of(tenant), agent_id, Ask(question=QUESTION))
    await anext(stream)
    await stream.aclose()
    listed = await Traces(db).questions(admin_of(tenant), QuestionFilter(outcome="failed"))
    assert [one.question for one in listed.items] == [QUESTION]
    found = await Traces(db).of_question(admin_of(tenant), listed.items[0].id)
    assert found.trace
    assert found.trace["failure"] == "cancelled"


async def test_questions_are_listed_by_outcome_words_agent_speed_and_origin(
    db: Database, answers: Make, agent: Agent
) -> None:
    tenant, agent_id = agent
    for question, channel in ((QUESTION, "web"), (UNKNOWN, "web"), (QUESTION, "exam"), ("hola", "web")):
        await answers().answer(admin_of(tenant), agent_id, Ask(question=question, channel=channel))

    async def listed(**wanted: Any) -> list[str]:
        page = await Traces(db).questions(admin_of(tenant), QuestionFilter(**wanted))
        return [one.question for one in page.items]

    assert await listed() == [UNKNOWN, QUESTION]
    assert await listed(outcome="refused") == [UNKNOWN]
    assert await listed(words="VOLCANES") == [UNKNOWN]
    assert await listed(words="100%") == []
    assert await listed(agent_id=new_id()) == []
    assert await listed(slower_ms=3_600_000) == []
    assert await listed(origins=("exam",)) == [QUESTION]
    assert await listed(turns=True) == ["hola", UNKNOWN, QUESTION]
    first = await Traces(db).questions(admin_of(tenant), QuestionFilter(), PageRequest(limit=1))
    assert first.next_cursor


# --- who may not ---------------------------------------------------------------------------------------------------------


async def test_another_company_a_member_and_the_manager_of_another_project_see_no_trace(
    db: Database,
    answers: Make,
    agent: Agent,
    owner: Owner,
    make_tenant: "MakeTenant",
    make_user: Callable[..., Any],
) -> None:
    tenant, agent_id = agent
    member = person(tenant, make_user)
    answer = await answers().answer(member, agent_id, Ask(question=QUESTION))
    assert answer.query_id
    elsewhere = person(tenant, make_user, level=None)
    assert elsewhere.user_id
    manage_another_project(owner, tenant, elsewhere.user_id)
    for stranger in (member, elsewhere, admin_of(make_tenant("Rival"))):
        with pytest.raises((errors.NotFound, errors.Forbidden)):
            await Traces(db).of_question(stranger, answer.query_id)
        async with db.transaction(stranger.scope()) as tx:
            assert await tx.value("select count(*) from veraz.query_trace") == 0
    manager = person(tenant, make_user, level="manager")
    assert (await traced(db, manager, answer))["question"] == QUESTION


@pytest.mark.parametrize("with_model", [False, True])
async def test_what_stands_on_personal_knowledge_is_only_for_who_asked(
    db: Database,
    answers: Make,
    library: Library,
    owner: Owner,
    make_tenant: "MakeTenant",
    make_user: Callable[..., Any],
    with_model: bool,
) -> None:
    tenant = make_tenant()
    asker, manager = (person(tenant, make_user, level="manager") for _ in range(2))
    shared, own = (
        await library.kb(tenant),
        await library.kb(tenant, owner_id=asker.user_id, name="Mis papeles"),
    )
    await library.document(shared, "equipo.md", "Luis Pérez dirige la piscina.")
    await library.document(own, "mi-sueldo", "Mi sueldo secreto son 1234 euros al mes.")
    agent_id = await library.agent(tenant, shared, own)
    model = Reader("Su sueldo secreto son 1234 euros al mes [Chunk 1].")
    if with_model:
        give_model(owner, agent_id, model.name)
    service = answers(model)
    question = "¿Cuántos euros al mes es mi sueldo secreto?"
    answer = await service.answer(asker, agent_id, Ask(question=question))
    assert any(hit.passage.kind == "personal" for hit in answer.evidence)
    assert (await traced(db, asker, answer))["answer"]["text"] == answer.text
    follow = Ask(question="¿Quién dirige la piscina?", conversation_id=answer.conversation_id)
    after = await service.answer(asker, agent_id, follow)
    for one in (answer, after):  # what follows may repeat it
        for stranger in (manager, admin_of(tenant)):
            assert one.query_id
            found = await Traces(db).of_question(stranger, one.query_id)
            assert (found.trace, found.has_trace, found.texts) == (None, False, {})
            async with db.transaction(stranger.scope()) as tx:
                assert await tx.value("select count(*) from veraz.query_trace") == 0


async def test_a_personal_passage_that_was_not_read_is_not_named_to_managers(
    db: Database, answers: Make, agent: Agent, library: Library, owner: Owner, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    asker, manager = (person(tenant, make_user, level="manager") for _ in range(2))
    owner.execute("update veraz.agent set retrieval = '{\"reading_tokens\": 500}' where id = %s", (agent_id,))
    own = await library.kb(tenant, owner_id=asker.user_id, name="Mis papeles")
    await library.document(own, "mi-diario", "El plan premium me da igual, escribo en mi diario. " * 80)
    owner.execute("update veraz.agent set allows_personal_corpus = true where id = %s", (agent_id,))
    owner.execute(
        "insert into veraz.assignment (id, tenant_id, agent_id, kb_id, owner_id) values (%s, %s, %s, %s, %s)",
        (new_id(), tenant.id, agent_id, own.id, asker.user_id),
    )
    answer = await answers().answer(asker, agent_id, Ask(question=QUESTION))
    assert all(hit.passage.kind == "global" for hit in answer.evidence)
    told = str(await traced(db, manager, answer))
    assert "precios.md" in told
    assert "diario" not in told
    assert "Mis papeles" not in told


# --- forgetting ----------------------------------------------------------------------------------------------------------


async def test_a_trace_goes_with_its_conversation(db: Database, answers: Make, agent: Agent) -> None:
    tenant, agent_id = agent
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert answer.conversation_id
    assert answer.query_id
    await Conversations(db).delete(admin_of(tenant), answer.conversation_id)
    assert (await Traces(db).of_question(admin_of(tenant), answer.query_id)).trace is None


async def test_a_trace_is_forgotten_after_its_days_and_the_question_stays(
    db: Database, answers: Make, agent: Agent, owner: Owner, worker_db: Database, settings: Settings
) -> None:
    tenant, agent_id = agent
    answer = await answers().answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert answer.query_id
    await forget_old(settings, worker_db)
    assert (await Traces(db).of_question(admin_of(tenant), answer.query_id)).has_trace
    owner.execute("update veraz.query_trace set created_at = now() - interval '15 days'")
    await forget_old(settings, worker_db)
    found = await Traces(db).of_question(admin_of(tenant), answer.query_id)
    assert (found.trace, found.question) == (None, QUESTION)


async def test_with_no_days_nothing_is_kept(
    db: Database, search: Search, settings: Settings, agent: Agent
) -> None:
    tenant, agent_id = agent
    off = Answers(db, search, settings.model_copy(update={"trace_days": 0}))
    answer = await off.answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert answer.query_id
    assert not (await Traces(db).of_question(admin_of(tenant), answer.query_id)).has_trace


async def test_a_very_long_draft_is_cut_and_odd_characters_do_no_harm(
    db: Database, answers: Make, agent: Agent, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader(f"{TRUE} \0\ud800 " + "palabra " * 8_000, "nada")
    give_model(owner, agent_id, model.name)
    answer = await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    told = await traced(db, admin_of(tenant), answer)
    assert len(told["calls"][0]["reply"]) < 25_000
    assert len(str(told)) < 300_000
