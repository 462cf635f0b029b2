"""A worker with short leases, for tests that cannot wait half a minute: `python quick_worker.py --home HOME`."""

import asyncio
import sys
from pathlib import Path

from veraz.observe import configure
from veraz.settings import Settings
from veraz.wiring import open_worker


async def main(home: Path) -> None:
    """Works until SIGTERM."""
    settings = Settings(home=home)
    configure(settings)
    async with open_worker(settings) as worker:
        worker.lease_seconds, worker.poll_seconds = 3.0, 0.3
        await worker.run(until_signal=True)


asyncio.run(main(Path(sys.argv[2])))
