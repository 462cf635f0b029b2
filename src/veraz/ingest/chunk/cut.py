"""The chunker's one verb."""

from collections.abc import Iterator

from veraz.ingest.chunk.finish import finish
from veraz.ingest.chunk.fixed import fixed
from veraz.ingest.chunk.model import Chunk, EmbedSentences, Span
from veraz.ingest.chunk.paragraph import paragraph
from veraz.ingest.chunk.rulers import Ruler, Tokens, pick_ruler
from veraz.ingest.chunk.semantic import semantic
from veraz.ingest.model import Parsed
from veraz.library.configs import ChunkingConfig


def chunk(
    parsed: Parsed,
    config: ChunkingConfig,
    *,
    name: str = "",
    embed_sentences: EmbedSentences | None = None,
) -> list[Chunk]:
    """The chunks of a parsed document, in order, none empty and none twice; found by its `name` too.

    `semantic` asks `embed_sentences` for vectors, and compares words where it is not given.
    """
    if not parsed.blocks:
        return []
    tokens = Tokens(parsed.text)
    ruler = pick_ruler(config.unit, parsed.text, tokens)
    return finish(parsed, _spans(parsed, config, ruler, embed_sentences), config, tokens, name)


def _spans(
    parsed: Parsed, config: ChunkingConfig, ruler: Ruler, embed_sentences: EmbedSentences | None
) -> Iterator[Span]:
    if config.strategy == "semantic":
        return semantic(parsed, config, ruler, embed_sentences)
    return (fixed if config.strategy == "fixed" else paragraph)(parsed, config, ruler)
