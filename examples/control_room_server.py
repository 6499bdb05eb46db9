"""An MCP server with so many tools that its list fills a context window before any work starts.

On the official SDK, and it knows nothing of Penstock:

    penstock run -- python examples/control_room_server.py
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

MACHINES = (
    "pump", "valve", "boiler", "turbine", "generator", "compressor", "chiller", "conveyor",
    "crane", "furnace", "mixer", "centrifuge", "filter", "heat_exchanger", "fan", "motor",
    "gearbox", "transformer", "switchgear", "tank",
)  # fmt: skip

Number = Annotated[int, Field(ge=1, le=400, description="The number on the machine's plate.")]
Unit = Annotated[
    Literal["bar", "celsius", "rpm", "kilowatt"],
    Field(description="What the value is measured in; the controller refuses any other."),
]
Why = Annotated[
    str,
    Field(description="Goes into the shift log, and is read out when the shift is handed over."),
]

server = MCPServer("control-room")


def add_tools_of(machine: str) -> None:
    named = machine.replace("_", " ")
    rules = (
        "Works on one machine at a time, and waits until its controller has confirmed. A machine "
        "that is locked out for maintenance is left alone, and the reply says who holds the lock. "
        "Values are those of the last second; older ones are in the history."
    )
    reads = ToolAnnotations(read_only_hint=True)

    @server.tool(
        f"{machine}_status", annotations=reads, description=f"How a {named} is doing. {rules}"
    )
    def status(number: Number) -> dict[str, Any]:
        return {"machine": f"{named} {number}", "state": "running", "alarms": 0}

    @server.tool(
        f"{machine}_history", annotations=reads, description=f"What a {named} measured. {rules}"
    )
    def history(number: Number, unit: Unit, hours: int = 24) -> list[dict[str, Any]]:
        return [
            {"minute": n, "value": (n * number) % 60 + 40, "unit": unit} for n in range(60 * hours)
        ]

    @server.tool(f"{machine}_start", description=f"Starts a {named}. {rules}")
    def start(number: Number, why: Why) -> str:
        return f"The {named} {number} is starting: {why}."

    @server.tool(f"{machine}_stop", description=f"Stops a {named}. {rules}")
    def stop(number: Number, why: Why) -> str:
        return f"The {named} {number} is stopping: {why}."

    @server.tool(f"{machine}_limit", description=f"Sets how far a {named} may go. {rules}")
    def limit(number: Number, unit: Unit, most: float, why: Why) -> str:
        return f"The {named} {number} is limited to {most:g} {unit}: {why}."


for name in MACHINES:
    add_tools_of(name)

if __name__ == "__main__":
    server.run("stdio")
