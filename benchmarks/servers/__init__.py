"""Servers that say as little as an MCP server can, so that what stands before them is measured."""
