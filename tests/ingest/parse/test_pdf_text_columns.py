"""Text in columns is read column by column, also where a file holds it line by line across the page."""

from tests.ingest.parse.drawn_pdf import Sheet, Words

from veraz.ingest.parse.base import Source
from veraz.ingest.parse.pdf import read

LEFT = (
    "El contrato dura un año desde la",
    "firma y se renueva por periodos",
    "iguales si nadie avisa con un mes",
    "de antelación.",
)
RIGHT = (
    "La cuota se paga el día cinco de",
    "cada mes mediante recibo. El",
    "impago de dos cuotas permite",
    "resolver el contrato.",
)
FULL = "Este documento recoge las condiciones que valen para todos los contratos firmados este año."


def across(*columns: tuple[str, ...], lefts: tuple[float, ...] = (60, 320), top: float = 700) -> list[Words]:
    """Lines of columns in the order of their height."""
    return [
        (left, top - 14 * row, column[row])
        for row in range(max(map(len, columns)))
        for left, column in zip(lefts, columns, strict=False)
        if row < len(column)
    ]


def paragraphs(words: list[Words]) -> list[str]:
    parsed = read(Source(data=Sheet().page(words).data(), filename="a.pdf"))
    return [parsed.of(block) for block in parsed.blocks]


def test_each_of_two_short_columns_is_read_to_its_end() -> None:
    assert paragraphs(across(LEFT, RIGHT)) == [" ".join(LEFT), " ".join(RIGHT)]


def test_text_over_the_whole_width_stays_above_and_below_the_columns() -> None:
    words = [(60.0, 730.0, FULL), *across(LEFT, RIGHT), (60.0, 620.0, FULL)]
    assert paragraphs(words) == [FULL, " ".join(LEFT), " ".join(RIGHT), FULL]


def test_the_longer_column_is_read_to_its_end_before_the_next_one() -> None:
    longer = (*LEFT[:3], "de antelación por escrito y con", "acuse de recibo de la otra parte.")
    assert paragraphs(across(longer, RIGHT[:3])) == [" ".join(longer), " ".join(RIGHT[:3])]


def test_three_columns_are_read_one_after_the_other() -> None:
    columns = (
        ("El plazo es de unas", "dos semanas y media."),
        ("La entrega no cuesta", "nada desde cien euros."),
        ("El cliente puede, si", "quiere, devolverlo."),
    )
    assert paragraphs(across(*columns, lefts=(60, 220, 380))) == [" ".join(column) for column in columns]


def test_headings_of_columns_stand_above_their_own_column() -> None:
    words = across(("**Duración", *LEFT), ("**Pago", *RIGHT))
    assert paragraphs(words) == ["Duración", " ".join(LEFT), "Pago", " ".join(RIGHT)]


def test_names_and_what_they_mean_stay_beside_each_other() -> None:
    names = ("Plazo", "Portes", "Garantía")
    meanings = ("dos semanas desde el pedido", "gratuitos desde cien euros", "tres años en todo el país")
    read_text = " ".join(paragraphs(across(names, meanings)))
    assert all(
        read_text.index(name) < read_text.index(said) for name, said in zip(names, meanings, strict=True)
    )
    assert read_text.index("dos semanas") < read_text.index("Portes")
