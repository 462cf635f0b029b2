"""`veraz ingest` as people run it: a process of its own on an empty home."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

from veraz.cli.ingest_items import collected

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
else:
    from ingest.parse import made_files as made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Good files, a broken one, a repeated one, hidden ones and links."""
    root = tmp_path / "documentos"
    (root / "ventas").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "garantia.md").write_text("# Garantía\n\nCubre dos años.")
    (root / "contrato.pdf").write_bytes(made.pdf("El plazo es de treinta días."))
    (root / "roto.pdf").write_bytes(made.pdf("algo")[:150])
    (root / "ventas" / "copia.md").write_text("# Garantía\n\nCubre dos años.")
    (root / "ventas" / "clientes.csv").write_text("Nombre,Ciudad\nÁlvaro,Cádiz\n")
    (root / ".oculto.md").write_text("# No")
    (root / ".git" / "config.txt").write_text("no")
    (root / "enlace.txt").symlink_to("/etc/hostname")
    return root


def test_a_folder_goes_in_without_a_server_and_only_once(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = _veraz(home, "ingest", str(folder), "-r", "--kb", "Base", "--json")
    assert first.returncode == 1, first.stderr
    result = json.loads(first.stdout)
    by_name = {Path(one["source"]).name: one for one in result["documents"]}
    assert sorted(by_name) == ["clientes.csv", "contrato.pdf", "copia.md", "garantia.md", "roto.pdf"]
    assert (result["completed"], result["failed"], result["skipped"]) == (3, 1, 1)
    assert by_name["roto.pdf"]["state"] == "failed" and "dañado" in by_name["roto.pdf"]["reason"]
    twins = {by_name["copia.md"]["state"], by_name["garantia.md"]["state"]}
    assert twins == {"completed", "skipped"}
    assert by_name["clientes.csv"]["chunks"] == 1
    assert "✘ roto.pdf" in first.stderr
    again = _veraz(home, "ingest", str(folder / "garantia.md"), "--kb", "base")
    assert again.returncode == 0, again.stderr
    assert "ya está aquí" in again.stdout and "repetidos" in again.stdout


def test_hidden_files_links_and_folders_inside_are_left_out(folder: Path) -> None:
    assert _shown(collected([str(folder)], Path.cwd(), recursive=False)) == [
        "contrato.pdf",
        "garantia.md",
        "roto.pdf",
    ]
    deep = collected([str(folder), str(folder / "garantia.md")], Path.cwd(), recursive=True)
    assert _shown(deep)[-2:] == ["ventas/clientes.csv", "ventas/copia.md"]
    assert len(deep) == 5, "a file named twice is taken once"
    assert _shown(collected([str(folder / "enlace.txt")], Path.cwd(), recursive=False)) == ["enlace.txt"]
    assert _shown(collected(["https://example.com/a"], Path.cwd(), recursive=False)) == [
        "https://example.com/a"
    ]
    (folder / "vacía").mkdir()
    for nothing in ("/dev/null", "nada", "vacía"):
        with pytest.raises(typer.BadParameter):
            collected([nothing], folder, recursive=True)


def _shown(items: list[Any]) -> list[str]:
    return [item.shown for item in items]


def _veraz(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VERAZ_")}
    environment |= {"VERAZ_EMBEDDING_MODEL": "fake:hash@64", "VERAZ_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "veraz", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
