"""Results of heavy functions that have a JSON form. `test_heavy_never_refuses` has the others."""

import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
import uuid
from typing import Any

import pytest
from doors import run, served, text_of, told, value_of, walked
from pydantic import BaseModel

from penstock import heavy

MANY = 200
MOMENT = dt.datetime(2026, 7, 28, 12, 30, tzinfo=dt.UTC)
KEY = uuid.UUID(int=7)


class Colour(enum.Enum):
    RED = "red"


class Model(BaseModel):
    id: int
    when: dt.datetime


@dataclasses.dataclass
class Data:
    id: int
    price: decimal.Decimal


VALUES = {
    "models": ([Model(id=n, when=MOMENT) for n in range(MANY)],
               [{"id": n, "when": "2026-07-28T12:30:00Z"} for n in range(MANY)]),
    "dataclasses": ([Data(n, decimal.Decimal("1.10")) for n in range(MANY)],
                    [{"id": n, "price": "1.10"} for n in range(MANY)]),
    "datetimes": ([MOMENT + dt.timedelta(days=n) for n in range(MANY)],
                  [(MOMENT + dt.timedelta(days=n)).isoformat().replace("+00:00", "Z")
                   for n in range(MANY)]),
    "dates": ([MOMENT.date()] * MANY, ["2026-07-28"] * MANY),
    "decimals": ([decimal.Decimal("0.10000000000000000000001")] * MANY,
                 ["0.10000000000000000000001"] * MANY),
    "uuids": ([KEY] * MANY, [str(KEY)] * MANY),
    "enums": ([Colour.RED] * MANY, ["red"] * MANY),
    "bytes inside": ([b"\x00\xff"] * MANY, ["AP8="] * MANY),
    "tuples": (tuple((n, n) for n in range(MANY)), [[n, n] for n in range(MANY)]),
    "large numbers": ([10**30 + n for n in range(MANY)], [10**30 + n for n in range(MANY)]),
    "nulls": ([None] * MANY, [None] * MANY),
    "sets of one": ([{7} for _ in range(MANY)], [[7] for _ in range(MANY)]),
}  # fmt: skip


def giving(value: Any, budget: str = "25kB"):
    @heavy(budget=budget)
    def give():
        """Gives it."""
        return value

    return give


@pytest.mark.parametrize("name", VALUES)
def test_rows_of_every_type(framework, name):
    value, expected = VALUES[name]

    async def scenario():
        async with served(framework, giving(value)) as client:
            probe = await told(client, "give")
            assert probe["count"] == MANY
            assert (
                await walked(client, "give", probe["continuation_token"], page_size=90) == expected
            )

    run(scenario)


def test_not_a_number(framework):
    """NaN and infinities become null, and are counted."""
    value = [{"id": n, "x": math.nan if n % 2 else math.inf} for n in range(MANY)]

    async def scenario():
        async with served(framework, giving(value)) as client:
            probe = await told(client, "give")
            assert "200" in json.dumps(probe)
            page = await told(client, "give", continuation_token=probe["continuation_token"])
            assert page["items"][:2] == [{"id": 0, "x": None}, {"id": 1, "x": None}]

    run(scenario)


def test_a_set(framework):
    async def scenario():
        async with served(framework, giving(set(range(1_000)))) as client:
            token = (await told(client, "give"))["continuation_token"]
            assert sorted(await walked(client, "give", token)) == list(range(1_000))

    run(scenario)


def test_bytes(framework):
    """Bytes are stored as base64, and read as a text."""

    async def scenario():
        async with served(framework, giving(b"\x00" * 3_000)) as client:
            token = (await told(client, "give"))["continuation_token"]
            whole = await client.call_tool("give", {"continuation_token": token, "mode": "full"})
            assert text_of(whole).strip('"') == "AAAA" * 1_000

    run(scenario)


def test_a_long_text(framework, era):
    lines = [f"line {number}" for number in range(2_000)]

    async def scenario():
        async with served(framework, giving("\n".join(lines)), era=era) as client:
            probe = await told(client, "give")
            assert probe["lines"] == 2_000
            assert await walked(client, "give", probe["continuation_token"], page_size=500) == lines

    run(scenario)


def test_a_huge_line(framework, era):
    async def scenario():
        async with served(framework, giving("é" * 300_000, "2kB"), era=era) as client:
            probe = await told(client, "give")
            page = await told(client, "give", continuation_token=probe["continuation_token"])
            assert page["has_more"]
            assert set(page["items"][0]) == {"é"}

    run(scenario)


@pytest.mark.parametrize("value", [[], {}, "", "short", 7, 0, False, True, [{"id": 1}], {"a": [1]}])
def test_what_is_smaller_than_its_probe_passes(framework, era, value):
    """A reply is never larger than the raw result."""

    async def scenario():
        async with served(framework, giving(value), era=era) as client:
            result = await client.call_tool("give", {})
            assert not result.is_error
            said = text_of(result)
            assert (said if isinstance(value, str) else json.loads(said)) == value

    run(scenario)


def test_a_value_that_contains_itself(framework):
    value: list[Any] = []
    value.append(value)

    async def scenario():
        async with served(framework, giving(value)) as client:
            result = await client.call_tool("give", {})
            assert result.is_error
            assert "contains itself" in value_of(result)["error"]

    run(scenario)


def test_a_dict_of_parts(framework):
    value = {"name": "n", "parts": {f"part/{n}": {"port": n, "note": "x" * 30} for n in range(300)}}

    async def scenario():
        async with served(framework, giving(value)) as client:
            probe = await told(client, "give")
            token = probe["continuation_token"]
            part = await told(
                client, "give", continuation_token=token, mode="full", path="/parts/part~17"
            )
            assert part == {"port": 7, "note": "x" * 30}

    run(scenario)
