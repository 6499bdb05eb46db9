"""Penstock within a server: `mcp` for the official SDK, `fastmcp` for FastMCP. Each only translates;
the rules are those of `penstock.wire`."""
