"""Questions and takes: what is asked of a server, and then of its result.

The answers are computed here from the material, never by Penstock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.material import Row

LONG = 200  # characters
Fields = dict[str, Any]


@dataclass(frozen=True)
class Take:
    """One call to record. Calls in `before` prepare it, and are not recorded."""

    server: str
    name: str
    tool: str
    arguments: Mapping[str, Any]
    format: str
    questions: Sequence[Fields]
    before: Sequence[tuple[str, Mapping[str, Any]]] = ()


def sql(ask: str, query: str, answer: Sequence[Row], path: str = "") -> Fields:
    return _at(path, {"ask": ask, "mode": "sql", "query": query}) | {"answer": list(answer)}


def count(ask: str, where: str, rows: Iterable[object], path: str = "") -> Fields:
    """Ask for the number of rows that meet a condition. `rows` are those that do."""
    query = f"SELECT count(*) AS n FROM result WHERE {where}"  # noqa: S608 (own conditions)
    return sql(ask, query, [{"n": len(list(rows))}], path)


def search(ask: str, query: str, total: int, path: str = "") -> Fields:
    return _at(path, {"ask": ask, "mode": "search", "query": query}) | {"answer": {"total": total}}


def first(ask: str, items: Sequence[object], total: int, path: str = "") -> Fields:
    """Ask for the first rows or lines."""
    request = {"ask": ask, "mode": "paginated", "page": 1, "page_size": len(items)}
    return _at(path, request) | {"answer": {"items": list(items), "total": total}}


def full(ask: str, original: str | bytes) -> Fields:
    """Ask for all of it, exactly."""
    data = original.encode() if isinstance(original, str) else original
    answer = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {"ask": ask, "mode": "full", "answer": answer}


def _at(path: str, fields: Fields) -> Fields:
    return fields | {"path": path} if path else fields


def tally(rows: Iterable[Row], key: str, name: str = "n") -> list[Row]:
    """Return how many rows have each value of a key, sorted by the value."""
    found: dict[Any, int] = {}
    for row in rows:
        found[row[key]] = found.get(row[key], 0) + 1
    return [{key: value, name: found[value]} for value in sorted(found)]


def lines_with(text: str, part: str) -> int:
    """Count the lines that contain a part, in capitals or not. In a long line, each place counts."""
    folded, lines = part.lower(), text.lower().splitlines()
    return sum(line.count(folded) if len(line) > LONG else folded in line for line in lines)


def total_of(rows: Iterable[Row], key: str) -> float:
    return float(round(sum(row[key] for row in rows), 2))


def where(rows: Iterable[Row], test: Callable[[Row], object]) -> list[Row]:
    return [row for row in rows if test(row)]
