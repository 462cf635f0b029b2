"""What was forgotten is forgotten again where a backup brings it back. As owner, between a restore and the first caller.

The list is that of receipts, of the digests of forgotten stretches of documents that stay, and of licences that were revoked or
closed. It holds no text. What a backup has no place for (its tenant or its document is not there) is kept for the next restore.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from psycopg import Connection
from psycopg.rows import dict_row

Entry = dict[str, Any]

_TENANT_GONE = "delete from veraz.{} where tenant_id = any (%(subjects)s::text[]::uuid[])"
_HELD = ("audit_entry", "security_event")
"""What is kept of a tenant without pointing at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of a version's text as it is stored."""

    version: int
    start_char: int
    text: str
    blocks: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What stays away, as it was written down: digests."""

    words: int
    head: bytes
    digest: bytes
    lead: int
    tail: int
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """What a document that came back says of what was forgotten."""

    texts: Sequence[str]
    """The forgotten words themselves, to be looked for elsewhere."""
    gaps: Sequence[tuple[int, int]]
    """Where they stand in the version that is read."""
    segments: Sequence[Segment]
    """The stored texts, with bars instead."""


Find = Callable[[UUID, Sequence[Segment], Sequence[Kept]], Again]
"""Finds forgotten words in the stored texts of a document, or in its chunks where no text is stored."""


def forgotten(owner_url: str) -> list[Entry]:
    """What this installation has forgotten, oldest first; nothing where it never forgot."""
    with psycopg.connect(owner_url, autocommit=True, row_factory=dict_row) as connection:
        if not _is_there(connection, "forgotten_span"):
            return []
        older = not _is_there(connection, "forgotten_before")  # a database that was not migrated yet
        now = [row["entry"] for row in connection.execute(_NOW_OLDER if older else _NOW).fetchall()]
        before = [] if older else [row["entry"] for row in connection.execute(_BEFORE).fetchall()]
    return sorted((*before, *now), key=lambda one: str(one.get("id", "")))


def forget_again(owner_url: str, known: list[Entry], find: Find) -> list[str]:
    """Forgets these again, each in a transaction of its own; workers do the rest. The tenants that went, for their files."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        done: set[str] = set()
        for one in known:
            with connection.transaction():
                connection.execute(_KEEP, {"entry": json.dumps(one)})
                what = json.dumps(
                    [one["kind"], one["tenant_id"], one.get("subjects") or one.get("id") or one]
                )
                if not _is_known(connection, one) and what not in done:
                    for statement in _STATEMENTS[one["kind"]]:
                        connection.execute(statement, _WHOLE | one)
                    done.add(what)
        for document_id in dict.fromkeys(one["document_id"] for one in known if one["kind"] == "span"):
            with connection.transaction():
                _forget_stretches(connection, document_id, find)
    return [subject for one in known if one["kind"] == "tenant" for subject in one["subjects"]]


def _is_there(connection: Connection[dict[str, Any]], table: str) -> bool:
    row = connection.execute("select to_regclass(%s) is not null as there", (f"veraz.{table}",)).fetchone()
    return bool(row and row["there"])


def _is_known(connection: Connection[Any], one: Entry) -> bool:
    """Writes the receipt back. Where the backup has it, it was made after the forgetting and there is nothing to do."""
    if "id" not in one or one["kind"] == "span":
        return False
    there = connection.execute("select from veraz.forgetting where id = %(id)s::text::uuid", one).fetchone()
    connection.execute(_RECEIPT, one | {"removed": json.dumps(one.get("removed", {}))})
    return there is not None


def _forget_stretches(connection: Connection[Any], document_id: str, find: Find) -> None:
    """A document of which something was forgotten: no chunk of it is left until it has been read again without that."""
    where = {"id": document_id}
    spans = [
        Kept(words=words, head=head, digest=digest, lead=lead, tail=tail, whole=whole)
        for words, head, digest, lead, tail, whole in connection.execute(_SPANS_OF, where).fetchall()
    ]
    if not spans:
        return
    stored = connection.execute(_TEXTS, where).fetchall()
    rows = stored or connection.execute(_CONTENTS, where).fetchall()
    segments = [Segment(version=v, start_char=s, text=text, blocks=b) for v, s, text, b in rows]
    again = find(UUID(document_id), segments, spans)
    if not again.texts:
        return
    gaps = again.gaps if stored else ()
    found = {"texts": list(again.texts), "starts": [one for one, _ in gaps], "ends": [one for _, one in gaps]}
    for statement in _STRETCHES:
        connection.execute(statement, where | found)
    for one in again.segments if stored else ():
        bars = {"version": one.version, "start": one.start_char, "text": one.text, "blocks": one.blocks}
        connection.execute(_BAR, where | bars)


