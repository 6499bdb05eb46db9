"""Texts with data: what their recognition costs, and the storing of CSV compared with JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from time import process_time

from benchmarks import clock, payloads
from benchmarks.lines import Line
from penstock import Budget
from penstock.core.json import rawjson
from penstock.core.results.document import Document, read_json, read_text, read_text_with_data
from penstock.core.results.ingest import ingest

ROUNDS = 10
MANY_ROUNDS = 2_000
RECOGNITION = 1.1
CSV = 1.5
SMALL_MS = 0.2
_INLINE = Budget.parse("25kB")


def measure() -> Iterator[Line]:
    as_json = payloads.as_json(iter(_rows())).decode()
    as_csv, quoted = csv_text(), csv_text(csv.QUOTE_NONNUMERIC)
    ms = _stored(
        {
            "json": lambda: read_text_with_data(as_json),
            "value": lambda: read_json(rawjson.compact(rawjson.utf8(as_json))),
            "csv": lambda: read_text_with_data(as_csv),
            "quoted": lambda: read_text_with_data(quoted),
        }
    )
    yield Line(
        "storing 10 MB of JSON as text, beside the value",
        ms["json"],
        ms["value"],
        limit=RECOGNITION,
    )
    per_byte = len(as_json) / len(as_csv)
    yield Line(
        "storing 10 MB of CSV, beside JSON rows", ms["csv"] * per_byte, ms["json"], limit=CSV
    )
    per_byte = len(as_json) / len(quoted)
    yield Line("the same with quotes", ms["quoted"] * per_byte, ms["json"])
    yield from _small()


def _small() -> Iterator[Line]:
    texts = {
        "prose": "\n".join(
            "The keeper opens the gate" + ", and the next one" * (n % 4) for n in range(25)
        ),
        "JSON": payloads.as_json(iter(_rows()[:10])).decode(),
        "CSV": "\n".join(csv_text().splitlines()[:20]),
    }
    for name, text in texts.items():
        runs = clock.in_turns(
            {"ours": lambda: read_text_with_data(text), "floor": lambda: read_text(text)},  # noqa: B023 (called now)
            MANY_ROUNDS,
        )
        ms = clock.best(runs)
        yield Line(
            f"recognizing {len(text):,} bytes of {name}",
            ms["ours"], ms["floor"], limit=SMALL_MS, difference=True,
        )  # fmt: skip


def _stored(documents: dict[str, Callable[[], Document]]) -> dict[str, float]:
    """Return the milliseconds of storing each, in processor time."""
    tasks = {name: lambda read=read: ingest(read(), _INLINE) for name, read in documents.items()}
    return clock.best(clock.in_turns(tasks, ROUNDS, process_time))


def _rows(count: int = 100_000) -> list[dict[str, object]]:
    names = ("open", "closed", "broken")
    return [
        {"id": n, "name": f"gate {n}", "level": n / 7, "state": names[n % 3], "count": n * 3, "note": "once a week"}
        for n in range(count)
    ]  # fmt: skip


def csv_text(quoting: int = csv.QUOTE_MINIMAL, count: int = 100_000) -> str:
    made = io.StringIO(newline="")
    rows = _rows(count)
    writer = csv.DictWriter(made, [*rows[0]], quoting=quoting, lineterminator="\n")  # type: ignore[arg-type]
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()
