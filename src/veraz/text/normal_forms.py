"""Unicode's normal forms of text that anybody may have written, in linear time.

A run of combining marks is brought into order by comparing each with those before it: 40,000 of them take a second. No
writing puts more than thirty on a letter (Unicode Standard Annex 15), so the rest of a run is left out.
"""

import re
import unicodedata
from typing import Final

MOST_MARKS: Final = 30
_FIRST_RARE: Final = "\U000101fd"
_LAST_MARK: Final = "\U0001e94a"
"""Of the marks beyond the basic plane."""
_HIDDEN_MARKS: Final = "\u0f73\u0f75\u0f81\uff9e\uff9f"
"""Signs that become marks when they are taken apart."""


def composed(text: str) -> str:
    """NFC: letters with their accents as one sign."""
    return text if text.isascii() else unicodedata.normalize("NFC", _bounded(text))


def taken_apart(text: str) -> str:
    """NFKD: letters, then their accents; compatibility forms unfolded."""
    return text if text.isascii() else unicodedata.normalize("NFKD", _bounded(text))


def _bounded(text: str) -> str:
    if len(text) <= MOST_MARKS or not _MAY_BE.search(text):
        return text
    return _TOO_MANY.sub(lambda run: run[0][:MOST_MARKS], text)


def _marks() -> str:
    found = (sign for sign in map(chr, range(0x300, ord(_LAST_MARK) + 1)) if unicodedata.combining(sign))
    return "".join(found) + _HIDDEN_MARKS


_TOO_MANY: Final = re.compile(f"[{_marks()}]{{{MOST_MARKS + 1},}}")
_BASIC: Final = "".join(sign for sign in _marks() if sign <= "\uffff")
_LIKELY: Final = f"[{_BASIC}{_FIRST_RARE}-{_LAST_MARK}]"
_MAY_BE: Final = re.compile(f"{_LIKELY}{_LIKELY}{{{MOST_MARKS}}}")
"""The same and some letters of rare scripts: a set that is looked up a hundred times as fast, its first sign faster still."""
