"""Keep MCP tool results inside the budget of an agent's context window, and lose nothing."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock._version import __version__

if TYPE_CHECKING:
    from penstock.async_gate import AsyncGate
    from penstock.authoring.app_only import app_only
    from penstock.authoring.heavy import HeavyOptions, heavy
    from penstock.authoring.shaped import shaped
    from penstock.budget import Budget
    from penstock.errors import InvalidResult, InvalidSetting, PenstockError, StoreError
    from penstock.gate import Gate
    from penstock.model import Call, Frame, LiveRows, LiveWindow, Principal, Refusal, Reply, Result
    from penstock.policy import Policy
    from penstock.shaping import Grid, Series
    from penstock.stores import open_store
    from penstock.widgets import fit_rows, referenced_fields

__all__ = [
    "AsyncGate",
    "Budget",
    "Call",
    "Frame",
    "Gate",
    "Grid",
    "HeavyOptions",
    "InvalidResult",
    "InvalidSetting",
    "LiveRows",
    "LiveWindow",
    "PenstockError",
    "Policy",
    "Principal",
    "Refusal",
    "Reply",
    "Result",
    "Series",
    "StoreError",
    "__version__",
    "app_only",
    "fit_rows",
    "heavy",
    "open_store",
    "referenced_fields",
    "shaped",
]

# Loaded when they are asked for: `penstock run` starts its server before it needs any of them, and
# only `AsyncGate` needs asyncio.
_HOMES = {
    "async_gate": ("AsyncGate",),
    "authoring.app_only": ("app_only",),
    "authoring.heavy": ("HeavyOptions", "heavy"),
    "authoring.shaped": ("shaped",),
    "budget": ("Budget",),
    "errors": ("InvalidResult", "InvalidSetting", "PenstockError", "StoreError"),
    "gate": ("Gate",),
    "model": ("Call", "Frame", "LiveRows", "LiveWindow", "Principal", "Refusal", "Reply", "Result"),
    "policy": ("Policy",),
    "shaping": ("Grid", "Series"),
    "stores": ("open_store",),
    "widgets": ("fit_rows", "referenced_fields"),
}


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"penstock.{home}"), name)
    globals()[name] = value
    return value
