"""An MCP server whose tools ask the user or the model before they answer, in either era.

`python asking_server.py`, on stdio, on the official SDK.
"""

from typing import Annotated

from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from mcp_types import ToolAnnotations
from pydantic import BaseModel

server = MCPServer("asking", log_level="CRITICAL")
READS = ToolAnnotations(read_only_hint=True)


class Person(BaseModel):
    name: str


def ask(greeting: str) -> Elicit[Person]:
    return Elicit(f"{greeting}, who are you?", Person)


@server.tool(annotations=READS, structured_output=False)
def greet(greeting: str, person: Annotated[Person, Resolve(ask)]) -> str:
    return f"{greeting}, {person.name}!"


@server.tool(annotations=READS, structured_output=False)
def plain(text: str) -> str:
    return text


if __name__ == "__main__":
    server.run()
