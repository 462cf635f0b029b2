"""Which failures are tried again, and when."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from veraz import errors
from veraz.queue.model import Job

PASSING = (errors.OutsideBusy, errors.OutsideDown, errors.Unavailable)
"""Faults that pass by themselves."""
_LONGEST = 3600.0
_LONGEST_ASKED = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an attempt ended and what follows: the job's next status, and the wait when it is tried again."""

    status: Literal["PENDING", "FAILED", "DLQ"]
    code: str
    message: str
    wait_seconds: float = 0.0


def judge(job: Job, error: Exception) -> Failure:
    """What becomes of a job whose handler raised this.

    Our own errors are final unless their cause passes by itself; what nobody foresaw is tried again, because it is
    as often a moment's trouble as a fault. The message is what people read; of an unforeseen error they only learn
    its name, since its text may hold anything.
    """
    code, message = _words(error)
    if isinstance(error, errors.VerazError) and not isinstance(error, PASSING):
        return Failure(status="FAILED", code=code, message=message)
    if not job.attempts_left:
        return Failure(status="DLQ", code=code, message=message)
    return Failure(status="PENDING", code=code, message=message, wait_seconds=wait(job.attempt, error))


def backoff(attempt: int, between: Callable[[float, float], float] = random.uniform) -> float:
    """Seconds before the next try after the nth: least(3600, 15·2^min(n, 8) + random(0…10))."""
    return min(_LONGEST, 15.0 * float(2 ** min(attempt, 8)) + between(0.0, 10.0))


def wait(attempt: int, error: Exception) -> float:
    """The backoff, or longer when the host outside asked for more (up to a day)."""
    asked = error.retry_after if isinstance(error, errors.OutsideFault) else None
    return max(backoff(attempt), min(asked or 0.0, _LONGEST_ASKED))


def _words(error: Exception) -> tuple[str, str]:
    if isinstance(error, errors.VerazError):
        return error.code, error.message("es")
    return "unexpected", f"{errors.VerazError().message('es')} ({type(error).__name__})"
