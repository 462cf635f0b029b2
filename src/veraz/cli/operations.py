"""Looking after an installation: migrate, doctor (in its own file), backup, restore."""

from pathlib import Path
from typing import Annotated

import typer

from veraz.cli.common import Home, out, run_async, settings_for
from veraz.cli.doctor import doctor


def register(app: typer.Typer) -> None:
    """Adds the operators' commands."""
    app.command("migrate")(migrate)
    app.command("doctor")(doctor)
    app.command("backup")(backup)
    app.command("restore")(restore)


def migrate(home: Home = None) -> None:
    """Bring the database up to date."""
    from veraz.wiring import open_store

    settings = settings_for(home)

    async def work() -> None:
        async with open_store(settings):
            pass

    run_async(work())
    out.print("La base de datos está al día.")


def backup(file: Annotated[Path, typer.Argument(help="Where to write it.")], home: Home = None) -> None:
    """Save database and documents into one file, while everything goes on working."""
    from veraz.backup import save

    contents = run_async(save(settings_for(home, log_level="warning"), file.expanduser().resolve()))
    out.print(f"Copia guardada en {file}: {contents.documents} documentos, {contents.bytes / 1e6:.1f} MB.")


def restore(
    file: Annotated[Path, typer.Argument(help="A file made by «veraz backup».", exists=True, dir_okay=False)],
    home: Home = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an installation in use.")] = False,
) -> None:
    """Bring a backup into an empty installation."""
    from veraz.backup import restore as bring_back

    contents = run_async(bring_back(settings_for(home, log_level="warning"), file, replace=replace))
    out.print(f"Restaurado: {contents.documents} documentos.")
