"""What people ask is counted; exams, trials and test searches are counted apart; only who manages agents sees it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz import errors
from veraz.answer.conversations import Conversations
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.learn.gaps import Gaps
from veraz.learn.usage import Period, UsageReport, UsageReports
from veraz.providers.embedding.fake import FakeEmbedder
from veraz.search.log import origin_of
from veraz.search.service import Search
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import PRICES, QUESTION, TRUE, Owner, give_model, manage_another_project
    from tests.support.reader import Reader
    from tests.support.searchable import Library, admin_of
else:
    from support.asking import PRICES, QUESTION, TRUE, Owner, give_model, manage_another_project
    from support.reader import Reader
    from support.searchable import Library, admin_of

Make = Callable[..., Answers]
UNKNOWN = "¿Qué volcanes hay en Islandia?"


class World:
    """An agent that reads one document, and its numbers."""

    def __init__(
        self, db: Database, tenant: "Tenant", agent_id: UUID, kb_id: UUID, document_id: UUID
    ) -> None:
        self.db, self.tenant, self.admin = db, tenant, admin_of(tenant)
        self.agent_id, self.kb_id, self.document_id = agent_id, kb_id, document_id

    async def report(self, actor: Actor | None = None, **which: Any) -> UsageReport:
        """The last week, as this person sees it."""
        return await UsageReports(self.db).report(actor or self.admin, week(**which))


def week(**which: Any) -> Period:
    """The last seven days."""
    until = datetime.now(UTC) + timedelta(minutes=1)
    return Period(since=until - timedelta(days=7), until=until, **which)


@pytest.fixture
async def world(db: Database, library: Library, make_tenant: "MakeTenant") -> World:
    """One company's agent."""
    tenant = make_tenant()
    kb = await library.kb(tenant)
    document = await library.document(kb, "precios.md", PRICES)
    await library.document(kb, "nadie.md", "El aparcamiento está en el sótano.")
    return World(db, tenant, await library.agent(tenant, kb), kb.id, document)


async def test_questions_are_counted_by_how_they_ended(world: World, answers: Make) -> None:
    for question in (QUESTION, UNKNOWN, "quiero hablar con una persona", "hola"):
        await answers().answer(world.admin, world.agent_id, Ask(question=question))
    found = await world.report()
    totals = found.totals
    assert (totals.questions, totals.answered, totals.refused, totals.handed_over) == (3, 1, 1, 1)
    assert [(day.answered, day.refused, day.handed_over) for day in found.days] == [(1, 1, 1)]
    assert [(one.id, one.questions, one.answered) for one in found.agents] == [(world.agent_id, 3, 1)]
    assert [(one.channel, one.questions) for one in found.channels] == [("api", 3)]
    assert sum(one.questions for one in found.hours) == 3
    assert totals.p50_ms is not None
    assert totals.people == 1


async def test_documents_are_told_by_whether_answers_quote_them(world: World, answers: Make) -> None:
    await answers().answer(world.admin, world.agent_id, Ask(question=QUESTION))
    found = await world.report()
    assert [(one.id, one.times) for one in found.quoted] == [(world.document_id, 1)]
    assert [one.name for one in found.never_quoted] == ["nadie.md"]
    base = found.bases[0]
    assert (base.id, base.questions, base.answered, base.documents, base.quoted) == (world.kb_id, 1, 1, 2, 1)


@pytest.mark.parametrize("channel", ["exam", "studio", "eval"])
async def test_our_own_tests_of_an_agent_are_no_questions_of_people(
    world: World, answers: Make, channel: str
) -> None:
    for question in (QUESTION, UNKNOWN):
        await answers().answer(
            world.admin, world.agent_id, Ask(question=question, remember=False, channel=channel)
        )
    found = await world.report()
    assert (found.totals.questions, found.days, found.agents, found.quoted) == (0, [], [], [])
    assert [(one.origin, one.questions) for one in found.apart] == [(channel, 2)]
    gaps = await Gaps(world.db, FakeEmbedder()).of_agent(world.admin, world.agent_id)
    assert gaps == []


async def test_a_person_who_was_refused_leaves_a_gap(world: World, answers: Make) -> None:
    await answers().answer(world.admin, world.agent_id, Ask(question=UNKNOWN))
    gaps = await Gaps(world.db, FakeEmbedder()).of_agent(world.admin, world.agent_id)
    assert [gap.examples for gap in gaps] == [(UNKNOWN,)]


