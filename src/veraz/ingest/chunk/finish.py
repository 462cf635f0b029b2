"""The last step: spans become chunks; empty ones and repetitions are left out."""

import hashlib
import re
from collections.abc import Iterable
from itertools import count
from typing import Any

from veraz.ingest.chunk.model import Chunk, Span
from veraz.ingest.chunk.quality import quality, repeated_lines
from veraz.ingest.chunk.rulers import Tokens
from veraz.ingest.chunk.sections import Places
from veraz.ingest.model import Block, Parsed
from veraz.library.configs import ChunkingConfig
from veraz.text.tokens import count_tokens

UNNAMED_SOURCE: dict[str, Any] = {"source_url": None}
"""Carried by chunks whose knowledge base does not show where on the web a document comes from."""
_ONLY_RULES = re.compile(r"[\s\-_=*#.·•—–|+:~<>/\\]*")


def finish(parsed: Parsed, spans: Iterable[Span], config: ChunkingConfig, tokens: Tokens) -> list[Chunk]:
    """Chunks in document order, each content once."""
    places, repeated = Places(parsed.blocks), repeated_lines(parsed.text)
    title = (parsed.title or "").strip() if config.include_title else ""
    seen: set[str] = set()
    ordinals = count()
    chunks: list[Chunk] = []
    for span in spans:
        content = _content(parsed.text, span)
        key = " ".join(content.casefold().split())
        if key in seen or _ONLY_RULES.fullmatch(content):
            continue
        seen.add(key)
        first, body = places.body(span.start, span.end)
        context = _context(title, body)
        chunks.append(
            Chunk(
                ordinal=next(ordinals),
                content=content,
                start=span.start,
                end=span.end,
                page=first.page if config.include_page_number else None,
                part=first.part,
                row=first.row,
                headers=body.headers,
                context=context,
                tokens=count_tokens(content) if span.table_header else tokens.size(span.start, span.end),
                content_hash=content_hash(content, context),
                quality=quality(content, key, repeated),
                metadata={} if config.include_source_url else UNNAMED_SOURCE,
            )
        )
    return chunks


def content_hash(content: str, context: str = "") -> bytes:
    """SHA-256 of what is embedded: the key of the vector cache."""
    return hashlib.sha256(f"{context}\n{content}".encode() if context else content.encode()).digest()


def _content(text: str, span: Span) -> str:
    piece = text[span.start : span.end]
    return f"{span.table_header}\n{piece}" if span.table_header else piece


def _context(title: str, block: Block) -> str:
    headers = block.headers
    path = headers if not title or headers[:1] == (title,) else (title, *headers)
    return " › ".join(" ".join(header.split()) for header in path)
