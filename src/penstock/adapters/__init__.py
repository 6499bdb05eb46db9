"""Penstock inside a server: `mcp` for the official SDK, `fastmcp` for FastMCP. Each adapter only
translates; the rules are in `penstock.wire`."""
