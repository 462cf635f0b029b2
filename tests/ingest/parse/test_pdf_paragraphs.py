"""Lines of a PDF become the paragraphs and list items a reader sees."""

from tests.ingest.parse.drawn_pdf import Sheet, column

from veraz.ingest.parse.base import Source
from veraz.ingest.parse.pdf import read

LONG = "La vivienda debe tener cerraduras de doble paleta en todas las puertas de acceso y"


def blocks(*lines: str) -> list[tuple[str, str]]:
    parsed = read(Source(data=Sheet().page(column(*lines)).data(), filename="a.pdf"))
    return [(block.kind, parsed.of(block)) for block in parsed.blocks]


def test_white_after_the_end_of_a_sentence_parts_paragraphs() -> None:
    other = "Si en el momento del robo faltaba alguna medida, la Compañía paga solo la mitad."
    assert blocks(LONG, LONG, LONG + " rejas.", "", other, LONG, LONG + " rejas.") == [
        ("paragraph", f"{LONG} {LONG} {LONG} rejas."),
        ("paragraph", f"{other} {LONG} {LONG} rejas."),
    ]


def test_a_line_left_of_a_list_item_is_no_more_of_it() -> None:
    item = "a) El hecho sea cometido por empleados del Asegurado o con toda su complicidad."
    after = "El dinero en efectivo no se cubre en ningún plan."
    assert blocks(LONG, LONG + " si no:", f"    {item}", after)[1:] == [
        ("list_item", item),
        ("paragraph", after),
    ]


def test_a_short_word_with_a_full_stop_is_no_mark_of_an_item() -> None:
    assert blocks(
        "Son tres servicios por año con un tope de noventa mil pesos para cada", "uno. " + LONG
    ) == [("paragraph", f"Son tres servicios por año con un tope de noventa mil pesos para cada uno. {LONG}")]


def test_ordinals_are_marks_of_items() -> None:
    found = blocks(LONG + " esto es:", "1.º Los quioscos de prensa.", "2.º Los quioscos de helados.")
    assert [kind for kind, _ in found] == ["paragraph", "list_item", "list_item"]
