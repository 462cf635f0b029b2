"""What one socket may send: frames and bytes, out of buckets that fill again while it is quiet.

The library below reads all that has arrived before anybody else goes on, 40,000 pings or empty pieces too. So it is given
slices, frames are counted where they are read, and nothing is unpacked that was sent compressed.
"""

import time
from dataclasses import dataclass, field
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

LARGEST_FRAME: Final = 512 * 1024
"""Bytes; a long prompt is typed into a page as a whole."""
_SLICE: Final = 2 * 1024
"""Bytes that are looked at before it is asked again whether there are too many."""


@dataclass(slots=True)
class Bucket:
    """Holds `burst`, and fills again by so much a second."""

    burst: float
    per_second: float
    left: float = field(init=False)
    at: float = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.at = self.burst, time.monotonic()

    def spend(self, amount: float) -> bool:
        """Whether there was as much in it."""
        now = time.monotonic()
        self.left = min(self.burst, self.left + (now - self.at) * self.per_second) - amount
        self.at = now
        return self.left >= 0


@dataclass(slots=True)
class FrameBudget:
    """Of one socket."""

    frames: Bucket = field(default_factory=lambda: Bucket(300, 60))
    bytes: Bucket = field(default_factory=lambda: Bucket(8 * 1024 * 1024, 1024 * 1024))

    def spend(self, size: int) -> bool:
        """Whether one more frame of this size may come."""
        return self.frames.spend(1) and self.bytes.spend(size)


class PatientSocket(WebSocketsSansIOProtocol):
    """Uvicorn's socket, which ends when more is sent than its budget, and forgets what nobody waits for any more."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._budget = FrameBudget()

    def data_received(self, data: bytes) -> None:
        """In slices, so that no more is read than the budget has frames."""
        for at in range(0, len(data), _SLICE):
            if self.transport.is_closing():
                return
            super().data_received(data[at : at + _SLICE])

    def handle_text(self, event: Frame) -> None:
        """Words."""
        if self._takes(event):
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """Anything else."""
        if self._takes(event):
            super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        """The next piece of either."""
        if self._takes(event):
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answered, if there are not too many."""
        if self._takes(None):
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Also those nobody asked for."""
        if self._takes(event):
            super().handle_pong(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """What the other side had still to say is not heard."""
        self._drop_backlog()
        super().connection_lost(exc)

    def _takes(self, event: Frame | None) -> bool:
        if self.close_sent:
            return False
        if self._budget.spend(len(event.data) if event else 0):
            return True
        self._drop_backlog()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": CloseCode.POLICY_VIOLATION})
        self.conn.fail(CloseCode.POLICY_VIOLATION, "too many frames")
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()
        return False

    def _drop_backlog(self) -> None:
        waiting = [self.queue.get_nowait() for _ in range(self.queue.qsize())]
        for event in waiting:
            if event["type"] != "websocket.receive":
                self.queue.put_nowait(event)
