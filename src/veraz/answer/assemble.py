"""Proven pieces as a text that only grows: citations where they belong, no heading over nothing, lists numbered anew.

What was given out is final. Headings, blank lines and courtesies wait until a claim behind them has been proven.
"""

import re
from collections.abc import Sequence

from veraz.verify.claims import Piece, says_it_is_missing
from veraz.verify.model import Checked

_END = re.compile(r"([.!?…:;]+[\"'»”)*_]*)$")
_NUMBERED = re.compile(r"^(\s*)\d{1,3}([.)]\s+)$")
_LINE_END = Piece(kind="blank", text="")
"""The end of a line whose last sentence was held back."""


class Assembly:
    """The text of an answer while it is being proven."""

    def __init__(self, notes: Sequence[str] = ()) -> None:
        self.text = ""
        self._waiting: list[tuple[Piece, str]] = []
        """What claims nothing of its own, until something behind it is proven."""
        self._line_over, self._gap = True, False
        self._count = 0
        self._notes = notes

    def add(self, checked: Sequence[Checked]) -> str:
        """The words these pieces add."""
        return "".join(map(self._one, checked))

    def close(self) -> str:
        """What may still stand at the end: a courtesy or an admission, never a heading."""
        rest = [(piece, text) for piece, text in self._waiting if piece.kind != "heading"]
        self._waiting = []
        spoken = any(piece.kind != "blank" for piece, _ in rest)
        return "".join(self._put(piece, text) for piece, text in rest) if self.text and spoken else ""

    def _one(self, checked: Checked) -> str:
        if checked.proof is None or says_it_is_missing(checked.piece.text):
            self._waiting += self._kept(checked)
            return ""
        waiting, self._waiting = self._waiting, []
        before = "".join(self._put(piece, text) for piece, text in _useful(waiting))
        return before + self._put(checked.piece, self._cited(checked))

    def _kept(self, checked: Checked) -> list[tuple[Piece, str]]:
        if checked.held_back is None:
            return [(checked.piece, self._cited(checked))]
        return [(_LINE_END, "")] if checked.piece.ends_line else []

    def _put(self, piece: Piece, text: str) -> str:
        """A piece behind what stands there already."""
        if piece.kind == "blank":
            self._gap = self._gap or (self._line_over and piece.ends_line)
            self._line_over = True
            return ""
        starts = self._line_over or bool(piece.mark) or piece.kind == "heading"
        added = f"{self._between(starts=starts)}{self._marked(piece, starts=starts)}{text}"
        self._line_over, self._gap = piece.ends_line, False
        self.text += added
        return added

    def _between(self, *, starts: bool) -> str:
        if not self.text:
            return ""
        return ("\n\n" if self._gap else "\n") if starts else " "

    def _marked(self, piece: Piece, *, starts: bool) -> str:
        numbered = _NUMBERED.match(piece.mark)
        if numbered:
            self._count += 1
            return f"{numbered[1]}{self._count}{numbered[2]}"
        self._count = 0 if starts else self._count
        return piece.mark

    def _cited(self, checked: Checked) -> str:
        """A sentence with `[Chunk n]`, and its source where the style wants it, before its full stop."""
        text, numbers = checked.piece.text, checked.proof.numbers if checked.proof else ()
        if checked.piece.kind == "heading" or not numbers:
            return text
        notes = dict.fromkeys(self._notes[n - 1] for n in numbers if 0 < n <= len(self._notes))
        marks = "".join(f" {note}" for note in notes if note) + "".join(f" [Chunk {n}]" for n in numbers)
        within = _END.search(text) and not text.startswith("«")  # a quotation is marked behind its last sign
        return _END.sub(lambda end: f"{marks}{end[1]}", text) if within else text + marks


def _useful(waiting: Sequence[tuple[Piece, str]]) -> list[tuple[Piece, str]]:
    """Of headings in a row only the last stands over something."""
    kept: list[tuple[Piece, str]] = []
    for index, (piece, text) in enumerate(waiting):
        following = [other for other, _ in waiting[index + 1 :] if other.kind != "blank"]
        if piece.kind == "heading" and following and following[0].kind == "heading":
            continue
        kept.append((piece, text))
    return kept
