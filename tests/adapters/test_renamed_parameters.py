"""Required parameters that have another name on the wire."""

from typing import Annotated, Any

import pytest
from doors import client_of, refused, run, served, told, value_of
from fastmcp import FastMCP
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import ArgTransform
from mcp_types import ImageContent
from pydantic import Field

from penstock import Policy, heavy
from penstock.adapters.fastmcp import Penstock as InFastMCP

ROWS = [{"id": number, "note": "x" * 20} for number in range(300)]


@heavy
def rows(n: int, key: str = "k") -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[:n]


@pytest.mark.parametrize(
    ("changes", "arguments", "missing"),
    [
        ({"n": ArgTransform(name="count")}, {"count": 300}, "'count'"),
        ({"n": ArgTransform(hide=True, default=300)}, {}, None),
    ],
)
def test_a_transformed_tool(changes, arguments, missing):
    server = FastMCP("t", middleware=[InFastMCP(Policy())])
    server.add_tool(Tool.from_tool(Tool.from_function(rows), name="made", transform_args=changes))

    async def scenario():
        async with client_of(server) as client:
            assert (await told(client, "made", **arguments))["count"] == 300
            if missing is not None:
                assert missing in (await refused(client, "made"))["error"]

    run(scenario)


def test_an_alias(framework):
    @heavy
    def aliased(n: Annotated[int, Field(validation_alias="cnt")]) -> list[dict[str, Any]]:
        """Rows."""
        return ROWS[:n]

    async def scenario():
        async with served(framework, aliased, list_form="full") as client:
            listed = (await client.list_tools()).tools[0].input_schema
            name = "cnt" if "cnt" in listed["properties"] else "n"
            assert (await told(client, "aliased", **{name: 300}))["count"] == 300

    run(scenario)


def test_blocks_anywhere_in_a_list_stay_blocks(framework):
    @heavy
    def mixed() -> Any:
        """A caption and a picture."""
        return ["caption", ImageContent(data="aGk=", mime_type="image/png")]

    async def scenario():
        async with served(framework, mixed) as client:
            kinds = [block.type for block in (await client.call_tool("mixed", {})).content]
            assert kinds == ["text", "image"]

    run(scenario)


def test_nan_in_a_small_result_is_told(framework):
    @heavy
    def gaps() -> list[float]:
        """Numbers."""
        return [float("nan"), 1.0]

    async def scenario():
        async with served(framework, gaps) as client:
            result = await client.call_tool("gaps", {})
            assert value_of(result) == [None, 1.0]
            assert "NaN" in result.content[-1].text

    run(scenario)
