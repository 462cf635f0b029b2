"""Runs a command against a PostgreSQL over TCP with passworded roles: `python on_tcp_postgres.py pytest …`.

The server is made of the embedded one's programs, lives in a folder of its own and is gone afterwards.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.tcp_postgres import tcp_server
else:
    from tcp_postgres import tcp_server


def main(command: list[str]) -> int:
    """The command's exit code."""
    with tempfile.TemporaryDirectory(prefix="veraz-tcp-", dir=_memory()) as folder:
        Path(folder).chmod(0o711)  # started as root, the server runs as another user
        with tcp_server(Path(folder) / "home") as url:
            done = subprocess.run(command, env={**os.environ, "VERAZ_TEST_DATABASE_URL": url}, check=False)
    return done.returncode


def _memory() -> str | None:
    """A disk is not what is tested."""
    shared = Path("/dev/shm")
    return str(shared) if os.access(shared, os.W_OK) else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
