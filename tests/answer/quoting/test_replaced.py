"""What a follow-up names takes the place of its sibling in the question before."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.question import read_question
from veraz.answer.quoting.replaced import without_replaced

if TYPE_CHECKING:
    from tests.support.quoting import PLANS, ROOMS, Quoter, hit_of, units
else:
    from support.quoting import PLANS, ROOMS, Quoter, hit_of, units

TOOLS = "Producto;Precio\nTaladro TX-20;89,90 €\nPulidora PU-3;135,75 €\n"
ITEMS = "# Mesas\n\n- Mesa fija: 160 € al mes\n- Despacho privado: 420 € al mes\n"


def left(before: str, last: str, document: str, name: str = "guia.md") -> str:
    """What is read of both questions."""
    parsed = read_question(f"{before} {last}", "es")
    return without_replaced(parsed, last, units(hit_of(document, name))).text


@pytest.mark.parametrize(
    ("before", "last", "document", "gone"),
    [
        ("¿Cuánto cuesta el Plan Básico?", "¿y el Plan Familiar?", PLANS, "Básico"),
        ("¿Cuánto cuesta la individual?", "¿y la Suite Mar?", ROOMS, "individual"),
        ("¿Cuánto cuesta la mesa fija?", "¿y el despacho privado?", ITEMS, "fija"),
        ("¿A qué hora abren los domingos?", "¿y los sábados?", PLANS, "domingos"),
    ],
)
def test_the_sibling_named_before_is_gone(before: str, last: str, document: str, gone: str) -> None:
    text = left(before, last, document)
    assert gone not in text
    assert text.endswith(last)
    assert text.startswith(before.split()[0])


def test_a_part_of_a_name_is_enough_where_no_sibling_has_it() -> None:
    text = left("¿Cuánto cuesta el taladro TX-20?", "¿y la pulidora?", TOOLS, "tienda.csv")
    assert "TX-20" not in text and "cuesta" in text


def test_what_has_no_sibling_is_kept() -> None:
    before = "¿Cuánto cuesta la individual?"
    assert left(before, "¿y en verano?", ROOMS) == f"{before} ¿y en verano?"


def test_a_question_that_stands_alone_is_left_alone() -> None:
    parsed = read_question("¿Cuánto cuesta el Plan Básico?", "es")
    assert without_replaced(parsed, parsed.text, units(hit_of(PLANS))) is parsed


async def test_a_follow_up_quotes_the_new_thing_with_what_was_asked_of_the_old(quoter: Quoter) -> None:
    asked = await quoter.ask("¿y la doble estándar?", hit_of(ROOMS), before="¿Cuánto cuesta la individual?")
    assert "«Habitación: Doble estándar; Precio: 80 €»" in asked.text
    assert "Individual" not in asked.text


def test_a_chain_of_follow_ups_keeps_what_was_named_last() -> None:
    text = left("¿Cuánto cuesta el Plan Básico? ¿Y el Plan Familiar?", "¿y hay que avisar antes?", PLANS)
    assert "Básico" not in text and "Familiar" in text


def test_two_things_of_one_question_are_both_kept_for_what_follows() -> None:
    before = "Tengo el Plan Básico. ¿Cuánto cuesta el Plan Familiar?"
    assert "Básico" in left(before, "¿y con descuento?", PLANS)
