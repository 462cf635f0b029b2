"""The pieces `paragraph` and `semantic` put together: blocks, cut where a separator forces it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from veraz.ingest.chunk.fixed import windows
from veraz.ingest.chunk.rulers import Ruler
from veraz.ingest.chunk.sections import Places
from veraz.ingest.model import Block, BlockKind, Parsed
from veraz.library.configs import ChunkingConfig
from veraz.library.separators import separate
from veraz.text.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class Atom:
    """A block or a piece of one."""

    start: int
    end: int
    kind: BlockKind
    depth: int
    page: int | None
    header: str
    """The table header a chunk starting with it must repeat."""
    forced: bool = False
    """A chunk must start here."""


def separator_cuts(text: str, config: ChunkingConfig) -> list[int]:
    """Positions where the configured separator forces a cut: its start, and its end if it holds no word."""
    if config.separator_regex is None:
        return []
    cuts: set[int] = set()
    for start, end, bare in separate(config.separator_regex, text):
        cuts.add(start)
        if bare:
            cuts.add(end)
    return sorted(cuts)


def atoms(parsed: Parsed, blocks: tuple[Block, ...], cuts: list[int]) -> Iterator[Atom]:
    """The blocks of one section as atoms."""
    position = blocks[0].start
    for block in blocks:
        inner = cuts[bisect_right(cuts, block.start) : bisect_left(cuts, block.end)] if cuts else []
        for start, end in zip([block.start, *inner], [*inner, block.end], strict=True):
            forced = bool(cuts) and bisect_right(cuts, start) > bisect_left(cuts, position)
            span = _trimmed(parsed.text, start, end)
            if span[0] < span[1]:
                yield _atom(block, span, forced)
                position = span[1]


def _atom(block: Block, span: tuple[int, int], forced: bool) -> Atom:
    header = (block.table_header or "") if block.kind == "table_row" else ""
    return Atom(*span, block.kind, len(block.headers), block.page_at(span[0]), header, forced)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    stripped = piece.strip()
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)


def pieces(text: str, atom: Atom, ruler: Ruler, first: int, rest: int) -> list[tuple[int, int]]:
    """A too long atom as spans: the first at most `first` long, the others at most `rest`.

    Cut between sentences, or lines of code and tables, and inside those only when one alone is too long.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _units(text, atom):
        room = first if len(spans) <= 1 else rest
        if spans and ruler.size(spans[-1][0], end) <= room:
            spans[-1] = (spans[-1][0], end)
            continue
        room = rest if spans else first
        if ruler.size(start, end) <= room:
            spans.append((start, end))
        else:
            spans += _words(text, start, end, ruler, min(first, rest))
    return spans


def _units(text: str, atom: Atom) -> list[tuple[int, int]]:
    if atom.kind not in ("code", "table_row"):
        return sentence_spans(text, atom.start, atom.end)
    spans: list[tuple[int, int]] = []
    position = atom.start
    for line in text[atom.start : atom.end].splitlines(keepends=True):
        if line.strip():
            spans.append(_trimmed_right(text, position, position + len(line)))
        position += len(line)
    return spans


def _trimmed_right(text: str, start: int, end: int) -> tuple[int, int]:
    return start, start + len(text[start:end].rstrip())


_NOWHERE = Places((Block(kind="paragraph", start=0, end=0),))


def _words(text: str, start: int, end: int, ruler: Ruler, size: int) -> list[tuple[int, int]]:
    start, end = _trimmed(text, start, end)
    return [(span.start, span.end) for span in windows(text, start, end, ruler, size, 0, _NOWHERE)]
