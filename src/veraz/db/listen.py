"""Notifications: a connection that only listens, and comes back when the server does."""

import asyncio
import random
from collections.abc import AsyncIterator

import psycopg
from psycopg import AsyncConnection, sql

from veraz.observe import log

_LONGEST_WAIT = 5.0


async def notifications(conninfo: str, channel: str, *, presence: int | None = None) -> AsyncIterator[str]:
    """The payload of each notification, and '' after every connect: something may have been missed before it.

    `presence` is an advisory lock held, shared, for as long as the connection lives: others see that we are here.
    """
    wait = 0.1
    while True:
        try:
            async with await _connect(conninfo, channel, presence) as connection:
                wait = 0.1
                yield ""
                async for notice in connection.notifies():
                    yield notice.payload
        except psycopg.OperationalError as error:
            log.warning("listener_disconnected", channel=channel, reason=type(error).__name__)
        await asyncio.sleep(wait * random.uniform(0.5, 1.0))
        wait = min(_LONGEST_WAIT, wait * 2)


async def _connect(conninfo: str, channel: str, presence: int | None) -> AsyncConnection[tuple[object, ...]]:
    connection = await AsyncConnection.connect(
        conninfo,
        autocommit=True,
        application_name=f"veraz listen {channel}",
        connect_timeout=5,
        keepalives_idle=15,
        keepalives_interval=5,
        keepalives_count=3,
    )
    await connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
    if presence is not None:
        await connection.execute("select pg_advisory_lock_shared(%s)", (presence,))
    return connection
