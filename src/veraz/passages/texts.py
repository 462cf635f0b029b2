"""What is stored of documents that somebody may look into; the database decides (`veraz.may_look`)."""

from dataclasses import replace
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.passages.forgotten_pages import ForgottenPages, forgotten_pages
from veraz.passages.model import SeenDocument, SheetView
from veraz.passages.reading import CorrectedChunk, Reading
from veraz.passages.view import AROUND, REACH
from veraz.search.places import Segment
from veraz.text.blocks import unpack_blocks

Q = queries(__file__)


class Texts:
    """Documents and stretches of their text."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def seen(
        self, scope: Scope, *, chunk_id: UUID | None = None, document_id: UUID | None = None
    ) -> SeenDocument | None:
        """The document, with the chunk where one is named; None for who may not look into it."""
        rows = await self.db.call(scope, Q.seen_document, chunk_id=chunk_id, document_id=document_id)
        return SeenDocument(**rows[0]) if rows else None

    async def version(self, scope: Scope, seen: SeenDocument, number: int | None) -> SeenDocument:
        """An earlier version of a document, for who reads its knowledge base; to others there is only the current one."""
        if number is None or number == seen.version:
            return seen
        async with self.db.transaction(scope) as tx:
            files = await tx.rows(Q.version_file, document_id=seen.document_id, version=number)
            last = await tx.values(Q.last_blocks, document_id=seen.document_id, version=number)
        if not files:
            raise errors.NotFound(thing="document", id=seen.document_id)
        file = files[0]
        pages = [block.page_at(block.end) for packed in last for block in unpack_blocks(packed)]
        return replace(
            seen,
            version=number,
            current=False,
            storage_key=file["storage_key"],
            file_type=file["file_type"],
            name=file["name"],
            indexed_at=file["created_at"],
            pages_count=max((page for page in pages if page), default=None),
        )

    async def sheets(self, scope: Scope, seen: SeenDocument) -> tuple[SheetView, ...]:
        """The sheets of a workbook, with the character each begins at."""
        rows = await self.db.call(scope, Q.seen_sheets, document_id=seen.document_id)
        return tuple(SheetView(name=row["name"], first=row["start_char"]) for row in rows)

    async def reading(self, scope: Scope, seen: SeenDocument, start: int, end: int) -> Reading:
        """The document's text around a stretch as it is read now; the chunk that was named before others."""
        rows = await self.db.call(
            scope,
            Q.seen_corrections,
            document_id=seen.document_id,
            start=max(start - AROUND, 0),
            end=end + AROUND,
        )
        chunks = sorted(
            (CorrectedChunk(**row) for row in rows),
            key=lambda one: (one.id != seen.chunk_id, one.start_char > start or one.end_char < end),
        )
        low = min([start, *(one.start_char for one in chunks)])
        high = max([end, *(one.end_char for one in chunks)])
        return Reading(await self.segments(scope, seen, low, high), chunks)

    async def segments(
        self, scope: Scope, seen: SeenDocument, start: int, end: int, version: int | None = None
    ) -> list[Segment]:
        """The stored text from one character to another, and what stands around it."""
        rows = await self.db.call(
            scope,
            Q.seen_text,
            document_id=seen.document_id,
            version=version or seen.version,
            start=max(start - REACH, 0),
            end=end + REACH,
        )
        return [Segment(**row) for row in rows]

    async def forgotten_pages(
        self, scope: Scope, seen: SeenDocument, version: int | None = None
    ) -> ForgottenPages:
        """The pages whose picture would show what was forgotten of the document."""
        if seen.file_type != "pdf":
            return ForgottenPages()
        rows = await self.db.call(
            scope, Q.seen_bars, document_id=seen.document_id, version=version or seen.version
        )
        return forgotten_pages(rows)

    async def chunks_at(self, scope: Scope, seen: SeenDocument, start: int, end: int) -> list[SeenDocument]:
        """The document with each of the chunks that stand exactly there."""
        rows = await self.db.call(scope, Q.seen_chunks, document_id=seen.document_id, start=start, end=end)
        found = [await self.seen(scope, chunk_id=row["id"]) for row in rows]
        return [one for one in found if one]
