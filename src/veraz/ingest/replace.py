"""A document is replaced: its next version is another file, another text, or what an earlier version said."""

import asyncio
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO, Final
from uuid import UUID

from veraz import errors
from veraz.ingest.look import clean_name, clean_title, look
from veraz.ingest.receive import Labels, Q, Received, Reception, Replaced, refuse_superseded
from veraz.ingest.versions import DocumentVersion, versions_of
from veraz.library.knowledge_bases import need_writable
from veraz.tenancy.model import Actor

WRITTEN: Final = ("text", "manual")
"""Origins of documents whose text and title somebody wrote; others are files with a title of their own."""


class Replacements:
    """Takes in the next versions of documents."""

    def __init__(self, reception: Reception) -> None:
        self.reception = reception

    async def with_file(
        self, actor: Actor, kb_id: UUID, document_id: UUID, filename: str, file: BinaryIO
    ) -> Received:
        """The document's next version is this file; the version before is read until this one is."""
        old = await self._replaced(actor, kb_id, document_id)
        if old.origin in WRITTEN:
            written = errors.Phrase(
                "send title, content or both as JSON, it is a text",
                es="envíe title, content o ambos como JSON, es un texto",
            )
            raise errors.Invalid(field="file", reason=written)
        name = clean_name(filename)
        looked = await asyncio.to_thread(look, file, name)
        await self.reception.refuse_duplicate(actor, kb_id, name, looked.digest, old.machine_id)
        return await self.reception.keep(actor, kb_id, name, file, looked, _labels(old), old=old)

    async def with_text(
        self,
        actor: Actor,
        kb_id: UUID,
        document_id: UUID,
        *,
        title: str | None = None,
        content: str | None = None,
    ) -> Received:
        """The next version of a text somebody wrote; what is not given stays."""
        if title is None and content is None:
            something = errors.Phrase("send title, content or both", es="envíe title, content o ambos")
            raise errors.Invalid(field="body", reason=something)
        old = await self._replaced(actor, kb_id, document_id)
        if old.origin not in WRITTEN:
            typed = errors.Phrase("send a file, it is no text", es="envíe un archivo, no es un texto")
            raise errors.Invalid(field="content", reason=typed)
        name = clean_title(title) if title is not None else old.name
        data = content.encode() if content is not None else await self._bytes(actor, old.storage_key)
        file = io.BytesIO(data)
        looked = await asyncio.to_thread(look, file, f"{name}.md")
        same_title = name == old.name
        await self.reception.refuse_duplicate(
            actor, kb_id, name, looked.digest, old.machine_id, besides=None if same_title else old.id
        )
        labels = _labels(old) if title is None else replace(_labels(old), title=name)
        return await self.reception.keep(actor, kb_id, name, file, looked, labels, old=old)

    async def with_version(self, actor: Actor, kb_id: UUID, document_id: UUID, version: int) -> Received:
        """A new version that says what an earlier one said."""
        old = await self._replaced(actor, kb_id, document_id)
        async with self.reception.db.transaction(actor.scope()) as tx:
            kept = _numbered(await versions_of(tx, kb_id, document_id), version)
        file = io.BytesIO(await self._bytes(actor, kept.storage_key))
        looked = await asyncio.to_thread(look, file, kept.filename)
        await self.reception.refuse_duplicate(actor, kb_id, kept.name, looked.digest, old.machine_id)
        labels = replace(_labels(old), title=kept.title) if old.origin in WRITTEN else _labels(old)
        return await self.reception.keep(actor, kb_id, kept.name, file, looked, labels, old=old)

    async def _replaced(self, actor: Actor, kb_id: UUID, document_id: UUID) -> Replaced:
        """The document a new version is for, if it is the caller's to change and still read."""
        async with self.reception.db.transaction(actor.scope()) as tx:
            old = await tx.get(Replaced, Q.replaced, thing="document", kb_id=kb_id, id=document_id)
            await need_writable(tx, actor, kb_id, scope="ingest")
        return refuse_superseded(old)

    async def _bytes(self, actor: Actor, key: str | None) -> bytes:
        if key is None:
            raise errors.NotFound(thing=errors.Phrase("file", es="archivo"), id="")
        files = self.reception.files.of(actor.tenant_id)
        return b"".join([piece async for piece in await files.open(key)])


def _labels(old: Replaced) -> Labels:
    return Labels(origin=old.origin, machine_id=old.machine_id)


def _numbered(versions: Sequence[DocumentVersion], number: int) -> DocumentVersion:
    for one in versions:
        if one.version == number:
            return one
    raise errors.NotFound(thing=errors.Phrase("version", es="versión"), id=number)
