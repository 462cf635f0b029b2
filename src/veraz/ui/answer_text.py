"""An answer as HTML: Markdown without anything that acts or calls home, its claims marked with what proves them."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

import markdown2  # type: ignore[import-untyped]
import nh3

from veraz.answer.model import Claim
from veraz.text.citations import CITATION

_TAGS: Final = {
    "a", "b", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "hr", "i", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_OPEN, _MIDDLE, _CLOSE = "\ue000", "\ue001", "\ue002"
"""Private characters that no rendering touches; they become the claims' marks after everything else was cleaned."""
_MARK = re.compile(f"{_OPEN}(\\d+){_MIDDLE}(.*?){_CLOSE}", re.DOTALL)
_PRIVATE = re.compile("[\ue000-\uf8ff]")


def answer_html(text: str, claims: Sequence[Claim], numbers: Mapping[UUID, int], *, anchor: str) -> str:
    """The answer; each claim can be pointed at and names the passages `anchor-<number>` that prove it."""
    marked = _PRIVATE.sub("", text)
    for index, claim in enumerate(claims):
        marked = _marked(marked, index, claim.text)
    plain = CITATION.sub("", marked)
    clean = nh3.clean(
        markdown2.markdown(
            plain, extras=["tables", "fenced-code-blocks", "cuddled-lists"], safe_mode="escape"
        ),
        tags=_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
    )
    return _MARK.sub(lambda found: _claim(found, claims, numbers, anchor), clean)


_CITED = CITATION.pattern.replace("?P<numbers>", "?:").replace("?P<bare>", "?:")
_GAP = rf"(?:\s|\*|_|{_CITED})+"
_END = rf"(?:\*|_|{_CITED})*[.!?…]*"


def _marked(text: str, index: int, claim: str) -> str:
    """The first place where the claim stands, with its citations, between the private characters."""
    words = [re.escape(word) for word in CITATION.sub(" ", claim).strip(" .!?…").split()]
    if not words:
        return text
    found = re.search(_GAP.join(words) + _END, text, re.IGNORECASE)
    if found is None or _OPEN in found.group() or "\n\n" in found.group():
        return text
    return f"{text[: found.start()]}{_OPEN}{index}{_MIDDLE}{found.group()}{_CLOSE}{text[found.end() :]}"


def _claim(found: "re.Match[str]", claims: Sequence[Claim], numbers: Mapping[UUID, int], anchor: str) -> str:
    claim = claims[int(found.group(1))]
    cited = sorted({numbers[one] for one in claim.chunk_ids if one in numbers})
    targets = " ".join(f"{anchor}-{number}" for number in cited)
    marks = "".join(f"<sup>{number}</sup>" for number in cited)
    return f'<span class="claim" tabindex="0" data-proof="{targets}">{found.group(2)}{marks}</span>'


def with_sources(text: str, names: Mapping[int, str]) -> str:
    """The answer as plain text with its sources below, to be pasted elsewhere."""
    listed = "\n".join(f"[{number}] {name}" for number, name in sorted(names.items()))
    return f"{text}\n\n{listed}" if listed else text
