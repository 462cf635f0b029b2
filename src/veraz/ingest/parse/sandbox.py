"""Reads each file in a process of its own, bounded in time, memory and output.

A hostile or broken file costs nothing but its own job: the child is killed, the caller gets one of
the errors a person understands, and the next file finds everything as it was.
"""

import asyncio
import atexit
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from signal import SIGKILL, SIGXCPU

import veraz
from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse import wire
from veraz.ingest.parse.base import MB, ParseLimits
from veraz.ingest.parse.pick import declared_type, refuse_size

Progress = Callable[[int], None]

_READ = "veraz.ingest.parse.read:read"
_DRAW = "veraz.ingest.parse.draw:draw"
_NOT_STARTED = errors.Phrase(
    "the process that reads documents cannot be started",
    es="no se puede iniciar el proceso que lee documentos",
)
_PIECE = 256 * 1024
_GRACE_SECONDS = 5.0
_SECONDS_PER_SCAN = 10.0


async def parse_file(
    path: Path, *, filename: str, limits: ParseLimits, on_progress: Progress | None = None
) -> Parsed:
    """The visible text of a stored file, or an error of `veraz.errors`; never blocks, never dies.

    `on_progress` is called in the caller's loop with the percent done. Cancelling kills the child.
    """
    size = (await asyncio.to_thread(path.stat)).st_size
    refuse_size(size, declared_type(filename), filename)
    return await _shared().parse(path, filename=filename, limits=limits, on_progress=on_progress)


async def draw_page(
    path: Path, *, page: int, rectangles: Sequence[Sequence[float]], scale: float, limits: ParseLimits
) -> bytes:
    """A page of a stored PDF as a PNG, with rectangles marked on it; bounded as parsing is."""
    options = {"page": page, "rectangles": [list(one) for one in rectangles], "scale": scale}
    return await _shared(_DRAW).run(path, filename=path.name, limits=limits, options=options)


def start_parsers() -> None:
    """Have the fork server ready before the first file comes."""
    _shared().start()


class Sandbox:
    """One fork server and the conversations with the children it forks; safe from any thread and loop."""

    def __init__(self, *, target: str = _READ, import_paths: tuple[Path, ...] = ()) -> None:
        self._target = target
        self._import_paths = (Path(veraz.__file__).parents[1], *import_paths)
        self._lock = threading.Lock()
        self._server: _Server | None = None

    async def parse(
        self, path: Path, *, filename: str, limits: ParseLimits, on_progress: Progress | None = None
    ) -> Parsed:
        """Parse one file."""
        payload = await self.run(path, filename=filename, limits=limits, on_progress=on_progress)
        return await asyncio.to_thread(wire.unpack, payload)

    async def run(
        self,
        path: Path,
        *,
        filename: str,
        limits: ParseLimits,
        options: Mapping[str, object] | None = None,
        on_progress: Progress | None = None,
    ) -> bytes:
        """What the target makes of one file; a fork server that was killed is started again once."""
        for _ in range(2):
            with suppress(_ServerGone):
                return await self._converse(path, filename, limits, options or {}, on_progress)
        raise errors.Unavailable(reason=_NOT_STARTED)

    def start(self) -> None:
        """Start the fork server, which takes a moment to load its libraries."""
        with self._lock:
            self._running()

    def close(self) -> None:
        """End the fork server and with it every child."""
        with self._lock:
            if self._server is not None:
                self._server.close()
                self._server = None

    async def _converse(
        self,
        path: Path,
        filename: str,
        limits: ParseLimits,
        options: Mapping[str, object],
        on_progress: Progress | None,
    ) -> bytes:
        answer, child_answer = socket.socketpair()
        news, child_news = socket.socketpair()
        request = {"path": str(path), "filename": filename, "limits": asdict(limits), "options": options}
        with answer, news:
            answer.setblocking(False)
            news.setblocking(False)
            await asyncio.to_thread(self._ask, request, child_answer, child_news)
            talk = _Conversation(answer, news, filename, limits, on_progress)
            return await talk.outcome()

    def _ask(self, request: Mapping[str, object], answer: socket.socket, news: socket.socket) -> None:
        body = json.dumps(request).encode()
        head = len(body).to_bytes(4, "big")
        with answer, news, self._lock:
            server = self._running()
            try:
                socket.send_fds(server.socket, [head], [answer.fileno(), news.fileno()])
                server.socket.sendall(body)
            except OSError as error:
                server.close()
                self._server = None
                raise _ServerGone from error

    def _running(self) -> "_Server":
        """The fork server of this very process: one inherited by a fork belongs to the parent."""
        server = self._server
        if server is None or server.owner != os.getpid() or server.process.poll() is not None:
            self._server = server = _Server.start(self._target, self._import_paths)
        return server


