"""A parsed document becomes chunks: pieces short enough to search, each with its place in the document.

sections    what a chunk never crosses: sheets, slides, records
rulers      sizes in characters or tokens
fixed       exact windows with an overlap
paragraph   whole paragraphs up to the size, headings with what follows them
semantic    cuts between sentences where the subject changes
finish      spans become chunks: table header, heading path, page, tokens, hash, quality
"""

from veraz.ingest.chunk.cut import chunk
from veraz.ingest.chunk.model import Chunk

__all__ = ["Chunk", "chunk"]
