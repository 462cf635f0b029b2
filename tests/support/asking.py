"""Asking an agent and looking at what came of it: events, shown text, log lines, credits."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.answer.model import Answer, Answered, Event, Wrote
from veraz.answer.service import Answers, Ask
from veraz.ids import new_id
from veraz.providers.chat.base import ChatModel, ChatRequest, Piece
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import Tenant
    from tests.support.access import act_in
else:
    from support.access import act_in

Owner = Connection[TupleRow]

PRICES = "El plan básico cuesta 10 euros al mes. El plan premium cuesta 20 euros al mes."
TEAM = "Ana García dirige el gimnasio municipal desde 2015. Luis Pérez dirige la piscina."
QUESTION = "¿Cuántos euros cuesta al mes el plan premium?"
TRUE = "El plan premium cuesta 20 euros al mes [Chunk 1]."
QUOTED = "- precios: «El plan premium cuesta 20 euros al mes.» [Chunk 1]"
"""What is shown without a model."""
FALSE = "El plan premium cuesta 99 euros al mes [Chunk 1]."


class Unhurried:
    """A model that lets others run between two pieces, as a model over a network does."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = model.name

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The same pieces, one turn of the loop each."""
        async with aclosing(self._model.stream(request)) as pieces:
            async for piece in pieces:
                yield piece
                await asyncio.sleep(0)


def give_model(owner: Owner, agent_id: UUID, model: str, **columns: object) -> None:
    """Writes the agent's model and other columns."""
    for name, value in {"model": model, **columns}.items():
        owner.execute(f"update veraz.agent set {name} = %s where id = %s".encode(), (value, agent_id))


async def events_of(
    answers: Answers, actor: Actor, agent_id: UUID, question: str = QUESTION, **more: Any
) -> list[Event]:
    """Every event of one turn."""
    async with aclosing(answers.ask(actor, agent_id, Ask(question=question, **more))) as stream:
        return [event async for event in stream]


def answer_in(events: Sequence[Event]) -> Answer:
    """The answer a stream ended with."""
    assert isinstance(events[-1], Answered)
    return events[-1].answer


def shown(events: Sequence[Event]) -> str:
    """What a reader of the stream has read."""
    return "".join(event.delta for event in events if isinstance(event, Wrote))


def log_lines(owner: Owner) -> list[TupleRow]:
    """Question, turn and refusal of every line in the log."""
    return owner.execute("select question, turn, refused from veraz.query_log order by id").fetchall()


def credits_spent(owner: Owner) -> int:
    """All tenants together."""
    row = owner.execute("select coalesce(-sum(credits), 0)::int from veraz.credit_entry").fetchone()
    assert row is not None
    return int(row[0])


def manage_another_project(owner: Owner, tenant: "Tenant", user_id: UUID) -> None:
    """A second project with this manager."""
    project = new_id()
    with owner.transaction():
        act_in(owner, tenant.id)
        owner.execute("insert into veraz.project (id, name) values (%s, 'Otro')", (project,))
        owner.execute(
            "insert into veraz.project_member (project_id, user_id, role) values (%s, %s, 'manager')",
            (project, user_id),
        )
