"""Knowledge bases with real chunks, written by the code that ingestion uses, so that searches have something to find."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from veraz.db.pool import Database, Transaction
from veraz.ids import new_id
from veraz.ingest.chunk import Chunk
from veraz.ingest.store import Target, replace_chunks, word
from veraz.providers.embedding.base import Vectors
from veraz.providers.embedding.fake import FakeEmbedder
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import Tenant


@dataclass(frozen=True, kw_only=True)
class Kb:
    """A knowledge base with its live edition."""

    id: UUID
    tenant: "Tenant"
    edition_id: int
    space_id: int
    dimensions: int
    language: str


class Library:
    """Fills a database with what a test needs."""

    def __init__(self, worker_db: Database) -> None:
        self.db = worker_db

    async def kb(
        self,
        tenant: "Tenant",
        *,
        name: str | None = None,
        owner_id: UUID | None = None,
        language: str = "es",
        dimensions: int = 64,
        status: str = "active",
    ) -> Kb:
        """A knowledge base in the space of the fake embedder; personal when an owner is given."""
        kb_id = new_id()
        async with self.db.transaction(tenant.worker) as tx:
            space_id = await _space(tx, f"fake:words@{dimensions}", dimensions)
            await tx.run(
                "insert into veraz.knowledge_base (id, project_id, kind, owner_id, name, language, status) "
                "values (%(id)s, %(project)s, %(kind)s, %(owner)s, %(name)s, %(language)s, %(status)s)",
                id=kb_id,
                project=None if owner_id else tenant.project_id,
                kind="personal" if owner_id else "global",
                owner=owner_id,
                name=name or f"kb {kb_id}",
                language=language,
                status=status,
            )
            edition_id = await tx.value(
                "insert into veraz.edition (kb_id, space_id, chunking, embedding, status) "
                "values (%(kb)s, %(space)s, '{}', '{}', 'live') returning id",
                kb=kb_id,
                space=space_id,
            )
            await tx.run(
                "update veraz.knowledge_base set live_edition_id = %(edition)s where id = %(kb)s",
                edition=edition_id,
                kb=kb_id,
            )
        return Kb(
            id=kb_id,
            tenant=tenant,
            edition_id=edition_id,
            space_id=space_id,
            dimensions=dimensions,
            language=language,
        )

    async def document(
        self,
        kb: Kb,
        name: str,
        *texts: str,
        machine: str = "global",
        vectors: Vectors | None = None,
        **fields: Any,
    ) -> UUID:
        """A processed document whose chunks are these texts."""
        document_id = new_id()
        row = {
            "status": "completed",
            "indexed_at": datetime.now(UTC),
            "metadata": {},
            "language": kb.language,
        } | fields
        async with self.db.transaction(kb.tenant.worker) as tx:
            await tx.run(
                "insert into veraz.document (id, kb_id, name, origin, file_type, size_bytes, machine_id, "
                f"chunks_count, {', '.join(row)}) values (%(id)s, %(kb)s, %(name)s, 'text', 'txt', 1, %(machine)s, "
                f"%(count)s, {', '.join(f'%({name})s' for name in row)})",
                **(
                    {"id": document_id, "kb": kb.id, "machine": machine, "count": len(texts)}
                    | row
                    | {"name": name}
                ),
            )
            if texts:
                await self._store(tx, kb, document_id, texts, machine, vectors)
        return document_id

    async def _store(
        self,
        tx: Transaction,
        kb: Kb,
        document_id: UUID,
        texts: Sequence[str],
        machine: str,
        vectors: Vectors | None,
    ) -> None:
        target = Target(
            tenant_id=kb.tenant.id,
            kb_id=kb.id,
            edition_id=kb.edition_id,
            space_id=kb.space_id,
            document_id=document_id,
            machine_id=machine,
            language=kb.language,
        )
        if vectors is None:
            vectors = (await FakeEmbedder(kb.dimensions).embed(texts, purpose="document")).vectors
        await replace_chunks(tx, target, word(chunks_of(texts), kb.language), vectors)

    async def agent(
        self,
        tenant: "Tenant",
        *kbs: Kb,
        allows_personal: bool = True,
        retrieval: dict[str, Any] | None = None,
    ) -> UUID:
        """An agent of the tenant's project that reads these knowledge bases."""
        agent_id = new_id()
        async with self.db.transaction(tenant.worker) as tx:
            await tx.run(
                "insert into veraz.agent (id, project_id, name, allows_personal_corpus, retrieval) "
                "values (%(id)s, %(project)s, %(name)s, %(allows)s, %(retrieval)s)",
                id=agent_id,
                project=tenant.project_id,
                name=f"agent {agent_id}",
                allows=allows_personal,
                retrieval=retrieval or {},
            )
        for kb in kbs:
            await self.assign(agent_id, kb)
        return agent_id

    async def assign(self, agent_id: UUID, kb: Kb, *, priority: int = 1, weight: float = 1.0) -> None:
        """The agent reads the knowledge base."""
        async with self.db.transaction(kb.tenant.worker) as tx:
            await tx.run(
                "insert into veraz.assignment (id, agent_id, kb_id, project_id, priority, search_weight) "
                "values (%(id)s, %(agent)s, %(kb)s, %(agent)s, %(priority)s, %(weight)s)",
                id=new_id(),
                agent=agent_id,
                kb=kb.id,
                priority=priority,
                weight=weight,
            )


def admin_of(tenant: "Tenant", *, machine: str | None = None) -> Actor:
    """The tenant's administrator, as the services know them."""
    return Actor(tenant_id=tenant.id, user_id=tenant.admin_id, user_role="admin", machine_id=machine)


def chunks_of(texts: Sequence[str]) -> list[Chunk]:
    """Texts as the chunks of one document, one after the other."""
    chunks: list[Chunk] = []
    start = 0
    for ordinal, text in enumerate(texts):
        chunks.append(
            Chunk(
                ordinal=ordinal,
                content=text,
                start=start,
                end=start + len(text),
                page=ordinal + 1,
                part=None,
                row=None,
                headers=(),
                context="",
                tokens=max(1, len(text) // 4),
                content_hash=hashlib.sha256(text.encode()).digest(),
                quality=50,
            )
        )
        start += len(text) + 1
    return chunks


async def _space(tx: Transaction, name: str, dimensions: int) -> int:
    found: int = await tx.value(
        "with added as (insert into veraz.embedding_space (name, dimensions) values (%(name)s, %(dimensions)s) "
        "on conflict (name) do nothing returning id) "
        "select id from added union all select id from veraz.embedding_space where name = %(name)s limit 1",
        name=name,
        dimensions=dimensions,
    )
    return found
