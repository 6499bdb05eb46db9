"""Penstock keeps MCP tool results inside an agent's context budget, and loses nothing."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock._version import __version__

if TYPE_CHECKING:
    from penstock.adapters.decorators.app_only import app_only
    from penstock.adapters.decorators.heavy import HeavyOptions, heavy
    from penstock.adapters.decorators.shaped import shaped
    from penstock.core.budget.budget import Budget
    from penstock.core.budget.measure import Meter, default_meter
    from penstock.core.model.reply import Reply
    from penstock.core.model.values import (
        Call,
        Frame,
        LiveRows,
        LiveWindow,
        Principal,
        Refusal,
        Result,
    )
    from penstock.core.protocol.schema import (
        first_call_note,
        merge_input_schema,
        widen_output_schema,
    )
    from penstock.errors import InvalidResult, InvalidSetting, PenstockError, StoreError
    from penstock.gate.async_gate import AsyncGate
    from penstock.gate.gate import Gate
    from penstock.settings.policy import Policy
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
    "Meter",
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
    "default_meter",
    "first_call_note",
    "fit_rows",
    "heavy",
    "merge_input_schema",
    "open_store",
    "referenced_fields",
    "shaped",
    "widen_output_schema",
]

# These names load on first use: `penstock run` starts its server before it needs any of them, and
# only `AsyncGate` needs asyncio.
_HOMES = {
    "adapters.decorators.app_only": ("app_only",),
    "adapters.decorators.heavy": ("HeavyOptions", "heavy"),
    "adapters.decorators.shaped": ("shaped",),
    "core.budget.budget": ("Budget",),
    "core.budget.measure": ("Meter", "default_meter"),
    "core.model.reply": ("Reply",),
    "core.model.values": (
        "Call", "Frame", "LiveRows", "LiveWindow", "Principal", "Refusal", "Result",
    ),
    "core.protocol.schema": ("first_call_note", "merge_input_schema", "widen_output_schema"),
    "errors": ("InvalidResult", "InvalidSetting", "PenstockError", "StoreError"),
    "gate.async_gate": ("AsyncGate",),
    "gate.gate": ("Gate",),
    "settings.policy": ("Policy",),
    "shaping": ("Grid", "Series"),
    "stores": ("open_store",),
    "widgets": ("fit_rows", "referenced_fields"),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"penstock.{home}"), name)
    globals()[name] = value
    return value
