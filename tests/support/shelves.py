"""Knowledge bases filled without files: texts become chunks of a live edition, with the fake embedder's vectors."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.ingest.chunk import Chunk
from veraz.ingest.store import Target, add_chunks, word
from veraz.providers.embedding.base import Vectors
from veraz.providers.embedding.fake import FakeEmbedder

if TYPE_CHECKING:
    from tests.conftest import Tenant

SPACE = "fake:words@64"
EMBEDDER = FakeEmbedder()


async def vector_of(text: str) -> Vectors:
    """A query as the fake embedder sees it."""
    answer = await EMBEDDER.embed([text], purpose="query")
    row: Vectors = answer.vectors[0]
    return row


class Shelves:
    """Fills knowledge bases of one database."""

    def __init__(self, owner: Connection[TupleRow], worker_db: Database) -> None:
        self.owner = owner
        self.worker_db = worker_db

    def edition(self, tenant: "Tenant", kb_id: UUID, *, space: str = SPACE, dimensions: int = 64) -> int:
        """A live edition for a knowledge base."""
        space_id = self._one(
            "with a as (insert into veraz.embedding_space (name, dimensions) values (%s, %s) "
            "on conflict do nothing returning id) "
            "select id from a union all select id from veraz.embedding_space where name = %s",
            (space, dimensions, space),
        )
        edition_id: int = self._one(
            "insert into veraz.edition (tenant_id, kb_id, space_id, chunking, embedding, status) "
            "values (%s, %s, %s, '{}', '{}', 'live') returning id",
            (tenant.id, kb_id, space_id),
        )
        self.owner.execute(
            "update veraz.knowledge_base set live_edition_id = %s where id = %s", (edition_id, kb_id)
        )
        return edition_id

    async def document(
        self,
        tenant: "Tenant",
        kb_id: UUID,
        texts: Sequence[str],
        *,
        name: str = "a.md",
        machine_id: str = "global",
        vectors: Vectors | None = None,
        columns: dict[str, Any] | None = None,
    ) -> UUID:
        """A completed document whose chunks are these texts; `columns` of the document may be set too."""
        document_id = new_id()
        self.owner.execute(
            "insert into veraz.document (id, tenant_id, kb_id, name, origin, file_type, size_bytes, machine_id, "
            "status, indexed_at, chunks_count) values (%s, %s, %s, %s, 'upload', 'md', 1, %s, 'completed', now(), %s)",
            (document_id, tenant.id, kb_id, name, machine_id, len(texts)),
        )
        for column, value in (columns or {}).items():
            self.owner.execute(f"update veraz.document set {column} = %s where id = %s", (value, document_id))
        target = self._target(tenant, kb_id, document_id, machine_id)
        if vectors is None:
            vectors = np.stack([await vector_of(text) for text in texts])
        worded = word([_chunk(place, text) for place, text in enumerate(texts)], target.language)
        async with self.worker_db.transaction(tenant.worker) as tx:
            await add_chunks(tx, target, worded, vectors, ids=[new_id() for _ in texts])
        return document_id

    def agent(self, tenant: "Tenant", *kb_ids: UUID, allows_personal: bool = False) -> UUID:
        """An agent of the tenant's project that reads these knowledge bases."""
        agent_id = new_id()
        self.owner.execute(
            "insert into veraz.agent (id, tenant_id, project_id, name, allows_personal_corpus) "
            "values (%s, %s, %s, %s, %s)",
            (agent_id, tenant.id, tenant.project_id, f"agent {agent_id}", allows_personal),
        )
        for kb_id in kb_ids:
            self.owner.execute(
                "insert into veraz.assignment (id, tenant_id, agent_id, kb_id) values (%s, %s, %s, %s)",
                (new_id(), tenant.id, agent_id, kb_id),
            )
        return agent_id

    def _target(self, tenant: "Tenant", kb_id: UUID, document_id: UUID, machine_id: str) -> Target:
        row = self.owner.execute(
            "select e.id, e.space_id, kb.language from veraz.knowledge_base kb "
            "join veraz.edition e on e.id = kb.live_edition_id where kb.id = %s",
            (kb_id,),
        ).fetchone()
        assert row is not None
        return Target(
            tenant_id=tenant.id,
            kb_id=kb_id,
            edition_id=row[0],
            space_id=row[1],
            document_id=document_id,
            machine_id=machine_id,
            language=row[2],
        )

    def _one(self, query: str, params: Sequence[object]) -> Any:
        row = self.owner.execute(query, params).fetchone()
        assert row is not None
        return row[0]


def _chunk(place: int, text: str) -> Chunk:
    return Chunk(
        ordinal=place,
        content=text,
        start=0,
        end=len(text),
        page=1,
        part=None,
        row=None,
        headers=(),
        context="",
        tokens=len(text.split()),
        content_hash=hashlib.sha256(text.encode()).digest(),
        quality=90,
    )
