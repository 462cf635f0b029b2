"""Tables in PDFs become rows with their columns; what is no table stays text."""

from tests.ingest.parse.drawn_pdf import Sheet, Words, grid

from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.pdf import read

Row = tuple[str, str, str, str]
LEFTS = (60.0, 140.0, 330.0, 420.0)
PRICES: list[Row] = [
    ("Código", "Descripción", "Contado", "Crédito"),
    ("A-10", "Taladro percutor", "1.250,00 €", "1.400,00 €"),
    ("A-11", "Sierra circular", "899,50 €", "960,00 €"),
    ("A-12", "Lijadora orbital", "75,00 €", "80,00 €"),
    ("A-13", "Cinta métrica", "9,90 €", "—"),
]


def parse(sheet: Sheet) -> Parsed:
    return read(Source(data=sheet.data(), filename="lista.pdf"))


def rows(parsed: Parsed) -> list[dict[str, str]]:
    """Each row as what its columns say."""
    return [
        {name: parsed.text[start:end] for name, (start, end) in zip(block.columns, block.cells, strict=True)}
        for block in parsed.blocks
        if block.kind == "table_row" and len(block.cells) > 1
    ]


def placed(table: list[Row], top: float = 700, step: float = 20) -> list[Words]:
    return [
        (left, top - step * number, cell)
        for number, row in enumerate(table)
        for left, cell in zip(LEFTS, row, strict=True)
    ]


def expected(table: list[Row]) -> list[dict[str, str]]:
    return [dict(zip(table[0], row, strict=True)) for row in table[1:]]


def test_a_ruled_price_list_becomes_rows_with_their_columns() -> None:
    lines = grid((50, 130, 320, 410, 500), [714 - 20 * number for number in range(6)])
    parsed = parse(Sheet().page([(60, 750, "Los precios incluyen el impuesto."), *placed(PRICES)], lines))
    assert rows(parsed) == expected(PRICES)
    assert {block.table for block in parsed.blocks if block.cells} == {1}
    assert parsed.of(parsed.blocks[0]) == "Los precios incluyen el impuesto."


def test_a_borderless_price_list_becomes_rows_with_their_columns() -> None:
    parsed = parse(Sheet().page(placed(PRICES)))
    assert rows(parsed) == expected(PRICES)
    assert [block.kind for block in parsed.blocks] == ["table_header", *["table_row"] * 4]


def test_the_lines_of_a_cell_are_put_together() -> None:
    more: list[Words] = [(140, 700 - 22 - 11, "con maletín y dos"), (140, 700 - 22 - 22, "baterías")]
    words = placed(PRICES[:2], step=22) + more + placed(PRICES[2:], top=634, step=22)
    assert rows(parse(Sheet().page(words)))[0]["Descripción"] == "Taladro percutor con maletín y dos baterías"


def test_a_name_over_several_columns_stands_in_the_name_of_each() -> None:
    lines = [*grid((50, 130, 320, 500), (734, 694)), (320, 714, 500, 714), (410, 714, 410, 694)]
    lines += grid((50, 130, 320, 410, 500), [694 - 20 * number for number in range(5)])
    words: list[Words] = [(395, 720, "Precio"), *placed(PRICES)]
    assert list(rows(parse(Sheet().page(words, lines)))[0])[2:] == ["Precio › Contado", "Precio › Crédito"]


def test_columns_of_a_typewriter_hardly_farther_apart_than_words_are_told_apart() -> None:
    """At ten points a letter takes six, so does a space."""
    table: list[Row] = [
        ("Oficina", "Abre", "Cierra", "Plan"),
        ("Centro", "08:30", "18:00", "Nada hoy"),
        ("Norte", "09:00", "19:00", "Todo"),
        ("Sur alto", "10:00", "No abre", "Todo"),
        ("Oeste", "10:30", "15:00", "Nada hoy"),
    ]
    lefts = (60, 115, 160, 209)
    words = [
        (left, 700.0 - 20 * at, cell)
        for at, row in enumerate(table)
        for left, cell in zip(lefts, row, strict=True)
    ]
    prose = [
        (60.0, 760.0 - 12 * at, "Las oficinas abren todos los días del año salvo fiesta.") for at in (0, 1)
    ]
    assert rows(parse(Sheet().page([*prose, *words], face="Courier"))) == expected(table)