_KEEP = "insert into veraz.forgotten_before (entry) values (%(entry)s::jsonb) on conflict do nothing"
_ENTRIES = """
    select jsonb_build_object('id', id, 'tenant_id', tenant_id, 'kind', kind, 'subjects', subjects, 'removed', removed,
        'created_by', created_by, 'created_at', created_at) as entry from veraz.forgetting
    union all
    select jsonb_build_object('kind', 'licence', 'tenant_id', tenant_id, 'licence_id', id, 'machine_id', machine_id,
        'status', status) from veraz.licence where status <> 'active'
    union all
    select jsonb_build_object('kind', 'span', 'id', id, 'tenant_id', tenant_id, 'document_id', document_id, 'words', words,
        'head', encode(head, 'hex'), 'digest', encode(digest, 'hex'), 'created_by', created_by, 'created_at', created_at{})
    from veraz.forgotten_span"""
_NOW = _ENTRIES.format(", 'lead', lead, 'tail', tail, 'whole', whole").encode()
_NOW_OLDER = _ENTRIES.format("").encode()
_BEFORE = """
    select entry from veraz.forgotten_before b
    where not exists (select from veraz.forgetting f where f.id::text = b.entry ->> 'id')
      and not exists (select from veraz.forgotten_span s where s.id::text = b.entry ->> 'id')
      and not exists (select from veraz.licence l where l.machine_id = b.entry ->> 'machine_id'  -- it says itself what it is
                      and l.tenant_id::text = b.entry ->> 'tenant_id')"""
_RECEIPT = b"""
    insert into veraz.forgetting (id, tenant_id, kind, subjects, status, removed, created_by, created_at, finished_at)
    select %(id)s::text::uuid, t.id, %(kind)s, %(subjects)s::text[], 'done', %(removed)s::text::jsonb, %(created_by)s::text::uuid,
        %(created_at)s::text::timestamptz, now()
    from veraz.tenant t where t.id = %(tenant_id)s::text::uuid
    on conflict do nothing"""

_SPANS_OF = """
    select words, head, digest, lead, tail, whole from veraz.forgotten_span where document_id = %(id)s::text::uuid order by id"""
_TEXTS = """
    select version, start_char, text, blocks::text from veraz.document_text where document_id = %(id)s::text::uuid
    order by version, start_char"""
_CONTENTS = """
    select ordinal, 0, coalesce(original, content), '{"shared": [], "blocks": []}' from veraz.chunk
    where document_id = %(id)s::text::uuid order by ordinal"""
_BAR = """
    update veraz.document_text set text = %(text)s, blocks = %(blocks)s::json
    where document_id = %(id)s::text::uuid and version = %(version)s and start_char = %(start)s"""
_TOUCHED = """exists (select from unnest(%(starts)s::int[], %(ends)s::int[]) gone(first, last)
    where {0}.start_char < gone.last and {0}.end_char > gone.first)"""
