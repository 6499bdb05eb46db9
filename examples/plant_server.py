"""The plant of `penstock demo` on the official SDK: a large table and a long log.

penstock run -- python examples/plant_server.py
"""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

from penstock.cli.demonstration.plant import TOOLS

server = MCPServer("plant")
for tool in TOOLS:
    server.add_tool(tool.run)

if __name__ == "__main__":
    server.run("stdio")
