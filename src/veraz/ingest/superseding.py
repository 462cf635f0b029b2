"""A document takes the place of another: said by a person, proposed when names or the document itself say so.

The superseded one is kept with its file and its versions; its chunks go in the same transaction, so nothing reads it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ingest.documents import Document, read_again
from veraz.ingest.documents import Q as DOCUMENTS
from veraz.ingest.rebuild import lock_kb, switch_when_complete
from veraz.library.knowledge_bases import need_writable
from veraz.tenancy.model import Actor
from veraz.text.editions import is_newer_edition, version_key
from veraz.text.languages import words
from veraz.text.plain import plain

Q = queries(__file__)

_TOKEN = re.compile(r"[^\W_]+")
_JOINTS = words("editions", "joints")
_SHARE = 0.75
"""Of the words of a document's name that a sentence must hold to mean it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A document this one seems to take the place of, and why."""

    document_id: UUID
    name: str
    reason: errors.Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Other:
    id: UUID
    name: str
    title: str | None
    machine_id: str


class Superseding:
    """Saying which document takes the place of which."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def supersede(self, actor: Actor, kb_id: UUID, document_id: UUID, by: UUID) -> Document:
        """The document is no longer read; another one is read in its place."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            await lock_kb(tx, kb_id)
            old, new = await _both(tx, kb_id, document_id, by)
            await _refuse_circle(tx, old.id, new.id)
            _refuse_other_machine(old, new)
            await tx.run(Q.supersede, id=old.id, by=new.id)
            await tx.run(Q.remove_chunks, id=old.id)
            await switch_when_complete(tx, kb_id)
            return await _document(tx, kb_id, document_id)

    async def restore(self, actor: Actor, kb_id: UUID, document_id: UUID) -> Document:
        """The document is read again, once it has been processed."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            document = await _document(tx, kb_id, document_id)
            if document.superseded_by is not None:
                await tx.run(Q.supersede, id=document_id, by=None)
                await read_again(tx, kb_id, [document_id])
            return await _document(tx, kb_id, document_id)

    async def successor(self, actor: Actor, document: Document) -> str | None:
        """The name of the document that took this one's place."""
        if document.superseded_by is None:
            return None
        async with self.db.transaction(actor.scope()) as tx:
            name: str | None = await tx.value(Q.name, id=document.superseded_by)
        return name

    async def proposal(self, actor: Actor, document: Document) -> Proposal | None:
        """The document this one seems to take the place of; none when nothing says so."""
        if document.superseded_by is not None or document.status != "completed":
            return None
        async with self.db.transaction(actor.scope()) as tx:
            stem, _ = version_key(document.name)
            asked = {"kb_id": document.kb_id, "id": document.id, "machine_id": document.machine_id}
            others = await tx.all(_Other, Q.same_stem, stem=stem, **asked)
            editions = [one for one in others if version_key(one.name)[0] == stem]
            named = await tx.all(_Other, Q.others, **asked) if document.replaces else []
        return _by_statement(document, editions, named) or _by_name(document, editions)


async def _document(tx: Transaction, kb_id: UUID, document_id: UUID) -> Document:
    return await tx.get(Document, DOCUMENTS.document, thing="document", kb_id=kb_id, id=document_id)


async def _both(tx: Transaction, kb_id: UUID, old: UUID, new: UUID) -> tuple[Document, Document]:
    """Both rows, held in one order whoever asks, so that two such calls cannot make a circle together."""
    await tx.rows(Q.hold, ids=[old, new])
    return await _document(tx, kb_id, old), await _document(tx, kb_id, new)


async def _refuse_circle(tx: Transaction, old: UUID, new: UUID) -> None:
    if await tx.value(Q.leads_to, start=new, end=old):
        circle = errors.Phrase(
            "a document cannot supersede itself, directly or through others",
            es="un documento no puede sustituirse a sí mismo, directamente o a través de otros",
        )
        raise errors.Invalid(field="superseded_by", reason=circle)


def _refuse_other_machine(old: Document, new: Document) -> None:
    if new.machine_id not in ("global", old.machine_id):
        hidden = errors.Phrase(
            "it is bound to a machine that the superseded document is not bound to",
            es="está ligado a un equipo al que el documento sustituido no lo está",
        )
        raise errors.Invalid(field="superseded_by", reason=hidden)


def _by_name(document: Document, editions: Sequence[_Other]) -> Proposal | None:
    """The latest earlier edition, by the names alone."""
    older = [one for one in editions if is_newer_edition(document.name, one.name)]
    if not older:
        return None
    latest = max(older, key=lambda one: version_key(one.name)[1])
    reason = {
        "en": f"By its name it is a later edition of «{latest.name}».",
        "es": f"Por su nombre es una edición posterior de «{latest.name}».",
    }
    return Proposal(document_id=latest.id, name=latest.name, reason=reason)


def _by_statement(
    document: Document, editions: Sequence[_Other], others: Sequence[_Other]
) -> Proposal | None:
    """The document the sentence means: by its name or title, else the other edition of the same name."""
    if not document.replaces:
        return None
    meant = _named(document, others) or max(
        (one for one in editions if not is_newer_edition(one.name, document.name)),
        key=lambda one: version_key(one.name)[1],
        default=None,
    )
    if meant is None:
        return None
    reason = {"en": f"It says: «{document.replaces}»", "es": f"Dice: «{document.replaces}»"}
    return Proposal(document_id=meant.id, name=meant.name, reason=reason)


def _named(document: Document, others: Sequence[_Other]) -> _Other | None:
    """The document whose name or title the sentence holds best."""
    said = set(_TOKEN.findall(plain(document.replaces or "")))
    scored = [(share, one) for one in others if (share := _share(one, said)) >= _SHARE]
    earlier = [(share, one) for share, one in scored if not is_newer_edition(one.name, document.name)]
    return max(earlier, key=lambda pair: pair[0])[1] if earlier else None


def _share(one: _Other, said: set[str]) -> float:
    """How much of its name, or of its title, a sentence holds; all its numbers, where it has two, are enough."""
    shares = [0.0]
    for label in (one.name.rpartition(".")[0] or one.name, one.title or ""):
        tokens = [token for token in _TOKEN.findall(plain(label)) if token not in _JOINTS]
        numbers = [token for token in tokens if token.isdigit()]
        if len(numbers) > 1 and said.issuperset(numbers):
            shares.append(1.0)
        elif len(tokens) > 1:
            shares.append(sum(token in said for token in tokens) / len(tokens))
    return max(shares)
