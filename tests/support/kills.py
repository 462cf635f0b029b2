"""Killing on purpose: workers one at a time, and the whole PostgreSQL of a home."""

from contextlib import suppress
from pathlib import Path

import psutil


def kill_postgres(home: Path) -> None:
    """kill -9 of the postmaster and of every process it has, at once; nothing if it is not there."""
    try:
        number = int((home / "postgres" / "data" / "postmaster.pid").read_text().split()[0])
        postmaster = psutil.Process(number)
        family = [postmaster, *postmaster.children(recursive=True)]
    except (OSError, ValueError, psutil.NoSuchProcess):
        return
    for process in family:
        with suppress(psutil.NoSuchProcess):
            process.kill()
