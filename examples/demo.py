"""A 5,000-row result, kept inside the budget: what the agent sees at each step, and what it costs.

Run with `make demo`. Exits non-zero if a step does not do what it says.
"""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import dataclass
from typing import Any

from penstock import Call, Gate, Policy, Principal, Reply
from penstock.measure import default_meter

ROWS = 5_000
SITES = ("Lyon", "Osaka", "Quito", "Tromsø", "Perth")
METER = default_meter()
COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ


def list_devices(_arguments: Any = None) -> list[dict[str, Any]]:
    """A tool of the kind that floods a context window."""
    dice = random.Random(7)
    return [
        {
            "id": number,
            "name": f"sensor-{number:05d}",
            "site": dice.choice(SITES),
            "status": dice.choices(("ok", "degraded", "down"), (95, 4, 1))[0],
            "battery": round(dice.uniform(3.1, 4.2), 2),
            "firmware": {"version": f"2.{dice.randrange(9)}.{dice.randrange(30)}", "signed": True},
            "last_seen": f"2026-11-{dice.randrange(1, 15):02d}T{dice.randrange(24):02d}:00:00Z",
            "note": "Mounted on the north wall, behind the pump; access needs a ladder.",
        }
        for number in range(ROWS)
    ]


@dataclass(frozen=True)
class Step:
    """One call that the agent makes."""

    title: str
    arguments: dict[str, Any]


STEPS = (
    Step("What is in it?", {"mode": "summary"}),
    Step("Show me a page.", {"mode": "paginated", "page": 2, "page_size": 5}),
    Step(
        "Only some fields.",
        {"mode": "filtered", "filter_keys": ["name", "firmware.version"], "page_size": 5},
    ),
    Step(
        "A question, answered by the server.",
        {
            "mode": "sql",
            "query": "SELECT site, count(*) AS down, min(battery) AS weakest FROM result "
            "WHERE status = 'down' GROUP BY site ORDER BY down DESC",
        },
    ),
    Step("One row, whole.", {"mode": "full", "path": "/4711"}),
)


def main() -> int:
    gate = Gate(Policy(budget="25kB"))
    caller = Principal("demo")
    raw = tokens(json.dumps(list_devices(), ensure_ascii=False, separators=(",", ":")))
    heading(f"A tool returns {ROWS:,} rows: {raw:,} tokens if they went to the agent as they are.")

    reply = gate.call(Call("list_devices", {}, caller), list_devices)
    spent = show("The agent calls list_devices, and gets a probe instead.", {}, reply)
    token = reply.value["continuation_token"]
    for step in STEPS:
        arguments = {"continuation_token": token, **step.arguments}
        reply = gate.call(Call("list_devices", arguments, caller), must_not_run)
        spent += show(step.title, step.arguments, reply)
        if reply.is_error or not gate.policy.budget.admits(reply.wire(), METER):
            return 1

    exact = "" if METER.name != "estimate" else " (estimated)"
    heading(
        f"Six calls, {spent:,} tokens{exact}; as it was, one call of {raw:,}: "
        f"{raw / spent:,.0f} times as many."
    )
    print(f"The tool ran once. All {ROWS:,} rows are still there, behind one token.\n")
    gate.close()
    return 0


def must_not_run(_arguments: Any) -> Any:
    raise AssertionError("a token never runs the tool again")


def tokens(text: str) -> int:
    return METER.count(text)


def show(title: str, arguments: dict[str, Any], reply: Reply) -> int:
    cost = tokens(reply.wire().decode())
    print(paint("1", f"\n▸ {title}"))
    if arguments:
        print(paint("36", "  " + json.dumps(arguments, ensure_ascii=False)))
    print(*(f"  {line}" for line in shortened(reply.text)), sep="\n")
    print(paint("32", f"  {cost:,} tokens"))
    return cost


def shortened(text: str, width: int = 100, lines: int = 6) -> list[str]:
    """Text in a few lines of a terminal."""
    cut = [text[start : start + width] for start in range(0, len(text), width)]
    return cut if len(cut) <= lines else [*cut[:lines], f"… and {len(cut) - lines} lines more"]


def heading(text: str) -> None:
    print("\n" + paint("1;33", text))


def paint(code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if COLOUR else text


if __name__ == "__main__":
    sys.exit(main())
