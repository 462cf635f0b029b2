"""Every row of a company before and after: what was added, and what that stood there was changed or went."""

from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from psycopg import sql

if TYPE_CHECKING:
    from tests.support.isolation_world import Owner
else:
    from support.isolation_world import Owner

Rows = dict[tuple[str, str], dict[str, Any]]
"""Table and the hash of a row → the row."""

_KEPT_BY_READING: Final = ["last_queried_at", "last_used_at", "calibration"]
"""Columns of marks that reading itself leaves: when something was asked or used last, how its scores are spread."""
_LARGE: Final = ["embedding", "lexemes", "bm25"]


def rows_of(owner: Owner, tenant: UUID) -> Rows:
    """All rows of this company."""
    query = sql.SQL(" union all ").join(
        sql.SQL(
            "select {name}, md5((to_jsonb(t) - {kept}::text[])::text), to_jsonb(t) - {large}::text[] "
            "from veraz.{table} t where tenant_id = {tenant}"
        ).format(
            name=sql.Literal(table),
            kept=sql.Literal(_KEPT_BY_READING),
            large=sql.Literal(_LARGE),
            table=sql.Identifier(table),
            tenant=sql.Literal(tenant),
        )
        for (table,) in owner.execute(_TABLES).fetchall()
    )
    return {(table, hash_): row for table, hash_, row in owner.execute(query).fetchall()}


def difference(before: Rows, after: Rows) -> tuple[list[tuple[str, dict[str, Any]]], set[str]]:
    """The rows that are no longer what they were, and the tables that have new ones."""
    gone = [(table, row) for (table, hash_), row in before.items() if (table, hash_) not in after]
    return gone, {table for table, hash_ in after if (table, hash_) not in before}


_TABLES: Final = b"""
select c.relname from pg_class c
join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'veraz'
join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped
where c.relkind = 'r' order by 1
"""
