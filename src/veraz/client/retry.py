"""What is tried again, and when: requests that change nothing twice, after failures that pass by themselves."""

import random
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import httpx

from veraz.client.calls import Call
from veraz.client.errors import ConnectionFailed, error_of

T = TypeVar("T")

_PASSING: Final = frozenset({429, 502, 503, 504})
_FIRST: Final = 0.2
_LONGEST: Final = 10.0


def pause_after(
    call: Call[Any], outcome: httpx.Response | httpx.TransportError, tries_left: int
) -> float | None:
    """Seconds before the next try, or None when this outcome stands."""
    if tries_left <= 0:
        return None
    if isinstance(outcome, httpx.TransportError):
        never_sent = isinstance(outcome, httpx.ConnectError)
        return _pause(tries_left, {}) if call.again or never_sent else None
    return _pause(tries_left, outcome.headers) if call.again and outcome.status_code in _PASSING else None


def result_of(call: Call[T], outcome: httpx.Response | httpx.TransportError) -> T:
    """What an outcome that stands means."""
    return call.read(body_of(outcome))


def body_of(outcome: httpx.Response | httpx.TransportError) -> Any:
    """The answer's JSON, or the error it stands for."""
    if isinstance(outcome, httpx.TransportError):
        raise ConnectionFailed(str(outcome) or type(outcome).__name__) from outcome
    if outcome.is_error:
        raise error_of(outcome.status_code, outcome.content)
    return outcome.json() if outcome.content else None


def _pause(tries_left: int, headers: Mapping[str, str]) -> float:
    """As long as the server asks for, or longer each time, never everybody at once."""
    asked = headers.get("retry-after", "")
    if asked.isdecimal():
        return min(_LONGEST, float(asked))
    longest = min(_LONGEST, _FIRST * float(2 ** max(0, 3 - tries_left)))
    return random.uniform(longest / 2, longest)
