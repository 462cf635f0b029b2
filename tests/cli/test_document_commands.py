"""`veraz document` as people run it: versions, going back, superseding."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_a_file_again_is_a_version_that_can_be_listed_and_undone(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "politica.md"
    file.write_text("# Devoluciones\n\nHay treinta días para devolver.")
    _ok(home, "ingest", str(file), "--kb", "Base", "--wait")
    file.write_text("# Devoluciones\n\nHay sesenta jornadas para devolver.")
    _ok(home, "ingest", str(file), "--kb", "Base", "--wait")
    listed = json.loads(_ok(home, "document", "versions", "politica.md", "--kb", "Base", "--json"))
    assert [(one["version"], one["status"]) for one in listed] == [(2, "current"), (1, "superseded")]
    assert "versión 3" in _ok(home, "document", "restore", "politica.md", "1", "--kb", "Base")
    other = tmp_path / "nueva.md"
    other.write_text("# Devoluciones\n\nYa no se devuelve.")
    _ok(home, "ingest", str(other), "--kb", "Base", "--wait")
    said = _ok(home, "document", "supersede", "politica.md", "--by", "nueva.md", "--kb", "Base")
    assert "sustituye a «politica.md»" in said
    missing = _veraz(home, "document", "versions", "otra.md", "--kb", "Base")
    assert missing.returncode == 4


def _ok(home: Path, *arguments: str) -> str:
    done = _veraz(home, *arguments)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def _veraz(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VERAZ_")}
    environment |= {"VERAZ_EMBEDDING_MODEL": "fake:hash@64", "COLUMNS": "200"}
    command = [sys.executable, "-m", "veraz", *arguments, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
