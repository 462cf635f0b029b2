"""An answer that is under way while what it stands on is forgotten writes nothing of it down."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING
from uuid import UUID

from veraz.answer.conversations import Conversations
from veraz.answer.model import Answer, Answered, Found
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.ingest.documents import Documents

if TYPE_CHECKING:
    from tests.conftest import Tenant
    from tests.support.asking import QUESTION, TRUE, Owner, give_model
    from tests.support.canaries import in_tables
    from tests.support.reader import Reader
    from tests.support.searchable import admin_of
else:
    from support.asking import QUESTION, TRUE, Owner, give_model
    from support.canaries import in_tables
    from support.reader import Reader
    from support.searchable import admin_of

Agent = tuple["Tenant", UUID]
Make = Callable[..., Answers]


async def answered(answers: Answers, tenant: "Tenant", agent_id: UUID, ask: Ask, db: Database) -> Answer:
    """The answer to a question while every document that it found is deleted."""
    final: Answer | None = None
    async with aclosing(answers.ask(admin_of(tenant), agent_id, ask)) as events:
        async for event in events:
            if isinstance(event, Found):
                found = {(hit.passage.kb_id, hit.passage.document_id) for hit in event.evidence}
                for kb, document in found:
                    await Documents(db).delete(admin_of(tenant), kb, [document])
            if isinstance(event, Answered):
                final = event.answer
    assert final
    return final


async def test_nothing_is_written_down_of_a_document_that_went_meanwhile(
    answers: Make, agent: Agent, db: Database, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader(TRUE)
    give_model(owner, agent_id, model.name)
    answer = await answered(answers(model), tenant, agent_id, Ask(question=QUESTION), db)
    assert answer.text == "[olvidado]"
    assert not answer.claims
    assert answer.conversation_id
    said = await Conversations(db).messages(admin_of(tenant), answer.conversation_id)
    assert said.items[-1].text.startswith("[olvidado el ")
    assert said.items[-1].forgotten_at
    found = in_tables(owner, "cuesta 20 euros")
    assert not {"message.text", "message.claims", "query_trace.trace"} & set(found)
    assert owner.execute("select question from veraz.query_log").fetchall() == [("[olvidado]",)]


async def test_what_was_said_before_is_not_sent_again_though_the_talk_goes_on(
    answers: Make, agent: Agent, db: Database, owner: Owner
) -> None:
    tenant, agent_id = agent
    model = Reader(TRUE)
    give_model(owner, agent_id, model.name)
    service = answers(model)
    first = await service.answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    await answered(service, tenant, agent_id, Ask(question=QUESTION), db)  # in another conversation
    sent = len(model.writer.requests)
    await service.answer(
        admin_of(tenant), agent_id, Ask(question="¿Y el plan básico?", conversation_id=first.conversation_id)
    )
    heard = [message.text for request in model.writer.requests[sent:] for message in request.messages]
    assert not [text for text in heard if "20 euros" in text]
