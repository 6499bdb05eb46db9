"""Minimal MCP servers, so that benchmarks measure what is in front of them."""
