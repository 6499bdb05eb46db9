"""The result explorer: an MCP App in one HTML file, built from `apps/` by `make app`."""

from typing import Final

URI: Final = "ui://penstock/results"
MIME_TYPE: Final = "text/html;profile=mcp-app"
