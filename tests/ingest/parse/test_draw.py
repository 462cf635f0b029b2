"""Pages drawn in the jail: the marks are where they belong, and bad files harm nobody."""

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from veraz import errors
from veraz.ingest.parse.base import ParseLimits, Source
from veraz.ingest.parse.draw import draw
from veraz.ingest.parse.sandbox import draw_page

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
else:
    from ingest.parse import made_files as made

PDF = made.pdf("Una línea.", "Otra línea.")
BOX = (100.0, 600.0, 200.0, 620.0)


def pixels(png: bytes) -> "np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]":
    """The picture again, as rows of red, green and blue."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack("!II", png[16:24])
    at = png.index(b"IDAT")
    (length,) = struct.unpack("!I", png[at - 4 : at])
    rows = np.frombuffer(zlib.decompress(png[at + 4 : at + 4 + length]), dtype=np.uint8).reshape(height, -1)
    colours = rows[:, 1:].reshape(height, width, -1)  # one where the page is all grey
    return np.broadcast_to(colours, (height, width, 3))


def drawn(data: bytes, page: int = 1, scale: float = 1.0, *rectangles: tuple[float, ...]) -> bytes:
    options = {"page": page, "scale": scale, "rectangles": rectangles}
    return draw(Source(data=data, filename="a.pdf", options=options))


def test_a_mark_is_yellow_and_lies_where_the_rectangle_is() -> None:
    picture = pixels(drawn(PDF, 1, 1.0, BOX))
    assert picture.shape == (792, 612, 3)
    middle, beside = picture[792 - 610, 150], picture[792 - 610, 250]
    assert tuple(beside) == (255, 255, 255)
    assert middle[0] == 255 and middle[2] < 140


def test_a_turned_page_is_marked_where_its_text_is() -> None:
    turned = PDF.replace(b"/MediaBox [0 0 612 792]", b"/Rotate 90 /MediaBox [0 0 612 792]")
    picture = pixels(drawn(turned, 1, 1.0, BOX))
    assert picture.shape == (612, 792, 3)
    marked = np.argwhere((picture[:, :, 2] < 140) & (picture[:, :, 0] > 250))
    assert marked.size and abs(marked[:, 0].mean() - 150) < 5 and abs(marked[:, 1].mean() - 610) < 5


def test_letters_under_a_mark_stay_black() -> None:
    picture = pixels(drawn(PDF, 1, 2.0, (70.0, 715.0, 140.0, 735.0)))
    assert picture.min() < 60


def test_huge_wishes_are_drawn_smaller() -> None:
    large = PDF.replace(b"/MediaBox [0 0 612 792]", b"/MediaBox [0 0 9000 9000]")
    height, width, _ = pixels(drawn(large, 1, 3.0)).shape
    assert height * width <= 6_100_000


async def test_the_jail_draws_and_refuses_like_the_parser(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.pdf", tmp_path / "b.pdf"
    good.write_bytes(PDF)
    bad.write_bytes(PDF[:200])
    limits = ParseLimits(seconds=20)
    png = await draw_page(good, page=2, rectangles=[BOX], scale=0.5, limits=limits)
    assert pixels(png).shape == (396, 306, 3)
    with pytest.raises(errors.NotFound):
        await draw_page(good, page=3, rectangles=[], scale=1, limits=limits)
    with pytest.raises(errors.Corrupt):
        await draw_page(bad, page=1, rectangles=[], scale=1, limits=limits)
