"""Proven pieces as a text that only grows: citations where they belong, no heading over nothing, lists numbered anew.

What was given out is final. Headings, blank lines and courtesies wait until a claim behind them has been proven.
"""

import re
from collections.abc import Sequence

from veraz.verify.claims import Piece
from veraz.verify.model import Checked

_END = re.compile(r"([.!?…:;]+[\"'»”)*_]*)$")
_NUMBERED = re.compile(r"^(\s*)\d{1,3}([.)]\s+)$")


class Assembly:
    """The text of an answer while it is being proven."""

    def __init__(self, notes: Sequence[str] = ()) -> None:
        self.text = ""
        self._waiting: list[Piece] = []
        self._at_line_start = True
        self._count = 0
        self._notes = notes

    def add(self, checked: Sequence[Checked]) -> str:
        """The words these pieces add."""
        return "".join(self._one(one) for one in checked if one.held_back is None)

    def close(self) -> str:
        """What may still stand at the end: a courtesy or an admission, never a heading."""
        rest = [piece for piece in self._waiting if piece.kind in ("courtesy", "refusal")]
        self._waiting = []
        return "".join(self._put(piece, piece.text) for piece in rest) if self.text else ""

    def _one(self, checked: Checked) -> str:
        piece = checked.piece
        if checked.proof is None:
            self._waiting.append(piece)
            return ""
        waiting, self._waiting = self._waiting, []
        before = "".join(self._put(other, other.text) for other in _useful(waiting))
        return before + self._put(piece, self._cited(checked))

    def _put(self, piece: Piece, text: str) -> str:
        """A piece behind what stands there already."""
        if piece.kind == "blank" and not text:
            added = "\n" if self.text and not self.text.endswith("\n\n") else ""
            self._at_line_start = True
        else:
            starts_line = self._at_line_start or piece.mark or piece.kind == "heading"
            gap = ("" if not self.text or self.text.endswith("\n") else "\n") if starts_line else " "
            added = f"{gap}{self._marked(piece)}{text}"
            self._at_line_start = piece.ends_line
        self.text += added
        return added

    def _marked(self, piece: Piece) -> str:
        numbered = _NUMBERED.match(piece.mark)
        self._count = (
            self._count + 1
            if numbered
            else (self._count if not piece.mark and piece.kind != "heading" else 0)
        )
        return f"{numbered[1]}{self._count}{numbered[2]}" if numbered else piece.mark

    def _cited(self, checked: Checked) -> str:
        """A sentence with `[Chunk n]`, and its source where the style wants it, before its full stop."""
        text, numbers = checked.piece.text, checked.proof.numbers if checked.proof else ()
        notes = dict.fromkeys(self._notes[n - 1] for n in numbers if 0 < n <= len(self._notes))
        marks = "".join(f" {note}" for note in notes if note) + "".join(f" [Chunk {n}]" for n in numbers)
        return _END.sub(lambda end: f"{marks}{end[1]}", text) if _END.search(text) else text + marks


def _useful(waiting: Sequence[Piece]) -> list[Piece]:
    """Of headings in a row only the last stands over something; blank lines are kept as one."""
    kept: list[Piece] = []
    for index, piece in enumerate(waiting):
        following = [other for other in waiting[index + 1 :] if other.kind != "blank"]
        if piece.kind == "heading" and following and following[0].kind == "heading":
            continue
        kept.append(piece)
    return kept
