"""What was kept as a text again: citations where they belong, lists and headings without gaps."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from veraz.ask.check.claims import Piece
from veraz.ask.check.judge import Judgement

_END = re.compile(r"([.!?…:;]+[\"'»”)*_]*)$")
_NUMBERED = re.compile(r"^\s*\d{1,3}[.)]\s+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A piece that may be shown; without a judgement it claims nothing."""

    piece: Piece
    judgement: Judgement | None


def rebuild(kept: Sequence[Kept]) -> str:
    """The text of the pieces that were kept."""
    lines: list[str] = []
    current = ""
    for item in kept:
        if item.piece.kind in ("blank", "heading"):
            lines += [current, item.piece.text]
            current = ""
            continue
        current = (
            f"{current} {cite(item)}" if current and not item.piece.mark else _start(lines, current, item)
        )
        if item.piece.ends_line:
            lines.append(current)
            current = ""
    return _tidy([*lines, current])


def cite(item: Kept) -> str:
    """A sentence with `[Chunk n]` before its full stop."""
    text = item.piece.mark + item.piece.text
    if item.judgement is None:
        return text
    marks = "".join(f" [Chunk {number}]" for number in item.judgement.numbers)
    return _END.sub(lambda end: f"{marks}{end[1]}", text) if _END.search(text) else text + marks


def _start(lines: list[str], current: str, item: Kept) -> str:
    if current:
        lines.append(current)
    return cite(item)


def _tidy(lines: Iterable[str]) -> str:
    """No heading over nothing, no more than one blank line, lists numbered from one."""
    kept: list[str] = []
    for line in _without_empty_sections(list(lines)):
        if line.strip() or (kept and kept[-1]):
            kept.append(line.rstrip())
    return "\n".join(_renumbered(kept)).strip()


def _without_empty_sections(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for index, line in enumerate(lines):
        following = next((other for other in lines[index + 1 :] if other.strip()), "")
        if _is_heading(line) and (not following or _is_heading(following)):
            continue
        kept.append(line)
    return kept


def _is_heading(line: str) -> bool:
    return bool(re.match(r"\s*#{1,6}\s", line))


def _renumbered(lines: list[str]) -> list[str]:
    count, fresh = 0, []
    for line in lines:
        match = re.match(r"^(\s*)\d{1,3}([.)]\s+)", line)
        count = count + 1 if match else (count if not line.strip() else 0)
        fresh.append(f"{match[1]}{count}{match[2]}{line[match.end() :]}" if match else line)
    return fresh
