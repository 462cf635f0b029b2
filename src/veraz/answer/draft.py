"""A draft as it arrives: cut into pieces as soon as a sentence is whole, or read as the wish for another search."""

import re

from veraz.text.citations import CITATION
from veraz.text.injection import visible
from veraz.text.sentences import sentence_spans
from veraz.verify.claims import Piece, pieces_of

_SEARCH = re.compile(r"^\s*(?:BUSCAR|BUSCA|SEARCH)\s*:\s*(?P<query>\S.{0,300})", re.IGNORECASE)
_MAY_BE_SEARCH = re.compile(
    r"^\s*(?:B|BU|BUS|BUSC|BUSCAR?|S|SE|SEA|SEAR|SEARC|SEARCH)?\s*:?\s*$", re.IGNORECASE
)


class Draft:
    """Collects what a model writes and gives it out in whole pieces; changes as text arrives."""

    def __init__(self, known: frozenset[str] = frozenset()) -> None:
        self._known = known
        self._waiting = ""
        self._mid_line = False
        self.text = ""

    def feed(self, delta: str) -> list[Piece]:
        """More text in, the pieces that are whole now out."""
        delta = visible(delta.encode("utf-8", "ignore").decode()).replace("\0", "")
        self.text += delta
        self._waiting += delta
        if self.wish is not None or _MAY_BE_SEARCH.match(self.text):
            return []
        return self._take(_whole(self._waiting))

    def close(self) -> list[Piece]:
        """What is left at the end."""
        return [] if self.wish is not None else self._take(len(self._waiting), at_end=True)

    @property
    def wish(self) -> str | None:
        """What the model wants to be looked for before it answers."""
        found = _SEARCH.match(self.text)
        return found["query"].strip() if found else None

    def _take(self, end: int, *, at_end: bool = False) -> list[Piece]:
        text, self._waiting = self._waiting[:end], self._waiting[end:]
        if not text:
            return []
        ends_line = at_end or text.endswith("\n")
        lines = text.removesuffix("\n") if text.endswith("\n") else text
        pieces = pieces_of(lines, known=self._known, continues=self._mid_line, ends_line=ends_line)
        self._mid_line = not ends_line
        return pieces


def _whole(text: str) -> int:
    """Where the last whole sentence ends: at a line break, or where another sentence has begun that is no citation."""
    line = text.rfind("\n") + 1
    spans = sentence_spans(text, line)
    for start, _ in reversed(spans[1:]):
        if not CITATION.match(text, start) and text[start] not in "[(【":
            return start
    return line
