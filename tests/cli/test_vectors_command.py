"""`veraz vectors` and `veraz doctor --repair`, as an operator runs them beside a home in use."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

if TYPE_CHECKING:
    from tests.conftest import EmbeddedServer
    from tests.support.qdrant_server import QdrantServer, qdrant_server
else:
    from support.qdrant_server import QdrantServer, qdrant_server


@pytest.fixture
async def server() -> AsyncIterator[QdrantServer]:
    async with qdrant_server() as running:
        yield running


async def test_an_operator_moves_vectors_over_and_back(
    server: QdrantServer, own_server: "EmbeddedServer", tmp_path: Path
) -> None:
    with psycopg.connect(own_server.url, autocommit=True) as owner:
        owner.execute("insert into veraz.embedding_space (name, dimensions) values ('fake:words@64', 64)")
    settings = {
        "VERAZ_DATABASE_URL": own_server.url,
        "VERAZ_QDRANT_URL": server.url,
        "VERAZ_HOME": str(tmp_path),
    }
    moved = await _veraz(settings, "vectors", "move", "--to", "qdrant")
    assert "fake:words@64" in moved and "Qdrant" in moved
    assert list(server.shards) == ["veraz_1"]
    assert "faltan 0, sobran 0" in await _veraz(settings, "doctor", "--repair")
    back = await _veraz(settings, "vectors", "move", "--to", "postgres")
    assert "PostgreSQL" in back
    assert not server.shards


async def _veraz(settings: dict[str, str], *arguments: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VERAZ_")}
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "veraz", *arguments],
        env=clean | settings | {"COLUMNS": "160"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
