"""Texts with data: what their recognition costs, and the storing of CSV compared with JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from functools import partial
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
_FEWER = 20_000  # rows
_PAGE = (
    "<!doctype html><html><h1>Gates</h1><table><tr><th>id</th><th>name</th><th>state</th></tr>\n"
)
_BOX = "+--------+--------------+----------+\n"
_NAMES = "| id     | name         | state    |\n"
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
    yield from _others()
    yield from _small()


def _others() -> Iterator[Line]:
    """Compare the storing of the same rows in other formats with the storing of JSON."""
    texts = {
        "JSON": payloads.as_json(iter(_rows(_FEWER))).decode(),
        "XML": _written('<gate id="{id}"><name>{name}</name><state>{state}</state></gate>\n', "<gates>\n", "</gates>"),
        "YAML": _written("- id: {id}\n  name: {name}\n  level: {level}\n  state: {state}\n"),
        "HTML": _written("<tr><td>{id}</td><td>{name}</td><td>{state}</td></tr>\n", _PAGE, "</table></html>"),
        "Markdown": _written("## Gate {id}\n\nThe gate is *{state}*, and its note is: {note}.\n\n"),
        "log": _written("2026-11-16 10:00:00,123 INFO gates.{state}: gate {id} has level {level}\n"),
        "a box": _written("| {id:>6} | {name:<12} | {state:<8} |\n", _BOX + _NAMES + _BOX, _BOX),
        "aligned columns": _written("{id:<8}{name:<14}{state:<8}\n", "id      name          state\n"),
    }  # fmt: skip
    for name, text in texts.items():
        assert name == "JSON" or read_text_with_data(text).format, name
    ms = _stored({name: partial(read_text_with_data, text) for name, text in texts.items()})
    floor = ms.pop("JSON") / len(texts["JSON"])
    for name, ours in ms.items():
        size = len(texts[name])
        yield Line(
            f"storing {size / 1e6:.1f} MB of {name}, beside as much JSON", ours, floor * size
        )


def _written(form: str, before: str = "", after: str = "") -> str:
    return before + "".join(form.format(**row) for row in _rows(_FEWER)) + after


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
