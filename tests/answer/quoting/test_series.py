"""Questions over alike rows, items and sections: which has most or least, which have something, what are all of them."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.quoting import Quoter, hit_of
else:
    from support.quoting import Quoter, hit_of

TABLE = """# Gimnasio Cumbre

## Planes

| Plan | Precio mensual | Sesiones | WiFi | Sauna |
|---|---|---|---|---|
| Básico | 24,90 € | 1 | No | No |
| Medio | 39,50 € | 4 | Sí | No |
| Premium | 58,00 € | 12 | Sí | Sí |
| Estudiante | 19,90 € | | Sí | No |
"""
COUPONS = (
    f"{TABLE}\n## Cupones\n\nEl cupón de bienvenida sirve para el plan más caro durante el primer mes.\n"
)
ITEMS = """# Coworking

## Modalidades

- Mesa flexible: 95 € al mes
- Mesa fija: 160 € al mes
- Oficina virtual: 35 € al mes
"""
SECTIONS = """# Seguros Faro

## Plan Oro

El plan Oro cuesta 640 € al año. La franquicia es de 150 €.

## Plan Plata

El plan Plata cuesta 410 € al año. La franquicia es de 300 €.

## Plan Bronce

El plan Bronce cuesta 230 € al año. Cubre daños a terceros.
"""
PLANS = ("Básico", "Medio", "Premium", "Estudiante")


def names(text: str) -> list[str]:
    """The plans that an answer quotes."""
    return [name for name in PLANS if f"Plan: {name}" in text]


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("¿cuál es el plan más barato?", ["Estudiante"]),
        ("¿Qué plan es el más caro?", ["Premium"]),
        ("¿Qué plan es el menos caro?", ["Estudiante"]),
        ("¿Qué plan tiene más sesiones?", ["Premium"]),
        ("¿cuál es el plan más barato con sauna?", ["Premium"]),
    ],
)
async def test_a_superlative_quotes_the_row_at_the_end_of_its_column(
    quoter: Quoter, question: str, shown: list[str]
) -> None:
    assert names((await quoter.ask(question, hit_of(TABLE))).text) == shown


async def test_the_column_that_was_compared_is_shown(quoter: Quoter) -> None:
    assert (
        "«Plan: Estudiante; Precio mensual: 19,90 €»"
        in (await quoter.ask("¿cuál es el plan más barato?", hit_of(TABLE))).text
    )


@pytest.mark.parametrize(
    ("name", "question", "language", "room"),
    [
        ("rooms.csv", "which room is the biggest?", "en", "Cedar"),
        ("rooms.csv", "What is the cheapest room?", "en", "Dogwood"),
        ("rooms.csv", "Qual é a sala mais barata?", "pt", "Dogwood"),
    ],
)
async def test_a_superlative_is_read_in_every_language(
    quoter: Quoter, name: str, question: str, language: str, room: str
) -> None:
    rooms = "Room,Area (m²),Hourly rate\nAspen,21,$25\nCedar,78,$95\nDogwood,12,$15\n"
    text = (await quoter.ask(question, hit_of(rooms, name), language=language)).text
    assert [one for one in ("Aspen", "Cedar", "Dogwood") if one in text] == [room]


async def test_what_cannot_be_compared_is_quoted_as_a_whole(quoter: Quoter) -> None:
    table = TABLE.replace("58,00 €", "a consultar")
    assert names((await quoter.ask("¿cuál es el plan más barato?", hit_of(table))).text) == list(PLANS)


async def test_what_is_free_costs_nothing(quoter: Quoter) -> None:
    table = TABLE.replace("24,90 €", "Gratis")
    assert names((await quoter.ask("¿cuál es el plan más barato?", hit_of(table))).text) == ["Básico"]


async def test_measures_are_compared_in_one_unit(quoter: Quoter) -> None:
    table = "# Envases\n\n| Envase | Peso |\n|---|---|\n| Saco | 1 kg |\n| Bolsa | 500 g |\n| Caja | 2 kg |\n"
    text = (await quoter.ask("¿Qué envase es el más ligero?", hit_of(table))).text
    assert "Bolsa" in text and "Saco" not in text


async def test_of_a_list_the_cheapest_item_is_quoted(quoter: Quoter) -> None:
    text = (await quoter.ask("¿Cuál es la modalidad más barata?", hit_of(ITEMS))).text
    assert "35 €" in text and "95 €" not in text


async def test_of_sections_the_one_with_the_lowest_price_is_quoted(quoter: Quoter) -> None:
    text = (await quoter.ask("¿cuál es el plan más barato?", hit_of(SECTIONS))).text
    assert "230 €" in text and "410 €" not in text and "640 €" not in text


async def test_a_superlative_that_only_describes_leaves_the_answer_where_it_is(quoter: Quoter) -> None:
    chosen = await quoter.choose("¿El cupón de bienvenida me sirve para el plan más caro?", hit_of(COUPONS))
    assert "cupón" in chosen[0][0]


@pytest.mark.parametrize("question", ["¿qué planes tienen?", "dime todos los precios de los planes"])
async def test_who_asks_for_all_gets_every_row(quoter: Quoter, question: str) -> None:
    assert names((await quoter.ask(question, hit_of(TABLE))).text) == list(PLANS)


async def test_who_asks_for_all_gets_every_section(quoter: Quoter) -> None:
    text = (await quoter.ask("dime los precios de todos los planes", hit_of(SECTIONS))).text
    assert all(price in text for price in ("640 €", "410 €", "230 €"))


async def test_of_many_rows_the_first_are_shown_and_the_rest_counted(quoter: Quoter) -> None:
    rows = "".join(f"Broca {number},{number} €\n" for number in range(10, 24))
    text = (await quoter.ask("dime todos los precios", hit_of(f"Producto,Precio\n{rows}", "tienda.csv"))).text
    assert text.count("Producto: ") == 10
    assert text.endswith("Hay 4 más en el documento.")


async def test_an_answer_over_a_table_that_may_go_on_says_so(quoter: Quoter) -> None:
    table = hit_of("Plan,Precio\nBásico,24 €\nMedio,39 €\n", "planes.csv")
    question = "¿cuál es el plan más barato?"
    assert "puede tener más" in (await quoter.ask(question, table, all_read=False)).text
    assert "puede tener más" not in (await quoter.ask(question, table)).text
    assert "puede tener más" not in (await quoter.ask(question, hit_of(COUPONS), all_read=False)).text


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("¿el plan Básico incluye WiFi?", ["Básico"]),
        ("¿qué planes incluyen WiFi?", ["Medio", "Premium", "Estudiante"]),
        ("¿qué planes incluyen WiFi y sauna?", ["Premium"]),
        ("¿qué plan no tiene WiFi?", ["Básico"]),
    ],
)
async def test_a_column_of_yes_and_no_picks_the_rows(quoter: Quoter, question: str, shown: list[str]) -> None:
    text = (await quoter.ask(question, hit_of(TABLE))).text
    assert names(text) == shown
    assert "WiFi" in text


async def test_a_comparison_is_no_superlative(quoter: Quoter) -> None:
    text = (await quoter.ask("¿El plan Medio es más caro que el Básico?", hit_of(TABLE))).text
    assert names(text) == ["Básico", "Medio"]


BREAD = """Producto;Precio;Sin azúcar;Sin gluten
Pan integral;2,50 €;Sí;No
Pan de maíz;3,10 €;Sí;Sí
Torta de chocolate;18 €;No;No
Torta de zanahoria;16 €;No;Sí
"""


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("¿qué productos son sin gluten?", ["Pan de maíz", "Torta de zanahoria"]),
        ("¿qué productos no tienen gluten?", ["Pan de maíz", "Torta de zanahoria"]),
        ("¿qué productos son libres de gluten?", ["Pan de maíz", "Torta de zanahoria"]),
        ("¿qué productos tienen gluten?", ["Pan integral", "Torta de chocolate"]),
        ("¿qué productos no llevan azúcar ni gluten?", ["Pan de maíz"]),
    ],
)
async def test_a_column_that_denies_turns_its_yes_around(
    quoter: Quoter, question: str, shown: list[str]
) -> None:
    text = (await quoter.ask(question, hit_of(BREAD, "panaderia.csv"))).text
    assert [
        name
        for name in ("Pan integral", "Pan de maíz", "Torta de chocolate", "Torta de zanahoria")
        if name in text
    ] == shown
