"""`veraz serve` before anything is started."""

import socket
from pathlib import Path

import pytest

from veraz import errors
from veraz.cli.server import run_server
from veraz.settings import Settings


async def test_a_port_in_use_is_said_before_anything_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        settings = Settings(home=tmp_path / "home", port=port)
        with pytest.raises(errors.AddressTaken) as raised:
            await run_server(settings, with_worker=False)
    assert f"127.0.0.1:{port}" in raised.value.message("es")
    assert "otro programa" in raised.value.message("es")
    assert not (tmp_path / "home").exists()
