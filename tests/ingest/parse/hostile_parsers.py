"""Readers that misbehave in every way a parser library has been seen to; they run in the jail only."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from veraz import errors
from veraz.ingest.model import Block, Parsed
from veraz.ingest.parse.base import Source


def read(source: Source) -> Parsed:
    """Do what the file's content names."""
    action = source.data.decode().strip()
    ACTIONS[action](source)
    return Parsed(text=action, blocks=(Block(kind="paragraph", start=0, end=len(action)),))


def hang(_: Source) -> None:
    time.sleep(600)


def spin(_: Source) -> None:
    while True:
        pass


def eat_memory(_: Source) -> None:
    hoard = []
    while True:
        hoard.append(bytearray(16_000_000))


def crash(_: Source) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def abort(_: Source) -> None:
    os.abort()


def vanish(_: Source) -> None:
    os._exit(7)


def raise_surprise(_: Source) -> None:
    raise ZeroDivisionError("deep in a library")


def recurse(source: Source) -> None:
    recurse(source)


def flood(source: Source) -> None:
    while True:
        source.progress(1)
        os.write(3, b"R\xff\xff\xff\xff" + b"x" * 1_000_000)


def fork_many(_: Source) -> None:
    """Children that would live for ever, in the same group."""
    for _n in range(20):
        if os.fork() == 0:
            time.sleep(600)
    subprocess.Popen(["sleep", "600"])
    time.sleep(600)


def write_file(_: Source) -> None:
    try:
        with Path("/tmp/veraz-jail-proof").open("wb") as file:
            file.write(b"escaped")
            file.flush()
    except OSError as error:
        raise errors.NoText(hint="blocked") from error
    finally:
        Path("/tmp/veraz-jail-proof").unlink(missing_ok=True)


def use_network(_: Source) -> None:
    try:
        socket.create_connection(("127.0.0.1", 9), timeout=1)
    except PermissionError as error:
        raise errors.NoText(hint="blocked") from error


def report(source: Source) -> None:
    for percent in (10, 50, 90):
        source.progress(percent)


def fine(_: Source) -> None:
    """A reader that behaves."""


ACTIONS = {
    name: action
    for name, action in globals().items()
    if callable(action) and getattr(action, "__module__", "") == __name__ and name != "read"
}
