"""What Word's styles and numbering mean: heading levels, list items and the labels in front of them."""

import re
from dataclasses import dataclass

from veraz import errors
from veraz.ingest.parse.docx_run import HiddenText, Paragraph, W, is_on, number_of, numbering_of
from veraz.ingest.parse.ooxml import Element, Package

_HEADING_NAME = re.compile(
    r"^(?:heading|t[íi]tulo|encabezado|titre|überschrift|titolo|rubrik|kop)\s*(\d)\b", re.IGNORECASE
)
_TITLE_NAMES = frozenset({"title", "título", "titulo", "titre", "titel", "titolo"})
_PLACE = re.compile(r"%(\d)")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_CHAIN_MAX = 12


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    outline: int | None
    based_on: str | None
    numbering: tuple[str, int] | None
    vanish: bool | None
    """Whether its text is hidden; None when it does not say."""


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    template: str
    start: int


class Styles:
    """Reads `styles.xml` and `numbering.xml`, and counts the numbered paragraphs as they come."""

    def __init__(self, package: Package, related: dict[str, str]) -> None:
        self._styles = _read_styles(package, related.get("styles"))
        self._lists = _read_numbering(package, related.get("numbering"))
        self._counters: dict[str, list[int]] = {}
        self.hidden = HiddenText(frozenset(name for name in self._styles if name and self._vanishes(name)))

    def heading_level(self, paragraph: Paragraph) -> int | None:
        """0 for the title of all, 1 for a first-level heading; None for running text."""
        if paragraph.outline is not None:
            return paragraph.outline + 1 if paragraph.outline < 9 else None
        for style in self._chain(paragraph.style):
            if found := _HEADING_NAME.match(style.name):
                return int(found.group(1)) or 1
            if style.name.lower() in _TITLE_NAMES:
                return 0
            if style.outline is not None:
                return style.outline + 1 if style.outline < 9 else None
        return None

    def is_list_item(self, paragraph: Paragraph) -> bool:
        """Whether a paragraph has a bullet or a number in front of it."""
        found = self._numbering(paragraph)
        return found is not None and found[0] != "0"

    def depth(self, paragraph: Paragraph) -> int:
        """How deep a list item is nested."""
        found = self._numbering(paragraph)
        return found[1] if found else 0

    def label(self, paragraph: Paragraph) -> str:
        """The «4.2. » or «• » Word shows in front; empty for anything else. Counts as it goes."""
        found = self._numbering(paragraph)
        if found is None or found[0] not in self._lists:
            return ""
        abstract, levels = self._lists[found[0]]
        depth = min(found[1], 8)
        level = levels.get(depth)
        if level is None or level.format == "none":
            return ""
        if level.format == "bullet":
            return "• "
        counters = self._counters.setdefault(abstract, [0] * 9)
        counters[depth] = counters[depth] + 1 if counters[depth] else level.start
        counters[depth + 1 :] = [0] * (8 - depth)
        text = _PLACE.sub(lambda place: _shown(place, counters, levels), level.template)
        return f"{text} " if text.strip() else ""

    def _numbering(self, paragraph: Paragraph) -> tuple[str, int] | None:
        if paragraph.numbering is not None:
            return paragraph.numbering
        for style in self._chain(paragraph.style):
            if style.numbering is not None:
                return style.numbering
        return None

    def _vanishes(self, name: str) -> bool:
        return next((style.vanish for style in self._chain(name) if style.vanish is not None), False)

    def _chain(self, name: str | None) -> list[_Style]:
        """A style and those it is based on, however they loop."""
        chain: list[_Style] = []
        while name in self._styles and len(chain) < _CHAIN_MAX:
            chain.append(self._styles[name])
            name = chain[-1].based_on
        return chain


def _shown(place: re.Match[str], counters: list[int], levels: dict[int, _Level]) -> str:
    depth = int(place.group(1)) - 1
    level = levels.get(depth)
    return _number(counters[depth] or 1, level.format if level else "decimal") if 0 <= depth < 9 else ""


def _number(value: int, style: str) -> str:
    if style in ("lowerLetter", "upperLetter"):
        letters = chr(ord("a") + (value - 1) % 26) * min((value - 1) // 26 + 1, 5)
        return letters.upper() if style == "upperLetter" else letters
    if style in ("lowerRoman", "upperRoman"):
        return _roman(value).upper() if style == "upperRoman" else _roman(value)
    return f"{value:02d}" if style == "decimalZero" else str(value)


def _roman(value: int) -> str:
    text = ""
    for worth, letters in _ROMAN:
        times, value = divmod(min(value, 4999), worth)
        text += letters * times
    return text


def _read_styles(package: Package, name: str | None) -> dict[str | None, _Style]:
    root = _tree(package, name)
    if root is None:
        return {}
    return {
        style.get(f"{W}styleId"): _Style(
            name=_value(style, "name") or "",
            outline=number_of(style.find(f"{W}pPr/{W}outlineLvl")),
            based_on=_value(style, "basedOn"),
            numbering=_style_numbering(style),
            vanish=_switch(style.find(f"{W}rPr/{W}vanish")),
        )
        for style in root.iterfind(f"{W}style")
    }


def _read_numbering(package: Package, name: str | None) -> dict[str, tuple[str, dict[int, _Level]]]:
    root = _tree(package, name)
    if root is None:
        return {}
    abstracts = {
        abstract.get(f"{W}abstractNumId", ""): {
            int(level.get(f"{W}ilvl", "0")): _level(level)
            for level in abstract.iterfind(f"{W}lvl")
            if level.get(f"{W}ilvl", "0").isdigit()
        }
        for abstract in root.iterfind(f"{W}abstractNum")
    }
    lists: dict[str, tuple[str, dict[int, _Level]]] = {}
    for number in root.iterfind(f"{W}num"):
        abstract = _value(number, "abstractNumId") or ""
        # A list that restarts counts for itself; the others go on where their family stopped.
        own = number.find(f"{W}lvlOverride/{W}startOverride") is not None
        identity = number.get(f"{W}numId", "")
        lists[identity] = (f"num {identity}" if own else abstract, abstracts.get(abstract, {}))
    return lists


def _level(level: Element) -> _Level:
    start = number_of(level.find(f"{W}start"))
    return _Level(
        format=_value(level, "numFmt") or "decimal",
        template=_value(level, "lvlText") or "",
        start=1 if start is None else start,
    )


def _switch(element: Element | None) -> bool | None:
    return None if element is None else is_on(element)


def _style_numbering(style: Element) -> tuple[str, int] | None:
    properties = style.find(f"{W}pPr")
    return None if properties is None else numbering_of(properties)


def _tree(package: Package, name: str | None) -> Element | None:
    if not name or not package.has(name):
        return None
    try:
        return package.tree(name)
    except errors.Corrupt:
        return None  # without styles the text is still there


def _value(element: Element, name: str) -> str | None:
    child = element.find(f"{W}{name}")
    return None if child is None else child.get(f"{W}val")
