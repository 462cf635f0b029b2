"""Whole paragraphs up to the size: the strategy that follows the author's structure.

A heading starts a chunk and never ends one; a higher heading is never crossed; a page's end is taken
as a cut once the chunk is long enough; code and table rows stay whole when they fit.
"""

from collections.abc import Iterator

from veraz.ingest.chunk.atoms import Atom, atoms, pieces, separator_cuts
from veraz.ingest.chunk.fixed import below_header
from veraz.ingest.chunk.model import Span
from veraz.ingest.chunk.rulers import Ruler
from veraz.ingest.chunk.sections import sections
from veraz.ingest.model import Parsed
from veraz.library.configs import ChunkingConfig


def paragraph(parsed: Parsed, config: ChunkingConfig, ruler: Ruler) -> Iterator[Span]:
    """The packed paragraphs of a document, section by section."""
    cuts = separator_cuts(parsed.text, config)
    packer = Packer(parsed.text, config, ruler)
    for blocks in sections(parsed):
        for atom in atoms(parsed, blocks, cuts):
            yield from packer.add(atom)
        yield from packer.flush()


class Packer:
    """Collects atoms until the next one does not belong to them or does not fit."""

    def __init__(self, text: str, config: ChunkingConfig, ruler: Ruler) -> None:
        self._text, self._ruler = text, ruler
        self._longest, self._shortest = config.longest, config.shortest
        self._pending: list[Atom] = []

    def add(self, atom: Atom) -> Iterator[Span]:
        """Takes one more atom; gives the chunks that became complete."""
        if self._pending and self._breaks_before(atom):
            yield from self.flush()
        if self._fits(atom):
            self._pending.append(atom)
            return
        yield from self._flush_body()
        if self._fits(atom):
            self._pending.append(atom)
        else:
            yield from self._split(atom)

    def flush(self) -> Iterator[Span]:
        """The chunk collected so far."""
        if self._pending:
            yield self._span(self._pending[0].start, self._pending[-1].end, self._pending[0])
            self._pending = []

    def _breaks_before(self, atom: Atom) -> bool:
        if atom.forced:
            return True
        if all(pending.kind == "heading" for pending in self._pending):
            return False
        size = self._ruler.size(self._pending[0].start, self._pending[-1].end)
        long_enough = size >= self._shortest
        if atom.kind == "heading":
            return long_enough or atom.depth < self._pending[0].depth
        return long_enough and atom.page != self._pending[-1].page

    def _fits(self, atom: Atom) -> bool:
        first = self._pending[0] if self._pending else atom
        _, room = below_header(first.header, self._ruler, self._longest)
        return self._ruler.size(first.start, atom.end) <= room

    def _flush_body(self) -> Iterator[Span]:
        """Completes the chunk but keeps the headings at its end for what follows them."""
        cut = len(self._pending)
        while cut and self._pending[cut - 1].kind == "heading":
            cut -= 1
        headings = self._pending[cut:]
        self._pending = self._pending[:cut]
        yield from self.flush()
        self._pending = headings

    def _split(self, atom: Atom) -> Iterator[Span]:
        """A too long atom in pieces, the first below the headings that wait for it."""
        _, rest = below_header(atom.header, self._ruler, self._longest)
        first = rest
        if self._pending:
            first = self._longest - self._ruler.size(self._pending[0].start, self._pending[-1].end) - 2
            if first < self._longest // 4 or self._cuts_a_word(atom, first):
                yield from self.flush()
                first = rest
        for index, (start, end) in enumerate(pieces(self._text, atom, self._ruler, first, rest)):
            if index:
                yield from self.flush()
            self._pending.append(Atom(start, end, atom.kind, atom.depth, atom.page, atom.header))

    def _cuts_a_word(self, atom: Atom, room: int) -> bool:
        """Whether a word of it is longer than the room below the headings, though not than a chunk."""
        words = {word for word in self._text[atom.start : atom.end].split() if len(word) > room // 4}
        return any(room < self._ruler.of(word) <= self._longest for word in words)

    def _span(self, start: int, end: int, first: Atom) -> Span:
        header, _ = below_header(first.header, self._ruler, self._longest)
        return Span(start=start, end=end, table_header=header)
