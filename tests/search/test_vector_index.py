"""Search by meaning with and without the vector index, for large and small tenants side by side."""

from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.vector_index import Upkeep, maintain
from veraz.providers.embedding.base import Vectors, unit_rows
from veraz.search.service import Search, Wish

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.access import act_in
    from tests.support.searchable import Kb, Library, admin_of
else:
    from support.access import act_in
    from support.searchable import Kb, Library, admin_of

LARGE, SMALL = 1_500, 40
EVERYTHING = Wish(top_k=10, similarity_threshold=0)


def clustered(count: int, seed: int, dimensions: int = 64) -> Vectors:
    """Vectors as models make them: in clusters, all near a common direction."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((20, dimensions)) + 0.5
    return unit_rows(
        centres[random.integers(0, 20, count)] + 0.6 * random.standard_normal((count, dimensions))
    )


async def fill(library: Library, kb: Kb, count: int, seed: int) -> None:
    for start in range(0, count, 100):
        texts = [f"Artículo {start + n} de la norma {seed}." for n in range(min(100, count - start))]
        await library.document(
            kb, f"norma {seed}-{start}", *texts, vectors=clustered(len(texts), seed * 1000 + start)
        )


@pytest.fixture
async def two_tenants(make_tenant: "MakeTenant", library: Library, database_url: str) -> tuple[Kb, Kb]:
    """A large and a small tenant in one space, which has an index."""
    large, small = await library.kb(make_tenant("Large")), await library.kb(make_tenant("Small"))
    await fill(library, large, LARGE, 1)
    await fill(library, small, SMALL, 2)
    assert await maintain(database_url, index_from=1_000) == Upkeep(indexed=(large.space_id,), folded=0)
    return large, small


def ask(owner: Connection[TupleRow], kb: Kb, vector: Vectors, *, count: int, limit: int = 10) -> list[UUID]:
    """Asks the function search asks; a huge `count` makes the index the cheaper way."""
    with owner.transaction():
        act_in(owner, kb.tenant.id)
        row = owner.execute(
            "select veraz.nearest_chunks(%s, %s::text::vector, %s, null, %s, %s, null)",
            (kb.space_id, str(vector.tolist()), [kb.edition_id], count, limit),
        ).fetchone()
    return list(row[0] or []) if row else []


def uses_index(owner: Connection[TupleRow]) -> int:
    row = owner.execute(
        "select idx_scan from pg_stat_user_indexes where indexrelname like 'chunk_space_%'"
    ).fetchone()
    return int(row[0]) if row else 0


async def test_the_index_finds_what_reading_everything_finds(
    two_tenants: tuple[Kb, Kb], owner: Connection[TupleRow]
) -> None:
    large, _ = two_tenants
    found = []
    for query in clustered(20, 99):
        exact = ask(owner, large, query, count=1)
        near = ask(owner, large, query, count=10_000_000)
        found.append(len(set(exact) & set(near)) / 10)
    assert np.mean(found) >= 0.97


async def test_a_small_tenant_among_many_gets_its_full_k(
    two_tenants: tuple[Kb, Kb], owner: Connection[TupleRow]
) -> None:
    _, small = two_tenants
    for query in clustered(10, 7):
        assert ask(owner, small, query, count=1) == ask(owner, small, query, count=SMALL)
        through_index = ask(owner, small, query, count=10_000_000)
        assert len(through_index) == 10
        of_small = owner.execute(
            "select count(*) from veraz.chunk where id = any (%s) and tenant_id = %s",
            (through_index, small.tenant.id),
        ).fetchone()
        assert of_small == (10,)


async def test_a_search_over_many_chunks_goes_through_the_index_and_over_few_does_not(
    two_tenants: tuple[Kb, Kb], search: Search, owner: Connection[TupleRow]
) -> None:
    large, small = two_tenants
    assert (
        len(
            (
                await search.search_kb(admin_of(small.tenant), small.id, "artículo", wish=EVERYTHING)
            ).evidence.hits
        )
        == 10
    )
    assert (
        len(
            (
                await search.search_kb(admin_of(large.tenant), large.id, "artículo", wish=EVERYTHING)
            ).evidence.hits
        )
        == 10
    )
    plan = owner.execute(
        "explain select id from veraz.chunk where space_id = %s order by (embedding::halfvec(64)) <=> %s::halfvec(64) limit 5",
        (large.space_id, str(clustered(1, 3)[0].tolist())),
    ).fetchall()
    assert any("chunk_space_" in row[0] for row in plan)


async def test_upkeep_indexes_once_and_repairs_an_interrupted_build(
    two_tenants: tuple[Kb, Kb], database_url: str, owner: Connection[TupleRow]
) -> None:
    large, _ = two_tenants
    assert await maintain(database_url, index_from=1_000) == Upkeep()
    owner.execute(
        "update pg_index set indisvalid = false where indexrelid = %s::regclass",
        (f"veraz.chunk_space_{large.space_id}",),
    )
    assert await maintain(database_url, index_from=1_000) == Upkeep(indexed=(large.space_id,))


async def test_an_index_made_less_carefully_serves_until_a_better_one_is_there(
    two_tenants: tuple[Kb, Kb], owner: Connection[TupleRow], database_url: str
) -> None:
    large, _ = two_tenants
    name = f"chunk_space_{large.space_id}"
    owner.execute(f"alter index veraz.{name} set (ef_construction = 100)".encode())
    assert await maintain(database_url, index_from=1_000) == Upkeep(indexed=(large.space_id,), folded=0)
    indexes = owner.execute(
        "select indexrelid::regclass::text, indisvalid from pg_index where indexrelid::regclass::text like %s",
        (f"veraz.{name}%",),
    ).fetchall()
    assert indexes == [(f"veraz.{name}", True)]
    owner.execute(f"create index {name}_old on veraz.chunk (id)".encode())  # left where the swap was cut off
    assert await maintain(database_url, index_from=1_000) == Upkeep()
    assert owner.execute("select to_regclass(%s)", (f"veraz.{name}_old",)).fetchone() == (None,)


async def test_folding_keeps_every_count(
    make_tenant: "MakeTenant", library: Library, database_url: str, owner: Connection[TupleRow]
) -> None:
    kb = await library.kb(make_tenant())
    for n in range(5):
        await library.document(kb, f"d{n}", f"La norma {n} regula el plazo.", "Otra cosa.")
    counts = (
        "select term, sum(count) from veraz.edition_term where edition_id = %s group by term order by term"
    )
    before = owner.execute(counts, (kb.edition_id,)).fetchall()
    assert (await maintain(database_url, fold_from=5)).folded == 1
    assert owner.execute(counts, (kb.edition_id,)).fetchall() == before
    assert (-1, 10) in before
    rows = owner.execute(
        "select count(*) from veraz.edition_term where edition_id = %s", (kb.edition_id,)
    ).fetchone()
    assert rows == (len(before),)
