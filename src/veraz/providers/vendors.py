"""The SDKs of the services an installation has keys for: each takes a second to load, which the first caller need not wait for."""

import importlib
from collections.abc import Iterator

from veraz.settings import Settings


def load_vendors(settings: Settings) -> None:
    """Loads what will be asked; from a thread, while a process is still idle."""
    for module in _modules(settings):
        importlib.import_module(module)


def _modules(settings: Settings) -> Iterator[str]:
    chat = bool(settings.chat_model and ":" in settings.chat_model)
    if settings.openai_api_key or settings.openai_base_url or chat:
        yield from (
            "veraz.providers.chat.remote",
            "pydantic_ai.models.openai",
            "veraz.providers.embedding.openai",
        )
    if settings.anthropic_api_key:
        yield from ("veraz.providers.chat.remote", "pydantic_ai.models.anthropic")
    if settings.gemini_api_key:
        yield from (
            "veraz.providers.chat.remote",
            "pydantic_ai.models.google",
            "veraz.providers.embedding.gemini",
        )
    if settings.cohere_api_key:
        yield from ("veraz.providers.embedding.cohere", "veraz.providers.rerank.cohere")
