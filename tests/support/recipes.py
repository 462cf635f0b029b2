"""Runs the blocks of one page in order, as a reader would: `python recipes.py page.md`.

Python blocks share their names, shell blocks their variables, functions and folder; the first failure ends it.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_KEEP = '\nenv -0 > "$RECIPE_STATE/env"\npwd > "$RECIPE_STATE/folder"\n'


def blocks(page: Path) -> Iterator[tuple[str, str, int]]:
    """Language, text and first line of every block."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        yield found[1], found[2], text.count("\n", 0, found.start(2))


def run(page: Path) -> None:
    """Everything on the page."""
    names: dict[str, Any] = {"__name__": "recipe"}
    with tempfile.TemporaryDirectory() as state:
        for language, text, line in blocks(page):
            print(f"--- {page.name}:{line + 1}", flush=True)
            if language == "python":
                exec(compile("\n" * line + text, str(page), "exec"), names)
            else:
                _shell(text, Path(state))


def _shell(text: str, state: Path) -> None:
    script = f"set -euo pipefail; set -a\n{text}{_KEEP}"
    subprocess.run(["bash", "-c", script], check=True, env=dict(os.environ) | {"RECIPE_STATE": str(state)})
    for entry in (state / "env").read_bytes().split(b"\0"):
        name, _, value = entry.decode().partition("=")
        if name and name != "RECIPE_STATE":
            os.environ[name] = value
    os.chdir((state / "folder").read_text().strip())


if __name__ == "__main__":
    run(Path(sys.argv[1]).resolve())
