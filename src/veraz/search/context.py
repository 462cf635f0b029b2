"""The evidence as the text a model reads: documents by name, under a budget of tokens, whole sentences only."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from veraz.library.model import KbKind
from veraz.search.model import Context, Hit
from veraz.text.sentences import sentence_spans
from veraz.text.tokens import count_tokens

_TITLES: dict[KbKind, str] = {"global": "[CORPUS GLOBAL]", "personal": "[CORPUS PERSONAL]"}
_LEAST = 20
"""Tokens under which no sentence with its document's name is worth looking for."""
_ROUNDING = 4
"""Tokens do not add up exactly where two texts meet."""


NO_CONTEXT = Context(text="", used=(), left_out=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """Neighbouring passages of one document as one text."""

    hits: tuple[Hit, ...]
    text: str

    def render(self, text: str) -> str:
        """«Name (p. 3): "text"», or «Name (pp. 3–4): …»."""
        passage, last = self.hits[0].passage, self.hits[-1].passage
        first, end = passage.page_number, last.pages[1] if last.pages else last.page_number
        pages = f" (p. {first})" if first == end else f" (pp. {first}–{end})"
        return f'{passage.document_name}{pages if first and end else ""}: "{text}"'


def build_context(hits: Sequence[Hit], limit: int) -> Context:
    """The best passages that stay under `limit` tokens, counted exactly."""
    blocks: dict[KbKind, list[str]] = {"global": [], "personal": []}
    used: list[Hit] = []
    spent = 0
    for stretch in _stretches(hits):
        kind = stretch.hits[0].passage.kind
        title = 0 if blocks[kind] else count_tokens(_TITLES[kind]) + _ROUNDING
        block, size = _fitting(stretch, limit - spent - title)
        if block:
            blocks[kind].append(block)
            spent += title + size
            used += stretch.hits
    return Context(text=_render(blocks), used=tuple(used), left_out=tuple(h for h in hits if h not in used))


def _stretches(hits: Sequence[Hit]) -> list[_Stretch]:
    """Passages that follow each other in a document joined, in the order of their best."""
    groups: list[list[Hit]] = []
    for hit in hits:
        near = [group for group in groups if any(_adjoin(hit, other) for other in group)]
        joined = [other for group in near for other in group] + [hit]
        if near:
            groups[groups.index(near[0])] = joined
            groups = [group for group in groups if group not in near[1:]]
        else:
            groups.append(joined)
    return [_stretch(group) for group in groups]


def _adjoin(a: Hit, b: Hit) -> bool:
    return (
        a.passage.document_id == b.passage.document_id
        and a.passage.edition_id == b.passage.edition_id
        and abs(a.passage.ordinal - b.passage.ordinal) == 1
        and a.passage.part == b.passage.part
    )


def _stretch(group: Iterable[Hit]) -> _Stretch:
    hits = tuple(sorted(group, key=lambda hit: hit.passage.ordinal))
    text = hits[0].passage.content
    for before, after in pairwise(hits):
        text = _join(text, after.passage.content, before.passage.end_char - after.passage.start_char)
    return _Stretch(hits=hits, text=text)


def _join(before: str, after: str, overlap: int) -> str:
    """Two texts, without repeating what both hold where they overlap."""
    if overlap > 0 and before.endswith(after[:overlap]):
        return before + after[overlap:]
    return f"{before}\n{after}"


def _fitting(stretch: _Stretch, room: int) -> tuple[str, int]:
    """As many whole sentences as there is room for, with their tokens; nothing when not even one fits."""
    if room < _LEAST:
        return "", 0
    whole = stretch.render(stretch.text)
    if (size := _whole_size(stretch, whole)) < room:
        return whole, size
    ends = [end for _, end in sentence_spans(stretch.text)]
    fits = bisect_left(ends, room, key=lambda end: _size(stretch, end))
    return (
        (stretch.render(stretch.text[: ends[fits - 1]]), _size(stretch, ends[fits - 1])) if fits else ("", 0)
    )


def _whole_size(stretch: _Stretch, whole: str) -> int:
    """A passage's own tokens were counted when it was stored."""
    if len(stretch.hits) > 1:
        return count_tokens(whole) + _ROUNDING
    return stretch.hits[0].passage.tokens + count_tokens(stretch.render("")) + _ROUNDING


def _size(stretch: _Stretch, end: int) -> int:
    return count_tokens(stretch.render(stretch.text[:end])) + _ROUNDING


def _render(blocks: dict[KbKind, list[str]]) -> str:
    return "\n\n".join("\n".join([_TITLES[kind], *texts]) for kind, texts in blocks.items() if texts)
