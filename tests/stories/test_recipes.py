"""The recipes work as they are written: their blocks run in order against a server started as their first page says."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support import recipes
else:
    from support import recipes

PAGES = Path(__file__).parents[2] / "docs" / "recipes"
NAMES = sorted((page.name for page in PAGES.glob("*.md") if page.name != "README.md"), key="kairo.md".__eq__)
"""KAIRO's comes last on the server they share: it makes more projects, and new agents must then name theirs."""

pytestmark = pytest.mark.skipif(
    not all(shutil.which(tool) for tool in ("bash", "curl", "jq")), reason="bash, curl and jq are needed"
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of somebody who followed the start: a server on an empty home, and a key."""
    folder = tmp_path_factory.mktemp("recipes")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VERAZ_")}
    clean["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{clean['PATH']}"
    given = clean | {"VERAZ_HOME": str(folder / "home"), "VERAZ_PORT": str(_free_port())}
    ((_, start, _),) = recipes.blocks(PAGES / "README.md")
    state = folder / "env"
    script = f"set -eu\n{start}\nenv -0 > {state}.draft && mv {state}.draft {state}\nwait"
    with (folder / "log").open("wb") as log:
        shell = subprocess.Popen(
            ["bash", "-c", script], env=given, start_new_session=True, stdout=log, stderr=log
        )
        try:
            _wait(shell, state, folder / "log")
            entries = state.read_text().split("\0")
            yield dict(entry.split("=", 1) for entry in entries if "=" in entry)
        finally:
            os.killpg(shell.pid, signal.SIGTERM)
            shell.wait(60)


def test_there_is_a_page_for_each_system_and_the_first_page_names_it() -> None:
    first = (PAGES / "README.md").read_text(encoding="utf-8")
    assert len(NAMES) == 5
    assert all(f"({name})" in first for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_recipe_works_as_written(name: str, reader: dict[str, str]) -> None:
    script = Path(recipes.__file__)
    done = subprocess.run(
        [sys.executable, str(script), str(PAGES / name)],
        env=reader,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-3000:]}"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


def _wait(shell: subprocess.Popen[bytes], state: Path, log: Path, seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    while not state.exists():
        if shell.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(log.read_text(errors="replace")[-3000:])
        time.sleep(0.1)
