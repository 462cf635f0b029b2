"""An answer as HTML or plain text: Markdown without anything that acts or calls home, its claims numbered by what proves them."""

import html
import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

import markdown2  # type: ignore[import-untyped]
import nh3

from veraz.text.citations import CITATION, places_of

_TAGS: Final = {
    "a", "b", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "hr", "i", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_EXTRAS: Final = {
    "tables": None,
    "fenced-code-blocks": None,
    "cuddled-lists": None,
    "middle-word-em": False,  # the column lunes_a_viernes is no emphasis
}
_OPEN, _MIDDLE, _CLOSE = "\ue000", "\ue001", "\ue002"
"""Private characters that no rendering touches; they become the claims' marks after everything else was cleaned."""
_MARK = re.compile(f"{_OPEN}(\\d+){_MIDDLE}(.*?){_CLOSE}", re.DOTALL)
_PRIVATE = re.compile("[\ue000-\uf8ff]")

_SIGNS: Final = {ord(sign): chr(0xE100 + ord(sign)) for sign in "\\`*_{}[]()<>~|#!"}
"""What means something in Markdown → a private character that does not, for words that are quoted."""
_WRITTEN: Final = {ord(hidden): html.escape(chr(sign)) for sign, hidden in _SIGNS.items()}

NumberedClaim = tuple[str, tuple[int, ...]]
"""A claim's text, and the numbers of the proofs it stands on, from 1."""


def answer_html(text: str, claims: Sequence[NumberedClaim], verbatim: Collection[int] = ()) -> str:
    """The answer; each claim that has proofs can be pointed at and opened, by the number of its first proof.

    Of those that are `verbatim`, by their index, every sign is shown as it is written: they quote a document.
    """
    clean = nh3.clean(
        markdown2.markdown(
            _as_written(CITATION.sub("", _marked(text, claims)), verbatim),
            extras=_EXTRAS,
            safe_mode="escape",
        ),
        tags=_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
    )
    return _with_marks(clean.translate(_WRITTEN), claims, _claim_html)


def with_sources(text: str, claims: Sequence[NumberedClaim], sources: Sequence[str]) -> str:
    """The answer as plain text with its sources below, to be pasted elsewhere."""
    plain = _with_marks(CITATION.sub("", _marked(text, claims)), claims, _claim_text)
    listed = "\n".join(f"[{number}] {source}" for number, source in enumerate(sources, start=1))
    return f"{plain.strip()}\n\n{listed}" if listed else plain.strip()


def _as_written(marked: str, verbatim: Collection[int]) -> str:
    """Hides the signs of quotations from Markdown."""

    def hidden(found: re.Match[str]) -> str:
        index, words = found.groups()
        return (
            found.group()
            if int(index) not in verbatim
            else f"{_OPEN}{index}{_MIDDLE}{words.translate(_SIGNS)}{_CLOSE}"
        )

    return _MARK.sub(hidden, marked)


def _marked(text: str, claims: Sequence[NumberedClaim]) -> str:
    marked = _PRIVATE.sub("", text)
    for index, (claim, _) in enumerate(claims):
        marked = _mark_one(marked, index, claim)
    return marked


def _mark_one(text: str, index: int, claim: str) -> str:
    """The first place where the claim stands, with its citations, between the private characters."""
    found = next(places_of(claim, text), None)
    if found is None or _OPEN in found.group() or "\n\n" in found.group():
        return text
    return f"{text[: found.start()]}{_OPEN}{index}{_MIDDLE}{found.group()}{_CLOSE}{text[found.end() :]}"


def _with_marks(
    text: str, claims: Sequence[NumberedClaim], shown: Callable[[str, tuple[int, ...]], str]
) -> str:
    return _MARK.sub(lambda found: shown(found.group(2), claims[int(found.group(1))][1]), text)


def _claim_html(text: str, numbers: tuple[int, ...]) -> str:
    if not numbers:
        return text
    marks = "".join(f'<sup data-proof="{number}">{number}</sup>' for number in numbers)
    return f'<span class="claim" role="button" tabindex="0" data-proof="{numbers[0]}">{text}{marks}</span>'


def _claim_text(text: str, numbers: tuple[int, ...]) -> str:
    return text + "".join(f" [{number}]" for number in numbers)
