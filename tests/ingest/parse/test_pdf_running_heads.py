"""Running heads and feet of a PDF are notes of their own, whatever stands beside them in the file."""

from tests.ingest.parse.drawn_pdf import Sheet, Words, column

from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.pdf import read

HEAD = "Río Ancho Seguros S.A."
FIRST = (
    "La asistencia domiciliaria comprende seis servicios por año y un tope por cada",
    "uno de ellos. La responsabilidad civil frente a terceros tiene un límite que",
)
SECOND = (
    "figura en el frente de la póliza. Toda otra vivienda se considera de temporada y",
    "se cubre con las mismas condiciones que la vivienda permanente.",
)


def furniture(page: int) -> list[Words]:
    return [(60, 800, HEAD), (60, 40, f"Consultas: 0800-333-7426 Página {page}")]


def parse(*pages: list[Words]) -> Parsed:
    sheet = Sheet()
    for page in pages:
        sheet.page(page)
    return read(Source(data=sheet.data(), filename="condiciones.pdf"))


def test_heads_and_feet_are_notes_and_the_text_goes_on_behind_them() -> None:
    parsed = parse([*furniture(1), *column(*FIRST)], [*furniture(2), *column(*SECOND)])
    assert [(block.page, block.kind, parsed.of(block)) for block in parsed.blocks] == [
        (1, "note", HEAD),
        (1, "note", "Consultas: 0800-333-7426 Página 1"),
        (1, "paragraph", " ".join(FIRST + SECOND)),
        (2, "note", HEAD),
        (2, "note", "Consultas: 0800-333-7426 Página 2"),
    ]


def test_a_list_goes_on_behind_them_with_its_introduction() -> None:
    parsed = parse(
        [*furniture(1), *column("Quedan excluidos:", "a) los daños por humedad;")],
        [*furniture(2), *column("b) los hechos de guerra.", "c) el dolo.")],
    )
    items = [block for block in parsed.blocks if block.kind == "list_item"]
    assert [block.page for block in items] == [1, 2, 2]
    assert {block.introduction for block in items} == {"Quedan excluidos:"}


def test_a_line_of_one_page_only_is_text() -> None:
    parsed = parse([(60, 800, HEAD), *column(*FIRST)], column(*SECOND))
    assert "note" not in {block.kind for block in parsed.blocks}


def test_a_line_that_comes_back_at_another_height_is_text() -> None:
    parsed = parse(column("Requisitos", *FIRST), column("Requisitos", *SECOND, top=600))
    assert "note" not in {block.kind for block in parsed.blocks}
