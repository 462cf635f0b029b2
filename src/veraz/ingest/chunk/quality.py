"""How much a chunk looks like text worth finding, 0 … 100; ranking may use it, people may overrule it.

From 100 are taken: up to 40 for being very short, up to 40 for having few letters, up to 40 for lines
that the document repeats again and again (running heads), and up to 30 for boilerplate: legal notices,
cookies, page counters, rows of dots as in a table of contents.
"""

import re
from collections import Counter

_SHORT = 120
_FEW_LETTERS = 0.6
_REPEATED = 3
_ASCII_NOT_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_ASCII_BLANKS = b" \t\n\r\x0b\x0c"
_BOILERPLATE = (
    "todos los derechos reservados", "all rights reserved", "política de cookies", "política de privacidad",
    "cookie policy", "privacy policy", "aviso legal", "usamos cookies", "aceptar cookies", "accept cookies",
    "lorem ipsum", "copyright ©", "......", ". . . . .",
)  # fmt: skip
_PAGE_COUNTER = re.compile(r"pág(?:ina|\.)? \d+ de \d+|page \d+ of \d+")


def repeated_lines(text: str) -> frozenset[str]:
    """Lines that stand in the document so often that they are no content."""
    counts = Counter(line.strip() for line in text.split("\n"))
    return frozenset(line for line, count in counts.items() if count >= _REPEATED and len(line) > 2)


def quality(content: str, folded: str, repeated: frozenset[str]) -> int:
    """The score of one chunk, also given in lower case with single blanks, in a document with these lines."""
    penalty = 40.0 * max(0.0, 1 - len(content) / _SHORT)
    penalty += 40.0 * max(0.0, 1 - _share_of_letters(content) / _FEW_LETTERS)
    penalty += 40.0 * _share_repeated(content, repeated) if repeated else 0.0
    penalty += min(30, 15 * _boilerplate(folded))
    return max(0, round(100 - penalty))


def _boilerplate(folded: str) -> int:
    found = sum(phrase in folded for phrase in _BOILERPLATE)
    return found + (_PAGE_COUNTER.search(folded) is not None)


def _share_of_letters(content: str) -> float:
    # bytes are an order of magnitude faster than characters; beyond ASCII everything counts as a letter
    raw = content.encode()
    visible = len(raw.translate(None, _ASCII_BLANKS))
    return len(raw.translate(None, _ASCII_NOT_LETTERS)) / visible if visible else 0.0


def _share_repeated(content: str, repeated: frozenset[str]) -> float:
    lines = [line.strip() for line in content.split("\n")]
    return sum(line in repeated for line in lines) / len(lines)
