"""The services by name. Each vendor's package is imported only when somebody uses it."""

from pydantic_ai.models import Model


def openai_model(name: str, *, api_key: str, base_url: str | None, seconds: float) -> Model:
    """OpenAI, Ollama, vLLM and every server that speaks OpenAI's protocol."""
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(
        api_key=api_key, base_url=base_url or "https://api.openai.com/v1", max_retries=0, timeout=seconds
    )
    # without this a stream that breaks off in the middle would pass for a whole answer
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client), profile=profile)


def anthropic_model(name: str, *, api_key: str, base_url: str | None, seconds: float) -> Model:
    """Anthropic."""
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(
        api_key=api_key, base_url=base_url or "https://api.anthropic.com", max_retries=0, timeout=seconds
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))


def gemini_model(name: str, *, api_key: str, base_url: str | None, seconds: float) -> Model:
    """Google's Gemini."""
    from google.genai import Client
    from google.genai.types import HttpOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    options = HttpOptions(base_url=base_url, timeout=int(seconds * 1000))
    client = Client(vertexai=False, api_key=api_key, http_options=options)
    return GoogleModel(name, provider=GoogleProvider(client=client))
