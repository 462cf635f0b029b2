"""CSV: each row is a little document that keeps the names of its columns."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.clean import clean, one_line
from veraz.ingest.parse.finish import About
from veraz.ingest.parse.records import is_header, record
from veraz.ingest.parse.size import check_columns
from veraz.ingest.parse.text import decode

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 60
_SAMPLE_CHARACTERS = 50_000
_RUNAWAY_LINES = 200

Row = tuple[int, list[str]]


def read(source: Source) -> Parsed:
    """Every record with its column names, in the file's order."""
    text = clean(decode(source.data))
    if not text.strip():
        raise errors.EmptyDocument()
    rows = _rows(text)
    check_columns(source, max(len(cells) for _, cells in rows))
    builder = Builder(source, unit="row")
    width = Counter(len(cells) for _, cells in rows[:_SAMPLE_LINES]).most_common(1)[0][0]
    start, header = _find_header(rows, width)
    for _, cells in rows[:start]:
        builder.add("paragraph", record(None, cells))
    builder.table()
    for number, cells in rows[start + (header is not None) :]:
        builder.enter(part=f"row {number}")
        builder.row(cells, columns=header or (), number=number, named=True)
    if header and builder.characters == 0:
        builder.row(header, columns=header, number=rows[start][0], header=True)
    return builder.finish(About())


def delimiter_of(text: str) -> str:
    """The separator whose columns come out most even over the first lines; a comma when in doubt."""
    sample = text[:_SAMPLE_CHARACTERS]
    return max(_DELIMITERS, key=lambda mark: _evenness(sample, mark))


def _rows(text: str) -> list[Row]:
    first, _, rest = text.partition("\n")
    hint = first.strip().strip('"').lower()
    if hint.startswith("sep=") and len(hint) == 5:
        return [(number + 1, cells) for number, cells in _split(rest, hint[4])]
    return list(_split(text, delimiter_of(text)))


def _split(text: str, delimiter: str) -> list[Row]:
    rows = list(_parse(text, delimiter, csv.QUOTE_MINIMAL))
    # A quote that is never closed swallows the rest of the file into one cell.
    if any(cell.count("\n") > _RUNAWAY_LINES for _, cells in rows for cell in cells):
        return list(_parse(text, delimiter, csv.QUOTE_NONE))
    return rows


def _parse(text: str, delimiter: str, quoting: Literal[0, 3]) -> Iterator[Row]:
    csv.field_size_limit(max(len(text) + 1, csv.field_size_limit()))
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, quoting=quoting, skipinitialspace=True)
    for number, cells in enumerate(reader, 1):
        if any(cell.strip() for cell in cells):
            yield number, cells


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    widths: Counter[int] = Counter()
    for number, (_, cells) in enumerate(_parse(sample, delimiter, csv.QUOTE_MINIMAL)):
        if number >= _SAMPLE_LINES:
            break
        widths[len(cells)] += 1
    if not widths:
        return 0.0, 0
    width, times = widths.most_common(1)[0]
    return (times / widths.total() if width > 1 else 0.0), width


def _find_header(rows: list[Row], width: int) -> tuple[int, list[str] | None]:
    """Where the table starts below any title lines, and its column names if it has them."""
    for start, (_, cells) in enumerate(rows[:20]):
        if 2 * len([cell for cell in cells if cell.strip()]) >= width:
            names = [one_line(cell) for cell in cells]
            return start, names if is_header(names) else None
    return 0, None
