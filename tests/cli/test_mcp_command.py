"""`veraz mcp` as an assistant starts it: a process of its own, talking over stdin and stdout."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from veraz.library.agents import AgentProfile
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.settings import Settings
from veraz.wiring import open_veraz

if TYPE_CHECKING:
    from tests.conftest import EmbeddedServer
    from tests.support.assistants import refused, used
else:
    from support.assistants import refused, used


async def test_an_assistant_on_this_machine_has_its_keys_rights(
    own_server: "EmbeddedServer", tmp_path: Path
) -> None:
    given = {
        "VERAZ_HOME": str(tmp_path),
        "VERAZ_DATABASE_URL": own_server.url,
        "VERAZ_EMBEDDING_MODEL": "fake:hash@64",
    }
    asking, revoked = await _set_up(tmp_path, own_server.url)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VERAZ_")}

    def started(*arguments: str, **more: str) -> Client:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "veraz", "mcp", *arguments], env=clean | given | more
        )
        return Client(stdio_client(command))

    async with started("--agent", "Ana", "--key", asking) as client:
        assert len((await client.list_tools()).tools) == 6
        assert (await used(client, "ask_agent", question="¿Cuál es la capital de Mongolia?"))["refused"]
        assert "scope_missing" in await refused(client, "list_knowledge_bases")
    async with started(VERAZ_KEY=revoked) as client:
        assert "key_revoked" in await refused(client, "list_agents")
    async with started("--machine", "PC-7") as client:
        assert "service key" in await refused(client, "list_knowledge_bases"), "the admin is no machine"
    async with started("--key", asking, "--machine", "") as client:
        assert "X-Veraz-Machine" in await refused(client, "list_agents")
    async with started() as client:  # whoever runs commands on this home is the tenant's admin
        shelves = (await used(client, "list_knowledge_bases"))["knowledge_bases"]
        assert [shelf["name"] for shelf in shelves] == ["Base"]


async def _set_up(home: Path, url: str) -> tuple[str, str]:
    settings = Settings(home=home, database_url=url, embedding_model="fake:hash@64")  # type: ignore[arg-type]
    async with open_veraz(settings) as veraz:
        await veraz.tenants.first_start(email="ana@acme.test", password="correcto caballo batería")
        admin = await veraz.tenants.operator()
        await veraz.agents.create(admin, None, AgentProfile(name="Ana"))
        await veraz.knowledge_bases.create(admin, NewKnowledgeBase(name="Base"))
        asking = await veraz.keys.issue(admin, name="a", scopes=["ask"])
        revoked = await veraz.keys.issue(admin, name="b", scopes=["admin"])
        await veraz.keys.revoke(admin, revoked.key.id)
        return asking.secret, revoked.secret
