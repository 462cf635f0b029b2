"""`veraz document`: versions of a document, going back to one, and which document takes the place of which."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar
from uuid import UUID

import typer
from rich.markup import escape
from rich.table import Table

from veraz import errors
from veraz.cli.common import Home, Json, TenantName, named_kb, operator, out, with_veraz

if TYPE_CHECKING:
    from veraz.ingest.documents import Document
    from veraz.ingest.receive import Received
    from veraz.ingest.versions import DocumentVersion
    from veraz.tenancy.model import Actor
    from veraz.wiring import Veraz

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Versions of documents, and which takes the place of which.")

Kb = Annotated[str, typer.Option("--kb", help="Name or id of the knowledge base.")]
DocumentName = Annotated[str, typer.Argument(help="Name or id of the document.")]
_STATES = {"pending": "en espera", "current": "vigente", "superseded": "anterior", "failed": "con error"}


@app.command("versions")
def versions(
    document: DocumentName, kb: Kb, as_json: Json = False, tenant: TenantName = None, home: Home = None
) -> None:
    """The versions of a document, newest first."""

    async def work(veraz: "Veraz", actor: "Actor", found: "Document") -> "list[DocumentVersion]":
        return await veraz.versions.all(actor, found.kb_id, found.id)

    listed = _with_document(home, tenant, kb, document, work)
    if as_json:
        from veraz.api.versions import VersionView

        out.print_json(data=[VersionView.model_validate(one).model_dump(mode="json") for one in listed])
        return
    table = Table("versión", "estado", "nombre", "bytes", "desde")
    for one in listed:
        state, since = _STATES[one.status], one.created_at.isoformat(timespec="minutes")
        table.add_row(str(one.version), state, escape(one.name), str(one.size_bytes), since)
    out.print(table)


@app.command("restore")
def restore(
    document: DocumentName,
    version: Annotated[int, typer.Argument(min=1, help="Its number.")],
    kb: Kb,
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """A new version that says what an earlier one said; a worker reads it."""

    async def work(veraz: "Veraz", actor: "Actor", found: "Document") -> "Received":
        return await veraz.replacements.with_version(actor, found.kb_id, found.id, version)

    received = _with_document(home, tenant, kb, document, work)
    out.print(f"«{escape(received.filename)}» espera como versión {received.version}.", highlight=False)


@app.command("supersede")
def supersede(
    document: DocumentName,
    kb: Kb,
    by: Annotated[str | None, typer.Option("--by", help="The document that is read in its place.")] = None,
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Another document is read in its place; without --by it is read again."""

    async def work(veraz: "Veraz", actor: "Actor", found: "Document") -> "Document":
        if by is None:
            return await veraz.superseding.restore(actor, found.kb_id, found.id)
        other = await _document(veraz, actor, found.kb_id, by)
        return await veraz.superseding.supersede(actor, found.kb_id, found.id, other.id)

    changed = _with_document(home, tenant, kb, document, work)
    said = f"«{by}» sustituye a «{changed.name}»." if by else f"«{changed.name}» se vuelve a leer."
    out.print(escape(said), highlight=False)


def _with_document(
    home: Path | None,
    tenant: str | None,
    kb: str,
    document: str,
    work: "Callable[[Veraz, Actor, Document], Awaitable[T]]",
) -> T:
    """Opens the platform, finds the document and does the work."""

    async def main(veraz: "Veraz") -> T:
        actor = await operator(veraz, tenant)
        kb_id = (await named_kb(veraz, actor, kb)).id
        return await work(veraz, actor, await _document(veraz, actor, kb_id, document))

    return with_veraz(home, main)


async def _document(veraz: "Veraz", actor: "Actor", kb_id: UUID, name: str) -> "Document":
    """The document of that id, or the only one of that name."""
    from veraz.ingest.documents import DocumentFilter

    try:
        return await veraz.documents.get(actor, kb_id, UUID(name))
    except ValueError:
        pass
    found = [one async for one in veraz.documents.each(actor, kb_id, where=DocumentFilter(text=name))]
    named = [one for one in found if one.name == name]
    if not named:
        raise errors.NotFound(thing="document", id=name)
    if len(named) > 1:
        raise errors.AmbiguousName(thing="document", name=name)
    return named[0]
