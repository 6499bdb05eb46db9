"""What an agent reads of a tool's reply."""

import json
from typing import Any


async def told(client: Any, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


def show(reply: dict[str, Any]) -> None:
    """A field a line, and pictures as they are."""
    for name, value in reply.items():
        print(value if name == "ascii_summary" else f"{name}: {json.dumps(value)}")
