"""Runs somebody's regular expression; a program of its own, which may be killed. It loads nothing of ours.

In: `{"pattern", "texts", "seconds"}`. Out: `{"spans": [[start, end, whether it holds no word], …]}` of all texts, or
`{"broken": why}`, or `{"empty": true}`. The processor time and the memory it may take are the system's to hold it to:
also compiling an expression can take minutes and gigabytes.
"""

import json
import resource
import sys
from contextlib import suppress

import regex

_MEMORY = 1 << 30


def main() -> None:
    request = json.load(sys.stdin)
    seconds = request["seconds"]
    with suppress(ValueError, OSError):  # some systems know no limit of memory
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    json.dump(_answer(request["pattern"], request["texts"]), sys.stdout)


def _answer(pattern: str, texts: list[str]) -> dict[str, object]:
    try:
        compiled = regex.compile(pattern, regex.MULTILINE)
    except regex.error as error:
        return {"broken": str(error)}
    if compiled.fullmatch("") is not None:
        return {"empty": True}
    return {
        "spans": [
            [found.start(), found.end(), not any(map(str.isalnum, found[0]))]
            for text in texts
            for found in compiled.finditer(text)
        ]
    }


if __name__ == "__main__":
    main()
