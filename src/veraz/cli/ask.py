"""`veraz search`: the same search as the API's, from the command line."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from veraz.cli.common import Home, Json, TenantName, named_kb, operator, out, with_veraz

if TYPE_CHECKING:
    from veraz.search.model import SearchResult
    from veraz.wiring import Veraz

_EXCERPT = 300


def register(app: typer.Typer) -> None:
    """Adds the commands that ask."""
    app.command("search")(search)


def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    kb: Annotated[
        list[str], typer.Option("--kb", help="Name or id of a knowledge base; several times for several.")
    ],
    top_k: Annotated[int, typer.Option("--top-k", min=1, max=50)] = 5,
    threshold: Annotated[
        float,
        typer.Option("--threshold", min=0, max=1, help="Least similarity; 0 shows the nearest passages."),
    ] = 0.0,
    as_json: Json = False,
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Search one knowledge base or several."""

    async def work(veraz: "Veraz") -> "SearchResult":
        from veraz.search.service import Wish

        actor = await operator(veraz, tenant)
        wish = Wish(top_k=top_k, similarity_threshold=threshold)
        kb_ids = [(await named_kb(veraz, actor, name)).id for name in kb]
        return await veraz.search.search_kbs(actor, kb_ids, query, wish=wish)

    result = with_veraz(home, work)
    if as_json:
        from veraz.api.search import search_view

        out.print_json(search_view(result).model_dump_json())
    else:
        _show(result)


def _show(result: "SearchResult") -> None:
    for place, hit in enumerate(result.evidence.hits, start=1):
        page = f", p. {hit.passage.page_number}" if hit.passage.page_number else ""
        name = escape(hit.passage.document_name)
        out.print(f"[bold]{place}. {name}[/]{page}  [dim]{hit.relevance:.2f}[/]", highlight=False)
        out.print(escape(hit.passage.content[:_EXCERPT].strip()), highlight=False)
    count = len(result.evidence.hits)
    out.print(f"[dim]{count} resultados en {result.search_time_ms:.0f} ms[/]", highlight=False)
