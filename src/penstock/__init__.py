"""Keep MCP tool results inside the budget of an agent's context window, and lose nothing."""

from penstock._version import __version__
from penstock.budget import Budget
from penstock.errors import InvalidResult, InvalidSetting, PenstockError, StoreError
from penstock.gate import AsyncGate, Gate
from penstock.model import Call, Frame, LiveRows, Principal, Refusal, Reply, Result
from penstock.policy import Policy
from penstock.stores import open_store

__all__ = [
    "AsyncGate",
    "Budget",
    "Call",
    "Frame",
    "Gate",
    "InvalidResult",
    "InvalidSetting",
    "LiveRows",
    "PenstockError",
    "Policy",
    "Principal",
    "Refusal",
    "Reply",
    "Result",
    "StoreError",
    "__version__",
    "open_store",
]
