"""The cells of a quoted row that a claim tells."""

from veraz.passages.model import Grid, GridRow
from veraz.ui.source_views import told_by

ROW = GridRow(number=3, cells=("Cumbres", "Paseo 12", "9 a 18", "8 a 15"), marked=True)
NEXT = GridRow(number=4, cells=("Apodaca", "Juárez 3", "9 a 19", "8 a 15"), marked=False)
GRID = Grid(columns=("Sucursal", "Dirección", "Lunes a viernes", "Sábado"), rows=(ROW, NEXT))


def marked(claim: str) -> list[tuple[int, ...]]:
    """The cells marked in each row."""
    return [row.marked_cells for row in told_by(claim, GRID).rows]


def test_cells_that_a_claim_tells_stand_out_of_their_row() -> None:
    assert marked("«Sucursal: Cumbres; Sábado: 8 a 15» 1") == [(0, 3), ()]


def test_a_claim_that_tells_the_whole_row_or_none_of_it_marks_the_row() -> None:
    assert marked("Cumbres, Paseo 12, 9 a 18, 8 a 15") == [(), ()]
    assert marked("Otra cosa") == [(), ()]


def test_part_of_a_word_or_figure_is_no_cell() -> None:
    assert marked("Cumbresía 18 a 15") == [(), ()]
