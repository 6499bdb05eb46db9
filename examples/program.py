"""A server whose tools an agent calls in a program: 60 calls, one answer.

    pip install "penstock[mcp,programs]"
    python examples/program.py

The exit code is not zero if the answer is wrong, or if a program that may only read could write.
"""

import asyncio
import json
from typing import Any

from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from penstock import Policy
from penstock.adapters.mcp import Penstock

server = MCPServer("plant", middleware=[Penstock(Policy(programs="on"))])
READS = ToolAnnotations(read_only_hint=True)  # only such tools may be called by a program
stopped: list[int] = []


@server.tool(annotations=READS)
def pumps() -> list[int]:
    """Return the numbers of all pumps."""
    return list(range(1, 60))


@server.tool(annotations=READS)
def pressures(pump: int) -> list[dict[str, Any]]:
    """Return the pressure of a pump in bar, for each minute of a day."""
    return [{"minute": m, "bar": 3 + (m * pump) % 50 / 10 + pump / 100} for m in range(1_440)]


@server.tool()
def stop(pump: int) -> str:
    """Stop a pump."""
    stopped.append(pump)
    return f"Pump {pump} stops."


COUNT = """
import asyncio
numbers = await pumps()
days = await asyncio.gather(*[pressures(pump=n) for n in numbers])
high = {n: sum(row["bar"] > 8 for row in day) for n, day in zip(numbers, days)}
sorted(high, key=lambda n: -high[n])[:3]
"""
NEXT = "high[57]"  # variables stay for the next program
WRITE = "await stop(pump=57)"


async def main() -> None:
    async with Client(server) as client:
        counted = await client.call_tool("run_python", {"code": COUNT})
        for block in counted.content:
            print(block.text)
        assert json.loads(counted.content[0].text) == [57, 53, 55]
        assert counted.content[1].text.startswith("Called pressures 59x, pumps 1x")

        kept = await client.call_tool("run_python", {"code": NEXT})
        assert json.loads(kept.content[0].text) == sum(row["bar"] > 8 for row in pressures(57))

        refused = await client.call_tool("run_python", {"code": WRITE})
        print(json.loads(refused.content[0].text)["error"])
        assert refused.is_error
        assert not stopped


if __name__ == "__main__":
    asyncio.run(main())
