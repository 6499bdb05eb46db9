"""The check whether a 10 MB text is within a budget, compared with its length in bytes."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import clock, payloads
from benchmarks.lines import Line
from penstock import Budget
from penstock.core.budget.measure import default_meter

ROUNDS = 40
# The text is over every limit. For the last one, its length alone does not show that.
BUDGETS = {"25kB": 1.0, "50000ch": 1.0, "25000tok": 1.0, "10KiB+256lines": 1.0, "100000tok": None}


def measure() -> Iterator[Line]:
    ascii_text = payloads.as_json(payloads.ordinary(payloads.TEN_MEGABYTES)).decode()
    texts = {"ASCII": ascii_text, "CJK": "水は門で止まる。" * 430_000}
    meter = default_meter()
    for script, text in texts.items():
        for written, limit in BUDGETS.items():
            budget = Budget.parse(written)
            runs = clock.in_turns(
                {
                    "ours": lambda: budget.admits(text.encode(), meter),  # noqa: B023 (called now)
                    "floor": lambda: len(text.encode()),  # noqa: B023
                },
                ROUNDS,
            )
            ms = clock.best(runs)
            what = f"is 10 MB of {script} within {written}?"
            yield Line(what, ms["ours"], ms["floor"], limit=limit, difference=True)
