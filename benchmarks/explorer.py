"""The result explorer: the bytes of a page, the time to sort, the time to the first row shown, and the
time to a chart.

The last two are measured in a real browser, with the host page of the browser tests. Without Chromium
and Node, these lines are left out. While charts are measured, other processes keep two cores busy.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import msgspec

from benchmarks import clock, payloads
from benchmarks.lines import Line
from penstock import Call, Gate, Policy, Principal, Result

ROWS = 100_000
COLUMNS = 15
ME = Principal("benchmark")
ROUNDS = 200
SORTS = 5
SCREENS = 5
# A page may have 5% more bytes than its rows.
MOST_MOVED = 1.05
# With both cores busy, in milliseconds.
FIRST_CHART = 2_500
LATER_CHART = 1_000
CORES = 2
TESTS = Path(__file__).parents[1] / "tests"


def measure() -> Iterator[Line]:
    rows = [msgspec.json.encode(row) for row in payloads.ordinary(ROWS)]
    with Gate(Policy(quota="256MB")) as gate:
        probe = gate.offer(
            Call("rows", principal=ME),
            Result(structured=msgspec.Raw(b"[" + b",".join(rows) + b"]")),
        )
        explored = _Explored(gate, probe.value["continuation_token"], rows)
        yield from explored.bytes_moved()
        yield explored.page()
        yield explored.order()
    yield from _on_screen()


class _Explored:
    """A stored result, and the questions of the explorer about it."""

    def __init__(self, gate: Gate, token: str, rows: list[bytes]) -> None:
        self._gate, self._token, self._rows = gate, token, rows

    def ask(self, **asked: Any) -> tuple[int, dict[str, Any]]:
        """Return the size of the reply in bytes, and its content."""
        arguments = {"continuation_token": self._token, **asked}
        wire = self._gate.browse(Call("browse", arguments, principal=ME)).wire()
        told: dict[str, Any] = msgspec.json.decode(wire)["structuredContent"]
        return len(wire), told

    def bytes_moved(self) -> Iterator[Line]:
        looks: dict[str, dict[str, Any]] = {
            "first page": {},
            "page in the middle": {"start": ROWS // 2},
            "page of a sorted table": {"sort": {"column": "amount"}, "start": ROWS // 2},
        }
        for name, asked in looks.items():
            moved, told = self.ask(**asked)
            numbers = told.get("numbers") or range(told["start"], told["start"] + len(told["rows"]))
            own = sum(len(self._rows[number]) + 1 for number in numbers)
            yield Line(f"explorer, bytes of a {name}", moved, own, unit="B", limit=MOST_MOVED)

    def page(self) -> Line:
        """Compare a page with the same rows through `read_result`."""
        asked = {"start": ROWS // 2, "count": 100}
        arguments = {"continuation_token": self._token, "page": ROWS // 200 + 1, "page_size": 100}
        call = Call("rows", arguments, principal=ME)
        runs = clock.in_turns(
            {"ours": lambda: self.ask(**asked), "reader": lambda: self._gate.read(call).wire()},
            ROUNDS,
        )
        ms = clock.middle(runs)
        return Line("explorer, time of a page, beside read_result", ms["ours"], ms["reader"])

    def order(self) -> Line:
        """Compare a sort with SQLite alone, on a table that is already loaded."""
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute("CREATE TABLE result (amount, note)")
            values = (msgspec.json.decode(row) for row in self._rows)
            db.executemany(
                "INSERT INTO result VALUES (?, ?)", ((row["amount"], row["note"]) for row in values)
            )
            floor = "SELECT rowid FROM result ORDER BY amount"
            asked = {"sort": {"column": "amount"}}
            runs = clock.in_turns(
                {"ours": lambda: self.ask(**asked), "floor": lambda: db.execute(floor).fetchall()},
                SORTS,
            )
        ms = clock.best(runs)
        return Line(f"explorer, sort {ROWS:,} rows, beside SQLite alone", ms["ours"], ms["floor"])


def _on_screen() -> Iterator[Line]:
    """Measure the time from the call of `show_result` to the first visible row, and from the click on
    Chart to the picture: of a table that no worker holds yet, and of one that it holds."""
    sys.path[:0] = [str(TESTS / "explorer"), str(TESTS / "helpers")]
    try:
        with _screen() as (show, chart):
            show()  # warms the browser's caches
            times = [show() for _ in range(SCREENS)]
            with _busy_cores():
                charts = [chart() for _ in range(SCREENS)]
    except (ImportError, LookupError, OSError) as error:
        print(f"not measured: rows and charts on screen ({error})", file=sys.stderr)
        return
    yield Line(f"explorer, first of {ROWS:,} rows on screen", 1_000 * min(times))
    first, later = zip(*charts, strict=True)
    rows = f"{ROWS:,} × {COLUMNS} rows, {CORES} cores busy"
    yield _limited(f"explorer, first chart of {rows}", min(first), FIRST_CHART)
    yield _limited(f"explorer, slowest later chart of {rows}", min(later), LATER_CHART)


def _limited(what: str, seconds: float, limit: int) -> Line:
    return Line(what, 1_000 * seconds, 0, limit=limit, difference=True)


@contextmanager
def _busy_cores() -> Iterator[None]:
    """Keep as many cores busy as the limits of charts are for."""
    with ExitStack() as stack:
        for _ in range(CORES):
            spinning = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", "while True: pass"])
            )
            stack.callback(spinning.kill)
        yield


# The choices that lead from chart to chart, each with the name of its picture.
_LATER: Final = (
    ("Across", "pressure", "Histogram of pressure"),
    ("Across", "status", "Bar chart of status"),
    ("Up", "temperature", "Bar chart of temperature by status"),
    ("Across", "at", "Timeline of temperature by at"),
    ("Across", "pressure", "Scatter plot of temperature by pressure"),
)


@contextmanager
def _screen() -> Iterator[Any]:
    import pytest
    from chromium import Driver  # type: ignore[import-not-found]
    from host_site import bundle, serving_files  # type: ignore[import-not-found]
    from hosting import Host  # type: ignore[import-not-found]
    from relays import relay  # type: ignore[import-not-found]

    from explorer import Explorer  # type: ignore[import-not-found]

    try:
        driver = Driver()
    except (pytest.skip.Exception, pytest.fail.Exception) as missing:
        raise LookupError(str(missing)) from missing
    with TemporaryDirectory() as folder:
        bundle(Path(folder))
        with serving_files(Path(folder)) as site, serving_files(Path(folder)) as sandbox:
            with relay(site, PENSTOCK_BEARER_TTL="1h") as plant:
                token = plant.token("list_readings", count=ROWS)

                def shown() -> float:
                    host = Host(driver.browser, site, sandbox)
                    host.connect(plant.url)
                    explorer = Explorer(host)
                    start = perf_counter()
                    host.show(token)
                    explorer.row(0).wait_for()
                    took = perf_counter() - start
                    host.close()
                    return took

                def charted() -> tuple[float, float]:
                    """Return the time of the first chart, and of the slowest later one."""
                    host = Host(driver.browser, site, sandbox)
                    host.connect(plant.url)
                    explorer = Explorer(host)
                    explorer.open(
                        "list_readings", count=ROWS, columns=COLUMNS
                    )  # a new result, held by no worker
                    view, drawn = explorer.view, "svg.marks .mark"
                    start = perf_counter()
                    explorer.tool("Chart").click()
                    view.locator(drawn).first.wait_for()
                    first, later = perf_counter() - start, []
                    for axis, column, picture in _LATER:
                        start = perf_counter()
                        view.get_by_label(axis, exact=True).select_option(label=column)
                        view.get_by_role("img", name=picture).locator(drawn).first.wait_for()
                        later.append(perf_counter() - start)
                    host.close()
                    return first, max(later)

                yield (lambda: driver.run(shown)), (lambda: driver.run(charted))
            driver.close()
