"""How a knowledge base cuts and embeds its documents; stored as JSON beside the base, checked here."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, Self, get_args

from veraz.errors import Invalid, Phrase
from veraz.library.separators import check_separator, one_trial
from veraz.providers.embedding.base import Space

Strategy = Literal["fixed", "paragraph", "semantic"]
SizeUnit = Literal["characters", "tokens"]

_DEFAULT_SIZES: dict[str, tuple[int, int]] = {"characters": (1000, 200), "tokens": (800, 100)}
_SIZE_BOUNDS: dict[str, tuple[int, int]] = {"characters": (50, 30_000), "tokens": (16, 8_000)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingConfig:
    """How documents become chunks. Sizes count in `unit`; a missing size takes its default."""

    strategy: Strategy = "fixed"
    unit: SizeUnit = "characters"
    chunk_size: int = 0
    """Longest chunk of `fixed` and `paragraph`: 1000 characters or 800 tokens unless said."""
    chunk_overlap: int = -1
    """What neighbouring `fixed` chunks share: 200 characters or 100 tokens unless said."""
    max_chunk_size: int | None = None
    """Longest chunk of `semantic`; chunk_size unless said."""
    min_chunk_size: int | None = None
    """`paragraph` and `semantic` go on collecting below this; a fifth of the longest unless said."""
    separator_regex: str | None = None
    """`paragraph` and `semantic` always cut where this matches."""
    include_title: bool = True
    include_page_number: bool = True
    include_source_url: bool = True

    def __post_init__(self) -> None:
        _one_of("strategy", self.strategy, get_args(Strategy))
        _one_of("unit", self.unit, get_args(SizeUnit))
        size, overlap = _DEFAULT_SIZES[self.unit]
        _fill(self, "chunk_size", size if self.chunk_size == 0 else self.chunk_size)
        _in_range("chunk_size", self.chunk_size, *_SIZE_BOUNDS[self.unit])
        spare = min(overlap, self.chunk_size // 5)
        _fill(self, "chunk_overlap", spare if self.chunk_overlap == -1 else self.chunk_overlap)
        _check_other_sizes(self)
        for name in ("include_title", "include_page_number", "include_source_url"):
            if not isinstance(getattr(self, name), bool):
                raise Invalid(
                    field=name, reason=Phrase("true or false is needed", es="hace falta true o false")
                )
        if self.separator_regex is not None:
            check_separator(self.separator_regex)

    @property
    def longest(self) -> int:
        """No chunk is longer than this."""
        return (self.max_chunk_size if self.strategy == "semantic" else None) or self.chunk_size

    @property
    def shortest(self) -> int:
        """Below this a chunk goes on, unless a heading, a part or a separator ends it."""
        return self.longest // 5 if self.min_chunk_size is None else self.min_chunk_size

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> Self:
        """The configuration stored or sent as JSON; unknown names and wrong values are refused."""
        given = _known(cls, "chunking_config", value)
        _refuse_not_said(given)
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        """The complete configuration as JSON, defaults filled in."""
        return asdict(self)


async def chunking_config(value: Mapping[str, Any]) -> ChunkingConfig:
    """The configuration from JSON, beside the loop; a separator is tried, of which not many are tried at once."""
    if value.get("separator_regex") is None:
        return ChunkingConfig.from_json(value)
    with one_trial():
        return await asyncio.to_thread(ChunkingConfig.from_json, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingConfig:
    """Which model turns chunks into vectors, and how many travel at once."""

    provider: str = "local"
    model: str = "use-multilingual-v3"
    dimensions: int | None = None
    """The model's own number unless said; some models can give fewer."""
    batch_size: int = 64
    concurrent_batches: int = 2

    def __post_init__(self) -> None:
        # «custom» is what people call a server of their own that speaks OpenAI's protocol
        _fill(self, "provider", "openai_compatible" if self.provider == "custom" else self.provider)
        for name in ("provider", "model"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise Invalid(field=name, reason=Phrase("a name is needed", es="hace falta un nombre"))
        if self.dimensions is not None:
            _in_range("dimensions", self.dimensions, 1, 4_000)
        _in_range("batch_size", self.batch_size, 1, 2_048)
        _in_range("concurrent_batches", self.concurrent_batches, 1, 32)

    @property
    def space_name(self) -> str:
        """`provider:model`, with `@dimensions` where they were chosen."""
        suffix = f"@{self.dimensions}" if self.dimensions else ""
        return f"{self.provider}:{self.model}{suffix}"

    @classmethod
    def named(cls, space: Space) -> Self:
        """The default configuration for an embedder's space."""
        return cls(provider=space.provider, model=space.model, dimensions=space.dimensions)

    def resolved(self, space: Space) -> Self:
        """The same configuration with the embedder's real names and dimensions."""
        return replace(self, provider=space.provider, model=space.model, dimensions=space.dimensions)

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> Self:
        """The configuration stored or sent as JSON; unknown names and wrong values are refused."""
        return cls(**_known(cls, "embedding_config", value))

    def to_json(self) -> dict[str, Any]:
        """The complete configuration as JSON."""
        return asdict(self)


def _refuse_not_said(given: Mapping[str, Any]) -> None:
    """Zero and minus one mean «not said» only inside; whoever writes them has to hear that they cannot be."""
    low, high = _SIZE_BOUNDS["tokens" if given.get("unit") == "tokens" else "characters"]
    if given.get("chunk_size") == 0:
        _in_range("chunk_size", 0, low, high)
    if given.get("chunk_overlap") == -1:
        _in_range("chunk_overlap", -1, 0, high // 2)


def _check_other_sizes(config: ChunkingConfig) -> None:
    low, high = _SIZE_BOUNDS[config.unit]
    _in_range("chunk_overlap", config.chunk_overlap, 0, config.chunk_size // 2)
    if config.max_chunk_size is not None:
        _in_range("max_chunk_size", config.max_chunk_size, low, high)
    if config.min_chunk_size is not None:
        _in_range("min_chunk_size", config.min_chunk_size, 0, config.longest)


def _known(cls: type, field: str, value: Mapping[str, Any] | None) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Invalid(field=field, reason=Phrase("an object is needed", es="hace falta un objeto"))
    names = {entry.name for entry in fields(cls)}
    if unknown := sorted(set(value) - names):
        listed = ", ".join(sorted(names))
        raise Invalid(
            field=f"{field}.{unknown[0]}",
            reason=Phrase(f"unknown; known are {listed}", es=f"no existe; existen {listed}"),
        )
    # null means «not said», as JSON clients send it
    return {name: entry for name, entry in value.items() if entry is not None}


def _one_of(field: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        listed = ", ".join(allowed)
        raise Invalid(field=field, reason=Phrase(f"one of {listed}", es=f"uno de {listed}"))


def _in_range(field: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise Invalid(
            field=field,
            reason=Phrase(f"a whole number from {low} to {high}", es=f"un número entero de {low} a {high}"),
        )


def _fill(config: object, name: str, value: object) -> None:
    """Sets a default inside `__post_init__` of a frozen class."""
    object.__setattr__(config, name, value)
