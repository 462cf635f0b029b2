"""Forgetting from the command line: a whole tenant, a machine, somebody outside; and the receipts."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veraz.cli.common import Home, Json, TenantName, operator, out, run_async, settings_for, with_veraz

if TYPE_CHECKING:
    from veraz.forgetting.model import Forgetting
    from veraz.wiring import Veraz

_NEWEST = 50


def register(app: typer.Typer) -> None:
    """Adds `forget`."""
    group = typer.Typer(no_args_is_help=True, help="Forget for ever, and what was forgotten.")
    group.callback()(lambda: None)
    group.command("tenant")(tenant)
    group.command("machine")(machine)
    group.command("end-user")(end_user)
    group.command("receipts")(receipts)
    group.command("list")(list_all)
    app.add_typer(group, name="forget")


def tenant(
    name: Annotated[str, typer.Argument(help="The tenant's name, exactly.")],
    yes: Annotated[
        str, typer.Option("--type-its-name", help="The name once more.", prompt="Escriba otra vez el nombre")
    ],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Delete a company with everything in it. It cannot be undone."""

    async def work(veraz: "Veraz") -> "Forgetting":
        wanted = await operator(veraz, name)
        platform = await operator(veraz, None)
        return await veraz.forgettings.forget_tenant(platform, wanted.tenant_id, name=yes)

    _show([with_veraz(home, work)], as_json)


def machine(
    machine_id: Annotated[str, typer.Argument()],
    tenant: TenantName = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Forget a machine's documents, conversations and questions."""

    async def work(veraz: "Veraz") -> "Forgetting":
        return await veraz.forgettings.forget_machine(await operator(veraz, tenant), machine_id)

    _show([with_veraz(home, work)], as_json)


def end_user(
    name: Annotated[str, typer.Argument(help="A service's own id, a telephone, or a conversation's id.")],
    tenant: TenantName = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Forget somebody outside, with everything that was said."""

    async def work(veraz: "Veraz") -> "Forgetting":
        return await veraz.forgettings.forget_end_user(await operator(veraz, tenant), name)

    _show([with_veraz(home, work)], as_json)


def receipts(tenant: TenantName = None, home: Home = None, as_json: Json = False) -> None:
    """What was forgotten, newest first."""
    from veraz.paging import PageRequest

    async def work(veraz: "Veraz") -> "list[Forgetting]":
        actor = await operator(veraz, tenant)
        return list((await veraz.forgettings.all(actor, PageRequest(limit=_NEWEST))).items)

    _show(with_veraz(home, work), as_json)


def list_all(file: Annotated[Path, typer.Argument(help="Where to write it.")], home: Home = None) -> None:
    """Write down what was forgotten, without any text, for restores of older backups elsewhere."""
    from veraz.backup import write_forgotten

    count = run_async(write_forgotten(settings_for(home, log_level="warning"), file.expanduser()))
    out.print(f"{count} en {file}", highlight=False)


def _show(receipts: "list[Forgetting]", as_json: bool) -> None:
    if as_json:
        shown = [
            {
                "id": str(one.id),
                "kind": one.kind,
                "subjects": one.subjects,
                "status": one.status,
                "removed": one.removed,
            }
            for one in receipts
        ]
        out.print_json(json.dumps(shown))
        return
    if not receipts:
        out.print("Todavía no se olvidó nada.")
    for one in receipts:
        counts = " ".join(f"{name}={number}" for name, number in sorted(one.removed.items()))
        out.print(
            f"{one.created_at:%Y-%m-%d %H:%M} {one.kind:9} {one.status:8} {one.id} {counts}", highlight=False
        )
