"""`veraz vectors`: where vectors are searched, moving them over and back, and the doctor's look at both sides."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from veraz import errors
from veraz.cli.common import Home, out, run_async, settings_for
from veraz.settings import Settings

if TYPE_CHECKING:
    from veraz.ingest.vectors import VectorSync

app = typer.Typer(no_args_is_help=True, help="Where vectors are searched: PostgreSQL or Qdrant.")

_STATES = {"filling": "en camino a Qdrant", "qdrant": "Qdrant", "postgres": "PostgreSQL", None: "PostgreSQL"}


class Place(StrEnum):
    """Where to."""

    QDRANT = "qdrant"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hands:
    """What moving takes: a worker's database, the engine, and the owner for indexes."""

    sync: "VectorSync"
    owner_url: str


@app.command("status")
def status(home: Home = None) -> None:
    """Show where each embedding space is searched and how many changes wait."""

    async def work(settings: Settings) -> None:
        async with _hands(settings) as hands:
            await _show(hands)

    run_async(work(settings_for(home, log_level="warning")))


@app.command("move")
def move(to: Annotated[Place, typer.Option("--to", help="qdrant or postgres.")], home: Home = None) -> None:
    """Move every embedding space, while searches and uploads go on."""

    async def work(settings: Settings) -> None:
        async with _hands(settings) as hands:
            await (_over(hands) if to is Place.QDRANT else _back(hands))
            await _show(hands)

    run_async(work(settings_for(home, log_level="warning")))


async def _over(hands: _Hands) -> None:
    from veraz.db.vector_index import drop_index
    from veraz.ingest.vectors import homes

    moving = [home for home in await homes(hands.sync.db) if home.state != "qdrant"]
    for home in moving:
        await hands.sync.fill(home)
    total = 0
    with out.status("") as line:
        while any(home.state == "filling" for home in await homes(hands.sync.db)):
            done = await hands.sync.step()
            total += done
            line.update(f"{total} fragmentos copiados a Qdrant")
            await asyncio.sleep(0 if done else 0.2)  # what is left is in a worker's hands
    for home in moving:
        await drop_index(hands.owner_url, home.space_id)
    out.print(f"{total} fragmentos copiados a Qdrant.")


async def _back(hands: _Hands) -> None:
    from veraz.db.vector_index import ensure_index
    from veraz.ingest.vectors import homes

    for home in await homes(hands.sync.db):
        if home.state != "postgres":
            await ensure_index(hands.owner_url, home.space_id, home.dimensions)
            await hands.sync.leave(home)


async def _show(hands: _Hands) -> None:
    from veraz.ingest.vectors import homes

    table = Table("espacio", "se busca en", "por aplicar", box=None)
    for home in await homes(hands.sync.db):
        table.add_row(home.name, _STATES[home.state], str(home.waiting))
    out.print(table)


async def examine(settings: Settings, *, repair: bool) -> bool:
    """Compares both sides of every space that moved; whether they are the same, or were made so."""
    from veraz.ingest.vectors import compare, homes
    from veraz.ingest.vectors import repair as mend

    fine = True
    async with _hands(settings) as hands:
        for home in await homes(hands.sync.db):
            if home.state != "qdrant":
                continue
            found = await compare(hands.sync.db, hands.sync.engine, home)
            if not found.none and repair:
                await mend(hands.sync.db, found)
                await hands.sync.drain()
            fine = fine and (found.none or repair)
            out.print(
                f"vectores de {home.name}: faltan {len(found.missing)}, sobran {len(found.surplus)}"
                + (" → reparado" if repair and not found.none else "")
            )
    return fine


@asynccontextmanager
async def _hands(settings: Settings) -> AsyncIterator[_Hands]:
    from veraz.db.pool import Database
    from veraz.ingest.vectors import VectorSync
    from veraz.providers.vectors.pick import pick_vector_engine
    from veraz.wiring import open_store

    engine = pick_vector_engine(settings)
    if engine is None:
        reason = errors.Phrase("set it to the address of Qdrant", es="indique la dirección de Qdrant")
        raise errors.Invalid(field="VERAZ_QDRANT_URL", reason=reason)
    async with (
        open_store(settings) as store,
        Database(store.worker_url, store.access, size=4, name="veraz vectors") as db,
    ):
        yield _Hands(sync=VectorSync(db, engine), owner_url=store.owner_url)
    await engine.close()
