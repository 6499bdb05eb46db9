"""`@heavy` takes every value that a framework takes. It stores what the tool would send without
it, or the same with more structure."""

import asyncio
import datetime as dt
import fractions
import json
import re
import sqlite3
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from doors import client_of, run, sent, served, text_of
from mcp.server.mcpserver import Image as SdkImage
from mcp.server.mcpserver import MCPServer

from penstock import heavy

PNG = b"\x89PNG\r\n\x1a\n"
Pair = namedtuple("Pair", "x y")  # noqa: PYI024 (tools return these too)


class Told:
    """A class with its own text form."""

    def __str__(self) -> str:
        return "told, by itself"


def database_row():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT 1 AS a, 'x' AS b").fetchone()
    connection.close()
    return row


# A framework sends the stored form. These are functions, because a generator is read only once.
SAME = {
    "complex": lambda: 1 + 2j,
    "object": Told,
    "path": lambda: Path("/srv/data"),
    "exception": lambda: ValueError("no such order"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "pattern": lambda: re.compile("a+"),
    "class": lambda: Told,
    "function": lambda: len,
    "ellipsis": lambda: ...,
    "Timestamp": lambda: pd.Timestamp("2026-01-02T03:04:05Z"),
    "datetime": lambda: dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
    "Decimal and more": lambda: {"price": 1j, "of": {"path": Path("/a"), "told": Told()}},
    "keys": lambda: {(1, 2): "tuple", Path("/a"): "path", 7: "number"},
    "numbers beside": lambda: {"it": Told(), "large": 10**30, "none": None, "yes": True},
}
# A framework sends a text that says less, or sends nothing.
BETTER = {
    "array": (lambda: np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
    "scalar": (lambda: np.int64(7), 7),
    "frame": (lambda: pd.DataFrame({"a": [1, 2]}), [{"a": 1}, {"a": 2}]),
    "polars frame": (lambda: pl.DataFrame({"a": [1, 2]}), [{"a": 1}, {"a": 2}]),
    "column": (lambda: pd.Series([1, 2]), [1, 2]),
    "database row": (database_row, {"a": 1, "b": "x"}),
    "generator": (lambda: (number for number in range(3)), [0, 1, 2]),
    "generator inside": (lambda: {"rows": (number for number in range(3))}, {"rows": [0, 1, 2]}),
    "generator of objects": (lambda: (Told() for _ in range(2)), ["told, by itself"] * 2),
    "range": (lambda: range(3), [0, 1, 2]),
    "named tuple": (lambda: Pair(1, 2), {"x": 1, "y": 2}),
    "bytes inside": (lambda: [b"\xff"], ["/w=="]),
    "beside what has no form": (
        lambda: {"it": 1j, "n": np.int8(7), "none": pd.NA, "rows": pd.DataFrame({"a": [1]})},
        {"it": "1j", "n": 7, "none": None, "rows": [{"a": 1}]},
    ),
    "form of what is beside": (
        lambda: [1j, b"\xff", pd.Timestamp(1), pd.NaT],
        ["1j", "/w==", "1970-01-01T00:00:00.000000001", None],
    ),
    "named tuple with an object": (lambda: Pair(1, 1j), {"x": 1, "y": "1j"}),
    "array without a form": (lambda: np.array([[1j, 2], [0, 1]]), [["1j", "2+0j"], ["0j", "1+0j"]]),
    "frame with objects": (
        lambda: pd.DataFrame([[1, Told()]], columns=["id", "id"]),
        [{"id": 1, "id_2": "told, by itself"}],
    ),
}  # fmt: skip


def bare(framework, *functions):
    """A server of a framework, without Penstock."""
    if framework == "mcp":
        server: Any = MCPServer("t", log_level="CRITICAL")
    else:
        from fastmcp import FastMCP

        server = FastMCP("t")
    for function in functions:
        server.tool()(function)
    return server


def giving(make):
    def give():
        """Gives it."""
        return make()

    return give


def value_sent(result):
    """Return the value that a client reads. The SDK sends a list as one block for each item."""
    assert not result.is_error, text_of(result)
    values = [_read(block.text) for block in result.content]
    return values if len(values) != 1 else values[0]


def _read(text):
    """Read a text. FastMCP sends some texts as JSON and some unchanged."""
    try:
        return json.loads(text)
    except ValueError:
        return text


async def called(client):
    return await client.call_tool("give", {})


async def sent_without(framework, make):
    async with client_of(bare(framework, giving(make))) as client:
        return await called(client)


async def stored_by(framework, make):
    async with served(framework, heavy(giving(make))) as client:
        first = value_sent(await called(client))
        if not isinstance(first, dict) or "continuation_token" not in first:
            return first  # smaller than its probe
        token = first["continuation_token"]
        return value_sent(
            await client.call_tool("give", {"continuation_token": token, "mode": "full"})
        )


@pytest.mark.parametrize("name", SAME)
def test_what_a_framework_would_send_is_stored(framework, name):
    async def scenario():
        without = value_sent(await sent_without(framework, SAME[name]))
        assert await stored_by(framework, SAME[name]) == without

    run(scenario)


@pytest.mark.parametrize("name", SAME)
def test_rows_of_it_are_rows(framework, name):
    def rows():
        return [{"id": number, "it": SAME[name]()} for number in range(300)]

    async def scenario():
        without = value_sent(await sent_without(framework, rows))
        assert await stored_by(framework, rows) == without

    run(scenario)


@pytest.mark.parametrize("name", BETTER)
def test_what_a_framework_cannot_show_has_its_structure(framework, name):
    make, expected = BETTER[name]

    async def scenario():
        assert await stored_by(framework, make) == expected

    run(scenario)


@pytest.mark.parametrize("name", BETTER)
def test_many_of_them_have_their_structure(framework, name):
    make, expected = BETTER[name]

    async def scenario():
        assert await stored_by(framework, lambda: [make() for _ in range(200)]) == [expected] * 200

    run(scenario)


def test_what_became_null_is_counted_there_too(framework):
    value = [{"it": Told(), "x": float("nan")} for _ in range(200)]

    async def scenario():
        async with served(framework, heavy(giving(lambda: value))) as client:
            assert "200 NaN" in text_of(await called(client))

    run(scenario)


def test_where_a_framework_fails_it_is_said_why(framework):
    value: dict[str, Any] = {"it": Told()}
    value["beside"] = value

    async def scenario():
        assert (await sent_without(framework, lambda: value)).is_error
        async with served(framework, heavy(giving(lambda: value))) as client:
            result = await called(client)
            assert result.is_error
            assert "contains itself" in text_of(result)

    run(scenario)


# -- without a middleware ----------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SAME, *BETTER])
def test_alone_nothing_is_refused_either(framework, name):
    async def scenario():
        make, expected = BETTER.get(name) or (SAME[name], None)
        if expected is None:
            expected = value_sent(await sent_without(framework, make))
        async with client_of(bare(framework, heavy(giving(make)))) as client:
            assert value_sent(await called(client)) == expected

    run(scenario)


def test_alone_many_rows_are_probed(framework):
    rows = [{"id": number, "path": Path("/srv"), "note": "x" * 50} for number in range(500)]

    async def scenario():
        async with client_of(bare(framework, heavy(giving(lambda: rows)))) as client:
            probe = value_sent(await called(client))
            assert probe["count"] == 500
            assert probe["columns"] == {"id": "int", "path": "str", "note": "str"}

    run(scenario)


@pytest.mark.parametrize("is_awaited", [False, True])
def test_a_frameworks_own_image_is_sent_by_it(framework, is_awaited):
    """This holds with and without the middleware."""

    def make():
        if framework == "mcp":
            return [SdkImage(data=PNG, format="png"), "a picture"]
        from fastmcp.utilities.types import Image

        return [Image(data=PNG, format="png"), "a picture"]

    async def give():
        """Gives it."""
        await asyncio.sleep(0)
        return make()

    function = give if is_awaited else giving(make)

    async def scenario():
        async with client_of(bare(framework, function)) as client:
            expected = sent(await called(client))["content"]
        assert [block["type"] for block in expected] == ["image", "text"]
        async with client_of(bare(framework, heavy(function))) as client:
            assert sent(await called(client))["content"] == expected
        async with served(framework, heavy(function)) as client:
            assert sent(await called(client))["content"] == expected

    run(scenario)
