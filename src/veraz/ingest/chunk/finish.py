"""The last step: spans become chunks; empty ones and repetitions are left out."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

from veraz import errors
from veraz.ingest.budget import in_time
from veraz.ingest.chunk.model import Chunk, Span
from veraz.ingest.chunk.quality import quality, repeated_lines
from veraz.ingest.chunk.rulers import Tokens
from veraz.ingest.chunk.sections import Places
from veraz.ingest.model import Block, Parsed, Unit
from veraz.library.configs import ChunkingConfig
from veraz.text.tokens import count_tokens

UNNAMED_SOURCE: dict[str, Any] = {"source_url": None}
"""Carried by chunks whose knowledge base does not show where on the web a document comes from."""
_CONTEXT_CHARACTERS = 800
_CHUNKS_MAX = 200_000
_COLUMNS_TOLD = 400
"""More names than fit, even of two letters each."""
_EXTENSION = re.compile(r"\.[A-Za-z]{2,5}$")
_JOINTS = re.compile(r"[_\s]+|(?<=\w)-(?=\w)")


def finish(
    parsed: Parsed, spans: Iterable[Span], config: ChunkingConfig, tokens: Tokens, name: str = ""
) -> list[Chunk]:
    """Chunks in document order, each content once."""
    places, repeated = Places(parsed.blocks), repeated_lines(parsed.text)
    titles = _titles(parsed.title, name) if config.include_title else []
    seen: set[str] = set()
    ordinals = count()
    chunks: list[Chunk] = []
    for span in in_time(spans):
        if len(chunks) >= _CHUNKS_MAX:
            raise _too_many(name)
        content = _content(parsed.text, span)
        key = " ".join(content.casefold().split())
        if key in seen or not any(map(str.isalnum, content)):
            continue
        seen.add(key)
        first, body = places.body(span.start, span.end)
        page = first.page_at(span.start) if config.include_page_number else None
        context = _context((*titles, *body.headers), key, places.within(span.start, span.end), parsed.unit)
        chunks.append(
            Chunk(
                ordinal=next(ordinals),
                content=content,
                start=span.start,
                end=span.end,
                page=page,
                part=first.part,
                # the title of a slide without a page would be taken for the name of a sheet
                row=None if parsed.unit == "slide" and page is None else first.row,
                headers=body.headers,
                context=context,
                tokens=count_tokens(content) if span.table_header else tokens.size(span.start, span.end),
                content_hash=content_hash(content, context),
                quality=quality(content, key, repeated),
                metadata={} if config.include_source_url else UNNAMED_SOURCE,
            )
        )
    return chunks


def _too_many(name: str) -> errors.TooLarge:
    limit = errors.Phrase(f"{_CHUNKS_MAX:,} chunks", es=f"{_CHUNKS_MAX:,} fragmentos".replace(",", "."))
    return errors.TooLarge(what=name or "…", limit=limit)


def content_hash(content: str, context: str = "") -> bytes:
    """SHA-256 of what is embedded: the key of the vector cache."""
    return hashlib.sha256(f"{context}\n{content}".encode() if context else content.encode()).digest()


def _content(text: str, span: Span) -> str:
    piece = text[span.start : span.end]
    return f"{span.table_header}\n{piece}" if span.table_header else piece


def _titles(title: str | None, name: str) -> list[str]:
    """What a document is called: its title, and its file name in words where it says something else; a number says nothing."""
    stem = " ".join(_JOINTS.sub(" ", _EXTENSION.sub("", name)).split())
    known = " ".join((title or "").split())
    both = [known, stem] if _plain(stem) not in _plain(known) else [known]
    return [each for each in both if any(map(str.isalpha, each))]


def _context(path: Sequence[str], content: str, blocks: Iterable[Block], unit: Unit) -> str:
    """Title and headings, then where its other blocks stand as far as its own text (`content`) does not say it, all once."""
    said = {_plain(each): " ".join(each.split()) for each in path if each}
    room = _CONTEXT_CHARACTERS
    for each in _told(blocks, unit):
        plain = _plain(each)
        if plain and plain not in said and plain not in content:
            said[plain] = " ".join(each.split())
            room -= len(said[plain])
            if room < 0:  # the rest is cut off anyway, and a table may have columns without end
                break
    return " › ".join(said.values())[:_CONTEXT_CHARACTERS].rstrip()


def _told(blocks: Iterable[Block], unit: Unit) -> Iterator[str]:
    """Where blocks stand, from the outside in."""
    for block in blocks:
        part = block.part if unit == "sheet" else None
        yield from filter(None, (part, *block.headers, block.introduction, *block.columns[:_COLUMNS_TOLD]))


@lru_cache(maxsize=4_096)
def _plain(text: str) -> str:
    """Worked out once: neighbouring chunks stand under the same headings."""
    return " ".join(text.casefold().split())
