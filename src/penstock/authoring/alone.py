"""Heavy functions without a middleware: one gate in the process, for all of them.

Nobody knows who calls, so that whoever holds a token is its bearer. Settings come from the
environment (`PENSTOCK_*`), as for the command.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from penstock.gate import Gate
from penstock.policy import Policy

if TYPE_CHECKING:
    from penstock.async_gate import AsyncGate

_starting = threading.Lock()


@cache
def _gate() -> Gate:
    return Gate(Policy.of_process())


@cache
def _async_gate() -> AsyncGate:
    from penstock.async_gate import AsyncGate  # noqa: PLC0415 (asyncio, which not all need)

    # The same store: what one function has stored can be handed to another.
    return AsyncGate(_gate().policy, store=_gate().store)


def gate_for(tool: str, settings: Mapping[str, Any]) -> Gate:
    with _starting:
        gate = _gate()
        gate.adopt({tool: settings})
    return gate


def async_gate_for(tool: str, settings: Mapping[str, Any]) -> AsyncGate:
    with _starting:
        gate = _async_gate()
        gate.adopt({tool: settings})
    return gate
