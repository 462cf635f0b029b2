"""Tenants of given sizes side by side in one database, written by the code that ingestion uses."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from benchmarks.corpus import Corpus
from tests.support.load import new_shelf, opened

from veraz.db.pool import Database
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
    async with opened(settings) as veraz, open_store(settings) as store, Database(store.worker_url) as db:
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
        row = (
            await tx.rows(
                "select id, space_id from veraz.edition where kb_id = %(kb)s and status = 'live'",
                kb=shelf.kb_id,
            )
        )[0]
    for document in _documents(laws, at, size):
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
    return Shop(
        size, str(tenant_id), str(shelf.kb_id), row["id"], row["space_id"], str(agent.id), issued.secret
    )


async def _write(db: Database, target: Target, document: _Document) -> None:
    async with db.transaction(system(target.tenant_id)) as tx:
        await tx.run(
            "insert into veraz.document (id, kb_id, name, origin, file_type, size_bytes, status, indexed_at, "
            "chunks_count) values (%(id)s, %(kb)s, %(name)s, 'text', 'md', 1, 'completed', now(), %(count)s)",
            id=target.document_id,
            kb=target.kb_id,
            name=document.name,
            count=len(document.chunks),
        )
        worded = word(document.chunks, target.language)
        await add_chunks(tx, target, worded, document.vectors, ids=[new_id() for _ in worded])


def _documents(laws: Corpus, at: int, size: int) -> Iterator[_Document]:
    """The laws from a place on, again and again; every further copy has vectors a little beside the first ones."""
    noise = np.random.default_rng(7)
    places = [(at + number) % len(laws.chunks) for number in range(size)]
    parts = groupby(enumerate(places), lambda each: (each[0] // len(laws.chunks), laws.documents[each[1]]))
    for (copy, name), members in parts:
        chosen = [place for _, place in members]
        vectors = laws.vectors[chosen]
        if copy:
            vectors = vectors + noise.normal(0, _NOISE, vectors.shape).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        yield _Document(f"{copy}-{name}", [laws.chunks[place] for place in chosen], vectors)
