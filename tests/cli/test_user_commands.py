"""People from a terminal: who is disabled is out, and what goes on of what they made is said."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from veraz.cli.main import app
from veraz.settings import Settings
from veraz.tenancy.users import NewUser
from veraz.wiring import open_veraz

if TYPE_CHECKING:
    from tests.conftest import EmbeddedServer

PASSWORD = "correcto caballo batería"


@pytest.fixture
async def home(own_server: "EmbeddedServer", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose second administrator, Eva, made a key for a program, as the first one did."""
    given = {"HOME": str(tmp_path), "DATABASE_URL": own_server.url, "EMBEDDING_MODEL": "fake:hash@64"}
    for name, value in given.items():
        monkeypatch.setenv(f"VERAZ_{name}", value)
    settings = Settings(home=tmp_path, database_url=own_server.url, embedding_model="fake:hash@64")  # type: ignore[arg-type]
    async with open_veraz(settings) as veraz:
        await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
        ana = (await veraz.sign_in.login("ana@acme.test", PASSWORD)).actor
        await veraz.users.add(ana, NewUser(email="eva@acme.test", password=PASSWORD, role="admin"))
        eva = (await veraz.sign_in.login("eva@acme.test", PASSWORD)).actor
        await veraz.keys.issue(ana, name="Web", personal=False)
        await veraz.keys.issue(eva, name="Portal", personal=False)
    return tmp_path


def _said(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def test_who_is_disabled_leaves_keys_that_are_named_and_revoked_on_wish(home: Path) -> None:
    left = _said("user", "disable", "--email", "eva@acme.test")
    assert "Portal (vzk_" in left and "Web" not in left
    assert "claves" not in _said("user", "disable", "--email", "eva@acme.test", "--revoke-keys")
    assert "claves" not in _said("user", "disable", "--email", "eva@acme.test")


def test_a_user_that_is_not_there_is_not_disabled(home: Path) -> None:
    _said("user", "disable", "--email", "raul@rival.test", code=1)
