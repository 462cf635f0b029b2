"""`veraz security-events` as people run it."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_what_happened_is_listed_and_taken_away_as_lines(tmp_path: Path) -> None:
    _ok(tmp_path, "key", "create", "--name", "k", "--scope", "ask")
    _ok(tmp_path, "backup-key", str(tmp_path / "backup.key"), home=False)
    _ok(tmp_path, "backup", str(tmp_path / "veraz.tar"), "--key-file", str(tmp_path / "backup.key"))
    assert "key_made" in _ok(tmp_path, "security-events", "--kind", "key_made")
    lines = _ok(
        tmp_path, "security-events", "--installation", "--format", "jsonl", "--days", "1"
    ).splitlines()
    assert [(one["kind"], one["details"]["encrypted"]) for one in map(json.loads, lines)] == [
        ("backed_up", True)
    ]


def _ok(folder: Path, *arguments: str, home: bool = True) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VERAZ_")}
    environment |= {"VERAZ_EMBEDDING_MODEL": "fake:hash@64", "COLUMNS": "220"}
    command = [sys.executable, "-m", "veraz", *arguments, *(["--home", str(folder)] if home else [])]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout
