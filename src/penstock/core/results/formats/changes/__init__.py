"""Diffs and histories of git."""
