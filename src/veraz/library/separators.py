"""Separators: regular expressions of people, run where they can do no harm.

An engine with linear time was tried (RE2): it knows no lookahead, with which people cut before a heading. So they run in
a process of their own, which the system ends when it takes too long, be it to compile or to match.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Final

from veraz.errors import Invalid, Phrase, RateLimited

_CHILD: Final = str(Path(__file__).with_name("separator_child.py"))
_LONGEST: Final = 200
_PROBES: Final = ("a" * 2_000 + "!", "a b " * 500 + "!", "1" * 2_000 + " ", ("- a, b. 1" * 20 + "\n") * 20)
_PROBE_SECONDS: Final = 1
_SECONDS: Final = 3
_CHARACTERS_A_SECOND: Final = 1_000_000
_PATIENCE: Final = 20
"""How many times its processor time a process may take on a busy machine."""
_turns: Final = BoundedSemaphore(2)
"""So many are tried at once for callers of a process, in whose threads others wait too."""
_TOO_SLOW: Final = Phrase("it takes too long; make it simpler", es="tarda demasiado; simplifíquela")


def check_separator(pattern: str) -> None:
    """`Invalid` when it is broken, too long, too slow or matches nothing at all. Waits: not for the loop."""
    if not isinstance(pattern, str) or not 0 < len(pattern) <= _LONGEST:
        raise _wrong(f"1 to {_LONGEST} characters", es=f"de 1 a {_LONGEST} caracteres")
    _try(pattern)


@contextmanager
def one_trial() -> Iterator[None]:
    """A turn to try what somebody has sent; `RateLimited` while others have it."""
    if not _turns.acquire(blocking=False):
        raise RateLimited(seconds=_PROBE_SECONDS)
    try:
        yield
    finally:
        _turns.release()


def separate(pattern: str, text: str) -> list[tuple[int, int, bool]]:
    """Where it matches: start, end, and whether there is no word in it. Waits: not for the loop."""
    return [
        (start, end, bare)
        for start, end, bare in _run(pattern, [text], _SECONDS + len(text) // _CHARACTERS_A_SECOND)
    ]


def _try(pattern: str) -> None:
    if refused := _outcome(pattern):
        raise Invalid(**refused)


@lru_cache(maxsize=1_000)
def _outcome(pattern: str) -> dict[str, Any]:
    """Why it is refused, if it is; remembered, so that a slow one is tried once."""
    try:
        _run(pattern, list(_PROBES), _PROBE_SECONDS)
    except Invalid as error:
        return error.context
    return {}


def _run(pattern: str, texts: list[str], seconds: int) -> Any:
    request = json.dumps({"pattern": pattern, "texts": texts, "seconds": seconds})
    try:
        ran = subprocess.run(
            [sys.executable, "-I", _CHILD],
            input=request.encode(),
            capture_output=True,
            timeout=seconds * _PATIENCE,
            check=False,
            env={"LC_ALL": "C.UTF-8"},
            cwd="/",
        )
    except subprocess.TimeoutExpired as error:
        raise Invalid(field="separator_regex", reason=_TOO_SLOW) from error
    if ran.returncode:
        raise Invalid(field="separator_regex", reason=_TOO_SLOW)
    answer = json.loads(ran.stdout)
    if "broken" in answer:
        why = answer["broken"]
        raise _wrong(f"not a regular expression ({why})", es=f"no es una expresión regular ({why})")
    if "empty" in answer:
        raise _wrong("it matches empty text", es="coincide con un texto vacío")
    return answer["spans"]


def _wrong(en: str, *, es: str) -> Invalid:
    return Invalid(field="separator_regex", reason=Phrase(en, es=es))
