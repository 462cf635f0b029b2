"""`veraz security-events`: what happened to security, for whoever has the machine; as lines for other programs too."""

import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from veraz.cli.common import Home, TenantName, operator, out, with_veraz

if TYPE_CHECKING:
    from veraz.tenancy.security_events import StoredEvent
    from veraz.wiring import Veraz

_SHOWN = 200


def register(app: typer.Typer) -> None:
    """Adds `security-events`."""
    app.command("security-events")(security_events)


def security_events(
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only this kind; repeatable.")] = None,
    refused: Annotated[bool, typer.Option("--refused", help="Only what was refused.")] = False,
    days: Annotated[float | None, typer.Option("--days", min=0, help="Of the last so many days.")] = None,
    installation: Annotated[
        bool, typer.Option("--installation", help="Of the installation itself, not of a tenant.")
    ] = False,
    file_format: Annotated[
        str, typer.Option("--format", help="table (the newest 200), jsonl or csv (all)")
    ] = "table",
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Sign-ins, keys, rights and refusals: who, from where and when."""
    if file_format not in ("table", "jsonl", "csv"):
        raise typer.BadParameter("table, jsonl, csv", param_hint="--format")
    from veraz.paging import PageRequest
    from veraz.tenancy.security_events import Wanted

    since = datetime.now(UTC) - timedelta(days=days) if days is not None else None
    wanted = Wanted(
        kinds=kind, outcome="refused" if refused else None, since=since, of_installation=installation
    )

    async def work(veraz: "Veraz") -> "list[StoredEvent]":
        actor = await operator(veraz, tenant)
        if file_format == "table":
            return (await veraz.security_events.all(actor, PageRequest(limit=_SHOWN), wanted)).items
        await _write(await veraz.security_events.export(actor, wanted), file_format)
        return []

    events = with_veraz(home, work)
    if file_format == "table":
        _show(events)


async def _write(portions: "AsyncIterator[list[StoredEvent]]", file_format: str) -> None:
    from veraz.api.security_events import as_csv, as_jsonl

    async for piece in (as_csv if file_format == "csv" else as_jsonl)(portions):
        sys.stdout.write(piece)


def _show(events: "list[StoredEvent]") -> None:
    table = Table("fecha", "qué", "resultado", "cuenta o clave", "sobre", "desde", "detalles")
    for one in events:
        details = " ".join(f"{name}={value}" for name, value in one.details.items())
        cells = (one.kind, _OUTCOMES[one.outcome], one.user_id or one.key_id, one.about, one.address, details)
        table.add_row(
            one.at.isoformat(timespec="seconds"), *(escape(str(c)) if c is not None else "–" for c in cells)
        )
    out.print(table)


_OUTCOMES = {"done": "hecho", "refused": "rechazado", "failed": "falló"}
