"""What another way of cutting would do to a document, before anything is rebuilt."""

import asyncio
from dataclasses import dataclass, replace
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.ingest.chunk import Chunk, chunk
from veraz.ingest.documents import Document
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import ParseLimits
from veraz.ingest.parse.sandbox import parse_file
from veraz.library.configs import ChunkingConfig
from veraz.providers.files.tenants import Files
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

_BLOCKS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The beginning of a document, read once, cut as often as somebody moves a slider."""

    name: str
    parsed: Parsed

    async def cut(self, config: ChunkingConfig) -> list[Chunk]:
        """Its chunks under this configuration; subjects are told apart by words, which costs nothing."""
        return await asyncio.to_thread(chunk, self.parsed, config)


class Previews:
    """Reads documents for a look at how they would be cut."""

    def __init__(self, db: Database, files: Files, settings: Settings) -> None:
        self.db = db
        self.files = files
        self.limits = ParseLimits.of(settings)

    async def sample(self, actor: Actor, kb_id: UUID, document_id: UUID) -> Sample:
        """The beginning of a document of a knowledge base the caller may look into."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            found = await tx.get(Document, DOCUMENTS.document, thing="document", kb_id=kb_id, id=document_id)
        if found.storage_key is None:
            raise errors.NotFound(thing="document", id=document_id)
        async with self.files.of(actor.tenant_id).local_copy(found.storage_key) as path:
            parsed = await parse_file(path, filename=found.filename, limits=self.limits)
        return Sample(name=found.name, parsed=_beginning(parsed))


def _beginning(parsed: Parsed) -> Parsed:
    blocks = parsed.blocks[:_BLOCKS]
    return replace(parsed, blocks=blocks, text=parsed.text[: blocks[-1].end] if blocks else "")
