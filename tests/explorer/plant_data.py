"""The data of `plant_server.py`, by formula, so that a test can compute each row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import sin
from typing import Any

READINGS = 100_000
LOG_LINES = 50_000
ERROR_EVERY = 10_000
SITES = ("Lyon", "Osaka", "Quito", "Tromsø", "Perth")
STATES = ("ok", "ok", "ok", "ok", "ok", "ok", "ok", "degraded", "ok", "down")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
# 7919 and 100,000 are coprime: `rank` takes each number below 100,000 once, so a test can compute
# which row is where after sorting.
STEP = 7_919
MEGABYTE = 1_000_000
LONG_NUMBER = 123456789012345678901234567890
CANARY = "window.canary=1"


def reading(n: int) -> dict[str, Any]:
    """Return row `n` of the large table: twenty columns, and one that few rows have."""
    at = (BEGIN + timedelta(minutes=n)).isoformat()
    row = {
        "id": n,
        "device": f"pump-{n % 500:03d}",
        "site": SITES[n % 5],
        "status": STATES[n // 3 % 10],
        "at": at[:19] + "Z",
        "day": at[:10],
        "rank": n * STEP % READINGS,
        "pressure": round(2 + n * 11 % 701 / 100, 2),
        "temperature": round(18 + 6 * sin(n / 2_300) + n * 37 % 40 / 10, 1),
        "flow": n * 13 % 997,
        "level": n % 2_400 / 10,
        "valve_open": n % 4 == 0,
        "operator": None if n % 7 == 0 else f"operator {n % 23}",
        "batch": f"B{n // 1_000:03d}",
        "firmware": {"version": f"2.{n % 9}.{n % 30}", "signed": n % 2 == 0},
        "tags": ["north", f"line {n % 12}"],
        "count": n % 11,
        "power": n % 1_500,
        "cycle": n // 60,
        "note": f"reading {n} of the morning round",
    }
    if n % 1_000 == 0:
        row["alarm"] = "pressure over limit"
    return row


def number_of_rank(rank: int) -> int:
    """Return the number of the row that has this `rank`."""
    return rank * pow(STEP, -1, READINGS) % READINGS


def log_line(n: int) -> str:
    minute = n * 1_440 // LOG_LINES
    clock = f"2026-11-14T{minute // 60:02d}:{minute % 60:02d}"
    if n % ERROR_EVERY == 1_234:
        return f"{clock} ERROR valve {n // ERROR_EVERY} does not answer: limit 8.0 bar"
    return f"{clock} INFO poll sensor-{n:05d} ok in {n % 90} ms"


def configuration() -> dict[str, Any]:
    """Return a nested value, with a long part and a deep part."""
    endpoints = {
        f"/api/v1/resource-{n}": {"timeout_ms": 100 + n, "auth": {"roles": ["reader", f"r{n}"]}}
        for n in range(900)
    }
    return {
        "name": "plant",
        "limits": {"requests": {"per_minute": 600, "burst": {"size": 50, "window_s": 5}}},
        "endpoints": endpoints,
        "features": [f"feature-{n}" for n in range(40)],
        "motd": "welcome",
    }


def precise() -> list[dict[str, Any]]:
    """Return values that a careless reader rounds, breaks or loses, enough of them to be stored."""
    special = [
        {"id": 0, "value": LONG_NUMBER, "text": "thirty digits", "more": {"deep": LONG_NUMBER + 1}},
        {"id": 1, "value": 9007199254740993, "text": "2^53 + 1", "more": [1, {"a": None}]},
        {"id": 2, "value": -0.5, "text": 'quote " comma , line\nbreak', "more": None},
        {"id": 3, "value": 1e-7, "text": "naïve Ωmega 漢字 🚰", "more": {"漢": "字"}},
        {"id": 4, "value": None, "text": "", "more": []},
        {"id": 5, "value": -12, "text": '=HYPERLINK("http://example.com")', "more": {}},
        {"id": 6, "value": 3, "text": "+1+1", "more": True},
        {"id": 7, "value": 4, "text": "-2+3", "more": False},
        {"id": 8, "value": 5, "text": "@SUM(A1)", "more": "plain"},
        {"id": 9, "value": 6, "text": "\t=1", "more": "\r=1"},
    ]
    return special + [
        {"id": n, "value": n * 1.5, "text": f"row {n} " + "x" * 40, "more": {"n": n}}
        for n in range(len(special), 1_200)
    ]


def long_text(megabytes: int = 1) -> str:
    """Return a text in which every position is different."""
    return "".join(f"{n:09d};" for n in range(megabytes * MEGABYTE // 10))


def hostile() -> list[dict[str, Any]]:
    """Return texts that attack a careless reader, as values and as names of columns."""
    texts = [
        f"<script>{CANARY}</script>",
        f'<img src="x" onerror="{CANARY}">',
        f'"><svg onload="{CANARY}">',
        f"</script><script>{CANARY}</script>",
        f"javascript:{CANARY}",
        "\u202etxt.exe\u202c and \u2066isolated\u2069",
        "مرحبا بالعالم, then Latin",
        "שלום עולם",
        "{{constructor.constructor('canary = 1')()}}",
        "\x00\x07\x1b[31mred",
    ]
    rows = [
        {
            "id": n,
            "text": text,
            "__proto__": f"proto {n}",
            "constructor": f"constructor {n}",
            "toString": f"toString {n}",
            f'<img src=x onerror="{CANARY}">': text,
            "nested": {"__proto__": {"polluted": True}, "html": text},
            "body": long_text() if n == 2 else f"body {n}",
        }
        for n, text in enumerate(texts)
    ]
    return rows + [{"id": n, "text": f"row {n}"} for n in range(len(rows), 40)]


def wide(columns: int = 120, rows: int = 400) -> list[dict[str, Any]]:
    return [{f"column_{c:03d}": f"{n}/{c}" for c in range(columns)} for n in range(rows)]
