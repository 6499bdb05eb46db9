"""A server on the official Python SDK with a large icon, which is in its every modern reply."""

from mcp.server.mcpserver import MCPServer
from mcp_types import Icon

ICON = Icon(src="data:image/png;base64," + "A" * 30_000, mime_type="image/png")
server = MCPServer("icons", icons=[ICON])


@server.tool()
def hello(name: str) -> str:
    """Greet a person by name, politely and in one line of text.

    The greeting is in English. The name is used as it is given, with its capital letters and its
    accents, and nothing is stored. An empty name is refused with an error that says so.
    """
    return f"hello {name}"


@server.tool(icons=[ICON])
def goodbye(name: str) -> str:
    """Say goodbye to a person by name, politely and in one line of text.

    The farewell is in English. The name is used as it is given, with its capital letters and its
    accents, and nothing is stored. An empty name is refused with an error that says so.
    """
    return f"goodbye {name}"


@server.tool(icons=[ICON])
def thank(name: str, reason: str = "everything") -> str:
    """Thank a person by name, politely and in one line of text.

    The reason is given in a few words. The name is used as it is given, with its capital letters
    and its accents, and nothing is stored. An empty name is refused with an error that says so.
    """
    return f"thank you, {name}, for {reason}"


@server.tool(icons=[ICON])
def invite(name: str, place: str, hour: int = 12) -> str:
    """Invite a person by name to a place, politely and in one line of text.

    The hour is from 0 to 23. The name is used as it is given, with its capital letters and its
    accents, and nothing is stored. An empty name is refused with an error that says so.
    """
    return f"{name}, come to {place} at {hour}"


if __name__ == "__main__":
    server.run()
