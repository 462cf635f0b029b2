"""`veraz licence`: the machines of a tenant, and what becomes of those it does not know."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from veraz import errors
from veraz.cli.common import Home, Json, TenantName, operator, out, with_veraz

if TYPE_CHECKING:
    from veraz.tenancy.model import Licence, UnknownMachines
    from veraz.wiring import Veraz

Machine = Annotated[str, typer.Argument(metavar="MACHINE", help="The machine as programs name it.")]


def register(app: typer.Typer) -> None:
    """Adds `licence`."""
    group = typer.Typer(no_args_is_help=True, help="Machines that may be named.")
    group.command("list")(list_licences)
    group.command("delete")(delete)
    group.command("unknown")(unknown)
    app.add_typer(group, name="licence")


def list_licences(tenant: TenantName = None, home: Home = None, as_json: Json = False) -> None:
    """Show the licences, newest first."""

    async def work(veraz: "Veraz") -> "list[Licence]":
        return await _all(veraz, tenant)

    found = with_veraz(home, work)
    if as_json:
        rows = [{"id": str(x.id), "machine_id": x.machine_id, "status": x.status} for x in found]
        out.print_json(json.dumps(rows))
        return
    for one in found:
        out.print(f"{one.machine_id}  {one.status}  {one.user_name}", highlight=False, soft_wrap=True)


def delete(
    machine: Machine,
    memory: Annotated[str, typer.Option("--memory", help="keep or forget; it has to be said.")],
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Close a machine for good: nobody can name it again."""
    if memory not in ("keep", "forget"):
        raise typer.BadParameter("keep, forget", param_hint="--memory")

    async def work(veraz: "Veraz") -> None:
        for one in await _all(veraz, tenant):
            if one.machine_id == machine:
                actor = await operator(veraz, tenant)
                return await veraz.licences.delete(
                    actor, one.id, memory="forget" if memory == "forget" else "keep"
                )
        raise errors.NotFound(thing="licence", id=machine)

    with_veraz(home, work)


def unknown(
    rule: Annotated[
        str, typer.Argument(metavar="RULE", help="create: they get a licence; refuse: they are refused.")
    ],
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Say what becomes of machines that are named and have no licence."""
    if rule not in ("create", "refuse"):
        raise typer.BadParameter("create, refuse", param_hint="RULE")

    async def work(veraz: "Veraz") -> None:
        actor = await operator(veraz, tenant)
        wanted: UnknownMachines = "refuse" if rule == "refuse" else "create"
        await veraz.tenants.change(actor, actor.tenant_id, unknown_machines=wanted)

    with_veraz(home, work)


async def _all(veraz: "Veraz", tenant: str | None) -> "list[Licence]":
    from veraz.paging import PageRequest

    actor, cursor, found = await operator(veraz, tenant), None, []
    while True:
        page = await veraz.licences.all(actor, PageRequest(limit=500, cursor=cursor))
        found += page.items
        if (cursor := page.next_cursor) is None:
            return found
