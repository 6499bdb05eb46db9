"""A server whose list of tools fills a context window before any work starts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from penstock.cli.demonstration.server import DemoTool, serve

_MACHINES: Final = (
    "pump", "valve", "boiler", "turbine", "generator", "compressor", "chiller", "conveyor",
    "crane", "furnace", "mixer", "centrifuge", "filter", "heat_exchanger", "fan", "motor",
    "gearbox", "transformer", "switchgear", "tank",
)  # fmt: skip
_RULES: Final = (
    "Works on one machine at a time, and waits until its controller has confirmed. A machine "
    "that is locked out for maintenance is left alone, and the reply says who holds the lock. "
    "Values are those of the last second; older ones are in the history."
)
_NUMBER: Final = {
    "type": "integer",
    "minimum": 1,
    "maximum": 400,
    "description": "The number on the machine's plate.",
}
_UNIT: Final = {
    "type": "string",
    "enum": ["bar", "celsius", "rpm", "kilowatt"],
    "description": "The unit of the value; the controller refuses any other.",
}
_HOURS: Final = {"type": "integer", "default": 24}
_MOST: Final = {"type": "number"}
_WHY: Final = {
    "type": "string",
    "description": "The reason for the shift log, read out when the shift is handed over.",
}


def status(machine: str, number: int) -> dict[str, Any]:
    return {"machine": f"{machine} {number}", "state": "running", "alarms": 0}


def history(_machine: str, number: int, unit: str, hours: int = 24) -> list[dict[str, Any]]:
    """Return a value for each minute. Every 13th machine rises slowly."""
    dice = random.Random(number)  # noqa: S311 (no secret: the same rows each time)
    rise = 0.01 if number % 13 == 0 else 0.0
    return [
        {"minute": minute, "value": round(dice.uniform(60, 80) + rise * minute, 1), "unit": unit}
        for minute in range(60 * hours)
    ]


def start(machine: str, number: int, why: str) -> str:
    return f"The {machine} {number} is starting: {why}."


def stop(machine: str, number: int, why: str) -> str:
    return f"The {machine} {number} is stopping: {why}."


def limit(machine: str, number: int, unit: str, most: float, why: str) -> str:
    return f"The {machine} {number} is limited to {most:g} {unit}: {why}."


def _tools_of(machine: str) -> Iterator[DemoTool]:
    named = machine.replace("_", " ")
    one = {"number": _NUMBER}
    told: dict[Callable[..., Any], tuple[str, dict[str, Any]]] = {
        status: (f"Get a {named}'s state.", one),
        history: (f"Get a {named}'s history.", {**one, "unit": _UNIT, "hours": _HOURS}),
        start: (f"Starts a {named}.", {**one, "why": _WHY}),
        stop: (f"Stops a {named}.", {**one, "why": _WHY}),
        limit: (
            f"Sets a limit for a {named}.",
            {**one, "unit": _UNIT, "most": _MOST, "why": _WHY},
        ),
    }
    for run, (does, parameters) in told.items():
        yield DemoTool(
            f"{machine}_{run.__name__}",
            f"{does} {_RULES}",
            partial(run, named),
            parameters,
            is_read_only=run in (status, history),
        )


TOOLS: Final = tuple(tool for machine in _MACHINES for tool in _tools_of(machine))

if __name__ == "__main__":
    serve("control-room", TOOLS)