_STRETCHES = tuple(
    text.encode()
    for text in (
        "select set_config('veraz.forgetting', '', true)",
        """
        with begun as (
            select d.tenant_id, veraz.open_forgetting(d.tenant_id, 'chunk') as id from veraz.document d
            where d.id = %(id)s::text::uuid)
        insert into veraz.forgetting_source (tenant_id, forgetting_id, text)
        select b.tenant_id, b.id, t from begun b cross join unnest(%(texts)s::text[]) t""",
        """
        update veraz.forgetting set subjects = array[%(id)s], removed = jsonb_build_object('answers', (
            select veraz.blank_repeats(d.tenant_id, d.id, %(texts)s::text[], %(starts)s::int[], %(ends)s::int[])
            from veraz.document d where d.id = %(id)s::text::uuid))
        where id = nullif(current_setting('veraz.forgetting', true), '')::uuid""",
        f"""
        update veraz.audit_entry a set changes = veraz.without_words(a.changes) from veraz.correction c
        where c.document_id = %(id)s::text::uuid and a.thing = 'correction' and a.thing_id = c.id::text
          and {_TOUCHED.format("c")}""",
        f"delete from veraz.correction c where c.document_id = %(id)s::text::uuid and {_TOUCHED.format('c')}",
        f"""
        delete from veraz.embedding_cache e using veraz.chunk c
        where c.document_id = %(id)s::text::uuid and e.document_id = c.document_id and e.content_hash = c.content_hash
          and {_TOUCHED.format("c")}""",
        "delete from veraz.chunk where document_id = %(id)s::text::uuid",
        """
        update veraz.document set status = 'pending', stage = null, progress_percent = 0, chunks_count = 0
        where id = %(id)s::text::uuid""",
        """
        insert into veraz.job (id, tenant_id, kind, kb_id, document_id)
        select veraz.new_id(), d.tenant_id, 'ingest', d.kb_id, d.id from veraz.document d where d.id = %(id)s::text::uuid
        on conflict (document_id) where document_id is not null and status in ('PENDING', 'RUNNING') do nothing""",
    )
)

_WHOLE = {"lead": 0, "tail": 0, "whole": False}
"""What a digest says that was written down before it could tell the place of its words."""
_IN_TENANT = "tenant_id = %(tenant_id)s::text::uuid and id::text = any (%(subjects)s::text[])"
_OPEN = """
    with begun as (select veraz.open_forgetting(t.id, %(kind)s) as id from veraz.tenant t where t.id = %(tenant_id)s::text::uuid)
    select * from begun"""
_SUBJECTS = """
    update veraz.forgetting set subjects = %(subjects)s
    where id = nullif(current_setting('veraz.forgetting', true), '')::uuid"""

_STATEMENTS: dict[str, tuple[bytes, ...]] = {
    kind: tuple(text.encode() for text in texts)
    for kind, texts in {
        "document": (f"delete from veraz.document where {_IN_TENANT}",),
        "person": (f"delete from veraz.app_user where {_IN_TENANT}",),
        "end_user": (_OPEN, _SUBJECTS),
        "machine": (
            _OPEN,
            _SUBJECTS,
            """
            update veraz.licence set user_name = '', metadata = '{}'
            where tenant_id = %(tenant_id)s::text::uuid and machine_id = any (%(subjects)s::text[])""",
        ),
        "chunk": (),  # its words are found by their digests, wherever the backup has them
        "licence": (
            """
            insert into veraz.licence (id, tenant_id, machine_id, status)
            select %(licence_id)s::text::uuid, t.id, %(machine_id)s, %(status)s
            from veraz.tenant t where t.id = %(tenant_id)s::text::uuid
            on conflict do nothing""",
            """
            update veraz.licence set status = %(status)s,
                user_name = case %(status)s when 'closed' then '' else user_name end,
                metadata = case %(status)s when 'closed' then '{}' else metadata end
            where tenant_id = %(tenant_id)s::text::uuid and machine_id = %(machine_id)s and status <> 'closed'""",
        ),
        "span": (
            """
            insert into veraz.forgotten_span (id, tenant_id, kb_id, document_id, machine_id, words, head, digest, lead, tail,
                whole, created_by, created_at)
            select %(id)s::text::uuid, d.tenant_id, d.kb_id, d.id, d.machine_id, %(words)s, decode(%(head)s, 'hex'),
                decode(%(digest)s, 'hex'), %(lead)s, %(tail)s, %(whole)s, %(created_by)s::text::uuid,
                %(created_at)s::text::timestamptz
            from veraz.document d where d.id = %(document_id)s::text::uuid and d.tenant_id = %(tenant_id)s::text::uuid
            on conflict do nothing""",
        ),
        "tenant": (
            "delete from veraz.tenant where id = any (%(subjects)s::text[]::uuid[])",
            *(_TENANT_GONE.format(table) for table in _HELD),
        ),
    }.items()
}
