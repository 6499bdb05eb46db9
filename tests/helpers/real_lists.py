"""The tool lists of real servers that are installed for the tests."""

from functools import cache

from node_runtime import node, package
from relay_processes import StdioClient

SERVERS = {
    "everything": ("server-everything", "stdio"),
    "filesystem": ("server-filesystem", "."),
    "memory": ("server-memory",),
}


@cache
def tools_of(server):
    """Return the tools that a server lists, without Penstock."""
    name, *arguments = SERVERS[server]
    path = package(f"@modelcontextprotocol/{name}/dist/index.js")
    client = StdioClient([node(), path, *arguments], behind=False)
    try:
        client.greet()
        return client.listed()["tools"]
    finally:
        client.discard()
