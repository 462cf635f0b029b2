"""OpenAI, and any server that speaks its protocol."""

from openai import AsyncOpenAI
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.providers.openai import OpenAIProvider

from veraz.providers.embedding.base import Space
from veraz.providers.embedding.remote import RemoteEmbedder

BASE_URL = "https://api.openai.com/v1"
MAX_BATCH = 256
"""Fewer than the service's 2,048, so that a batch of long chunks stays under its 300,000 tokens."""


def openai_embedder(
    space: Space, *, api_key: str, base_url: str | None, ask_dimensions: bool, seconds: float
) -> RemoteEmbedder:
    """An embedder for OpenAI's protocol."""
    client = AsyncOpenAI(api_key=api_key, base_url=base_url or BASE_URL, max_retries=0, timeout=seconds)
    model = OpenAIEmbeddingModel(space.model, provider=OpenAIProvider(openai_client=client))
    return RemoteEmbedder(space=space, model=model, max_batch=MAX_BATCH, ask_dimensions=ask_dimensions)
