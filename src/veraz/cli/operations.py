"""Looking after an installation: migrate, doctor (in its own file), backup, restore."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veraz.cli.common import Home, err, out, run_async, settings_for
from veraz.cli.doctor import doctor

if TYPE_CHECKING:
    from veraz.settings import Settings


def register(app: typer.Typer) -> None:
    """Adds the operators' commands."""
    app.command("migrate")(migrate)
    app.command("doctor")(doctor)
    app.command("backup")(backup)
    app.command("restore")(restore)
    app.command("backup-key")(backup_key)


def migrate(home: Home = None) -> None:
    """Bring the database up to date."""
    from veraz.wiring import open_store

    settings = settings_for(home)

    async def work() -> None:
        async with open_store(settings):
            pass

    run_async(work())
    out.print("La base de datos está al día.")


KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", help="File with the key, as «veraz backup-key» makes it. [VERAZ_BACKUP_KEY]"),
]


def backup_key(file: Annotated[Path, typer.Argument(help="Where to write it.")]) -> None:
    """Make a key for backups. Keep it where the backups are not."""
    from veraz.sealed import write_new_key

    write_new_key(file.expanduser())
    out.print(
        f"Clave guardada en {file}. Guarde otra copia lejos de las copias de seguridad: sin ella no se abren."
    )


def backup(
    file: Annotated[Path, typer.Argument(help="Where to write it.")],
    home: Home = None,
    key_file: KeyFile = None,
) -> None:
    """Save database and documents into one file, while everything goes on working; with a key, encrypted."""
    from veraz.backup import save

    settings = settings_for(home, log_level="warning")
    key = _key(settings, key_file)
    contents = run_async(save(settings, file.expanduser().resolve(), key=key))
    out.print(f"Copia guardada en {file}: {contents.documents} documentos, {contents.bytes / 1e6:.1f} MB.")
    if key is None:
        err.print("Sin cifrar: quien tenga el archivo puede leerlo todo. «veraz backup-key» hace una clave.")


def restore(
    file: Annotated[Path, typer.Argument(help="A file made by «veraz backup».", exists=True, dir_okay=False)],
    home: Home = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an installation in use.")] = False,
    key_file: KeyFile = None,
    forgotten: Annotated[
        Path | None,
        typer.Option(
            "--forgotten",
            help="A list made by «veraz forget list»: forgotten again.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
) -> None:
    """Bring a backup into an empty installation; what was forgotten since is forgotten again."""
    from veraz.backup import restore as bring_back

    settings = settings_for(home, log_level="warning")
    contents = run_async(
        bring_back(settings, file, key=_key(settings, key_file), replace=replace, forgotten=forgotten)
    )
    out.print(f"Restaurado: {contents.documents} documentos.")


def _key(settings: "Settings", file: Path | None) -> str | None:
    from veraz.sealed import read_key

    if file is not None:
        return read_key(file.expanduser())
    return settings.backup_key.get_secret_value() if settings.backup_key else None
