"""A DOOR for AI assistants: the Model Context Protocol over stdio (`veraz mcp`) and HTTP (`/mcp`).

views    what the tools answer with
tools    the tools: who is calling, one service verb, one view
server   the tools as a server; api/mcp.py and cli/mcp.py open it
"""
