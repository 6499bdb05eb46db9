"""Scripted agents that do tasks over a list of tools, and know only what was sent to them."""
