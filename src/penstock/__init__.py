"""Keep MCP tool results inside the budget of an agent's context window, and lose nothing."""

from typing import TYPE_CHECKING, Any

from penstock._version import __version__
from penstock.budget import Budget
from penstock.errors import InvalidResult, InvalidSetting, PenstockError, StoreError
from penstock.gate import Gate
from penstock.model import Call, Frame, LiveRows, Principal, Refusal, Reply, Result
from penstock.policy import Policy
from penstock.stores import open_store

if TYPE_CHECKING:
    from penstock.async_gate import AsyncGate

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


def __getattr__(name: str) -> Any:
    """`AsyncGate` brings asyncio along: loaded when it is asked for."""
    if name != "AsyncGate":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from penstock.async_gate import AsyncGate  # noqa: PLC0415 (see above)

    return AsyncGate
