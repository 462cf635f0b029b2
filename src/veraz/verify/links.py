"""No image, no HTML and no address that does not stand word for word in the evidence."""

import re
from collections.abc import Iterable

_IMAGE = re.compile(r"!\[[^\[\]]*+\](?:\([^)]*+\)?|\[[^\[\]]*+\])")
_LINK = re.compile(r"\[([^\[\]]*+)\]\(\s*+<?([^)\s>]*+)>?[^)]*+\)?")
_REFERENCE = re.compile(r"^[ \t]*+\[[^\[\]]++\]:[ \t]*+\S.*$", re.MULTILINE)
_TAG = re.compile(r"<(?!\s)/?[a-zA-Z!][^>]*>?")
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp|file|data|javascript|mailto):(?://)?|//(?=\w)|www\.)[^\s<>()\[\]\"'«»]+"
    r"|(?<![\w@.-])(?:[a-z0-9-]+\.)+(?:com|net|org|info|biz|xyz|online|site|shop|app|dev|io|me|tv|ly|example)\b[^\s<>()\[\]\"'«»]*",
    re.IGNORECASE,
)


def may_hold_links(text: str) -> bool:
    """Whether there is anything to look for; most sentences hold neither an address nor a tag."""
    lowered = text.lower()
    return any(sign in lowered for sign in ("](", "][", "]:", "<", ":", "//", "www.")) or bool(
        _ADDRESS.search(lowered)
    )


def without_strange_links(text: str, evidence: Iterable[str]) -> str:
    """The text with images and tags gone, links as plain text, unknown addresses removed."""
    known = "\n".join(evidence)
    text = _TAG.sub("", _REFERENCE.sub("", _IMAGE.sub("", text)))
    text = _LINK.sub(lambda match: _unfolded(match[1], match[2], known), text)
    return _ADDRESS.sub(lambda match: match[0] if _stands(match[0], known) else "", text)


def _unfolded(label: str, address: str, known: str) -> str:
    if not _stands(address, known) or address in label:
        return label
    return f"{label} ({address})" if label else address


def _stands(address: str, known: str) -> bool:
    """As a whole, not as the beginning of a longer one to which something was added."""
    bare = address.rstrip(".,;:!?")
    return bool(bare) and re.search(rf"(?<![\w/]){re.escape(bare)}(?![\w/?&=%#-])", known) is not None
