"""A person looks at the corrections of a document and decides about those that ask."""

from dataclasses import dataclass
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.ingest.chunk_edit import ChunkEditor
from veraz.ingest.corrections import Correction, CorrectionStatus
from veraz.ingest.corrections import Q as CORRECTIONS
from veraz.ingest.documents import ChunkView, Document, read_again
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.library.knowledge_bases import need_writable
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    id: UUID
    content: str
    revision: int


class Corrections:
    """What people corrected in documents."""

    def __init__(self, db: Database, editor: ChunkEditor) -> None:
        self.db = db
        self.editor = editor

    async def all(
        self, actor: Actor, kb_id: UUID, document_id: UUID, *, status: CorrectionStatus | None = None
    ) -> list[Correction]:
        """The corrections of a document in the order of its text."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await tx.get(Document, DOCUMENTS.document, thing="document", kb_id=kb_id, id=document_id)
            return await tx.all(
                Correction, CORRECTIONS.listed, kb_id=kb_id, document_id=document_id, status=status
            )

    async def discard(self, actor: Actor, kb_id: UUID, document_id: UUID, correction_id: UUID) -> Correction:
        """The text counts as it is; where the correction still held, the document is processed again."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            where = {"id": correction_id, "document_id": document_id, "kb_id": kb_id}
            found = await tx.get(Correction, CORRECTIONS.correction, thing=_THING, **where)
            await tx.run(CORRECTIONS.discard, ids=[found.id])
            if found.status == "applied":
                await read_again(tx, kb_id, [document_id])
            return await tx.get(Correction, CORRECTIONS.correction, thing=_THING, **where)

    async def apply(
        self,
        actor: Actor,
        kb_id: UUID,
        document_id: UUID,
        correction_id: UUID,
        *,
        chunk_id: UUID | None = None,
        content: str | None = None,
    ) -> ChunkView:
        """Makes a correction that asks anew: where its words stand now, or as the new text of the chunk named."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            where = {"document_id": document_id, "kb_id": kb_id}
            found = await tx.get(Correction, CORRECTIONS.correction, thing=_THING, id=correction_id, **where)
            chunks = await tx.all(
                _Chunk, CORRECTIONS.chunks_saying, chunk_id=chunk_id, before=found.before, **where
            )
        chunk = _only(chunks, found)
        edited = await self.editor.edit(
            actor,
            kb_id,
            document_id,
            chunk.id,
            content=content or _corrected(chunk.content, found),
            revision=chunk.revision,
        )
        async with self.db.transaction(actor.scope()) as tx:
            await tx.run(CORRECTIONS.discard, ids=[found.id])
        return edited


_THING = errors.Phrase("correction", es="corrección")


def _only(chunks: list[_Chunk], correction: Correction) -> _Chunk:
    if len(chunks) != 1:
        raise errors.CorrectionOutdated(before=correction.before)
    return chunks[0]


def _corrected(content: str, correction: Correction) -> str:
    if content.count(correction.before) != 1:
        raise errors.CorrectionOutdated(before=correction.before)
    return content.replace(correction.before, correction.after)
