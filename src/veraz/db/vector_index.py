"""Upkeep that search needs, as owner: a vector index for each embedding space that has grown, folded word counts.

A space is searched exactly until its index is there, so nothing waits for it: it is built without blocking anybody.
"""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import AsyncConnection, sql

from veraz import errors
from veraz.observe import log

INDEX_FROM = 5_000
"""Chunks of a space from which an index answers sooner than reading every vector."""
FOLD_FROM = 200
"""Increments of an edition's word counts from which they are added up."""
_LOCK = 7_283_005
_LEAST_MEMORY = 512 * 2**20
_BYTES_PER_CHUNK = 1_200
"""About what a chunk takes while the index is built, besides its vector of half precision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """What was done."""

    indexed: tuple[int, ...] = ()
    """Spaces that got an index."""
    folded: int = 0
    """Editions whose word counts were added up."""


async def maintain(owner_url: str, *, index_from: int = INDEX_FROM, fold_from: int = FOLD_FROM) -> Upkeep:
    """Does what is due, once; somebody else doing it already is fine."""
    try:
        async with await AsyncConnection.connect(
            owner_url, autocommit=True, application_name="veraz upkeep"
        ) as connection:
            if not await _value(connection, "select pg_try_advisory_lock(%s)", _LOCK):
                return Upkeep()
            folded = await _value(connection, "select veraz.fold_terms(%s)", fold_from)
            indexed = await _index(connection, index_from)
            # closing would free it too, but only once the server has noticed
            await _value(connection, "select pg_advisory_unlock(%s)", _LOCK)
            return Upkeep(indexed=tuple(indexed), folded=int(folded))
    except psycopg.Error as error:
        raise errors.DatabaseUnavailable(reason=str(error).strip().split("\n")[0]) from error


async def ensure_index(
    owner_url: str, space_id: int, dimensions: int, *, index_from: int = INDEX_FROM
) -> None:
    """An index for one space, if it is large enough to need one."""
    async with await _owner(owner_url) as connection:
        held = await _value(connection, "select veraz.space_chunks(%s)", space_id)
        if held >= index_from:
            await _build(connection, space_id, dimensions)


async def drop_index(owner_url: str, space_id: int) -> None:
    """No index for a space that is searched elsewhere."""
    async with await _owner(owner_url) as connection:
        await _drop(connection, *(f"chunk_space_{space_id}{suffix}" for suffix in ("", "_new", "_old")))


async def _owner(owner_url: str) -> AsyncConnection[Any]:
    return await AsyncConnection.connect(owner_url, autocommit=True, application_name="veraz upkeep")


async def _index(connection: AsyncConnection[Any], index_from: int) -> list[int]:
    left = "select relname from pg_class where relnamespace = 'veraz'::regnamespace and relname ~ '^chunk_space_[0-9]+_(old|new)$'"
    names = await (await connection.execute(left)).fetchall()
    await _drop(connection, *(name for (name,) in names))  # of a build that was cut off
    rows = await (
        await connection.execute("select * from veraz.spaces_without_index(%s)", (index_from,))
    ).fetchall()
    for space_id, dimensions in rows:
        log.info("vector_index_started", space=space_id)
        await _build(connection, space_id, dimensions)
        log.info("vector_index_built", space=space_id)
    return [space_id for space_id, _ in rows]


async def _build(connection: AsyncConnection[Any], space_id: int, dimensions: int) -> None:
    """A new index; one that is there already serves until it is ready. What an interrupted build left goes first."""
    name = f"chunk_space_{space_id}"
    now, new, old = (sql.Identifier(name + suffix) for suffix in ("", "_new", "_old"))
    memory = await _memory(connection, space_id, dimensions)
    await connection.execute(sql.SQL("set maintenance_work_mem = {}").format(f"{memory // 1024}kB"))
    await _drop(connection, f"{name}_new", f"{name}_old")
    await connection.execute(
        sql.SQL(
            "create index concurrently {} on veraz.chunk using hnsw ((embedding::halfvec({})) halfvec_cosine_ops) "
            "with (m = 16, ef_construction = 256) where space_id = {}"
        ).format(new, sql.Literal(dimensions), sql.Literal(space_id))
    )
    async with connection.transaction():
        await connection.execute(sql.SQL("alter index if exists veraz.{} rename to {}").format(now, old))
        await connection.execute(sql.SQL("alter index veraz.{} rename to {}").format(new, now))
    await _drop(connection, f"{name}_old")
    await connection.execute("analyze veraz.chunk")


async def _drop(connection: AsyncConnection[Any], *names: str) -> None:
    for name in names:
        gone = sql.SQL("drop index concurrently if exists {}").format(sql.Identifier("veraz", name))
        await connection.execute(gone)


async def _memory(connection: AsyncConnection[Any], space_id: int, dimensions: int) -> int:
    """Bytes to build in: an index that does not fit is built far more slowly, but the server has others to serve."""
    needed = await _value(connection, "select veraz.space_chunks(%s)", space_id) * (
        2 * dimensions + _BYTES_PER_CHUNK
    )
    cache = await _value(connection, "select pg_size_bytes(current_setting('shared_buffers'))")
    return int(max(_LEAST_MEMORY, min(needed, 3 * cache)))


async def _value(connection: AsyncConnection[Any], query: str, *params: object) -> Any:
    row = await (await connection.execute(query, params)).fetchone()
    return row[0] if row else None
