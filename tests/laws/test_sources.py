"""Laws of the source files: one reader of the environment, no addresses of package registries."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import veraz

ROOT = Path(__file__).parents[2]
PACKAGE = Path(veraz.__file__).parent
ONLY_IN_SETTINGS = {"environ", "getenv", "environb", "putenv"}


def test_only_settings_reads_the_environment() -> None:
    readers = {
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in PACKAGE.rglob("*.py")
        if path != PACKAGE / "settings.py"
        for line in environment_reads(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert not readers, "pass Settings in instead"


def environment_reads(tree: ast.AST) -> Iterator[int]:
    """Lines with os.environ, os.getenv, Path.home()."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner, name = node.value.id, node.attr
            if (owner == "os" and name in ONLY_IN_SETTINGS) or (owner == "Path" and name == "home"):
                yield node.lineno
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            names = {alias.name for alias in node.names}
            yield from [node.lineno] if names & ONLY_IN_SETTINGS else []


def test_no_committed_file_names_a_registry() -> None:
    addresses = re.compile(
        r"--(extra-)?index-url|--find-links|\"resolved\": \"http|registry\.npmjs|pypi\.org/simple|/simple/?$",
        re.M,
    )
    guilty = [name for name in committed() if name != _me() and addresses.search(_text(ROOT / name))]
    assert not guilty


def test_there_is_no_lock_file_with_addresses() -> None:
    assert not {Path(name).name for name in committed()} & {
        "uv.lock",
        "package-lock.json",
        "poetry.lock",
        "Pipfile.lock",
    }


def committed() -> list[str]:
    """The files git knows."""
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def _me() -> str:
    return str(Path(__file__).relative_to(ROOT))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="ignore") if path.stat().st_size < 2_000_000 else ""
