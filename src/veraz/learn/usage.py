"""What people asked over a time, in numbers; exams, test searches and trials of our own are counted apart.

For those who manage a project: how much was asked and how it ended, how fast, what it cost, per agent and knowledge base.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from pydantic import TypeAdapter

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.search.log import Origin
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Which questions are meant: of a time, and of one project, agent or knowledge base or of all."""

    since: datetime
    until: datetime
    zone: str = "UTC"
    """Whose days and hours these are."""
    project_id: UUID | None = None
    agent_id: UUID | None = None
    kb_id: UUID | None = None

    def parameters(self) -> dict[str, object]:
        """As the queries take it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """A time in a few numbers."""

    questions: int
    answered: int
    refused: int
    handed_over: int
    failed: int
    people: int
    p50_ms: float | None
    p95_ms: float | None
    liked: int
    disliked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """How the questions of a day ended."""

    day: date
    answered: int
    refused: int
    handed_over: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hour:
    """How many questions came in an hour of the day."""

    hour: int
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelUse:
    """How much was asked by one channel."""

    channel: str
    questions: int
    answered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentUse:
    """How one agent was asked."""

    id: UUID
    name: str
    questions: int
    answered: int
    refused: int
    handed_over: int
    p50_ms: float | None
    credits: int
    cost_usd: float | None
    liked: int
    disliked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """What a model took: for people's questions, or for tests of our own."""

    model: str
    people: bool
    questions: int
    tokens: int
    credits: int
    cost_usd: float | None
    cost_unknown: bool
    """Whether the price of some of it is not known here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """Questions that no person asked."""

    origin: Origin
    questions: int
    credits: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseUse:
    """How one knowledge base was used: questions that could read it, and which of its documents were quoted."""

    id: UUID
    name: str
    agent: str | None
    """Whose manual entries it holds."""
    questions: int
    answered: int
    documents: int
    quoted: int
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedDocument:
    """How often a document was quoted."""

    id: UUID
    kb_id: UUID
    name: str
    times: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """Everything the usage page shows."""

    totals: Totals
    days: list[Day]
    hours: list[Hour]
    channels: list[ChannelUse]
    agents: list[AgentUse]
    models: list[ModelUse]
    apart: list[Apart]
    bases: list[BaseUse]
    quoted: list[QuotedDocument]
    never_quoted: list[QuotedDocument]
    """The newest documents that no answer of this time quotes."""


_REPORT: Final = TypeAdapter(UsageReport)


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyUse:
    """One line of the export: a day, an agent and a channel."""

    day: date
    agent: str
    channel: str
    questions: int
    answered: int
    refused: int
    handed_over: int
    failed: int
    p50_ms: float | None
    credits: int
    cost_usd: float | None


class UsageReports:
    """Reads the log of questions for those who manage agents."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def report(self, actor: Actor, period: Period) -> UsageReport:
        """The numbers of a time."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manager(tx, actor)
            asked = (await tx.rows(Q.report, **period.parameters()))[0]
            others: dict[str, list[Any]] = {
                "bases": await tx.all(BaseUse, Q.bases, **period.parameters()),
                "quoted": await tx.all(QuotedDocument, Q.quoted, **period.parameters()),
                "never_quoted": await tx.all(QuotedDocument, Q.never_quoted, **period.parameters()),
            }
            return _REPORT.validate_python(asked | others)

    async def daily(self, actor: Actor, period: Period) -> list[DailyUse]:
        """The same by day, agent and channel, for a spreadsheet."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manager(tx, actor)
            return await tx.all(DailyUse, Q.daily, **period.parameters())


async def need_manager(tx: Transaction, actor: Actor) -> None:
    """Refuses who manages no project."""
    need(actor, "read")
    if not await tx.value(Q.manages):
        raise errors.Forbidden(
            action=errors.Phrase("see how agents are used", es="ver el uso de los agentes")
        )
