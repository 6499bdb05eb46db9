"""A server with a widget: the model reads a sentence, the user sees a map.

The figures of all districts go to the widget, fitted to the host's cap. The model has no use for
the borders, so they come from a tool that only the widget may call.

    pip install "penstock[mcp]"
    python examples/atlas/server.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import mean
from typing import Any, Literal

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent

from penstock import app_only, fit_rows
from penstock.adapters.mcp import Penstock
from penstock.widgets import payload_script

sys.path.insert(0, str(Path(__file__).parent))
import districts as land

VIEW = "ui://atlas/map.html"
PAGE = Path(__file__).with_name("map.html").read_text("utf-8")

apps = Apps()
# The helper is put before the page's own script, in the same module, so that nothing is loaded.
apps.add_html_resource(VIEW, PAGE.replace("/* payload.js */", payload_script()))


@apps.tool(resource_uri=VIEW)
def show_map(figure: Literal["households", "rainfall", "altitude"]) -> CallToolResult:
    """Show the user a map of all districts, coloured by a figure."""
    rows = land.districts()
    values = [row[figure] for row in rows]
    fitted = fit_rows(rows, keep=["id", "name", figure])  # leaves room for other fields
    said = (
        f"A map of {len(rows)} districts by {figure} is shown: from {min(values)} to {max(values)}, "
        f"on average {mean(values):.0f}."
    )
    return CallToolResult(
        content=[TextContent(text=said)],
        structured_content={"figure": figure, **fitted.payload},
    )


server = MCPServer("atlas", middleware=[Penstock()], extensions=[apps])


@server.tool()
@app_only
def borders(level: Literal[0, 1] = 1) -> dict[str, Any]:
    """The borders of all districts, as GeoJSON."""
    return land.borders(level)


if __name__ == "__main__":
    server.run()
