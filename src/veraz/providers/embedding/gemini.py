"""Google's Gemini embeddings; shortened vectors come unnormalised and are normalised by the base."""

from google.genai import Client
from google.genai.types import HttpOptions
from pydantic_ai.embeddings.google import GoogleEmbeddingModel
from pydantic_ai.providers.google import GoogleProvider

from veraz.providers.embedding.base import Space
from veraz.providers.embedding.remote import RemoteEmbedder

MAX_BATCH = 100


def gemini_embedder(
    space: Space, *, api_key: str, base_url: str | None, ask_dimensions: bool, seconds: float
) -> RemoteEmbedder:
    """An embedder for the Gemini API."""
    options = HttpOptions(base_url=base_url, timeout=int(seconds * 1000))
    client = Client(vertexai=False, api_key=api_key, http_options=options)
    model = GoogleEmbeddingModel(space.model, provider=GoogleProvider(client=client))
    return RemoteEmbedder(space=space, model=model, max_batch=MAX_BATCH, ask_dimensions=ask_dimensions)
