"""The models known by name, read from models.toml."""

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """What is known of a model without asking its provider."""

    dimensions: int
    shortens: bool = False
    usd_per_million_tokens: Decimal | None = None


def known_model(provider: str, model: str) -> KnownModel | None:
    """The model's entry, or None when it is not known."""
    return _catalogue().get((provider, model))


def known_names() -> list[str]:
    """Every known `provider:model`."""
    return [f"{provider}:{model}" for provider, model in _catalogue()]


def cost_usd(provider: str, model: str, tokens: int) -> Decimal | None:
    """What so many tokens cost; None where the price is unknown."""
    known = known_model(provider, model)
    if known is None or known.usd_per_million_tokens is None:
        return None
    return known.usd_per_million_tokens * tokens / 1_000_000


@cache
def _catalogue() -> dict[tuple[str, str], KnownModel]:
    text = files("veraz.providers.embedding").joinpath("models.toml").read_text(encoding="utf-8")
    return {
        (provider, model): _entry(**entry)
        for provider, models in tomllib.loads(text).items()
        if isinstance(models, dict)
        for model, entry in models.items()
    }


def _entry(
    *, dimensions: int, shortens: bool = False, usd_per_million_tokens: str | None = None
) -> KnownModel:
    price = None if usd_per_million_tokens is None else Decimal(usd_per_million_tokens)
    return KnownModel(dimensions=dimensions, shortens=shortens, usd_per_million_tokens=price)
