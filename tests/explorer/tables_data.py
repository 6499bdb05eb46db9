"""Results that are tables in different ways, with times, nested values and columns of few values."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

ORDERS = 1_200
QUAKES = 600
CITIES = ("Lyon", "Oslo", "Porto", "Quito")
_START = datetime(2023, 2, 20, 6, 30, tzinfo=UTC)


def order(n: int) -> dict[str, Any]:
    """Return one of the orders: about 28 a day."""
    at = _START + timedelta(minutes=51 * n)
    return {
        "id": n,
        "units": n * 37 % 2_500,
        "price": round(n * 1.37 % 90, 2),
        "city": CITIES[n * 7 % 10 % 4],
        "paid": n % 3 == 0,
        "day": at.date().isoformat(),
        "at": at.isoformat().replace("+00:00", "Z"),
        "seen": int(at.timestamp()),
        "note": "" if n % 100 == 7 else f"order {n}",
    }


def quake(n: int) -> dict[str, Any]:
    at = _START + timedelta(hours=7 * n)
    return {
        "type": "Feature",
        "properties": {
            "mag": round(n * 7 % 83 / 10, 1),
            "place": f"{n % 90} km of {CITIES[n % 4]}",
            "time": int(at.timestamp() * 1_000),
            "alert": "green" if n % 5 else None,
        },
        "geometry": {"type": "Point", "coordinates": [n % 180, n % 90, 10]},
        "id": f"q{n}",
    }


def list_orders() -> str:
    """Orders of a shop."""
    return json.dumps([order(n) for n in range(ORDERS)])


def list_quakes() -> str:
    """Earthquakes, as GeoJSON."""
    features = [quake(n) for n in range(QUAKES)]
    return json.dumps({"type": "FeatureCollection", "bbox": [0, 0, 180, 90], "features": features})


def read_split() -> str:
    """Orders, as columns and rows."""
    rows = [list(order(n).values()) for n in range(ORDERS)]
    return json.dumps({"columns": list(order(0)), "rows": rows, "more": False})


def read_lists() -> str:
    """Orders, as lists without names."""
    return json.dumps([list(order(n).values()) for n in range(ORDERS)])


def read_numbers() -> str:
    """Units of all orders, as a list of numbers."""
    return json.dumps([order(n)["units"] for n in range(ORDERS)] * 10)


def csv() -> str:
    names = ("id", "units", "city", "day")
    lines = (",".join(str(order(n)[name]) for name in names) for n in range(ORDERS))
    return "\n".join([",".join(names), *lines])


def read_csv() -> str:
    """Orders, as CSV."""
    return csv()


def read_files() -> str:
    """Files with their texts: one of them short CSV."""
    short = "\n".join(csv().split("\n")[:41])
    files = [{"name": f"{n}.csv", "text": short if n == 0 else f"file {n}"} for n in range(900)]
    return json.dumps([{**file, "sizes": [file["name"], 2, 3]} for file in files])


def namesake(n: int) -> dict[str, Any]:
    """Return a row with one of two columns that are both called `a.b`."""
    return {"id": n, "a": {"b": n}} if n < ORDERS // 2 else {"id": n, "a.b": n * 7 % 1_000}


def list_namesakes() -> str:
    """Rows whose columns have the same name."""
    return json.dumps([namesake(n) for n in range(ORDERS)])


TOOLS: list[Callable[..., str]] = [
    list_orders,
    list_quakes,
    read_split,
    read_lists,
    read_numbers,
    read_csv,
    read_files,
    list_namesakes,
]
