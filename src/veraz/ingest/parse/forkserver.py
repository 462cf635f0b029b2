"""A small process with the parser libraries loaded, from which each file's own process is forked.

It speaks over the socket it finds as standard input: each request carries two descriptors, one for
the child's answer and one for the news of its end. When the asker closes the latter, or everything
ends, the child and whatever it started are killed. It never reads a document itself.
"""

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse import jail, wire
from veraz.ingest.parse.base import ParseLimits, Source

LENGTH = struct.Struct("!I")
_ANSWER, _FILE = 3, 4

Read = Callable[[Source], Parsed | bytes]
"""What is done with a file: it is read, or a page of it drawn."""


def main() -> None:
    """Serve until the asker closes its end."""
    jail.leave_network()
    read = _load(sys.argv[1])
    wake, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=0) as asker:
        Server(asker, wake, read).run()


class Server:
    """Forks, watches and reaps."""

    def __init__(self, asker: socket.socket, wake: int, read: Read) -> None:
        self._asker = asker
        self._wake = wake
        self._read = read
        self._news: dict[int, int] = {}
        """Process id → descriptor for the news of its end."""
        self._poll = select.poll()

    def run(self) -> None:
        """One loop: requests, ended children, askers that went away."""
        self._poll.register(self._asker, select.POLLIN)
        self._poll.register(self._wake, select.POLLIN)
        serving = True
        while serving:
            ready = {descriptor for descriptor, _ in self._poll.poll()}
            # Lost askers first: once a child is reaped its descriptor's number may be given again.
            for descriptor in ready - {self._asker.fileno(), self._wake}:
                self._abandon(descriptor)
            if self._wake in ready:
                self._reap()
            if self._asker.fileno() in ready:
                serving = self._accept()
        for child in self._news:
            _kill(child)

    def _accept(self) -> bool:
        received = _receive(self._asker)
        if received is None:
            return False
        request, answer, news = received
        child = os.fork()
        if child == 0:
            _child(request, answer, self._read)
        os.close(answer)
        self._news[child] = news
        self._poll.register(news, 0)
        return True

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._wake, 4096)
        while self._news:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return
            # Before its number is free again: end whatever it left running.
            _kill(ended.si_pid)
            _, status, usage = os.wait4(ended.si_pid, 0)
            self._tell(self._news.pop(ended.si_pid), status, usage.ru_maxrss)

    def _tell(self, news: int, status: int, peak_kb: int) -> None:
        with suppress(KeyError):
            self._poll.unregister(news)
        told = {"exit": os.waitstatus_to_exitcode(status), "peak_mb": peak_kb // 1024}
        with suppress(OSError):
            os.write(news, json.dumps(told).encode())
        os.close(news)

    def _abandon(self, news: int) -> None:
        for child, descriptor in self._news.items():
            if descriptor == news:
                _kill(child)
        self._poll.unregister(news)


def _load(target: str) -> Read:
    module, _, name = target.partition(":")
    read: Read = getattr(importlib.import_module(module), name)
    # Later, as nobody, the library's folder may be out of reach: load every decoder now.
    encodings = importlib.import_module("encodings")
    for found in pkgutil.iter_modules(encodings.__path__):
        with suppress(ImportError):
            importlib.import_module(f"encodings.{found.name}")
    gc.collect()
    gc.freeze()
    return read


def _receive(asker: socket.socket) -> tuple[dict[str, Any], int, int] | None:
    """The next request with its two descriptors; None when there will be no more."""
    try:
        head, descriptors, _, _ = socket.recv_fds(asker, LENGTH.size, 2)
    except ConnectionError:
        return None
    if len(head) < LENGTH.size or len(descriptors) != 2:
        return None
    body = b""
    (length,) = LENGTH.unpack(head)
    while len(body) < length:
        piece = asker.recv(length - len(body))
        if not piece:
            return None
        body += piece
    return json.loads(body), descriptors[0], descriptors[1]


def _kill(child: int) -> None:
    """A child leads a group of its own, so its helpers go with it."""
    for end in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            end(child, signal.SIGKILL)


def _child(request: dict[str, Any], answer: int, read: Read) -> None:
    """Everything in here happens in the child; it never returns."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        limits = ParseLimits(**request["limits"])
        _settle(request["path"], answer)
        jail.lock(memory_mb=limits.memory_mb, cpu_seconds=limits.seconds + limits.ocr_pages_max)
        _send(*_outcome(request, limits, read))
    finally:
        os._exit(0)


def _settle(path: str, answer: int) -> None:
    """Keep only the answer and the file open; nothing of the asker or of other children."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    # Out of the way first: one of them may sit where the other belongs.
    answer, file = os.dup2(answer, 100, inheritable=False), os.dup2(file, 101, inheritable=False)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.dup2(answer, _ANSWER, inheritable=False)
    os.dup2(file, _FILE, inheritable=False)
    os.closerange(_FILE + 1, os.sysconf("SC_OPEN_MAX"))


def _outcome(request: dict[str, Any], limits: ParseLimits, read: Read) -> tuple[bytes, bytes]:
    try:
        with open(_FILE, "rb", closefd=False) as file:
            data = file.read()
        source = Source(
            data=data,
            filename=request["filename"],
            limits=limits,
            options=request["options"],
            progress=lambda percent: _send(wire.PROGRESS, bytes([max(0, min(100, percent))])),
            expect_scans=lambda pages: _send(wire.SCANS, LENGTH.pack(max(0, pages))),
        )
        result = read(source)
        return wire.RESULT, result if isinstance(result, bytes) else wire.pack(result)
    except errors.VerazError as error:
        return wire.FAILURE, wire.pack_error(error)
    except MemoryError:
        return wire.FAILURE, wire.pack_error(errors.ParseMemory())
    except BaseException as error:  # noqa: BLE001 - the last handler of a process of its own; Rust panics are no Exception
        detail = f"{type(error).__name__}: {error}"
        return wire.FAILURE, wire.pack_error(errors.Corrupt(), detail)


def _send(kind: bytes, payload: bytes) -> None:
    rest = memoryview(wire.frame(kind, payload))
    while rest:
        rest = rest[os.write(_ANSWER, rest) :]


if __name__ == "__main__":
    sys.path[:] = [path for path in sys.path if path != str(Path(__file__).parent)]
    main()
