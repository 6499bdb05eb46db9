"""The wire-level proxy: any MCP server, kept inside the budget, with no code."""
