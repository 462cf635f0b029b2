"""What an agent may read for a caller. The rule itself is `veraz.reading_set` in the database."""

from uuid import UUID

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.library.model import ReadableKb

Q = queries(__file__)


async def reading_set(tx: Transaction, agent_id: UUID) -> list[ReadableKb]:
    """The knowledge bases this caller's question to this agent may reach, by priority."""
    return await tx.all(ReadableKb, Q.of_agent, agent_id=agent_id)
