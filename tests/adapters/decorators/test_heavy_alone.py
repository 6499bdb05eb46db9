"""`@heavy` without a middleware: the function answers calls itself, as text."""

import asyncio
import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import polars as pl
import pydantic
import pytest
from doors import client_of, run, sent, text_of, told, walked
from mcp.server.mcpserver import Context as SdkContext
from mcp.server.mcpserver import MCPServer
from transcripts import REFUSAL

from penstock import PenstockError, heavy

ROWS = [{"id": number, "note": "x" * 50} for number in range(100)]


@heavy
def rows(count: int, start: int = 0) -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[start : start + count]


@heavy(page_size=5)
async def async_rows(count: int) -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[:count]


@heavy
def generated(count: int):
    """Rows."""
    yield from ROWS[:count]


@heavy
async def async_generated(count: int):
    """Rows."""
    for row in ROWS[:count]:
        yield row


def bare(framework):
    """A server of a framework, without Penstock."""
    if framework == "mcp":
        return MCPServer("t", log_level="CRITICAL")
    from fastmcp import FastMCP

    return FastMCP("t")


# -- in plain Python ---------------------------------------------------------------------------


def test_called_in_python():
    """The function returns text, as an agent would read it."""
    probe = json.loads(rows(90))
    assert probe["count"] == 90
    token = probe["continuation_token"]
    assert json.loads(rows(continuation_token=token))["items"] == ROWS[:20]
    page = json.loads(rows(continuation_token=token, mode="paginated", page=2))
    assert page["items"] == ROWS[20:40]
    sql = json.loads(
        rows(continuation_token=token, mode="sql", query="SELECT count(*) AS n FROM result")
    )
    assert sql["items"] == [{"n": 90}]


def test_arguments_by_place_and_by_name():
    for text in (rows(90, 5), rows(count=90, start=5), rows(90, start=5)):
        token = json.loads(text)["continuation_token"]
        assert json.loads(rows(continuation_token=token))["items"][0]["id"] == 5


def test_awaited_in_python():
    async def scenario():
        probe = json.loads(await async_rows(90))
        assert probe["count"] == 90
        page = json.loads(await async_rows(continuation_token=probe["continuation_token"]))
        assert page["items"] == ROWS[:5]

    asyncio.run(scenario())


def test_generators_in_python():
    assert json.loads(generated(90))["count"] == 90

    async def scenario():
        assert json.loads(await async_generated(90))["count"] == 90

    asyncio.run(scenario())


def test_small_results_in_python():
    assert json.loads(rows(1)) == ROWS[:1]
    assert json.loads(rows(0)) == []


def test_refusals_in_python():
    for arguments, said in [
        ({}, "count"),
        ({"continuation_token": "pen_111111111111111111111111111111111111111"}, "expired"),
        ({"mode": "summary"}, "count"),
    ]:
        with pytest.raises(PenstockError) as refused:
            rows(**arguments)
        assert said in str(refused.value)
        assert refused.value.next_step


def test_a_token_is_its_functions():
    token = json.loads(rows(90))["continuation_token"]
    with pytest.raises(PenstockError, match="expired or not found"):
        generated(continuation_token=token)


def test_what_has_no_json_form_in_python():
    """The value is stored as a framework would send it."""

    @heavy
    def measured() -> dict[str, complex]:
        """An impedance."""
        return {"impedance": 50 + 2j}

    assert json.loads(measured()) == {"impedance": "50+2j"}


