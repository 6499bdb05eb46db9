"""Agents that call tools through a gate."""

from gate_agent import agent, clock, open_agent

__all__ = ["agent", "clock", "open_agent"]
