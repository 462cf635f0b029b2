"""An AI assistant: the official SDK's own client, over HTTP with a key."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent


@asynccontextmanager
async def assistant(address: str, headers: dict[str, str], path: str = "/mcp") -> AsyncIterator[Client]:
    """A connected client that sends these headers."""
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(f"{address}{path}", http_client=http)) as client,
    ):
        yield client


async def used(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers; a failure is an assertion."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The sentence a tool fails with."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    (said,) = result.content
    assert isinstance(said, TextContent)
    return said.text
