"""The functions behind every door: plain Python, without Penstock and without a framework."""

from __future__ import annotations

import base64
from typing import Any

# 1 × 1 pixel: a valid picture of almost no size.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def rows(count: int) -> list[dict[str, Any]]:
    """Readings of a station, one an hour."""
    return [
        {"id": number, "city": ("Lyon", "Köln", "東京")[number % 3], "level": number * 0.25}
        for number in range(count)
    ]


def log(lines: int) -> str:
    """The log of a pump."""
    told = [f"{number:05d} INFO pump turns" for number in range(lines)]
    told[lines // 2] = f"{lines // 2:05d} ERROR pump jammed"
    return "\n".join(told)


def config(services: int) -> dict[str, Any]:
    """The configuration of a network."""
    return {
        "name": "network",
        "owner": {"team": "water", "mail": "water@example.org"},
        "services": {
            f"service/{number}": {"port": 8000 + number, "tags": ["a", "b"], "note": "x" * 40}
            for number in range(services)
        },
    }


def small(name: str) -> str:
    """Greets."""
    return f"Hello, {name}."


def number(value: int) -> int:
    """The same number."""
    return value


def failing(error: type[Exception]):
    """Return a function that fails with an error whose text the framework shows to clients."""

    def fail(size: int) -> str:
        """Always fails, at length."""
        raise error("broken " * size)

    return fail


def choose(mode: str, query: str = "", page: int = 0, count: int = 3) -> list[dict[str, Any]]:
    """Its parameters are called as Penstock's fields are."""
    return [
        {"mode": mode, "query": query, "page": page, "number": number, "note": "y" * 30}
        for number in range(count)
    ]


def scroll(continuation_token: str = "", count: int = 3) -> list[dict[str, Any]]:
    """Rows, with a continuation token of this tool itself."""
    return [
        {"after": continuation_token, "number": number, "note": "z" * 30} for number in range(count)
    ]


def total(items: list[dict[str, Any]]) -> int:
    """Adds up the ids."""
    return sum(item["id"] for item in items)


def length(text: str) -> int:
    """How long a text is."""
    return len(text)


def image_bytes() -> bytes:
    return base64.b64decode(PIXEL)


FUNCTIONS = [rows, log, config, small, number, choose, scroll, total, length]


def station(what: int):
    """One of many tools that differ in their names alone."""

    def act(station: str, hours: int, note: str = "") -> str:
        return f"{what}: {station} for {hours} h{note}"

    act.__name__ = f"station_task_{what:02d}"
    act.__doc__ = (
        f"Does task number {what} at a station. Times are in UTC and levels in metres above the sea. "
        "What is removed can be restored for thirty days by whoever runs the network."
    )
    return act


MANY = [station(number) for number in range(100)]
