"""Cuts between sentences where the subject changes: where two sentences before and two after differ most.

A gap is a cut when its distance is among the largest fifth of the document and the chunk is long
enough. Headings, separators and sections always cut. A chunk that grows too long is cut at its widest gap.
Without an embedder the distance is that of the sentences' words.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from veraz.ingest.chunk.atoms import Atom, atoms, pieces, separator_cuts
from veraz.ingest.chunk.fixed import below_header
from veraz.ingest.chunk.model import EmbedSentences, Span
from veraz.ingest.chunk.rulers import Ruler
from veraz.ingest.chunk.sections import sections
from veraz.ingest.model import Block, Parsed
from veraz.library.configs import ChunkingConfig
from veraz.text.sentences import sentence_spans
from veraz.text.words import lexeme_id, lexemes

PERCENTILE = 80
"""Gaps wider than this share of the document's gaps are changes of subject."""
_WORD_DIMENSIONS = 256


def semantic(
    parsed: Parsed, config: ChunkingConfig, ruler: Ruler, embed_sentences: EmbedSentences | None
) -> Iterator[Span]:
    """The chunks of a document, section by section."""
    cuts = separator_cuts(parsed.text, config)
    groups = [list(_sentences(parsed, blocks, cuts, ruler, config)) for blocks in sections(parsed)]
    texts = [parsed.text[unit.start : unit.end] for group in groups for unit in group]
    if not texts:
        return
    vectors = embed_sentences(texts) if embed_sentences else _word_vectors(texts, parsed.language)
    distances = _distances(vectors, [len(group) for group in groups])
    threshold = _threshold(distances)
    for group, widths in zip(groups, distances, strict=True):
        yield from _Cutter(group, widths, threshold, config, ruler).spans()


def _sentences(
    parsed: Parsed, blocks: tuple[Block, ...], cuts: list[int], ruler: Ruler, config: ChunkingConfig
) -> Iterator[Atom]:
    for atom in atoms(parsed, blocks, cuts):
        _, room = below_header(atom.header, ruler, config.longest)
        whole = atom.kind in ("heading", "code", "table_row") and ruler.size(atom.start, atom.end) <= room
        spans = [(atom.start, atom.end)] if whole else sentence_spans(parsed.text, atom.start, atom.end)
        forced = atom.forced
        for start, end in spans:
            sentence = Atom(start, end, atom.kind, atom.depth, atom.page, atom.header)
            short = ruler.size(start, end) <= room
            for span in [(start, end)] if short else pieces(parsed.text, sentence, ruler, room, room):
                yield Atom(*span, atom.kind, atom.depth, atom.page, atom.header, forced)
                forced = False


def _distances(vectors: NDArray[np.float32], lengths: list[int]) -> list[NDArray[np.float32]]:
    """Per section, the distance between what stands before and after each gap between sentences."""
    distances, offset = [], 0
    for length in lengths:
        rows = vectors[offset : offset + length]
        before, after = rows[:-1].copy(), rows[1:].copy()
        before[1:] += rows[:-2]
        after[:-1] += rows[2:]
        norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        distances.append(1 - np.einsum("ij,ij->i", before, after) / np.maximum(norms, 1e-9))
        offset += length
    return distances


def _threshold(distances: list[NDArray[np.float32]]) -> float:
    gaps = np.concatenate(distances) if distances else np.zeros(0)
    return float(np.percentile(gaps, PERCENTILE)) if gaps.size else 1.0


def _word_vectors(texts: list[str], language: str | None) -> NDArray[np.float32]:
    vectors = np.zeros((len(texts), _WORD_DIMENSIONS), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in set(lexemes(text, language or "es")):
            vectors[row, lexeme_id(word) % _WORD_DIMENSIONS] += 1.0
    return vectors


class _Cutter:
    """Puts the sentences of one section together."""

    def __init__(
        self,
        units: list[Atom],
        widths: NDArray[np.float32],
        threshold: float,
        config: ChunkingConfig,
        ruler: Ruler,
    ) -> None:
        self._units, self._widths, self._threshold = units, widths, threshold
        self._longest, self._shortest, self._ruler = config.longest, config.shortest, ruler

    def spans(self) -> Iterator[Span]:
        """The chunks, in order."""
        edges = [0, *self._cuts(), len(self._units)] if self._units else []
        for begin, end in pairwise(self._merge_short(edges)):
            first = self._units[begin]
            header, _ = below_header(first.header, self._ruler, self._longest)
            yield Span(start=first.start, end=self._units[end - 1].end, table_header=header)

    def _cuts(self) -> Iterator[int]:
        """Indices of the sentences that start a new chunk."""
        begin = 0
        for index in range(1, len(self._units)):
            if self._hard(begin, index) or self._subject_changes(begin, index):
                yield index
                begin = index
            while not self._fits(begin, index + 1):
                begin = self._widest(begin, index)
                yield begin

    def _hard(self, begin: int, index: int) -> bool:
        """Separators and headings cut, whatever the distance."""
        unit = self._units[index]
        if unit.forced or unit.kind != "heading":
            return unit.forced
        if self._only_headings(begin, index):
            return False
        return unit.depth < self._units[begin].depth or self._size(begin, index) >= self._shortest

    def _subject_changes(self, begin: int, index: int) -> bool:
        wide = self._widths[index - 1] >= self._threshold and self._units[index - 1].kind != "heading"
        return bool(wide) and self._size(begin, index) >= self._shortest

    def _widest(self, begin: int, index: int) -> int:
        """Where to cut a chunk that the sentence at `index` makes too long."""
        fair = [
            cut
            for cut in range(begin + 1, index + 1)
            if self._units[cut - 1].kind != "heading" and self._size(begin, cut) >= self._shortest
        ]
        return max(fair, key=lambda cut: self._widths[cut - 1], default=index)

    def _merge_short(self, edges: list[int]) -> list[int]:
        """Takes back soft cuts that left a chunk too short."""
        kept = edges[:1]
        for cut, end in pairwise(edges[1:]):
            begin = kept[-1]
            short = min(self._size(begin, cut), self._size(cut, end)) < self._shortest
            soft = not self._hard(begin, cut) and self._fits(begin, end)
            if not (short and soft):
                kept.append(cut)
        return [*kept, *edges[-1:]] if len(edges) > 1 else kept

    def _only_headings(self, begin: int, end: int) -> bool:
        return all(unit.kind == "heading" for unit in self._units[begin:end])

    def _size(self, begin: int, end: int) -> int:
        return self._ruler.size(self._units[begin].start, self._units[end - 1].end)

    def _fits(self, begin: int, end: int) -> bool:
        _, room = below_header(self._units[begin].header, self._ruler, self._longest)
        return self._size(begin, end) <= room
