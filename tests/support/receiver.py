"""Somebody outside who receives webhooks, on a real port: what came, and what to answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response

if TYPE_CHECKING:
    from tests.support.loopback import served
else:
    from support.loopback import served


@dataclass
class Receiver:
    """Answers with `statuses` one after the other, then with the last."""

    url: str = ""
    statuses: list[int] = field(default_factory=lambda: [200])
    retry_after: str | None = None
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: Request) -> Response:
        """Keeps headers and body as they came."""
        self.received.append((dict(request.headers), await request.body()))
        self.came.set()
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        headers = {"location": "/elsewhere"} if status == 302 else {}
        return Response(
            status_code=status,
            headers=headers | ({"Retry-After": self.retry_after} if self.retry_after else {}),
        )

    async def wait(self, number: int = 1) -> Any:
        """Until so many have come."""
        async with asyncio.timeout(60):
            while len(self.received) < number:
                self.came.clear()
                await self.came.wait()
        return self.received


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver for as long as the block lasts."""
    receiver, app = Receiver(), FastAPI()
    app.add_api_route("/{path:path}", receiver.take, methods=["POST"])
    async with served(app) as address:
        receiver.url = f"{address}/hook"
        yield receiver
