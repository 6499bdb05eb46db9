"""The table of docs/explanation/django-peers.md about real sites, from the files of results."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from benchmarks.django_peers import PAGE, as_table, put_between
from benchmarks.django_questions import METER
from benchmarks.django_sites import Answer
from benchmarks.django_telling import shortened, told
from real_sites import ALL, RealSite

BEGIN = "<!-- begin: made by tests/sites -->"
NOTHING = "–"


class NotMeasured(Exception):
    """A result is missing. The message gives the reason, if one is known."""


class Found(dict[str, Any]):
    """The result of a task."""

    def __missing__(self, _: str) -> Any:
        raise NotMeasured(self.get("failed", ""))


class Column:
    """A gateway on a site, with what its tasks have found."""

    def __init__(self, site: RealSite, gateway: str) -> None:
        self.site, self.gateway = site, gateway
        self.alone = self._found("alone", "plain")
        self.cold, self.warm, self.calls, self.compare, self.write = (
            self._found(task, gateway) for task in ("cold", "warm", "calls", "compare", "write")
        )

    def _found(self, task: str, gateway: str) -> Found:
        file = self.site.result_file(task, gateway)
        return Found(json.loads(file.read_text("utf-8")) if file.exists() else {})


def write_table() -> None:
    columns = [Column(site, gateway) for site in ALL for gateway in ("penstock", "frisian")]
    names = {"penstock": "Penstock", "frisian": "frisian-mcp"}
    headings = ["", *(f"{one.site.title}: {names[one.gateway]}" for one in columns)]
    rows = [[what, *(_cell(tell, one) for one in columns)] for what, tell in ROWS.items()]
    page = put_between(PAGE.read_text("utf-8"), as_table([headings, *rows]), BEGIN)
    PAGE.write_text(page, "utf-8")


def _cell(tell: Callable[[Column], str], column: Column) -> str:
    """Return a cell; without a result for it, the reason why there is none."""
    try:
        return tell(column)
    except NotMeasured as error:
        return shortened(str(error)) or NOTHING


def _tools(column: Column) -> str:
    """Return the number of tools, the cost of their list, and the cost if all were in full."""
    listed = column.cold["listed"]
    tokens = f"{METER.count(listed):,} tokens"
    if "tools" not in column.compare:
        return f"{len(json.loads(listed)['result']['tools']):,}; {tokens}"
    in_full = METER.count(column.compare["list_in_full"])
    return f"{column.compare['tools']:,}; {tokens} (in full {in_full:,})"


def _compared(column: Column) -> str:
    found = column.compare
    return f"{found['compared']:,} by {len(found['visible'])} callers"


def _count(name: str) -> Callable[[Column], str]:
    return lambda column: f"{len(column.compare[name]):,}"


def _walked(column: Column) -> str:
    return f"{len({one['path'] for one in column.compare['walked']}):,}"


def _written(column: Column) -> str:
    tried = column.write["tried"]
    alike = sum(one["is_alike"] and one["is_unchanged"] for one in tried)
    return f"{alike} of {len(tried)}"


def _seen(column: Column) -> str:
    """Return the rows that each caller is told of, and the API's if they differ."""
    told = ([_number(one) for one in pair] for pair in column.calls["seen"].values())
    return ", ".join(seen if seen == by_api else f"{seen} (API: {by_api})" for by_api, seen in told)


def _number(value: int | str | None) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value or "not told")


def _first(column: Column) -> str:
    seconds, schema = column.cold["first"], column.alone["schema"]
    ratio = f", {seconds / schema:.2f} × its own schema" if schema else ""
    return _time(seconds) + ratio


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1_000:.0f} ms"


def _memory(column: Column) -> str:
    used, alone = column.cold["megabytes"], column.alone["megabytes"]
    return f"{used:.0f} MB, {used / alone:.2f} × the site alone"


def _ratio(name: str) -> Callable[[Column], str]:
    return lambda column: f"{column.calls[name]:.2f} ×"


ROWS: dict[str, Callable[[Column], str]] = {
    "tools that may be read; their list": _tools,
    "GETs without parameters, compared with the API": _compared,
    "other rows, counts or refusals than the API's": _count("differences"),
    "tools that answer with HTML": _count("html"),
    "tools shown to callers whom they refuse": _count("shown_though_refused"),
    "lists walked to their end by tokens": _walked,
    "writes out of reach, refused as by the API": _written,
    "the longest list, first reply": lambda one: told(Answer(200, one.calls["reply"].encode())),
    "its rows for the four callers": _seen,
    "start of a process until it answers": lambda one: _time(one.cold["ready"]),
    "first connection": _first,
    "first connection of the next process": lambda one: _time(one.warm["first"]),
    "a known `tools/list`": lambda one: _time(one.cold["again"]),
    "a record, beside the API": _ratio("record"),
    "a page of the list, beside the API": _ratio("page"),
    "the following page": _ratio("next"),
    "memory": _memory,
}
