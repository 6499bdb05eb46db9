"""Texts that are values: JSON, JSON Lines, Python literals, and these inside a text."""
