"""The relay: a proxy that keeps any MCP server inside the budget, without changes to its code."""
