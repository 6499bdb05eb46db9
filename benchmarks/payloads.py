"""Payloads: rows of an ordinary API, nested rows, tiny rows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

CITIES = ("Lisbon", "Oslo", "Graz", "Lima", "Accra", "Hanoi", "Perth", "Turin")
TEN_MEGABYTES = 53_000
NESTED = 500_000
TINY = 1_400_000

Row = dict[str, Any]


def ordinary(count: int) -> Iterator[Row]:
    """Yield rows of about 190 bytes: 53,000 of them are 10 MB."""
    chance = random.Random(count)
    for number in range(count):
        yield {
            "id": number,
            "name": f"Customer {chance.randrange(10**6)}",
            "email": f"user{number}@example.com",
            "city": chance.choice(CITIES),
            "amount": round(1_000 * chance.random(), 2),
            "active": chance.random() < 0.5,
            "created": f"2026-0{chance.randrange(1, 9)}-1{chance.randrange(10)}T09:12:45Z",
            "note": f"ordinary text of some words {chance.randrange(1_000)}",
        }


def nested(count: int) -> Iterator[Row]:
    chance = random.Random(count)
    for number in range(count):
        yield {
            "id": number,
            "user": {"name": f"u{chance.randrange(10**5)}", "tags": ["a", chance.choice(CITIES)]},
            "items": [
                {"id": chance.randrange(10**6), "quantity": chance.randrange(9), "price": 1.5},
                {"id": chance.randrange(10**6), "quantity": chance.randrange(9), "price": None},
            ],
        }


def tiny(count: int) -> Iterator[Row]:
    return ({"i": number} for number in range(count))


KINDS: dict[str, tuple[Callable[[int], Iterator[Row]], int]] = {
    "10 MB of rows": (ordinary, TEN_MEGABYTES),
    "500,000 nested rows": (nested, NESTED),
    "1,400,000 tiny rows": (tiny, TINY),
}


def as_json(rows: Iterator[Row]) -> bytes:
    return b"[" + b",".join(map(msgspec.json.Encoder().encode, rows)) + b"]"
