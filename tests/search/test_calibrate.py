"""Calibration measures itself, once, and again when a knowledge base has grown."""

from typing import TYPE_CHECKING

from veraz.db.pool import Database
from veraz.search.calibrate import is_stale
from veraz.search.retrieve import shelves
from veraz.search.service import Search

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.searchable import Library, admin_of
else:
    from support.searchable import Library, admin_of

SUBJECTS = [
    "perro",
    "gato",
    "coche",
    "barco",
    "avión",
    "tren",
    "libro",
    "mesa",
    "silla",
    "puerta",
    "ventana",
    "jardín",
]


def about(subject: str) -> str:
    return (
        f"El {subject} verde tiene {subject}s pequeños alrededor de la plaza. "
        f"Ningún {subject} de la ciudad pasa por aquí los martes."
    )


async def test_a_search_measures_the_base_for_the_next_ones(
    make_tenant: "MakeTenant", library: Library, search: Search, db: Database
) -> None:
    acme = make_tenant()
    kb = await library.kb(acme)
    for subject in SUBJECTS:
        await library.document(kb, subject, about(subject))
    (before,) = await shelves(db, acme.admin, None, [kb.id])
    assert is_stale(before)
    await search.search_kb(admin_of(acme), kb.id, "perro")
    await search.settle()
    (after,) = await shelves(db, acme.admin, None, [kb.id])
    assert not is_stale(after)
    assert after.curve.chunks == after.chunks == len(SUBJECTS)
    assert after.curve.unrelated < after.curve.own
    assert after.curve != before.curve


async def test_a_base_that_doubles_is_measured_again_and_a_tiny_one_never(
    make_tenant: "MakeTenant", library: Library, search: Search, db: Database
) -> None:
    acme = make_tenant()
    kb, tiny = await library.kb(acme), await library.kb(acme)
    await library.document(tiny, "one", about("perro"))
    for subject in SUBJECTS:
        await library.document(kb, subject, about(subject))
    await search.search_kb(admin_of(acme), kb.id, "perro")
    await search.settle()
    await library.document(kb, "more", *(about(subject + "x") for subject in SUBJECTS))
    grown, small = await shelves(db, acme.admin, None, [kb.id, tiny.id])
    assert is_stale(grown)
    assert not is_stale(small)
