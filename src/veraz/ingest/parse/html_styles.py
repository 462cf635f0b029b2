"""What the style sheets inside a page hide: a reader of the page never sees it."""

import re
from collections.abc import Iterator
from typing import Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_AT_RULE = re.compile(r"@[^{};]*(?:;|\{(?:[^{}]|\{[^{}]*\})*\})")
"""Rules that hold on some screens or on paper only, fonts, movements."""
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SHOWS = re.compile(r"(?<![\w-])(display|visibility)\s*:\s*([\w-]+)", re.IGNORECASE)
_UNSEEN = frozenset({"none", "hidden", "collapse"})
_RULES_MAX = 500
_CHARACTERS_MAX = 500_000

Sight = Literal["hidden", "shown"]


def mark_hidden(tree: LexborHTMLParser) -> None:
    """Give the attribute `hidden` to what the style sheets of a page hide; the last rule that says something holds."""
    css = "\n".join(node.text() for node in tree.css("style"))[:_CHARACTERS_MAX]
    if sight_in(css) is None:
        return
    unseen: dict[int, LexborNode] = {}
    for selector, sight in _rules(css):
        for node in _selected(tree, selector):
            if sight == "hidden":
                unseen[node.mem_id] = node
            else:
                unseen.pop(node.mem_id, None)
    for node in unseen.values():
        if sight_in(node.attributes.get("style") or "") != "shown":
            node.attrs["hidden"] = ""


def sight_in(declarations: str) -> Sight | None:
    """Whether declarations hide what they are about; None when they say nothing about it."""
    values = dict(_SHOWS.findall(declarations.lower()))
    if not values:
        return None
    return "hidden" if _UNSEEN.intersection(values.values()) else "shown"


def _rules(css: str) -> Iterator[tuple[str, Sight]]:
    """Selectors that hide or show; those about a pointer over something or a click are not about the page at rest."""
    found = 0
    for selectors, declarations in _RULE.findall(_AT_RULE.sub("", _COMMENT.sub("", css))):
        sight = sight_in(declarations)
        if sight is None or found >= _RULES_MAX:
            continue
        for selector in selectors.split(","):
            if ":" not in selector:
                found += 1
                yield selector.strip(), sight


def _selected(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return tree.css(selector)
    except (SelectolaxError, ValueError):
        return []  # not a selector
