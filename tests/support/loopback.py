"""An ASGI application on a real port of this machine, in the test's own loop or in a thread of its own."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn


@asynccontextmanager
async def served(app: Any, **more: Any) -> AsyncIterator[str]:
    """Its address, for as long as the block lasts."""
    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off", **more)
    )
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - the server tells in no other way
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    await task


@contextmanager
def served_apart(app: Any) -> Iterator[str]:
    """The same in a thread, for tests that block or that run other programs."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=5)
