"""`veraz ingest`: files, folders and web addresses into a knowledge base, watched until they are searchable."""

from pathlib import Path
from typing import Annotated

import typer

from veraz.cli.common import Home, Json, TenantName, run_async, settings_for

Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", help="Files, folders or http(s) addresses.", show_default=False),
]
KbName = Annotated[str, typer.Option("--kb", help="Name or id of the knowledge base; made when missing.")]
Recursive = Annotated[
    bool,
    typer.Option(
        "--recursive", "-r", help="Folders inside folders too; hidden files and links are left out."
    ),
]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Stay until everything is searchable.")]
Machine = Annotated[str, typer.Option("--machine", help="Licence the documents are bound to.")]


def register(app: typer.Typer) -> None:
    """Adds `ingest`."""
    app.command("ingest")(ingest)


def ingest(
    paths: Paths,
    kb: KbName,
    recursive: Recursive = False,
    wait: Wait = True,
    machine: Machine = "global",
    tenant: TenantName = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Bring documents in; works with and without a running server."""
    from veraz.cli.ingest_items import collected
    from veraz.cli.ingest_run import Order, run

    order = Order(
        items=collected(paths, Path.cwd(), recursive=recursive),
        kb=kb,
        tenant=tenant,
        machine=machine,
        wait=wait,
        as_json=as_json,
    )
    settings = settings_for(home, log_level="error")
    if not run_async(run(settings, order)):
        raise typer.Exit(1)
