"""Tenants of given sizes side by side in one database, written by the code that ingestion uses."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from uuid import UUID

from benchmarks.corpus import Corpus
from tests.support.load import new_shelf, opened

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.db.vector_index import maintain
from veraz.ids import new_id
from veraz.ingest.chunk import Chunk
from veraz.ingest.store import Target, add_chunks, word
from veraz.library.agents import AgentProfile
from veraz.providers.embedding.base import Vectors
from veraz.settings import Settings
from veraz.tenancy.model import system
from veraz.wiring import Veraz, open_store

_NOISE = 0.02
"""Of a copy's vector, per dimension; a vector of length 1 has 0.044 per dimension."""
Q = queries(__file__)


@dataclass(frozen=True, slots=True)
class Shop:
    """A tenant with an agent on one knowledge base, and a key to it."""

    size: int
    tenant_id: str
    kb_id: str
    edition_id: int
    space_id: int
    agent_id: str
    key: str


@dataclass(frozen=True, slots=True)
class _Document:
    name: str
    chunks: list[Chunk]
    vectors: Vectors


async def filled(home: Path, laws: Corpus, sizes: list[int]) -> list[Shop]:
    """A shop of each size; a home that was filled before is taken as it is."""
    note = home / "shops.json"
    if note.exists():
        return [Shop(**each) for each in json.loads(note.read_text())]
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o755)
    settings = Settings(home=home, log_level="error")
    shops = []
    async with (
        opened(settings) as veraz,
        open_store(settings) as store,
        Database(store.worker_url, store.access) as db,
    ):
        at = 0
        for size in sizes:
            shops.append(await _shop(veraz, db, laws, at, size))
            at = (at + size) % len(laws.chunks)
            print(f"filled a tenant of {size:,} chunks", flush=True)
        await maintain(store.owner_url)
    note.write_text(json.dumps([asdict(shop) for shop in shops]))
    return shops


async def _shop(veraz: Veraz, db: Database, laws: Corpus, at: int, size: int) -> Shop:
    shelf = await new_shelf(veraz, f"con-{size}")
    agent = await veraz.agents.create(shelf.actor, None, AgentProfile(name="Leyes"))
    await veraz.assignments.put(shelf.actor, shelf.kb_id, [agent.id])
    issued = await veraz.keys.issue(shelf.actor, name="medida")
    tenant_id = shelf.actor.tenant_id
    assert tenant_id is not None
    async with db.transaction(system(tenant_id)) as tx:
        row = (await tx.rows(Q.live_edition, kb=shelf.kb_id))[0]
    times = -(-size // len(laws.chunks))
    for document in _documents(laws, at, size // times):
        target = Target(
            tenant_id=tenant_id,
            kb_id=shelf.kb_id,
            edition_id=row["id"],
            space_id=row["space_id"],
            document_id=new_id(),
            machine_id="global",
            language="es",
        )
        await _write(db, target, document)
    for copy in range(1, times):
        await _copy(db, tenant_id, shelf.kb_id, copy)
    return Shop(
        size, str(tenant_id), str(shelf.kb_id), row["id"], row["space_id"], str(agent.id), issued.secret
    )


async def _write(db: Database, target: Target, document: _Document) -> None:
    async with db.transaction(system(target.tenant_id)) as tx:
        await tx.run(
            Q.add_document,
            id=target.document_id,
            kb=target.kb_id,
            name=document.name,
            count=len(document.chunks),
        )
        worded = word(document.chunks, target.language)
        await add_chunks(tx, target, worded, document.vectors, ids=[new_id() for _ in worded])


async def _copy(db: Database, tenant_id: UUID, kb_id: UUID, number: int) -> None:
    """Everything the knowledge base was filled with once more: the same text, vectors a little beside the first ones."""
    async with db.transaction(system(tenant_id)) as tx:
        await tx.run(Q.choose_documents, kb=kb_id)
        await tx.run(Q.choose_noise, noise=_NOISE)
        await tx.run(Q.copy_documents, copy=number)
        await tx.run(Q.copy_chunks)
        await tx.run(Q.copy_counts, kb=kb_id, copy=number)


def _documents(laws: Corpus, at: int, size: int) -> Iterator[_Document]:
    """The laws from a place on."""
    places = [(at + number) % len(laws.chunks) for number in range(size)]
    for name, members in groupby(places, lambda place: laws.documents[place]):
        chosen = list(members)
        yield _Document(f"0-{name}", [laws.chunks[place] for place in chosen], laws.vectors[chosen])
