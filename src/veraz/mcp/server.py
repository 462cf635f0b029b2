"""The tools as a server of the official SDK. Importing this takes a moment: doors do it when somebody comes."""

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import ToolAnnotations

from veraz.mcp.tools import Tools, Who
from veraz.wiring import Veraz

_INSTRUCTIONS = (
    "Veraz answers only from a company's own documents. Use ask_agent for an answer with proof, search_knowledge for "
    "passages to cite, read_document to read on. When nothing is found or an answer is refused, say so: never "
    "fill the gap from memory."
)
_NO_REBINDING_CHECK = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""The check is for servers that trust who can reach them; ours reads no cookie and asks for a key every time."""


def mcp_server(veraz: Veraz, who: Who, *, agent: str | None = None) -> MCPServer:
    """A server whose tools act as `who` says."""
    server: MCPServer = MCPServer(
        "veraz", title="Veraz", instructions=_INSTRUCTIONS, log_level="WARNING", subscriptions=False
    )
    tools = Tools(veraz, who, agent=agent)
    reading = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    server.add_tool(tools.ask_agent)
    for tool in (
        tools.search_knowledge,
        tools.list_agents,
        tools.list_knowledge_bases,
        tools.list_documents,
        tools.read_document,
    ):
        server.add_tool(tool, annotations=reading)
    server.streamable_http_app(stateless_http=True, transport_security=_NO_REBINDING_CHECK)
    return server
