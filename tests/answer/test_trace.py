"""What may hold words of personal knowledge is only for who asked: message, log line, trace, and the answer on its way."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz.answer.conversations import Conversations
from veraz.answer.model import Answer, Answered, Found, Wrote
from veraz.answer.running import RunningAnswers
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.learn.traces import Traces
from veraz.providers.chat.base import Message
from veraz.search.outside import Outside
from veraz.search.service import Search
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import PRICES, QUESTION, Owner, give_model
    from tests.support.reader import Reader
    from tests.support.searchable import Library, admin_of
else:
    from support.asking import PRICES, QUESTION, Owner, give_model
    from support.reader import Reader
    from support.searchable import Library, admin_of

Make = Callable[..., Answers]
SECRET = "1234 euros"
SALARY = "¿Cuántos euros al mes es mi sueldo secreto?"
REPEATED = f"Su sueldo secreto son {SECRET} al mes [Chunk 1]."
WORDINGS = '["plan premium para un sueldo secreto"]'


class Company:
    """A member with knowledge of their own, and the managers of the agent they ask."""

    def __init__(self, tenant: "Tenant", agent_id: UUID, member: Actor, manager: Actor) -> None:
        self.tenant, self.agent_id, self.member = tenant, agent_id, member
        self.managers = (manager, admin_of(tenant))


@pytest.fixture
async def company(library: Library, make_tenant: "MakeTenant", make_user: Callable[..., Any]) -> Company:
    """An agent that reads prices and what a member keeps for themselves."""
    tenant = make_tenant()
    member, manager = (
        Actor(tenant_id=tenant.id, user_id=make_user(tenant, level=level).user_id, user_role="member")
        for level in ("member", "manager")
    )
    shared, own = await library.kb(tenant), await library.kb(tenant, owner_id=member.user_id)
    await library.document(shared, "precios.md", PRICES)
    await library.document(own, "mi-sueldo", f"Mi sueldo secreto son {SECRET} al mes.")
    return Company(tenant, await library.agent(tenant, shared, own), member, manager)


def no_longer_personal(owner: Owner, agent_id: UUID, model: Reader) -> None:
    """A manager gives the agent a model, and takes personal knowledge from it."""
    give_model(owner, agent_id, model.name, allows_personal_corpus=False)


def with_wordings(search: Search, owner: Owner, agent_id: UUID) -> None:
    """Questions to the agent are put in other words by a model."""
    give_model(owner, agent_id, "fake:wordings", retrieval='{"sub_queries": true}')
    model = Reader(others=WORDINGS)
    search.finder.outside = Outside(search.spaces.settings, chats=lambda name, fallback: model)


def kept_wordings(owner: Owner) -> list[Any]:
    """The other wordings of every line in the log, the oldest first."""
    return [row[0] for row in owner.execute("select rewrites from veraz.query_log order by id").fetchall()]


async def seen_by(db: Database, search: Search, who: Actor, answers: list[Answer]) -> str:
    """Everything somebody can read about these answers."""
    seen: list[Any] = [(await search.queries(who)).items]
    for answer in answers:
        assert answer.query_id
        seen.append((await Traces(db).of_question(who, answer.query_id)).trace)
        if answer.conversation_id:
            seen.append((await Conversations(db).messages(who, answer.conversation_id)).items)
    return str(seen)


async def test_what_follows_a_personal_answer_is_personal_whatever_the_agent_reads_by_then(
    answers: Make, company: Company, db: Database, search: Search, owner: Owner
) -> None:
    first = await answers().answer(company.member, company.agent_id, Ask(question=SALARY))
    assert SECRET in first.text
    model = Reader(REPEATED)
    with_wordings(search, owner, company.agent_id)
    no_longer_personal(owner, company.agent_id, model)
    follow = Ask(question="¿Y cuánto cuesta el plan premium?", conversation_id=first.conversation_id)
    second = await answers(model).answer(company.member, company.agent_id, follow)
    assert any(SECRET in one.text for one in second.held_back), "the model repeats what it was told"
    assert all(hit.passage.kind == "global" for hit in second.evidence)
    for manager in company.managers:
        assert SECRET not in await seen_by(db, search, manager, [first, second])
    assert second.conversation_id
    mine = (await Conversations(db).messages(company.member, second.conversation_id)).items
    assert [one.role for one in mine] == ["user", "assistant"] * 2
    assert kept_wordings(owner) == [[], []]
    colleague = await answers(model).answer(company.managers[0], company.agent_id, Ask(question=QUESTION))
    assert colleague.query_id and kept_wordings(owner)[2], "other people's wordings are kept"


async def test_a_refusal_after_reading_personal_knowledge_is_personal_too(
    answers: Make, company: Company, db: Database, search: Search, owner: Owner
) -> None:
    model = Reader(f"{REPEATED[:-12]} y no llega [Chunk 2].", judge=lambda claim, passages: None)
    give_model(owner, company.agent_id, model.name)
    refused = await answers(model).answer(company.member, company.agent_id, Ask(question=SALARY))
    assert refused.refused
    for manager in company.managers:
        assert SECRET not in await seen_by(db, search, manager, [refused])


async def test_a_history_that_a_person_brings_along_is_for_them_alone(
    answers: Make, company: Company, db: Database, search: Search, owner: Owner
) -> None:
    model = Reader(REPEATED)
    no_longer_personal(owner, company.agent_id, model)
    brought = (Message(role="user", text=SALARY), Message(role="assistant", text=REPEATED))
    ask = Ask(question=QUESTION, history=brought, remember=False)
    answer = await answers(model).answer(company.member, company.agent_id, ask)
    for manager in company.managers:
        assert SECRET not in await seen_by(db, search, manager, [answer])


async def test_a_search_that_reads_personal_knowledge_keeps_no_other_wordings(
    search: Search, company: Company, owner: Owner
) -> None:
    with_wordings(search, owner, company.agent_id)
    for who in (company.member, company.managers[0]):
        await search.search_agent(who, company.agent_id, "¿Cuál es el plan premium?")
    assert [bool(wordings) for wordings in kept_wordings(owner)] == [False, True]


async def test_a_manager_does_not_follow_an_answer_after_a_personal_one(
    answers: Make, company: Company, db: Database, owner: Owner
) -> None:
    first = await answers().answer(company.member, company.agent_id, Ask(question=SALARY))
    model = Reader(REPEATED, judge=lambda claim, passages: claim)
    no_longer_personal(owner, company.agent_id, model)
    running = RunningAnswers(answers(model), Conversations(db))
    ask = Ask(question=QUESTION, conversation_id=first.conversation_id)
    talk = await running.begin(company.member, company.agent_id, ask)
    assert any([isinstance(event, Answered) async for event in running.follow(company.member, talk)])
    for manager in company.managers:
        events = [event async for event in running.follow(manager, talk)]
        assert not any(isinstance(event, Found | Wrote | Answered) for event in events)


async def test_what_was_never_near_personal_knowledge_is_for_managers_too(
    answers: Make, company: Company, db: Database, make_user: Callable[..., Any]
) -> None:
    colleague = Actor(
        tenant_id=company.tenant.id, user_id=make_user(company.tenant).user_id, user_role="member"
    )
    answer = await answers().answer(colleague, company.agent_id, Ask(question=QUESTION))
    assert answer.conversation_id and answer.query_id
    for manager in company.managers:
        said = (await Conversations(db).messages(manager, answer.conversation_id)).items
        assert said[-1].text == answer.text
        assert (await Traces(db).of_question(manager, answer.query_id)).trace
