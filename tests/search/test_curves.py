"""What a similarity means in each embedding space, as the doctor shows it."""

import json
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from veraz.cli.doctor import curve_table, sparkline
from veraz.db.pool import Database
from veraz.search.calibration import Calibration
from veraz.search.curves import curves
from veraz.search.service import Search

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.searchable import Library, admin_of
else:
    from support.searchable import Library, admin_of

SUBJECTS = ("perro", "gato", "coche", "barco", "avión", "tren", "libro", "mesa", "silla", "puerta")


@pytest.mark.parametrize("similarity", [0.05, 0.5, 0.7, 0.95])
@pytest.mark.parametrize(("unrelated", "own"), [(0.07, 0.59), (0.71, 0.89), (-0.1, 0.3)])
def test_a_threshold_is_a_cosine_under_each_model(similarity: float, unrelated: float, own: float) -> None:
    curve = Calibration(unrelated=unrelated, own=own)
    assert curve.similarity(curve.cosine_at(similarity)) == pytest.approx(similarity)


async def test_the_doctor_shows_what_was_measured(
    make_tenant: "MakeTenant", library: Library, search: Search, db: Database
) -> None:
    acme = make_tenant()
    kb, _ = await library.kb(acme), await library.kb(acme)
    for subject in SUBJECTS:
        text = f"El {subject} verde tiene {subject}s pequeños en la plaza. Ningún {subject} pasa por aquí los martes."
        await library.document(kb, subject, text)
    (usual,) = await curves(db, admin_of(acme))
    assert (usual.measured, usual.samples, usual.age_days) == (0, 0, None)
    await search.search_kb(admin_of(acme), kb.id, "perro")
    await search.settle()
    (one,) = await curves(db, admin_of(acme))
    assert (one.space, one.knowledge_bases, one.measured) == ("fake:words@64", 2, 1)
    assert one.samples == len(SUBJECTS)
    assert one.age_days is not None and 0 <= one.age_days < 1
    assert one.unrelated < one.threshold_cosine < one.own
    assert [cosine for cosine, _ in one.points] == [step / 10 for step in range(11)]
    assert list(one.points) == sorted(one.points)


async def test_the_table_fits_a_terminal_and_the_other_tenant_sees_only_its_own(
    make_tenant: "MakeTenant", library: Library, db: Database
) -> None:
    acme, rival = make_tenant(), make_tenant("Rival")
    await library.kb(acme)
    assert [
        one.space for one in await curves(db, admin_of(rival)) if one.space.startswith("fake:words")
    ] == []
    console = Console(width=100, record=True, file=None, quiet=False)
    with console.capture() as shown:
        console.print(curve_table(await curves(db, admin_of(acme))))
    assert "fake:words@64" in shown.get()
    assert "▁" in shown.get()


def test_bars_grow_with_the_numbers() -> None:
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"
    assert json.dumps(sparkline([])) == '""'