class _ServerGone(Exception):
    """The fork server ended before it could tell how the child fared."""


@dataclass(frozen=True, slots=True)
class _Server:
    process: subprocess.Popen[bytes]
    socket: socket.socket
    owner: int

    @classmethod
    def start(cls, target: str, import_paths: tuple[Path, ...]) -> "_Server":
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "veraz.ingest.parse.forkserver", target],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                # None of the caller's secrets go along.
                env={
                    "PYTHONPATH": os.pathsep.join(map(str, import_paths)),
                    "PATH": "/usr/local/bin:/usr/bin:/bin",
                    "LC_ALL": "C.UTF-8",
                },
                cwd="/",
                start_new_session=True,
            )
        return cls(process, ours, os.getpid())

    def close(self) -> None:
        self.socket.close()
        if self.owner != os.getpid():
            return
        try:
            self.process.wait(timeout=_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class _Conversation:
    """Listens to one child until it ends or its time is over."""

    def __init__(
        self,
        answer: socket.socket,
        news: socket.socket,
        filename: str,
        limits: ParseLimits,
        on_progress: Progress | None,
    ) -> None:
        self._answer, self._news = answer, news
        self._filename, self._limits = filename, limits
        self._on_progress = on_progress
        self._buffer = bytearray()
        self._final: tuple[bytes, bytes] | None = None
        self._loop = asyncio.get_running_loop()

    async def outcome(self) -> bytes:
        """The packed document; any other end is an error."""
        try:
            async with asyncio.timeout(self._limits.seconds) as clock:
                await self._listen(clock)
        except TimeoutError as error:
            raise errors.ParseTimeout(seconds=round(self._limits.seconds)) from error
        if self._final is None:
            raise await self._why_it_ended()
        kind, payload = self._final
        if kind == wire.FAILURE:
            raise wire.unpack_error(payload)
        return payload

    async def _listen(self, clock: asyncio.Timeout) -> None:
        while piece := await self._loop.sock_recv(self._answer, _PIECE):
            self._buffer += piece
            if len(self._buffer) > self._limits.output_mb * MB:
                raise errors.TooLarge(what=self._filename, limit=f"{self._limits.output_mb} MB")
            self._take_frames(clock)

    def _take_frames(self, clock: asyncio.Timeout) -> None:
        while len(self._buffer) >= wire.HEADER.size:
            kind, length = wire.HEADER.unpack_from(self._buffer)
            end = wire.HEADER.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[wire.HEADER.size : end])
            del self._buffer[:end]
            self._take(kind, payload, clock)

    def _take(self, kind: bytes, payload: bytes, clock: asyncio.Timeout) -> None:
        if kind == wire.PROGRESS:
            if self._on_progress and payload:
                self._on_progress(min(payload[0], 100))
        elif kind == wire.SCANS:
            pages = min(int.from_bytes(payload, "big"), self._limits.ocr_pages_max)
            due = self._loop.time() + self._limits.seconds + pages * _SECONDS_PER_SCAN
            clock.reschedule(due)
        else:
            self._final = (kind, payload)

    async def _why_it_ended(self) -> errors.VerazError | _ServerGone:
        """A child that said nothing was killed or crashed: its end tells which."""
        try:
            async with asyncio.timeout(_GRACE_SECONDS):
                told = await self._loop.sock_recv(self._news, 4096)
        except (TimeoutError, ConnectionError):
            told = b""
        if not told:
            return _ServerGone()
        end = json.loads(told)
        if end["exit"] == -SIGXCPU:
            return errors.ParseTimeout(seconds=round(self._limits.seconds))
        if end["exit"] == -SIGKILL or end["peak_mb"] > 0.6 * self._limits.memory_mb:
            return errors.ParseMemory()
        error = errors.Corrupt()
        error.add_note(f"the parsing process ended with {end['exit']} at {end['peak_mb']} MB")
        return error


_instances: dict[str, Sandbox] = {}
_instance_lock = threading.Lock()


def _shared(target: str = _READ) -> Sandbox:
    with _instance_lock:
        if target not in _instances:
            _instances[target] = Sandbox(target=target)
            atexit.register(_instances[target].close)
        return _instances[target]
