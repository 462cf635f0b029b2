"""`provider:model[@dimensions]` → the embedder, one per process and name."""

import re
from collections.abc import Callable
from functools import cache

from pydantic import SecretStr

from veraz.errors import Invalid, Phrase
from veraz.providers.embedding.base import Embedder, Space
from veraz.providers.embedding.catalogue import known_model, known_names
from veraz.providers.embedding.fake import FakeEmbedder
from veraz.providers.embedding.resilient import Patience, ResilientEmbedder
from veraz.settings import Settings

_NAME = re.compile(r"(?P<provider>\w+):(?P<model>[^@\s]+)(?:@(?P<dimensions>\d{1,4}))?")
_ALIASES = {"google": "gemini", "custom": "openai_compatible"}
_PROVIDERS = ("local", "openai", "gemini", "cohere", "openai_compatible", "fake")


@cache
def pick_embedder(name: str, settings: Settings) -> Embedder:
    """The embedder of a name; `Invalid` says what is known or missing."""
    return build_embedder(name, settings)


def build_embedder(name: str, settings: Settings, patience: Patience | None = None) -> Embedder:
    """The same without remembering it, for another patience."""
    provider, model, dimensions = _parse(name)
    if provider == "local":
        return _local(provider, model, dimensions, settings)
    if provider == "fake":
        return FakeEmbedder(dimensions or 64)
    space = _space(provider, model, dimensions)
    return _remote(space, settings, patience or Patience())


def _parse(name: str) -> tuple[str, str, int | None]:
    match = _NAME.fullmatch(name.strip())
    if match is None:
        raise _invalid(
            "the form is provider:model[@dimensions]", "la forma es proveedor:modelo[@dimensiones]"
        )
    provider = _ALIASES.get(match["provider"], match["provider"])
    if provider not in _PROVIDERS:
        known = ", ".join(_PROVIDERS)
        raise _invalid(
            f"«{provider}» is unknown; known are {known}", f"«{provider}» no existe; existen {known}"
        )
    dimensions = int(match["dimensions"]) if match["dimensions"] else None
    if dimensions is not None and not 1 <= dimensions <= 4_000:
        raise _invalid("dimensions go from 1 to 4000", "las dimensiones van de 1 a 4000")
    return provider, match["model"], dimensions


def _space(provider: str, model: str, dimensions: int | None) -> Space:
    known = known_model(provider, model)
    if dimensions is None and known is None:
        names = ", ".join(name for name in known_names() if name.startswith(f"{provider}:")) or "–"
        raise _invalid(
            f"add the dimensions of «{model}» as @number; known without it: {names}",
            f"añada las dimensiones de «{model}» como @número; conocidos sin ellas: {names}",
        )
    if known and dimensions not in (None, known.dimensions):
        _check_shortening(model, known.dimensions, known.shortens, dimensions)
    return Space(provider=provider, model=model, dimensions=dimensions or (known.dimensions if known else 0))


def _check_shortening(model: str, own: int, shortens: bool, wanted: int | None) -> None:
    if not shortens or (wanted or 0) > own:
        allowed = f"1…{own}" if shortens else str(own)
        raise _invalid(f"«{model}» has {allowed} dimensions", f"«{model}» tiene {allowed} dimensiones")


@cache
def _local_model(threads: int) -> Embedder:
    from veraz.providers.embedding.local import LocalEmbedder

    return LocalEmbedder(threads)


def _local(provider: str, model: str, dimensions: int | None, settings: Settings) -> Embedder:
    if known_model(provider, model) is None:
        names = ", ".join(name for name in known_names() if name.startswith("local:"))
        raise _invalid(f"«{model}» is unknown; known are {names}", f"«{model}» no existe; existen {names}")
    _space(provider, model, dimensions)
    return _local_model(settings.embedding_threads)


def _remote(space: Space, settings: Settings, patience: Patience) -> Embedder:
    factory, key, base_url = _service(space.provider, settings)
    known = known_model(space.provider, space.model)
    own = known.dimensions if known else None
    inner = factory(
        space,
        api_key=_key(space.provider, key),
        base_url=base_url,
        ask_dimensions=space.provider != "openai_compatible"
        and (space.dimensions != own or space.provider == "gemini"),
        seconds=patience.request_seconds,
    )
    return ResilientEmbedder(inner, patience)


def _service(
    provider: str, settings: Settings
) -> tuple[Callable[..., Embedder], SecretStr | None, str | None]:
    """The vendor's module is imported only when somebody uses it: each costs a second and megabytes."""
    if provider == "gemini":
        from veraz.providers.embedding.gemini import gemini_embedder

        return gemini_embedder, settings.gemini_api_key, settings.gemini_base_url
    if provider == "cohere":
        from veraz.providers.embedding.cohere import cohere_embedder

        return cohere_embedder, settings.cohere_api_key, settings.cohere_base_url
    from veraz.providers.embedding.openai import openai_embedder

    if provider == "openai_compatible":
        if not settings.openai_base_url:
            raise _invalid("VERAZ_OPENAI_BASE_URL is missing", "falta VERAZ_OPENAI_BASE_URL")
        return openai_embedder, settings.openai_api_key or SecretStr("none"), settings.openai_base_url
    return openai_embedder, settings.openai_api_key, settings.openai_base_url


def _key(provider: str, key: SecretStr | None) -> str:
    if key is None or not key.get_secret_value():
        name = f"VERAZ_{provider.upper()}_API_KEY"
        raise _invalid(f"{name} is missing", f"falta {name}")
    return key.get_secret_value()


def _invalid(en: str, es: str) -> Invalid:
    return Invalid(field="embedding_model", reason=Phrase(en, es=es))
