"""Quotations as the pieces of an answer: each under its place, word for word, with what it stands on."""

import re
from collections.abc import Mapping
from functools import cache

from veraz.answer.quoting.choose import Quotation
from veraz.answer.quoting.columns import asked_columns, empty_columns
from veraz.answer.quoting.rank import Asked
from veraz.answer.quoting.read import Reading
from veraz.answer.quoting.units import Unit
from veraz.answer.wording import headings, listed, phrases
from veraz.answer.writer import Task
from veraz.providers.embedding.base import Vectors
from veraz.text.languages import CODES, table
from veraz.text.plain import plain
from veraz.text.sentences import sentences
from veraz.text.words import lexemes
from veraz.verify.claims import Piece
from veraz.verify.model import Checked, Proof, Quote

_LONGEST = 90
"""Words of a quotation; of a longer unit the sentences around the best one are quoted."""
_SECTIONS = ("steps", "never", "alerts")


def quotation_pieces(task: Task, reading: Reading) -> list[Checked]:
    """The answer: what it is, then one quotation to a line; in the evidence style under its headings."""
    if reading.asked is None:
        return []
    written = [
        (quotation, _pieces(task, reading.asked, quotation, reading.vectors))
        for quotation in reading.quotations
    ]
    said = phrases(task.persona.language)
    lost = [_note(said["not_found"].format(question=part), mark="") for part in reading.lost]
    if task.persona.style != "evidence":
        lead = Piece(kind="courtesy", text=said["quotes"], ends_line=True)
        return [Checked(piece=lead), *(piece for _, pieces in written for piece in pieces), *lost]
    titles = headings(task.persona.language)
    by_section: dict[int, list[Checked]] = {}
    for quotation, pieces in written:
        by_section.setdefault(_section(quotation), []).extend(pieces)
    blank = Checked(piece=Piece(kind="blank", text="", ends_line=True))
    shown = [
        piece
        for section, pieces in sorted(by_section.items())
        for piece in (_heading(titles[section]), *pieces, blank)
    ]
    return [*shown, *lost]


def _heading(title: str) -> Checked:
    return Checked(piece=Piece(kind="heading", text=f"## {title}", ends_line=True))


def _section(quotation: Quotation) -> int:
    """Facts, what to do, what not to do, warnings."""
    text = plain(quotation.units[0].text)
    found = [name for name in reversed(_SECTIONS) if _marks(name).search(text)]
    return _SECTIONS.index(found[0]) + 1 if found else 0


def _pieces(task: Task, asked: Asked, quotation: Quotation, vectors: Mapping[str, Vectors]) -> list[Checked]:
    first = quotation.units[0]
    place = " › ".join(_shown_place(first))
    if len(quotation.units) == 1:
        under = f"{place}: {first.introduction} " if first.introduction else f"{place}: "
        pieces = _line(task, first, asked, vectors, mark=f"- {under}")
    else:
        over = f"{place}: {first.introduction}".rstrip(": ") + ":"
        below = (_line(task, unit, asked, vectors, mark="  - ") for unit in quotation.units)
        pieces = [_note(over, mark="- "), *(piece for line in below for piece in line)]
    said = phrases(task.persona.language)
    if quotation.more:
        pieces.append(_note(said["more"].format(count=quotation.more), mark="  "))
    if quotation.over_all and first.partial and task.may_search:
        pieces.append(_note(said["partly"], mark="  "))
    return pieces


def _line(
    task: Task, unit: Unit, asked: Asked, vectors: Mapping[str, Vectors], *, mark: str
) -> list[Checked]:
    """A unit, and which of the columns asked for are empty in it."""
    quoted = _piece(task, unit, _said(unit, asked, vectors), mark=mark)
    empty = empty_columns(unit, asked) if unit.kind == "table_row" else []
    columns = listed([f"«{name}»" for name in empty], task.persona.language)
    told = phrases(task.persona.language)["empty"].format(columns=columns)
    return [quoted, _note(told, mark="    ")] if empty else [quoted]


def _note(text: str, *, mark: str) -> Checked:
    return Checked(piece=Piece(kind="courtesy", text=text, mark=mark, ends_line=True))


def _shown_place(unit: Unit) -> list[str]:
    """Document and headings, each without what the one before has said already."""
    shown: list[str] = []
    for part in (*unit.titles[:1], *unit.path):
        if not shown or plain(part) not in plain(shown[-1]):
            shown.append(part)
    return shown


def _said(unit: Unit, asked: Asked, vectors: Mapping[str, Vectors]) -> str:
    """A row with the columns asked for, a paragraph as far as it is not too long."""
    if unit.kind == "table_row" and unit.cells:
        pairs = asked_columns(unit, asked, vectors)
        return "; ".join(f"{name}: {value}" if name else value for name, value in pairs)
    return unit.text if len(unit.text.split()) <= _LONGEST else _around_best(unit.text, asked)


def _around_best(text: str, asked: Asked) -> str:
    """The sentences around the one that has most of the question's words."""
    every = sentences(text)
    stems = frozenset(asked.stems)
    scores = [len(stems & frozenset(lexemes(sentence, asked.parsed.language))) for sentence in every]
    first = last = scores.index(max(scores))
    words = len(every[first].split())
    while True:
        after = len(every[last + 1].split()) if last + 1 < len(every) else _LONGEST
        before = len(every[first - 1].split()) if first else _LONGEST
        if words + min(after, before) > _LONGEST:
            return " ".join(every[first : last + 1])
        if after <= _LONGEST - words:
            last, words = last + 1, words + after
        else:
            first, words = first - 1, words + before


def _piece(task: Task, unit: Unit, said: str, *, mark: str) -> Checked:
    source = task.sources[unit.number - 1]
    quote = Quote(
        number=source.number,
        chunk_id=source.chunk_id,
        text=source.text[unit.start : unit.end],
        start=unit.start,
        end=unit.end,
    )
    piece = Piece(kind="claim", text=f"«{said}»", cited=(source.number,), mark=mark, ends_line=True)
    return Checked(piece=piece, proof=Proof(verdict="quoted", quotes=(quote,)))


@cache
def _marks(name: str) -> "re.Pattern[str]":
    """How a sentence says what to do, what not to, or warns; in all languages."""
    listed = (phrase.strip() for code in CODES for phrase in table(code)["instructions"][name].split("|"))
    return re.compile("|".join(rf"\b{phrase}\b" for phrase in listed if phrase))
