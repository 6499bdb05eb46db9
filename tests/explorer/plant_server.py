"""An MCP server with results of every kind that the explorer shows.

    python plant_server.py                   on stdio, without Penstock
    python plant_server.py mcp ORIGIN        over HTTP with Penstock in it, on the official SDK
    python plant_server.py fastmcp ORIGIN    the same on FastMCP

ORIGIN is the page that may use the server. The server prints its address on stdout.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import chart_data
import plant_data
import tables_data
import trips_data


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def list_readings(count: int = plant_data.READINGS, columns: int = 99) -> str:
    """Readings of the plant, one a minute."""
    rows = (plant_data.reading(n) for n in range(count))
    return _json([dict(list(row.items())[:columns]) for row in rows])


def read_log() -> str:
    """The gateway's log of a day."""
    return "\n".join(map(plant_data.log_line, range(plant_data.LOG_LINES)))


def read_configuration() -> str:
    """The gateway's configuration."""
    return _json(plant_data.configuration())


def list_precise() -> str:
    """Values that are easily rounded or lost."""
    return _json(plant_data.precise())


def list_hostile() -> str:
    """Texts that an attacker put into a database."""
    return _json(plant_data.hostile())


def list_wide() -> str:
    """Rows with very many columns."""
    return _json(plant_data.wide())


def read_long_line() -> str:
    """One line, longer than the explorer loads by itself."""
    return plant_data.long_text(6) + "the end"


def list_table(name: str) -> str:
    """A table for charts."""
    return _json(chart_data.TABLES[name])


TOOLS: list[Callable[..., str]] = [
    list_readings,
    read_log,
    read_configuration,
    list_precise,
    list_hostile,
    list_wide,
    read_long_line,
    list_table,
    trips_data.list_trips,
    *tables_data.TOOLS,
]


def sdk_server() -> Any:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("plant", version="1", log_level="CRITICAL")
    for tool in TOOLS:
        server.add_tool(tool, structured_output=False)
    return server


def sdk_application() -> Any:
    from penstock.adapters.mcp import Penstock

    server = sdk_server()
    server.middleware.append(Penstock())
    return server.streamable_http_app()


def fastmcp_application() -> Any:
    from fastmcp import FastMCP

    from penstock.adapters.fastmcp import Penstock

    server = FastMCP("plant", version="1")
    server.add_middleware(Penstock())
    for tool in TOOLS:
        server.tool(tool, output_schema=None)
    return server.http_app()


def serve(application: Any, origin: str) -> None:
    import uvicorn
    from starlette.middleware.cors import CORSMiddleware

    guarded = CORSMiddleware(
        application,
        allow_origins=[origin],
        allow_methods=["POST", "GET", "DELETE"],
        allow_headers=["*"],
        expose_headers=["mcp-session-id"],
    )
    opened = socket.socket()
    opened.bind(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{opened.getsockname()[1]}/mcp", flush=True)  # noqa: T201 (the test reads it)
    uvicorn.Server(uvicorn.Config(guarded, log_level="critical", ws="none")).run([opened])


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sdk_server().run("stdio")
    else:
        door, origin = sys.argv[1:]
        serve({"mcp": sdk_application, "fastmcp": fastmcp_application}[door](), origin)
