"""What every command needs: settings from the environment and `--home`, services, a table or JSON."""

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console

from veraz import errors, observe
from veraz.settings import Settings

if TYPE_CHECKING:
    from veraz.library.model import KnowledgeBase
    from veraz.tenancy.model import Actor
    from veraz.wiring import Veraz

T = TypeVar("T")

out = Console()
err = Console(stderr=True)

Home = Annotated[Path | None, typer.Option("--home", help="Folder that holds every file. [VERAZ_HOME]")]
TenantName = Annotated[
    str | None, typer.Option("--tenant", help="Name or id of the tenant; the first one by default.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def settings_for(home: Path | None, **changes: Any) -> Settings:
    """The settings, with what the command line says on top."""
    given: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    if home:
        given["home"] = home
    settings = Settings(**given)
    observe.configure(settings)
    return settings


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Runs a command; SIGTERM, like Ctrl-C, leaves by the way it came in, so that the database is left properly."""

    async def main() -> T:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await work

    try:
        with asyncio.Runner(loop_factory=_quick_loop()) as runner:
            return runner.run(main())
    except asyncio.CancelledError:
        raise typer.Exit(128 + signal.SIGTERM) from None


def _quick_loop() -> "Callable[[], asyncio.AbstractEventLoop] | None":
    """uvloop's where there is one: a search makes some eighty turns of the loop."""
    try:
        import uvloop
    except ImportError:  # not made for Windows
        return None
    return uvloop.new_event_loop


def with_veraz(home: Path | None, work: "Callable[[Veraz], Awaitable[T]]", *, quiet: bool = True) -> T:
    """Opens the platform, does the work, closes it. Works with and without a running server."""
    from veraz.wiring import open_veraz

    settings = settings_for(home, log_level="warning" if quiet else None)

    async def main() -> T:
        async with open_veraz(settings) as veraz:
            await ensure_installed(veraz)
            return await work(veraz)

    return run_async(main())


async def ensure_installed(veraz: "Veraz") -> None:
    """The first command on an empty home sets it up and says so."""
    secret = veraz.settings.admin_password
    first = await veraz.tenants.first_start(
        email=veraz.settings.admin_email, password=secret.get_secret_value() if secret else None
    )
    if first is None:
        return
    err.print(f"[bold]Instalación nueva[/] en {veraz.settings.home}")
    err.print(f"  usuario:    [bold]{first.admin.email}[/]")
    if secret is None:
        err.print(f"  contraseña: [bold]{first.password}[/]   (se muestra solo esta vez)")
    if first.password_is_common:
        err.print(
            "  [yellow]Esa contraseña es de las primeras que otros probarían: cámbiela en su cuenta.[/]"
        )


async def operator(veraz: "Veraz", tenant: str | None) -> "Actor":
    """Whoever can run commands on this home acts as the tenant's admin."""
    return await veraz.tenants.operator(tenant)


async def named_kb(veraz: "Veraz", actor: "Actor", name: str) -> "KnowledgeBase":
    """The knowledge base of that name or id."""
    found = await veraz.knowledge_bases.by_name(actor, name)
    if found is None:
        raise errors.NotFound(thing="knowledge base", id=name)
    return found


def show_fields(fields: Mapping[str, str | None], as_json: bool) -> None:
    """What was made: a line for each field, or JSON."""
    if as_json:
        out.print_json(json.dumps(dict(fields)))
        return
    for field, value in fields.items():
        out.print(f"{field:12} {value}", highlight=False, soft_wrap=True)
