"""`veraz serve` and `veraz worker`. What they need is imported when they run, so that no command waits for another's."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from veraz.cli.common import Home, run_async, settings_for
from veraz.settings import Settings

if TYPE_CHECKING:
    from veraz.queue.worker import Worker

Host = Annotated[str | None, typer.Option("--host", help="Address to listen on. [VERAZ_HOST, 127.0.0.1]")]
Port = Annotated[int | None, typer.Option("--port", help="Port to listen on. [VERAZ_PORT, 8080]")]
ApiOnly = Annotated[
    bool, typer.Option("--api-only", help="Only the API: no pages, no worker, for running it many times.")
]


def serve(host: Host = None, port: Port = None, home: Home = None, api_only: ApiOnly = False) -> None:
    """Start everything: database, API, pages and worker."""
    from veraz.cli.server import run_server

    run_async(run_server(settings_for(home, host=host, port=port), with_worker=not api_only))


def worker(home: Home = None, attached: Annotated[bool, typer.Option(hidden=True)] = False) -> None:
    """Work on the queue until stopped; run as many as you like, on as many hosts."""
    run_async(_work(settings_for(home), attached=attached))


async def _work(settings: Settings, *, attached: bool) -> None:
    from veraz.wiring import open_worker

    async with open_worker(settings) as worker:
        if attached:
            asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _parent_gone, worker)
        await worker.run(until_signal=True)


def _parent_gone(worker: "Worker") -> None:
    """The parent holds our stdin open for as long as it lives."""
    asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
    worker.stop()
