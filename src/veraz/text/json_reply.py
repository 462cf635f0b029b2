"""JSON in what a chat model said: models like to put words or a code fence around it."""

import json
from typing import Any

_DECODER = json.JSONDecoder()
_TRIES = 5
_LONGEST = 20_000


def json_in(text: str, opening: str) -> Any:
    """The first JSON value that begins with `opening` («{» or «[»); `ValueError` when there is none."""
    text, start = text[:_LONGEST], -1
    for _ in range(_TRIES):
        start = text.find(opening, start + 1)
        if start < 0:
            break
        try:
            return _DECODER.raw_decode(text, start)[0]
        except (json.JSONDecodeError, RecursionError):
            continue
    raise ValueError("no JSON")
