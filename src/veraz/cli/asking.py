"""`veraz ask`: the same answer as the API's, as it is written, from the command line."""

from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from veraz.cli.common import Home, Json, TenantName, operator, out, with_veraz

if TYPE_CHECKING:
    from veraz.answer.model import Answer
    from veraz.wiring import Veraz


def register(app: typer.Typer) -> None:
    """Adds `veraz ask`."""
    app.command("ask")(ask)


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    agent: Annotated[str, typer.Option("--agent", help="Name or id of the agent.")],
    language: Annotated[str | None, typer.Option("--language", help="es or en; else the question's.")] = None,
    as_json: Json = False,
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Ask an agent."""

    async def work(veraz: "Veraz") -> "Answer":
        from veraz.answer.model import Answered
        from veraz.answer.service import Ask

        actor = await operator(veraz, tenant)
        found = await veraz.agents.by_name(actor, agent)
        asked = Ask(question=question, language=language, remember=False, channel="cli")
        async with aclosing(veraz.answers.ask(actor, found.id, asked)) as events:
            async for event in events:
                if isinstance(event, Answered):
                    return event.answer
        raise RuntimeError("an answer without an end")

    answer = with_veraz(home, work)
    if as_json:
        from veraz.api.ask import answer_view

        out.print_json(answer_view(answer).model_dump_json())
    else:
        _show(answer)


def _show(answer: "Answer") -> None:
    out.print(escape(answer.text), highlight=False)
    cited = {chunk for claim in answer.claims for chunk in claim.chunk_ids}
    for number, hit in enumerate(answer.evidence, start=1):
        if hit.passage.chunk_id in cited:
            page = f", p. {hit.passage.page_number}" if hit.passage.page_number else ""
            name = escape(hit.passage.document_name)
            out.print(f"[dim][{number}] {name}{page}  {hit.relevance:.2f}[/]", highlight=False)
