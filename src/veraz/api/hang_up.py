"""A caller who hangs up stops the work that was done for them."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from fastapi import Request
from starlette.requests import ClientDisconnect

T = TypeVar("T")


async def unless_hung_up(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of the work; when the caller goes first, the work is cancelled."""
    doing = asyncio.create_task(work)
    watching = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({doing, watching}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        raise ClientDisconnect
    finally:
        watching.cancel()
        doing.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(doing, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
