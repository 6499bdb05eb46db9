"""The parts of `penstock demo`: two MCP servers, an agent's visit to each, and its transcript."""
