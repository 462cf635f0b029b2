"""What one connection may cost: a head that arrives in time and is short, a body and an answer that go on, and so many at once.

Somebody who opens connections and says nothing, or says it a byte at a time, keeps a place that others need. Slow is
allowed, still is not: an upload over a thin line and a stream of events last as long as they move.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from veraz.api.addresses import TrustedProxies
from veraz.observe import log
from veraz.tenancy.rates import place_of

MOST_HEAD: Final = 64 * 1024
"""Bytes of address and headers together."""
PLACES: Final = "veraz.places"
"""Where a request finds the places, and the address its connection came from."""
_MOST_AHEAD: Final = 8
"""Requests that may be sent before the answer to the first has ended."""
_FOR_STRANGERS: Final = 0.75
"""Share of the places that addresses may take at which nobody is known …"""
_FOR_OTHERS: Final = 0.95
"""… and all but this machine, which asks whether we are well."""
_THIS_MACHINE: Final = ("127.0.0.1", "::1")
_REMEMBERED_SECONDS: Final = 3600.0
_MOST_REMEMBERED: Final = 10_000
_BODIES: Final = {
    408: b"the request did not arrive in time",
    431: b"the headers are too large",
    503: b"too many connections",
}
_PHRASES: Final = {
    408: b"Request Timeout",
    431: b"Request Header Fields Too Large",
    503: b"Service Unavailable",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long is waited, and how many may be open."""

    head_seconds: float = 10.0
    """For the whole head of a request."""
    stall_seconds: float = 20.0
    """In which a body, or whoever reads an answer, must move on by `progress` bytes."""
    progress: int = 4 * 1024
    connections: int = 2_000
    per_address: int = 200


@dataclass(slots=True)
class Places:
    """Who has how many connections; proxies stand for many callers and have no limit of their own.

    Some places are left for addresses of those who have shown who they are and for proxies, a few for this machine alone.
    """

    limits: Limits = field(default_factory=Limits)
    proxies: TrustedProxies = field(default_factory=TrustedProxies)
    taken: Counter[str] = field(default_factory=Counter)
    all: int = 0
    _known: dict[str, float] = field(default_factory=dict)
    """When somebody was last known at an address."""

    def take(self, address: str) -> bool:
        """A place for one more, if there is one."""
        place = place_of(address)
        full = self.all >= self._room(address, place)
        if full or (self.taken[place] >= self.limits.per_address and address not in self.proxies):
            return False
        self.taken[place] += 1
        self.all += 1
        return True

    def give_back(self, address: str) -> None:
        """One has ended."""
        place = place_of(address)
        self.all -= 1
        self.taken[place] -= 1
        if self.taken[place] <= 0:
            del self.taken[place]

    def know(self, address: str) -> None:
        """Somebody there has shown who they are."""
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[place_of(address)] = time.monotonic()

    def _room(self, address: str, place: str) -> int:
        """How many places may be taken before this address gets none."""
        if address in _THIS_MACHINE:
            return self.limits.connections
        known = time.monotonic() - self._known.get(place, -math.inf) < _REMEMBERED_SECONDS
        share = _FOR_OTHERS if known or address in self.proxies else _FOR_STRANGERS
        return math.ceil(self.limits.connections * share)


