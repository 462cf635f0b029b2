"""Licences and end-user keys from a terminal, as the tenant's admin."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from veraz.cli.main import app
from veraz.settings import Settings
from veraz.wiring import open_veraz

if TYPE_CHECKING:
    from tests.conftest import EmbeddedServer


@pytest.fixture
async def home(own_server: "EmbeddedServer", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a tenant and two machines."""
    given = {"HOME": str(tmp_path), "DATABASE_URL": own_server.url, "EMBEDDING_MODEL": "fake:hash@64"}
    for name, value in given.items():
        monkeypatch.setenv(f"VERAZ_{name}", value)
    settings = Settings(home=tmp_path, database_url=own_server.url, embedding_model="fake:hash@64")  # type: ignore[arg-type]
    async with open_veraz(settings) as veraz:
        await veraz.tenants.first_start(email="ana@acme.test", password="correcto caballo batería")
        admin = await veraz.tenants.operator()
        for machine in ("PC-7", "PC-8"):
            await veraz.licences.create(admin, machine_id=machine)
    return tmp_path


def _said(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    return result.output


def test_a_licence_is_listed_and_closed_when_it_is_said_what_becomes_of_its_memory(home: Path) -> None:
    assert "PC-7  active" in _said("licence", "list")
    _said("licence", "delete", "PC-7", code=2)
    _said("licence", "delete", "PC-7", "--memory", "maybe", code=2)
    _said("licence", "delete", "PC-7", "--memory", "keep")
    listed = _said("licence", "list")
    assert "PC-7  closed" in listed and "PC-8  active" in listed
    _said("licence", "unknown", "refuse")


def test_an_end_user_key_is_made_rotated_and_ended(home: Path) -> None:
    key_id, secret = _said("end-user-key", "create", "--name", "Portal").split()
    assert secret.startswith("veu_")
    new_id, new_secret = _said("end-user-key", "rotate", key_id).split()
    assert new_secret != secret
    _said("end-user-key", "end", new_id)
    listed = _said("end-user-key", "list")
    assert key_id in listed and new_id in listed and secret not in listed
    _said("end-user-key", "require", "on")
