"""The server for a long-running process: started again when it is killed, because nobody else looks after it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from veraz.db.embedded.server import ServerAddress
from veraz.db.embedded.share import join, leave, revive
from veraz.errors import Unavailable
from veraz.observe import log

_SECONDS_BETWEEN_LOOKS = 1.0


@asynccontextmanager
async def kept(home: Path) -> AsyncIterator[ServerAddress]:
    """The server of this home for as long as the block lasts, whatever happens to its processes meanwhile."""
    address = await _joined(home)
    keeper = asyncio.create_task(_keep(home))
    try:
        yield address
    finally:
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)
        await asyncio.to_thread(leave, home)


async def _joined(home: Path) -> ServerAddress:
    """Joins; whoever is called off meanwhile leaves again, so that no server stays behind without anybody."""
    joining = asyncio.create_task(asyncio.to_thread(join, home))
    try:
        return await asyncio.shield(joining)
    except asyncio.CancelledError:
        await joining
        await asyncio.to_thread(leave, home)
        raise


async def _keep(home: Path) -> None:
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        try:
            await asyncio.to_thread(revive, home)
        except (Unavailable, OSError) as error:
            log.error("database_not_revived", home=str(home), reason=str(error))