class PatientProtocol(HttpToolsProtocol):
    """Uvicorn's connection, with an end to its patience."""

    places: Places

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a place, or is told that there is none."""
        super().connection_made(transport)
        self._head_bytes = self._seen = 0
        self._refused = 400
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._address = self.client[0] if self.client else "?"
        self._placed = self.places.take(self._address)
        if not self._placed:
            log.warning("connection_refused", address=self._address, open=self.places.all)
            self._refuse(503)
            return
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Gives the place back."""
        self._stop(self._timer, self._writing)
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Counts what comes; the head of the next request has its own time."""
        if self.transport.is_closing():
            return
        self._seen += len(data)
        if self._timer is None and (self.cycle is None or self.cycle.response_complete):
            self._wait_for_head()
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A new request."""
        super().on_message_begin()
        self._head_bytes = 0
        self.scope[PLACES] = (self.places, self._address)  # type: ignore[typeddict-unknown-key]

    def on_url(self, url: bytes) -> None:
        """Part of the address."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        self._count_head(len(name) + len(value) + 4)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there; from now on the body has to come."""
        self._stop(self._timer)
        self._timer = None
        if len(self.pipeline) >= _MOST_AHEAD:
            raise ValueError("too many requests ahead of their answers")
        super().on_headers_complete()
        if not (self.parser.should_upgrade() and self._should_upgrade()):
            self._wait_for_body()

    def on_message_complete(self) -> None:
        """The body is there."""
        self._stop(self._timer)
        self._timer = None
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What cannot be read, or is too much of a head. Where others still wait for their answers, nothing is said."""
        if self.pipeline:
            self.pipeline.clear()
            self.transport.close()
        elif self._refused == 400:
            super().send_400_response(msg)
        else:
            self._refuse(self._refused)

    def handle_websocket_upgrade(self) -> None:
        """The place goes on to the socket, which has pings of its own."""
        self._stop(self._timer)
        self._timer = None
        super().handle_websocket_upgrade()
        socket: Any = self.transport.get_protocol()
        if socket is not self:
            socket.connection_lost = partial(self._socket_lost, socket.connection_lost)

    def pause_writing(self) -> None:
        """Nobody reads the answer, for now."""
        super().pause_writing()
        self._writing = self.loop.call_later(self.places.limits.stall_seconds, self._nobody_reads)

    def resume_writing(self) -> None:
        """It is read again."""
        super().resume_writing()
        self._stop(self._writing)

    def _socket_lost(self, lost: Callable[[Exception | None], None], exc: Exception | None) -> None:
        self._leave()
        lost(exc)

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MOST_HEAD:
            self._refused = 431
            raise ValueError("the headers are too large")

    def _wait_for_head(self) -> None:
        self._timer = self.loop.call_later(self.places.limits.head_seconds, self._too_slow)

    def _wait_for_body(self) -> None:
        self._timer = self.loop.call_later(self.places.limits.stall_seconds, self._look, self._seen)

    def _look(self, before: int) -> None:
        """Whether the body goes on; where it is us who do not read, that is nobody's fault."""
        if self.flow.read_paused or self._seen - before >= self.places.limits.progress:
            self._wait_for_body()
        else:
            self._too_slow()

    def _too_slow(self) -> None:
        self._timer = None
        asked = self.cycle
        if asked is not None and asked.response_started and (asked.more_body or not asked.response_complete):
            self.transport.close()  # it has its answer, or part of it
        else:
            self._refuse(408)

    def _nobody_reads(self) -> None:
        self.transport.abort()

    def _refuse(self, status: int) -> None:
        """A plain answer; nothing of ours has been asked yet."""
        body = _BODIES[status]
        more = b"retry-after: 10\r\n" if status == 503 else b""
        head = (
            b"HTTP/1.1 %d %s\r\ncontent-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n%s\r\n"
        )
        if not self.transport.is_closing():
            self.transport.write(head % (status, _PHRASES[status], len(body), more) + body)
            self.transport.close()

    def _leave(self) -> None:
        if self._placed:
            self._placed = False
            self.places.give_back(self._address)

    @staticmethod
    def _stop(*timers: asyncio.TimerHandle | None) -> None:
        for timer in timers:
            if timer is not None:
                timer.cancel()


def know_address(scope: MutableMapping[str, Any]) -> None:
    """Whoever sent this request has shown who they are: their address keeps its places."""
    if PLACES in scope:
        places, address = scope[PLACES]
        places.know(address)


def patient(limits: Limits, proxies: TrustedProxies) -> type[PatientProtocol]:
    """The protocol for one server, all of whose connections share these places."""
    return type("PatientHttp", (PatientProtocol,), {"places": Places(limits=limits, proxies=proxies)})
