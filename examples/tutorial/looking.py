"""Helpers that show a tool's reply as an agent reads it."""

import json
from typing import Any


async def told(client: Any, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


def show(reply: dict[str, Any]) -> None:
    """Print one field a line, and charts as they are."""
    for name, value in reply.items():
        print(value if name == "ascii_summary" else f"{name}: {json.dumps(value)}")
