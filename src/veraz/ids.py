"""Typed ids, all time-ordered UUIDs (version 7), so that a list sorted by id is sorted by age."""

import os
import time
from typing import NewType
from uuid import UUID

TenantId = NewType("TenantId", UUID)
UserId = NewType("UserId", UUID)
ProjectId = NewType("ProjectId", UUID)
KeyId = NewType("KeyId", UUID)
LicenceId = NewType("LicenceId", UUID)
AgentId = NewType("AgentId", UUID)
KbId = NewType("KbId", UUID)
DocumentId = NewType("DocumentId", UUID)
ChunkId = NewType("ChunkId", UUID)
JobId = NewType("JobId", UUID)


def new_id() -> UUID:
    """A new UUIDv7: 48 bits of milliseconds, 12 bits of their fraction, then randomness (RFC 9562, method 3).

    With the fraction, what one process makes one after the other (a question and its answer) stays in that order.
    """
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    fraction = 0x7000 | (nanoseconds * 4096 // 1_000_000)
    raw = bytearray(milliseconds.to_bytes(6, "big") + fraction.to_bytes(2, "big") + os.urandom(8))
    raw[8] = 0x80 | (raw[8] & 0x3F)
    return UUID(bytes=bytes(raw))
