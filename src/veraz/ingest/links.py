"""The links of an HTML page, for the crawler: where `<a href>` leads, minus what asks not to be followed.

A scanner that never looks back, because pages are strangers': a tree of a million nested tags keeps
a real HTML parser busy for minutes, and this runs outside the parser's jail.
"""

import html
import re
from collections.abc import Iterator

LINKS_MAX = 5000
TAG_BYTES_MAX = 4096
TAGS_MAX = 50_000
LOOKED_AT = (b"a", b"area", b"base", b"meta")
INTERESTING = re.compile(
    rb"<(?:!--|(a|area|base|meta|script|style|template|textarea|title)(?=[\s/>]))", re.IGNORECASE
)
NOT_SHOWN_END = {
    name: re.compile(rb"</" + name, re.IGNORECASE)
    for name in (b"script", b"style", b"template", b"textarea", b"title")
}
QUOTE_OR_END = re.compile(rb"[>\"']")
ATTRIBUTE = re.compile(rb"([a-zA-Z-]{1,20})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")


def page_links(page: bytes) -> tuple[str | None, tuple[str, ...]]:
    """The page's `<base href>` if any, and its links as written; none when the page says nofollow."""
    base: str | None = None
    links: dict[str, None] = {}
    for name, attributes in _tags(page):
        if name == b"meta" and _forbids_following(attributes):
            return base, ()
        if name == b"base" and base is None:
            base = attributes.get("href")
        if name in (b"a", b"area") and len(links) < LINKS_MAX and _is_followed(attributes):
            links[attributes["href"]] = None
    return base, tuple(links)


def _is_followed(attributes: dict[str, str]) -> bool:
    return bool(attributes.get("href")) and "nofollow" not in attributes.get("rel", "").lower().split()


def _forbids_following(meta: dict[str, str]) -> bool:
    rules = {rule.strip() for rule in meta.get("content", "").lower().split(",")}
    return meta.get("name", "").lower() in ("robots", "verazbot") and bool(rules & {"nofollow", "none"})


def _tags(page: bytes) -> Iterator[tuple[bytes, dict[str, str]]]:
    """Opening tags that matter, in order; comments and code are skipped."""
    at = 0
    for _ in range(TAGS_MAX):
        start = INTERESTING.search(page, at)
        if start is None:
            return
        name, at = (start[1] or b"").lower(), start.end()
        if not name:
            at = _after(b"-->", page, at)
        elif name in LOOKED_AT:
            end = _tag_end(page, at)
            yield name, _attributes(page[at:end])
            at = end
        else:
            closing = NOT_SHOWN_END[name].search(page, at)
            at = closing.end() if closing else len(page)


def _after(mark: bytes, page: bytes, at: int) -> int:
    found = page.find(mark, at)
    return len(page) if found < 0 else found + len(mark)


def _tag_end(page: bytes, at: int) -> int:
    """Where the tag closes, not counting `>` inside quotes; a tag without an end is cut."""
    limit = min(len(page), at + TAG_BYTES_MAX)
    while (stop := QUOTE_OR_END.search(page, at, limit)) and stop[0] != b">":
        closing = page.find(stop[0], stop.end(), limit)
        at = limit if closing < 0 else closing + 1
    return stop.start() if stop else limit


def _attributes(tag: bytes) -> dict[str, str]:
    """The first value of each attribute, as a browser takes it."""
    found: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(tag):
        value = match[2] or match[3] or match[4] or b""
        found.setdefault(match[1].decode().lower(), html.unescape(_decoded(value)).strip())
    return found


def _decoded(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("cp1252", "replace")
