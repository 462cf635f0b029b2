"""What is tried again, and when: requests that change nothing twice, after failures that pass by themselves."""

import json
import random
from collections.abc import Mapping
from typing import Any, Final, NoReturn, TypeVar

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
    body = body_of(outcome)
    try:
        return call.read(body)
    except (LookupError, TypeError, AttributeError) as error:
        raise ConnectionFailed(f"{call.path}: the answer is not the API's") from error


def body_of(outcome: httpx.Response | httpx.TransportError) -> Any:
    """The answer's JSON, or the error it stands for."""
    if isinstance(outcome, httpx.TransportError):
        raise unreachable(outcome) from outcome
    if outcome.is_error:
        raise error_of(outcome.status_code, outcome.content)
    if not outcome.is_success:
        no_api(outcome)
    try:
        return json.loads(outcome.content) if outcome.content else None
    except ValueError:
        no_api(outcome)


def no_api(answer: httpx.Response) -> NoReturn:
    """Somebody answered, but not Veraz: most often the address is another program's, or lacks its https."""
    said = f"{answer.status_code}, {answer.headers.get('content-type') or 'no content'}"
    if to := answer.headers.get("location"):
        said = f"{answer.status_code} to {to}"
    raise ConnectionFailed(f"{answer.request.url} is not Veraz's API ({said})")


def is_stream(answer: httpx.Response) -> bool:
    """Whether an answer is told event by event."""
    return answer.is_success and answer.headers.get("content-type", "").startswith("text/event-stream")


def unreachable(error: httpx.TransportError) -> ConnectionFailed:
    """What is said when nobody answers."""
    return ConnectionFailed(str(error) or type(error).__name__)


def _pause(tries_left: int, headers: Mapping[str, str]) -> float:
    """As long as the server asks for, or longer each time, never everybody at once."""
    asked = headers.get("retry-after", "")
    if asked.isdecimal():
        return min(_LONGEST, float(asked))
    longest = min(_LONGEST, _FIRST * float(2 ** max(0, 3 - tries_left)))
    return random.uniform(longest / 2, longest)
