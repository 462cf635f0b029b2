"""What was forgotten is forgotten again where a backup brings it back. As owner, between a restore and the first caller.

The list is that of receipts: ids, and the digests of forgotten stretches of documents that stay. It holds no text.
"""

from typing import Any

import psycopg
from psycopg.rows import dict_row

_TENANT_GONE = "delete from veraz.{} where tenant_id = any (%(subjects)s::text[]::uuid[])"
_HELD = ("audit_entry", "security_event")
"""What is kept of a tenant without pointing at it."""


def forgotten(owner_url: str) -> list[dict[str, Any]]:
    """What this installation has forgotten, oldest first; nothing where it never forgot."""
    with psycopg.connect(owner_url, autocommit=True, row_factory=dict_row) as connection:
        row = connection.execute("select to_regclass('veraz.forgotten_span') as there").fetchone()
        if row is None or row["there"] is None:
            return []
        rows = connection.execute(_RECEIPTS).fetchall()
        spans = connection.execute(_SPANS).fetchall()
    return [*rows, *({"kind": "span"} | span for span in spans)]


def forget_again(owner_url: str, known: list[dict[str, Any]]) -> list[str]:
    """Forgets these again, each in a transaction of its own; workers do the rest. The tenants that went, for their files."""
    gone: list[str] = []
    with psycopg.connect(owner_url, autocommit=True) as connection:
        for one in sorted(
            known, key=lambda each: each["kind"] != "span"
        ):  # what stays away, before what is read again
            with connection.transaction():
                for statement in _STATEMENTS[one["kind"]]:
                    connection.execute(statement, one)
            if one["kind"] == "tenant":
                gone += one["subjects"]
    return gone


_RECEIPTS = "select tenant_id::text, kind, subjects from veraz.forgetting order by id"
_SPANS = """
    select id::text, tenant_id::text, document_id::text, words, encode(head, 'hex') as head, encode(digest, 'hex') as digest,
        created_by::text, created_at::text
    from veraz.forgotten_span order by id"""

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
        "chunk": (
            f"select veraz.take_chunk(c) from veraz.chunk c where {_IN_TENANT}",
            """
            with taken as (
                delete from veraz.chunk c using veraz.chunk k
                where k.tenant_id = %(tenant_id)s::text::uuid and k.id::text = any (%(subjects)s::text[])
                  and c.document_id = k.document_id and (c.id = k.id or c.start_char < k.end_char and c.end_char > k.start_char)
                returning c.tenant_id, c.kb_id, c.document_id)
            insert into veraz.job (id, tenant_id, kind, kb_id, document_id)
            select distinct on (document_id) veraz.new_id(), tenant_id, 'ingest', kb_id, document_id from taken
            on conflict (document_id) where document_id is not null and status in ('PENDING', 'RUNNING') do nothing""",
        ),
        "span": (
            """
            insert into veraz.forgotten_span (id, tenant_id, kb_id, document_id, machine_id, words, head, digest, created_by,
                created_at)
            select %(id)s::text::uuid, d.tenant_id, d.kb_id, d.id, d.machine_id, %(words)s, decode(%(head)s, 'hex'),
                decode(%(digest)s, 'hex'), %(created_by)s::text::uuid, %(created_at)s::text::timestamptz
            from veraz.document d where d.id = %(document_id)s::text::uuid and d.tenant_id = %(tenant_id)s::text::uuid
            on conflict do nothing""",
        ),
        "tenant": (
            "delete from veraz.tenant where id = any (%(subjects)s::text[]::uuid[])",
            *(_TENANT_GONE.format(table) for table in _HELD),
        ),
    }.items()
}