@pytest.mark.parametrize(("origin", "count"), [("test_search", 0), ("program", 0)])
async def test_a_search_is_no_question_of_people(
    world: World, search: Search, origin: Any, count: int
) -> None:
    await search.search_agent(world.admin, world.agent_id, "precios", origin=origin)
    await search.search_kb(world.admin, world.kb_id, "precios", origin=origin)
    found = await world.report()
    assert found.totals.questions == count
    assert [(one.origin, one.questions) for one in found.apart] == [(origin, 2)]


@pytest.mark.parametrize("channel", ["web", "api", "whatsapp", "openai", "mcp", "widget", "kairo", ""])
def test_whoever_asks_by_a_channel_of_people_is_a_person(channel: str) -> None:
    assert origin_of(channel) == "person"


async def test_what_models_took_is_told_for_people_and_for_tests_apart(
    world: World, answers: Make, owner: Owner
) -> None:
    model = Reader(TRUE)
    give_model(owner, world.agent_id, model.name)
    await answers(model).answer(world.admin, world.agent_id, Ask(question=QUESTION))
    await answers(model).answer(
        world.admin, world.agent_id, Ask(question=QUESTION, remember=False, channel="exam")
    )
    found = await world.report()
    assert {(one.model, one.people) for one in found.models} == {(model.name, True), (model.name, False)}
    assert all(one.tokens and one.credits for one in found.models)
    spent = owner.execute("select (-sum(credits))::int from veraz.credit_entry").fetchone()
    assert spent == (sum(one.credits for one in found.models),)


async def test_ratings_are_counted_for_the_agent_that_was_rated(world: World, answers: Make) -> None:
    answer = await answers().answer(world.admin, world.agent_id, Ask(question=QUESTION))
    assert answer.message_id
    await Conversations(world.db).rate(world.admin, answer.message_id, -1)
    found = await world.report()
    assert (found.totals.liked, found.totals.disliked) == (0, 1)
    assert (found.agents[0].liked, found.agents[0].disliked) == (0, 1)


async def test_numbers_of_one_project_agent_or_base_leave_the_others_out(
    world: World, answers: Make, library: Library
) -> None:
    other = await library.agent(world.tenant, await library.kb(world.tenant))
    await answers().answer(world.admin, world.agent_id, Ask(question=QUESTION))
    for which, count in (
        ({"agent_id": world.agent_id}, 1),
        ({"agent_id": other}, 0),
        ({"kb_id": world.kb_id}, 1),
        ({"kb_id": new_id()}, 0),
        ({"project_id": world.tenant.project_id}, 1),
        ({"project_id": new_id()}, 0),
    ):
        assert (await world.report(None, **which)).totals.questions == count, which


async def test_the_export_has_a_line_for_each_day_agent_and_channel(world: World, answers: Make) -> None:
    for channel in ("web", "web", "whatsapp", "exam"):
        await answers().answer(
            world.admin, world.agent_id, Ask(question=QUESTION, remember=False, channel=channel)
        )
    lines = await UsageReports(world.db).daily(world.admin, week())
    assert [(one.channel, one.questions, one.answered) for one in lines] == [
        ("web", 2, 2),
        ("whatsapp", 1, 1),
    ]


async def test_another_company_and_members_see_no_numbers(
    world: World, answers: Make, make_tenant: "MakeTenant", make_user: Callable[..., Any]
) -> None:
    member = Actor(tenant_id=world.tenant.id, user_id=make_user(world.tenant).user_id, user_role="member")
    await answers().answer(member, world.agent_id, Ask(question=QUESTION))
    theirs = await world.report(admin_of(make_tenant("Rival")))
    assert (theirs.totals.questions, theirs.agents, theirs.apart, theirs.never_quoted) == (0, [], [], [])
    assert world.kb_id not in [base.id for base in theirs.bases]
    for verb in (UsageReports(world.db).report, UsageReports(world.db).daily):
        with pytest.raises(errors.Forbidden):
            await verb(member, week())


async def test_a_manager_sees_only_the_projects_they_manage(
    world: World, answers: Make, owner: Owner, make_user: Callable[..., Any]
) -> None:
    await answers().answer(world.admin, world.agent_id, Ask(question=QUESTION))
    here = make_user(world.tenant, level="manager").user_id
    there = make_user(world.tenant, level=None).user_id
    manage_another_project(owner, world.tenant, there)
    counts = [
        (
            await world.report(Actor(tenant_id=world.tenant.id, user_id=user, user_role="member"))
        ).totals.questions
        for user in (here, there)
    ]
    assert counts == [1, 0]
