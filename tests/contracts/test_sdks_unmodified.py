"""The services' SDKs as they come, against the loopback server every other contract relies on: it speaks their formats."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from anthropic import AsyncAnthropic
from google.genai import Client
from google.genai.types import HttpOptions
from openai import AsyncOpenAI

if TYPE_CHECKING:
    from tests.support.chat_server import ChatServer, chat_server
else:
    from support.chat_server import ChatServer, chat_server


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


async def test_anthropic_at_once_and_streamed(server: ChatServer) -> None:
    client = AsyncAnthropic(api_key="k", base_url=server.url, max_retries=0)
    messages = [{"role": "user", "content": "Hola"}]
    whole = await client.messages.create(model="m", max_tokens=50, messages=messages)  # type: ignore[arg-type]
    assert whole.content[0].text == server.answer  # type: ignore[union-attr]
    assert (whole.stop_reason, whole.usage.output_tokens) == ("end_turn", 20)
    async with client.messages.stream(model="m", max_tokens=50, messages=messages) as stream:  # type: ignore[arg-type]
        pieces = [piece async for piece in stream.text_stream]
        last = await stream.get_final_message()
    assert "".join(pieces) == server.answer
    assert len(pieces) > 1
    assert (last.stop_reason, last.usage.output_tokens) == ("end_turn", 20)


async def test_google_genai_at_once_and_streamed(server: ChatServer) -> None:
    client = Client(vertexai=False, api_key="k", http_options=HttpOptions(base_url=server.url))
    whole = await client.aio.models.generate_content(model="m", contents="Hola")
    assert whole.text == server.answer
    assert whole.usage_metadata
    assert whole.usage_metadata.candidates_token_count == 20
    stream = await client.aio.models.generate_content_stream(model="m", contents="Hola")
    pieces = [piece.text or "" async for piece in stream]
    assert "".join(pieces) == server.answer
    assert len(pieces) > 1


async def test_openai_at_once_and_streamed(server: ChatServer) -> None:
    client = AsyncOpenAI(api_key="k", base_url=f"{server.url}/v1", max_retries=0)
    whole = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hola"}])
    assert whole.choices[0].message.content == server.answer
    stream = await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Hola"}], stream=True
    )
    pieces = [c.choices[0].delta.content or "" async for c in stream if c.choices]
    assert "".join(pieces) == server.answer
