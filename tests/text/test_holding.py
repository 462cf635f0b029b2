"""A text holds what it says, however it is written, and no other figure."""

import pytest

from veraz.text.holding import holds

PRICE = "El taladro cuesta **2390** pesos."


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("El taladro cuesta 2390.", "$2,390"),
        (PRICE, "$2,390"),
        (PRICE, "2.390"),
        (PRICE, "2 390 MXN"),
        (PRICE, "CUESTA $ 2390"),
        ("El precio es de $2,390.00 [Chunk 1].", "2390"),
        ("Son $2,390 MXN.", "2390 pesos"),
        ("La cuota es de 30 € al mes.", "30 euros al mes"),
        ("Tarda de *5* a 8 días.", "5 a 8 dias"),
        ("Son 30min de espera.", "30 min"),
        ("Tiene doce meses de garantía.", "12 meses"),
        ("Abre a las 09:30 h.", "9:30"),
        ("El modelo GX-2500 sirve.", "gx-2500"),
        ("- **Garantía:**   un año", "GARANTIA: un año"),
        ("Cuesta 12390 o 2390.", "2390"),
        ("Un descuento de 20 %.", "20%"),
        ("Las garantías duran.", "garantía"),
    ],
)
def test_figures_money_accents_and_blanks_are_held_however_they_are_written(text: str, part: str) -> None:
    assert holds(text, part)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (PRICE, "2,391"),
        ("Cuesta 12390 pesos.", "2390"),
        ("Cuesta 12,390 pesos.", "$2,390"),
        ("Cuesta 2390.50 pesos.", "2390"),
        ("Cuesta 2390 pesos.", "2390 euros"),
        ("Dura 2390 días.", "$2,390"),
        ("Un descuento de 20 días.", "20 %"),
        ("Son 20 piezas.", "20 %"),
        ("Tarda -5 grados.", "5 grados"),
        ("Dura veintidós meses.", "2 meses"),
        ("La referencia A12390 es otra.", "2390"),
        ("Nada de eso.", "2390"),
    ],
)
def test_another_figure_is_not_held(text: str, part: str) -> None:
    assert not holds(text, part)
