"""`veraz mcp`: the Model Context Protocol over stdin and stdout, for assistants on this machine."""

from typing import TYPE_CHECKING, Annotated

import typer

from veraz import errors
from veraz.cli.common import Home, TenantName, operator, with_veraz

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from veraz.tenancy.model import Actor
    from veraz.wiring import Veraz


def register(app: typer.Typer) -> None:
    """Adds `veraz mcp`."""
    app.command("mcp")(mcp)


def mcp(
    agent: Annotated[
        str | None, typer.Option("--agent", help="Who answers when a call names nobody.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", envvar="VERAZ_KEY", help="API key whose rights count; else the tenant's admin."
        ),
    ] = None,
    user: Annotated[str | None, typer.Option("--user", help="End user a service key acts for.")] = None,
    machine: Annotated[str | None, typer.Option("--machine", help="Machine a service key acts for.")] = None,
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Serve an assistant over stdin and stdout (Model Context Protocol)."""

    async def work(veraz: "Veraz") -> None:
        from veraz.mcp.server import mcp_server

        async def who(_: "Context") -> "Actor":
            if key is None:
                if user is not None or machine is not None:
                    needed = errors.Phrase(
                        "only a service key acts for others", es="solo una clave de servicio actúa por otros"
                    )
                    raise errors.Invalid(field="--key", reason=needed)
                return await operator(veraz, tenant)
            return await veraz.callers.authenticate(key, external_user=user, machine_id=machine)

        await mcp_server(veraz, who, agent=agent).run_stdio_async()

    with_veraz(home, work)
