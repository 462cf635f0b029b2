"""Somebody who wrote on WhatsApp can be forgotten by their telephone: what they said, their name, and the answers."""

import asyncio
from typing import TYPE_CHECKING, Any

from psycopg import Connection

if TYPE_CHECKING:
    from tests.channels.conftest import Desk
    from tests.support import graph_server as meta
    from tests.support.canaries import in_tables
else:
    from support import graph_server as meta
    from support.canaries import in_tables

PHONE = "5215512345678"
CANARIES = ("kerry fisher", PHONE, "zorbelfunt")


async def test_nothing_is_left_of_a_contact(desk: "Desk", owner: Connection[Any]) -> None:
    await desk.write(meta.text("Soy de Zorbelfunto. ¿Cuánto es la cuota mensual del gimnasio municipal?"))
    await desk.sent(1)
    await desk.acme.idle()
    found = in_tables(owner, *CANARIES)
    assert {"whatsapp_contact.phone", "message.text", "query_log.question"} <= set(found)
    assert (await desk.door.rival.send("DELETE", f"/end-users/{PHONE}")).status_code == 404
    await desk.acme.call("DELETE", f"/end-users/+{PHONE}", 202)
    async with asyncio.timeout(60):
        while (await desk.acme.call("GET", "/forgettings", 200))["items"][0]["status"] != "done":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert in_tables(owner, *CANARIES) == {}