def test_what_has_no_json_form_where_there_is_no_framework(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic_core", None)  # as if it were not installed

    @heavy
    def measured() -> complex:
        """An impedance."""
        return 50 + 2j

    assert measured() == "(50+2j)"


def test_what_not_even_a_framework_can_send_in_python():
    @heavy
    def endless() -> list[Any]:
        """A list that contains itself."""
        value: list[Any] = [object()]
        value.append(value)
        return value

    with pytest.raises(PenstockError, match="contains itself"):
        endless()


def test_a_result_is_read_once():
    """A query runs once, a generator is read once, and a model dumped once."""
    runs = []

    class Model(pydantic.BaseModel):
        n: float

        @pydantic.model_serializer
        def told(self) -> dict[str, Any]:
            runs.append("model")
            return {"n": self.n}

    def counted(column: pl.Series) -> pl.Series:
        runs.append("query")
        return column

    query = pl.LazyFrame({"n": [math.nan]}).select(pl.col("n").map_batches(counted, pl.Float64))

    def numbers() -> Iterator[float]:
        runs.append("generator")
        yield math.nan

    @heavy
    def everything() -> dict[str, Any]:
        """Return one of each, beside a value that is too large for an envelope."""
        return {"query": query, "model": Model(n=1), "n": numbers(), "it": object, "x": "y" * 9_000}

    probe = json.loads(everything())
    assert sorted(runs) == ["generator", "model", "query"]
    assert "2 NaN" in str(probe["notices"])


def test_what_the_function_raises_in_python():
    @heavy
    def broken() -> list[int]:
        """Broken."""
        raise ZeroDivisionError("no")

    with pytest.raises(ZeroDivisionError, match="no"):
        broken()


# -- under a framework -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function", [rows, async_rows, generated, async_generated], ids=lambda item: item.__name__
)
def test_under_a_framework(framework, era, function):
    """The tool reads its own results, because there is no reader."""

    async def scenario():
        server = bare(framework)
        server.tool()(function)
        name = function.__name__
        async with client_of(server, era) as client:
            (tool,) = (await client.list_tools()).tools
            schema = sent(tool)["inputSchema"]
            assert "required" not in schema
            assert {"count", "continuation_token", "mode"} <= schema["properties"].keys()
            probe = await told(client, name, count=90)
            assert probe["count"] == 90
            assert name in probe["next_step"] or "read_result" not in probe["next_step"]
            assert await walked(client, name, probe["continuation_token"]) == ROWS[:90]

    run(scenario)


def test_refusals_under_a_framework(framework, era):
    """Errors say what is wrong. Frameworks add words of their own."""

    async def scenario():
        server = bare(framework)
        server.tool()(rows)
        async with client_of(server, era) as client:
            missing = await client.call_tool("rows", {})
            assert missing.is_error
            assert "count" in text_of(missing)
            wrong = {"continuation_token": "pen_111111111111111111111111111111111111111"}
            expired = await client.call_tool("rows", wrong)
            assert expired.is_error
            assert REFUSAL in text_of(expired)
            token = (await told(client, "rows", count=90))["continuation_token"]
            mode = await client.call_tool("rows", {"continuation_token": token, "mode": "no"})
            assert mode.is_error
            assert "paginated" in text_of(mode)
            assert "Traceback" not in text_of(mode)

    run(scenario)


def test_a_context_under_a_framework(framework, era):
    if framework == "mcp":
        context_type: Any = SdkContext
    else:
        from fastmcp import Context as context_type  # noqa: N813 (takes a second)

    @heavy
    async def reporting(ctx: context_type, count: int) -> list[dict[str, Any]]:
        """Rows."""
        assert ctx.request_id
        return ROWS[:count]

    async def scenario():
        server = bare(framework)
        server.tool()(reporting)
        async with client_of(server, era) as client:
            probe = await told(client, "reporting", count=90)
            assert probe["count"] == 90
            page = await told(client, "reporting", continuation_token=probe["continuation_token"])
            assert page["items"] == ROWS[:20]

    run(scenario)


def test_many_at_once_without_a_middleware(framework):
    async def use(client, number):
        probe = await told(client, "rows", count=60 + number)
        assert probe["count"] == 60 + number

    async def scenario():
        server = bare(framework)
        server.tool()(rows)
        async with client_of(server) as client:
            await asyncio.gather(*(use(client, number) for number in range(20)))

    run(scenario)
