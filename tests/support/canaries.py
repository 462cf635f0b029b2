"""Words that nobody else says, and a look for them everywhere: every column of every table, every file of a home."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from psycopg import Connection, sql

_COLUMNS = """
    select n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and a.attnum > 0 and not a.attisdropped
      and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    order by 1, 2, a.attnum"""


def in_tables(owner: Connection[Any], *canaries: str) -> dict[str, int]:
    """Columns that hold one of these words in any form, and in how many rows. As owner, whom no wall stops."""
    found: dict[str, int] = {}
    for schema, table, column, _ in owner.execute(_COLUMNS).fetchall():
        spelt = sql.SQL("lower({}::text)").format(sql.Identifier(column))
        query = sql.SQL(
            "select count(*) from {} where exists (select from unnest(%s::text[]) w where strpos({}, w) > 0)"
        )
        row = owner.execute(
            query.format(sql.Identifier(schema, table), spelt), (_spellings(canaries),)
        ).fetchone()
        if row and row[0]:
            found[f"{table}.{column}"] = row[0]
    return found


def in_files(folder: Path, *canaries: str) -> list[str]:
    """Files below a folder whose name or bytes hold one of these words."""
    needles = [word.encode() for word in canaries]
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if any(word in str(path).lower() for word in canaries)
        or (path.is_file() and any(needle in path.read_bytes().lower() for needle in needles))
    ]


def _spellings(canaries: Iterable[str]) -> list[str]:
    """As they are, and as bytes are shown."""
    words = [word.lower() for word in canaries]
    return words + [form.encode().hex() for word in words for form in (word, word.capitalize(), word.upper())]
