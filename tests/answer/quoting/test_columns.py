"""A row is quoted with the columns that are asked for, and with their names."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.quoting.columns import asked_columns

if TYPE_CHECKING:
    from tests.support.quoting import AGES, ROOMS, Quoter, hit_of, units
else:
    from support.quoting import AGES, ROOMS, Quoter, hit_of, units

CONSUMPTION = """# Tarifas

| Tarifa | Hasta 10 m² | Hasta 50 m² | Más de 50 m² | Notas |
|---|---|---|---|---|
| Limpieza | 20 € | 35 € | 60 € | Sin IVA |
| Pintura | 90 € | 250 € | 400 € | Con material |
"""


async def columns(quoter: Quoter, question: str, document: str, row: int) -> list[tuple[str, str]]:
    """Names and values of one row for a question."""
    rows = units(hit_of(document))
    asked, _, vectors = await quoter.rate(question, rows)
    return asked_columns(rows[row], asked, vectors)


@pytest.mark.parametrize(
    ("question", "row", "shown"),
    [
        ("¿Qué vista tiene la individual?", 2, [("Habitación", "Individual"), ("Vista", "Calle")]),
        ("¿Cuántas camas tiene la doble estándar?", 0, [("Habitación", "Doble estándar"), ("Camas", "2")]),
        ("¿En qué planta está la individual?", 2, [("Habitación", "Individual"), ("Planta", "2")]),
        ("¿Cuánto cuesta la individual?", 2, [("Habitación", "Individual"), ("Precio", "55 €")]),
    ],
)
async def test_only_what_is_asked_for_is_shown_beside_what_the_row_is(
    quoter: Quoter, question: str, row: int, shown: list[tuple[str, str]]
) -> None:
    assert await columns(quoter, question, ROOMS, row) == shown


async def test_a_row_is_shown_whole_where_the_question_does_not_say(quoter: Quoter) -> None:
    assert len(await columns(quoter, "¿Y la individual?", ROOMS, 2)) == 5


async def test_a_narrow_row_is_shown_whole(quoter: Quoter) -> None:
    assert len(await columns(quoter, "¿Cuánto cuesta para 5 años?", AGES, 0)) == 3


async def test_a_figure_picks_the_column_whose_range_it_lies_in(quoter: Quoter) -> None:
    shown = await columns(quoter, "¿Cuánto cuesta la limpieza de 80 m²?", CONSUMPTION, 0)
    assert ("Más de 50 m²", "60 €") in shown
    assert not {"20 €", "35 €"} & {value for _, value in shown}


async def test_an_empty_cell_is_not_shown(quoter: Quoter) -> None:
    table = "# A\n\n| Sala | Aforo | Precio | Nota |\n|---|---|---|---|\n| Azul | 20 | | Sin luz |\n"
    assert "Precio" not in dict(await columns(quoter, "¿Y la sala azul?", table, 0))


TOOLS = (
    "# Tienda\n\n| Producto | Precio | Existencias | Color | Garantía |\n|---|---|---|---|---|\n"
    "| Lijadora | 47 € | 22 | Rojo | |\n| Taladro | 90 € | 14 | Azul | 3 años |\n"
)


async def test_a_column_that_is_asked_for_and_empty_is_told(quoter: Quoter) -> None:
    text = (await quoter.ask("¿Qué garantía tiene la lijadora?", hit_of(TOOLS))).text
    assert "«Producto: Lijadora» [Chunk 1]" in text
    assert text.endswith("Sin datos en «Garantía»: en el documento está vacío.")
    assert "3 años" not in text


async def test_an_empty_column_that_is_not_asked_for_is_not_told(quoter: Quoter) -> None:
    text = (await quoter.ask("¿Cuánto cuesta la lijadora?", hit_of(TOOLS))).text
    assert text.endswith("«Producto: Lijadora; Precio: 47 €» [Chunk 1]")