def test_a_framed_header_belongs_to_the_rows_below_it_whose_first_line_is_that_of_one_cell() -> None:
    frame = [*grid((50, 130, 320, 500), (734, 694)), (320, 714, 500, 714), (410, 714, 410, 694)]
    first = ("A-09", "puntas", "5,00 €", "6,00 €")
    words = [(395.0, 720.0, "Precio"), *placed(PRICES[:1]), (140.0, 680.0, "Juego de brocas y")]
    words += [(left, 668.0, cell) for left, cell in zip(LEFTS, first, strict=True)]
    words += placed(PRICES[1:], top=648)
    found = rows(parse(Sheet().page(words, frame)))
    assert list(found[0]) == ["Código", "Descripción", "Precio › Contado", "Precio › Crédito"]
    assert [row["Descripción"] for row in found] == [
        "Juego de brocas y puntas",
        *(row[1] for row in PRICES[1:]),
    ]


def test_a_line_below_the_name_of_a_group_says_which_columns_it_names() -> None:
    words = [(372.0, 720.0, "Precio"), *placed(PRICES)]
    found = rows(parse(Sheet().page(words, [(232, 715, 500, 715)])))
    assert list(found[0]) == ["Código", "Descripción", "Precio › Contado", "Precio › Crédito"]


def test_a_table_that_goes_on_over_the_page_stays_one_table() -> None:
    again = [PRICES[0], ("B-20", "Guantes", "3,20 €", "3,50 €"), ("B-21", "Casco", "12,00 €", "13,00 €")]
    without = [
        ("C-30", "Grifo", "45,00 €", "49,00 €"),
        ("C-31", "Tubo", "4,10 €", "4,50 €"),
        ("C-32", "Llave", "8,00 €", "9,00 €"),
    ]
    parsed = parse(Sheet().page(placed(PRICES)).page(placed(again)).page(placed(without)))
    assert {block.table for block in parsed.blocks} == {1}
    assert rows(parsed)[-5:] == expected(again) + expected([PRICES[0], *without])
    assert [block.page for block in parsed.blocks if block.kind == "table_header"] == [1, 2]


def test_two_columns_of_running_text_are_no_table() -> None:
    left = [
        "El contrato entra en vigor el día de",
        "la firma y dura doce meses desde la",
        "entrega de la obra, salvo que ambas",
        "partes acuerden otra cosa por escrito",
    ]
    right = [
        "antes de que termine el año en curso",
        "y sin que por ello cambie el precio",
        "que figura en el anexo segundo de las",
        "condiciones generales del servicio.",
    ]
    words = [(60.0, 700.0 - 12 * number, line) for number, line in enumerate(left)]
    words += [(320.0, 700.0 - 12 * number, line) for number, line in enumerate(right)]
    parsed = parse(Sheet().page(words))
    assert not any(block.cells for block in parsed.blocks)
    assert set(" ".join(left + right).split()) <= set(parsed.text.split())


def test_lists_of_contents_and_pairs_of_names_and_values_are_no_tables() -> None:
    contents = [(60.0, 700.0 - 15 * n, f"{n}. Capítulo {'.' * 60} {n * 7}") for n in range(1, 7)]
    pairs = [
        (x, 500.0 - 15 * number, text)
        for number, pair in enumerate(
            (
                ("Nombre:", "Ana Pérez"),
                ("Fecha:", "3/4/2025"),
                ("Teléfono:", "555 10 20"),
                ("Importe:", "30 €"),
            )
        )
        for x, text in zip((60.0, 200.0), pair, strict=True)
    ]
    assert not any(block.cells for block in parse(Sheet().page(contents + pairs)).blocks)


def test_a_page_full_of_drawings_keeps_its_words() -> None:
    lines = [(float(n % 500), float(n % 700), float(n % 500) + 40, float(n % 700)) for n in range(9_000)]
    parsed = parse(Sheet().page(placed(PRICES), lines))
    assert rows(parsed) == expected(PRICES)


def test_the_lines_of_each_cell_know_their_place() -> None:
    parsed = parse(Sheet().page(placed(PRICES)))
    words = {parsed.text[line.start : line.end]: line for line in parsed.lines}
    assert set(words) == {cell for row in PRICES for cell in row}
    assert abs(words["Sierra circular"].left - 140) < 2
    assert words["899,50 €"].bottom < 660 < words["899,50 €"].top
