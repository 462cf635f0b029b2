"""What people asked over a time, in numbers: how much, how often without evidence, how fast, from which documents."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """A time in five numbers."""

    questions: int
    refused: int
    people: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """How many questions of a day were answered, and how many not."""

    day: date
    answered: int
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTime:
    """How long a stage takes on average."""

    name: str
    mean_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedDocument:
    """How often a document was among the evidence."""

    id: UUID
    kb_id: UUID
    name: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """Everything the page of numbers shows."""

    totals: Totals
    days: list[Day]
    stages: list[StageTime]
    documents: list[UsedDocument]


class Insights:
    """Reads the log of questions as far as the caller may see it."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def between(
        self,
        actor: Actor,
        since: datetime,
        until: datetime,
        *,
        agent_id: UUID | None = None,
        zone: str = "UTC",
    ) -> Insight:
        """The numbers of a time, of one agent or of all; days are those of the zone."""
        need(actor, "read")
        wanted = {"since": since, "until": until, "agent_id": agent_id}
        async with self.db.transaction(actor.scope()) as tx:
            return Insight(
                totals=await tx.get(Totals, Q.totals, thing="row", **wanted),
                days=await tx.all(Day, Q.days, **wanted, zone=zone),
                stages=await tx.all(StageTime, Q.stages, **wanted),
                documents=await tx.all(UsedDocument, Q.documents, **wanted),
            )
