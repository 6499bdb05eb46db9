"""Schemas of tools, for a model to read."""
