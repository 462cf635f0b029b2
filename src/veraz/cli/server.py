"""Running everything: the database if need be, migrations, API and pages here, the worker in a child process."""

import asyncio
import contextlib
import errno
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Final

import typer
import uvicorn
from fastapi import FastAPI

from veraz import errors
from veraz.api.addresses import TrustedProxies
from veraz.api.app import create_app
from veraz.api.connections import Limits, patient
from veraz.api.sockets import LARGEST_FRAME, PatientSocket
from veraz.cli.common import ensure_installed, out
from veraz.ingest.warm import warm
from veraz.observe import log
from veraz.settings import Settings
from veraz.wiring import Veraz, open_veraz

_OTHER_FILES: Final = 500


async def run_server(settings: Settings, *, with_worker: bool) -> None:
    """Serves until a signal; the worker child and the database stop after the last request."""
    with _listening(settings) as door:
        await _serve(settings, door, with_worker=with_worker)


@contextlib.contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    """The port, before anything else is started."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        door = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        used = errors.Phrase("another program does so already", es="ya lo hace otro programa")
        reason = used if error.errno == errno.EADDRINUSE else os.strerror(error.errno or 0)
        raise errors.AddressTaken(address=f"{settings.host}:{settings.port}", reason=reason) from error
    with door:
        yield door


async def _serve(settings: Settings, door: socket.socket, *, with_worker: bool) -> None:
    async with open_veraz(settings) as veraz:
        await ensure_installed(veraz)
        server = _Server(
            uvicorn.Config(
                _application(veraz, with_pages=with_worker),
                host=settings.host,
                port=settings.port,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=5,
                proxy_headers=False,  # `RealAddress` believes those who are named
                http=patient(limits_of(settings), TrustedProxies(settings.trusted_proxies)),
                ws=PatientSocket,
                ws_max_size=LARGEST_FRAME,
                ws_per_message_deflate=False,  # a kilobyte would be unpacked to a megabyte
            )
        )
        server.stop_on_signals()
        worker = _worker_child(settings) if with_worker else contextlib.nullcontext()
        async with worker, warm(settings, parsers=False):
            await server.serve(sockets=[door])
    if not server.started:
        raise typer.Exit(1)


def _application(veraz: Veraz, *, with_pages: bool) -> FastAPI:
    app = create_app(veraz)
    if with_pages:
        from veraz.ui.mount import add_pages  # half a second that an API alone need not wait

        add_pages(app, veraz)
    return app


def limits_of(settings: Settings) -> Limits:
    """What a connection may cost here; each needs an open file, and the database and the models need some too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.max_connections + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    files = wanted if soft == resource.RLIM_INFINITY else soft
    return Limits(
        head_seconds=settings.header_seconds,
        stall_seconds=settings.stall_seconds,
        connections=max(10, min(settings.max_connections, files - _OTHER_FILES)),
        per_address=settings.max_connections_per_address,
    )


class _Server(uvicorn.Server):
    """Uvicorn that leaves signals to us, so that the database is left properly after the last request."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop_on_signals(self) -> None:
        """SIGTERM and Ctrl-C finish open requests and stop."""
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self.handle_exit, number, None)

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.started:
            gc.freeze()  # what is there from the start stays; looking through it would stop everybody for 0.1 s
            address = f"http://{self.config.host}:{self.config.port}"
            out.print(f"[bold green]Veraz está listo:[/] [link={address}]{address}[/link]", highlight=False)


@asynccontextmanager
async def _worker_child(settings: Settings) -> AsyncIterator[None]:
    """A worker process that lives as long as we do, started again if it dies."""
    keeper = asyncio.create_task(_keep_worker(settings))
    try:
        yield
    finally:
        keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeper


async def _keep_worker(settings: Settings) -> None:
    pause = 0.5
    while True:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "veraz",
            "worker",
            "--attached",
            "--home",
            str(settings.home),
            stdin=asyncio.subprocess.PIPE,
        )
        try:
            code = await child.wait()
        except asyncio.CancelledError:
            await _stop_child(child)
            raise
        log.error("worker_died", code=code, restart_in_seconds=pause)
        await asyncio.sleep(pause)
        pause = min(30.0, pause * 2)


async def _stop_child(child: asyncio.subprocess.Process) -> None:
    """Closing its stdin asks it to stop; it has a few seconds to give its jobs back."""
    if child.stdin:
        child.stdin.close()
    try:
        await asyncio.wait_for(child.wait(), 15)
    except TimeoutError:
        child.kill()
        await child.wait()
