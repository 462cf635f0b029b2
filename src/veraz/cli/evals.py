"""`veraz eval …`: how good this installation is on a question set, with its own models and settings."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.table import Table

from veraz.cli.common import Home, Json, out, settings_for, with_veraz

if TYPE_CHECKING:
    from veraz.evals.datasets import Dataset
    from veraz.evals.retrieval import RetrievalReport
    from veraz.wiring import Veraz

evals = typer.Typer(no_args_is_help=True, help="Medir la calidad con un conjunto de preguntas.")

SquadFile = Annotated[Path, typer.Argument(help="Question set in SQuAD's format.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Ask only so many questions.")]


def register(app: typer.Typer) -> None:
    """Adds `veraz eval`."""
    app.add_typer(evals, name="eval")


@evals.callback()
def measured() -> None:
    """Measures with the normal services, in a fresh knowledge base that is deleted afterwards."""


@evals.command("retrieval")
def retrieval(
    file: SquadFile,
    limit: Limit = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="The same questions in another language, matched by id."),
    ] = None,
    no_accents: Annotated[bool, typer.Option("--no-accents", help="Ask without accents.")] = False,
    typos: Annotated[bool, typer.Option("--typos", help="Ask with a typo in every question.")] = False,
    no_spelling: Annotated[
        bool, typer.Option("--no-spelling", help="Search misspelt words as they are.")
    ] = False,
    language: Annotated[str, typer.Option("--language", help="Language of the paragraphs.")] = "es",
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Each paragraph a document; how often each question finds its own."""
    from veraz.evals.datasets import read_squad

    dataset = read_squad(file).answerable()
    if questions:
        dataset = dataset.asked_in(read_squad(questions))
    dataset = dataset.sample(limit)
    if no_accents:
        dataset = dataset.without_accents()
    if typos:
        dataset = dataset.with_typos()
    report = with_veraz(
        home, lambda veraz: _retrieval(veraz, home, dataset, language, spelling=not no_spelling)
    )
    _show(report, as_json=as_json)


async def _retrieval(
    veraz: "Veraz", home: Path | None, dataset: "Dataset", language: str, *, spelling: bool
) -> "RetrievalReport":
    from veraz.evals.retrieval import ingest, measure

    actor = await veraz.tenants.operator(None)
    async with _fresh_kb(veraz, language) as kb_id:
        async with _at_work(home):
            known = await ingest(veraz.reception, veraz.documents, actor, kb_id, dataset)
        return await measure(veraz.search, actor, kb_id, dataset, known, spelling=spelling)


@asynccontextmanager
async def _fresh_kb(veraz: "Veraz", language: str) -> AsyncIterator[UUID]:
    """A knowledge base for this measurement only."""
    from veraz.ids import new_id
    from veraz.library.knowledge_bases import NewKnowledgeBase

    actor = await veraz.tenants.operator(None)
    new = NewKnowledgeBase(name=f"eval {new_id()}", language=language)
    kb = await veraz.knowledge_bases.create(actor, new)
    try:
        yield kb.id
    finally:
        await veraz.knowledge_bases.delete(actor, kb.id)


@asynccontextmanager
async def _at_work(home: Path | None) -> AsyncIterator[None]:
    """A worker, for as long as documents have to be processed."""
    from veraz.wiring import open_worker

    async with open_worker(settings_for(home, log_level="warning")) as worker:
        working = asyncio.create_task(worker.run())
        try:
            yield
        finally:
            worker.stop()
            await working


def _show(report: "RetrievalReport", *, as_json: bool) -> None:
    if as_json:
        out.print_json(json.dumps(asdict(report)))
        return
    table = Table("", "", box=None)
    for name, value in asdict(report).items():
        if name != "alone":
            table.add_row(name, str(value))
    for name, value in report.alone.items():
        table.add_row(f"mrr, only {name}", str(value))
    out.print(table)
