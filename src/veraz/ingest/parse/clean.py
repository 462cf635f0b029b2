"""Text hygiene: what every piece of text goes through before it is stored or shown."""

import re

from veraz.text.normal_forms import composed

# Deleted: controls but tab and newline, soft hyphen, zero-width and direction marks (invisible to a
# reader, so nothing may hide behind them), byte-order marks, noncharacters, invisible tag characters.
_DELETE = (
    r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb"
    r"\ufffe\uffff\U000e0000-\U000e007f"
)
_DELETED = re.compile(f"[{_DELETE}]")
_NEWLINES = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile("[\u00a0\u2007\u202f\u2000-\u2006\u2008-\u200a\u205f\u3000]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SYMBOL_BULLETS = re.compile("[\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0a8]")
_SUSPECT = re.compile(
    f"[{_DELETE}\r\x0b\x0c\x85\u2028\u2029\u00a0\u2000-\u200a\u202f\u205f\u3000\ud800-\udfff\uf076-\uf0fc]"
)


def clean(text: str) -> str:
    """Composed (NFC) text without anything a reader cannot see, with plain newlines and spaces."""
    if _SUSPECT.search(text):
        text = _SURROGATES.sub("", _joined_surrogates(text))
        text = _NEWLINES.sub("\n", text)
        text = _SYMBOL_BULLETS.sub("•", _SPACES.sub(" ", _DELETED.sub("", text)))
    return composed(text)


def one_line(text: str) -> str:
    """Clean text with every run of white space as one space."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())  # nothing to clean: most cells of most tables
    return " ".join(clean(text).split())


def tidy(text: str) -> str:
    """Clean text without blank edges, trailing blanks or runs of blanks inside its lines."""
    lines = (" ".join(line.split()) for line in clean(text).split("\n"))
    return "\n".join(line for line in lines if line)


def _joined_surrogates(text: str) -> str:
    if not _SURROGATES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
