"""The Model Context Protocol at `/mcp`: streamable HTTP, no sessions, a key on every request.

The SDK is loaded when the first client comes, in a thread, so that the API starts as fast as without it.
"""

import asyncio
import importlib
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from veraz.api.bodies import QUESTION, takes
from veraz.api.caller import admitted
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATHS: Final = ("/mcp", "/mcp/")


def add_mcp(app: FastAPI, veraz: Veraz) -> None:
    """Puts the door on the application, with and without the slash that clients may add."""
    door = McpDoor(veraz)
    app.router.routes.extend(Route(path, door, include_in_schema=False) for path in PATHS)


@takes(QUESTION)
class McpDoor:
    """An ASGI application: refuses callers it does not know, and hands the others to the SDK."""

    def __init__(self, veraz: Veraz) -> None:
        self._veraz = veraz
        self._opening = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._keeper: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["method"] != "POST"
        ):  # the SDK would keep a stream open for ever, on which nothing is ever said
            raise HTTPException(405, headers={"Allow": "POST"})
        address = scope["client"][0] if scope.get("client") else "?"
        await self._actor(Headers(scope=scope), address)
        manager = self._manager or await self._open()
        await manager.handle_request(scope, receive, send)

    async def _who(self, ctx: "Context[Any, Any]") -> Actor:
        """Asked again for every tool: a key revoked meanwhile opens nothing."""
        return await self._actor(Headers(dict(ctx.headers or {})), "?")

    async def _actor(self, headers: Headers, address: str) -> Actor:
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        token = credentials.strip() if scheme.lower() == "bearer" else headers.get("apikey", "").strip()
        return await admitted(self._veraz, token, headers, address)

    async def _open(self) -> "StreamableHTTPSessionManager":
        async with self._opening:
            if self._manager is None:
                module = await asyncio.to_thread(importlib.import_module, "veraz.mcp.server")
                manager = module.mcp_server(self._veraz, self._who).session_manager
                ready = asyncio.Event()
                self._keeper = asyncio.create_task(_kept(manager, ready))
                await ready.wait()
                self._manager = manager
        return self._manager


async def _kept(manager: "StreamableHTTPSessionManager", ready: asyncio.Event) -> None:
    """The SDK's own tasks live in this one, which ends with the loop."""
    async with manager.run():
        ready.set()
        await asyncio.Event().wait()
