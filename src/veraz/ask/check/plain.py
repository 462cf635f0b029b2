"""A text without what does not matter when facts are compared."""

import re
import unicodedata

_MARKS = re.compile("[\u0300-\u036f]+")
_WORD = re.compile(r"[^\W_]+(?:[-/._’'&+@][^\W_]+)*")


def plain(text: str) -> str:
    """Lower case, no accents, compatibility forms unfolded, blanks as single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    stripped = _MARKS.sub("", unicodedata.normalize("NFKD", text)).replace("ª", "a").replace("º", "o")
    return " ".join(stripped.lower().split())


def plain_words(text: str) -> list[str]:
    """The words of a text in that form; joined words stay whole."""
    return _WORD.findall(plain(text))
