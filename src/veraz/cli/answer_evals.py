"""`veraz eval answers`, `offtopic` and `natural`: how well this installation's agents answer, refuse and prove."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.table import Table

from veraz.cli.common import Home, Json, out, with_veraz
from veraz.cli.evals import Limit, SquadFile, _at_work, _fresh_kb, evals

if TYPE_CHECKING:
    from veraz.evals.answers import AnswersReport, OfftopicReport
    from veraz.evals.datasets import Dataset
    from veraz.evals.natural import NaturalReport, NaturalSet
    from veraz.tenancy.model import Actor
    from veraz.wiring import Veraz

Language = Annotated[str, typer.Option("--language", help="Language of the paragraphs.")]
Model = Annotated[str | None, typer.Option("--model", help="provider:model that writes; empty quotes.")]


def register() -> None:
    """Adds them to `veraz eval`."""
    evals.command("answers")(answers)
    evals.command("offtopic")(offtopic)
    evals.command("natural")(natural)


def answers(
    file: SquadFile,
    limit: Limit = None,
    language: Language = "es",
    model: Model = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Each paragraph a document; every question asked of an agent that reads them."""
    from veraz.evals.datasets import read_squad

    dataset = read_squad(file).sample(limit)
    _show(with_veraz(home, lambda veraz: _answers(veraz, home, dataset, language, model)), as_json=as_json)


def offtopic(
    file: SquadFile,
    limit: Limit = None,
    language: Language = "es",
    model: Model = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Half of the articles in the knowledge base; questions about the other half must be refused."""
    from veraz.evals.datasets import read_squad

    dataset = read_squad(file).sample(limit)
    _show(with_veraz(home, lambda veraz: _offtopic(veraz, home, dataset, language, model)), as_json=as_json)


def natural(
    sets: Annotated[
        list[Path], typer.Argument(help="Folders with docs/, entries.jsonl and questions.jsonl.")
    ],
    model: Model = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Questions as people ask them. With a model also how many true sentences, and how many lies, it lets through as a judge."""
    from veraz.evals.natural import read_set

    found = [read_set(folder) for folder in sets]
    report = with_veraz(home, lambda veraz: _natural(veraz, home, found, model))
    _show(report, as_json=as_json)


async def _natural(
    veraz: "Veraz", home: Path | None, sets: "Sequence[NaturalSet]", model: str | None
) -> "NaturalReport":
    from veraz.evals.natural import NaturalRun, measure_set, report_of

    actor = await veraz.tenants.operator(None)
    runs: list[NaturalRun] = []
    for one in sets:
        async with _fresh_kb(veraz, "es") as kb_id, _fresh_agent(veraz, kb_id, model) as agent_id:
            async with _at_work(home):
                await fill(veraz, actor, kb_id, one)
            runs.append(await measure_set(veraz.answers, actor, agent_id, one, model))
    return report_of(runs)


async def fill(veraz: "Veraz", actor: "Actor", kb_id: UUID, one: "NaturalSet") -> None:
    """The set's files and entries, until all of them are searchable or have failed."""
    from veraz.evals.retrieval import processed
    from veraz.ingest.receive import Labels

    documents = []
    for path in one.files:
        with path.open("rb") as file:
            documents.append(await veraz.reception.file(actor, kb_id, path.name, file, Labels()))
    for title, content in one.entries:
        documents.append(await veraz.reception.text(actor, kb_id, title, content, Labels(origin="text")))
    for document in documents:
        await processed(veraz.documents, actor, kb_id, document.document_id)


async def _answers(
    veraz: "Veraz", home: Path | None, dataset: "Dataset", language: str, model: str | None
) -> "AnswersReport":
    from veraz.evals.answers import measure_answers
    from veraz.evals.retrieval import ingest

    actor = await veraz.tenants.operator(None)
    async with _fresh_kb(veraz, language) as kb_id, _fresh_agent(veraz, kb_id, model) as agent_id:
        async with _at_work(home):
            known = await ingest(veraz.reception, veraz.documents, actor, kb_id, dataset)
        await _warm(veraz, agent_id, dataset)
        return await measure_answers(veraz.answers, actor, agent_id, dataset, known)


async def _offtopic(
    veraz: "Veraz", home: Path | None, dataset: "Dataset", language: str, model: str | None
) -> "OfftopicReport":
    from veraz.evals.answers import half_of, measure_offtopic
    from veraz.evals.retrieval import ingest

    actor = await veraz.tenants.operator(None)
    async with _fresh_kb(veraz, language) as kb_id, _fresh_agent(veraz, kb_id, model) as agent_id:
        async with _at_work(home):
            await ingest(veraz.reception, veraz.documents, actor, kb_id, half_of(dataset))
        await _warm(veraz, agent_id, dataset)
        return await measure_offtopic(veraz.answers, actor, agent_id, dataset)


async def _warm(veraz: "Veraz", agent_id: UUID, dataset: "Dataset") -> None:
    """The first search starts the calibration of the knowledge base; the others are measured."""
    actor = await veraz.tenants.operator(None)
    await veraz.search.search_agent(actor, agent_id, dataset.items[0].question, origin="eval")
    await veraz.search.settle()


@asynccontextmanager
async def _fresh_agent(veraz: "Veraz", kb_id: UUID, model: str | None) -> AsyncIterator[UUID]:
    """An agent for this measurement only."""
    from veraz.ids import new_id
    from veraz.library.agents import AgentProfile

    actor = await veraz.tenants.operator(None)
    project = (await veraz.projects.all(actor)).items[0]
    agent = await veraz.agents.create(actor, project.id, AgentProfile(name=f"eval {new_id()}", model=model))
    try:
        await veraz.assignments.put(actor, kb_id, [agent.id])
        yield agent.id
    finally:
        await veraz.agents.delete(actor, agent.id)


def _show(report: "AnswersReport | OfftopicReport | NaturalReport", *, as_json: bool) -> None:
    if as_json:
        out.print_json(json.dumps(asdict(report)))
        return
    table = Table("", "", box=None)
    for name, value in asdict(report).items():
        table.add_row(name, str(value))
    out.print(table)
