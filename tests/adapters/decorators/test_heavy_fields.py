"""Arguments of a heavy tool: its own, Penstock's, and those that both have."""

import json
from typing import Annotated, Any

import pytest
from doors import refused, run, sent, served, told
from pydantic import Field
from transcripts import REFUSAL

from penstock import heavy

ROWS = [{"id": number, "note": "x" * 50} for number in range(100)]


@heavy
def rows(count: int, start: int = 0, label: str = "a") -> list[dict[str, Any]]:
    """Rows."""
    return [{**row, "label": label} for row in ROWS[start : start + count]]


@heavy
def with_mode(mode: str, count: int = 100) -> list[dict[str, Any]]:
    """Rows."""
    return [{**row, "mode": mode} for row in ROWS[:count]]


@heavy
def with_many(
    mode: str = "fast", query: str = "", page: int = 1, path: str = "", page_size: int = 0
) -> list[dict[str, Any]]:
    """Rows."""
    own = {"mode": mode, "query": query, "page": page, "path": path, "page_size": page_size}
    return [{**row, **own} for row in ROWS]


@heavy
def with_token(continuation_token: str = "", count: int = 100) -> list[dict[str, Any]]:
    """Rows."""
    return [{**row, "after": continuation_token} for row in ROWS[:count]]


@heavy
def described(
    count: Annotated[int, Field(description="How many.", ge=1, le=100)],
    label: Annotated[str | None, Field(description="A label.")] = None,
) -> list[dict[str, Any]]:
    """Rows."""
    return [{**row, "label": label} for row in ROWS[:count]]


TOOLS = [rows, with_mode, with_many, with_token, described]


def scene(framework, era, act, **settings):
    async def scenario():
        async with served(framework, *TOOLS, era=era, list_form="full", **settings) as client:
            await act(client)

    run(scenario)


def test_a_required_argument_that_is_missing(framework, era):
    async def act(client):
        for arguments in ({}, {"start": 3}, {"continuation_token": ""}, {"mode": "summary"}):
            told = await refused(client, "rows", **arguments)
            assert "count" in told["error"] + told["next_step"]

    scene(framework, era, act)


def test_a_wrong_type_is_the_frameworks_to_tell(framework, era):
    async def act(client):
        result = await client.call_tool("rows", {"count": "many"})
        assert result.is_error
        assert "count" in result.content[0].text
        result = await client.call_tool("described", {"count": 0})
        assert result.is_error
        assert "greater than or equal to 1" in result.content[0].text

    scene(framework, era, act)


def test_a_field_in_vain_is_told(framework, era):
    """The reply names fields that have no effect on a first call."""

    async def act(client):
        probe = await told(client, "rows", count=90, mode="summary", page=2)
        said = json.dumps({key: value for key, value in probe.items() if key != "available_modes"})
        assert "mode" in said
        assert "page" in said
        assert probe["count"] == 90

    scene(framework, era, act)


def test_empty_and_null_mean_absent(framework, era):
    async def act(client):
        nothing = {"continuation_token": None, "mode": "", "page": None, "query": ""}
        probe = await told(client, "rows", count=90, **nothing)
        assert probe["count"] == 90
        page = await told(
            client, "rows", continuation_token=probe["continuation_token"], mode="", page=None
        )
        assert page["items"][0]["id"] == 0

    scene(framework, era, act)


def test_arguments_beside_a_token(framework, era):
    """The same arguments are accepted, others are refused."""

    async def act(client):
        token = (await told(client, "rows", count=90, start=5))["continuation_token"]
        page = await told(client, "rows", continuation_token=token, count=90, start=5)
        assert page["items"][0]["id"] == 5
        wrong = await refused(client, "rows", continuation_token=token, count=80)
        assert "count" in wrong["error"]

    scene(framework, era, act)


def test_tokens_of_others_are_refused(framework, era):
    async def act(client):
        token = (await told(client, "rows", count=90))["continuation_token"]
        for wrong in ("pen_111111111111111111111111111111111111111", token[:-2], "nonsense"):
            assert (await refused(client, "rows", continuation_token=wrong))["error"] == REFUSAL
        assert (await refused(client, "with_mode", continuation_token=token))["error"] == REFUSAL

    scene(framework, era, act)


def test_an_own_mode(framework, era):
    """`mode` belongs to the tool, and with a token to Penstock."""

    async def act(client):
        probe = await told(client, "with_mode", mode="fast")
        token = probe["continuation_token"]
        page = await told(client, "with_mode", continuation_token=token, mode="paginated")
        assert page["items"][0]["mode"] == "fast"
        wrong = await refused(client, "with_mode", continuation_token=token, mode="fast")
        assert "paginated" in wrong["error"] + wrong["next_step"]

    scene(framework, era, act)


def test_many_own_fields(framework, era):
    async def act(client):
        given = {"mode": "slow", "query": "q", "page": 9, "path": "p", "page_size": 4}
        token = (await told(client, "with_many", **given))["continuation_token"]
        page = await told(client, "with_many", continuation_token=token, page=2, page_size=10)
        assert page["items"][0] == {**ROWS[10], **given}

    scene(framework, era, act)


def test_an_own_continuation_token(framework, era):
    """Penstock leaves the tool alone. The reader reads its results."""

    async def act(client):
        listed = {tool.name: sent(tool) for tool in (await client.list_tools()).tools}
        properties = listed["with_token"]["inputSchema"]["properties"]
        assert properties.keys() == {"continuation_token", "count"}
        result = await client.call_tool("with_token", {"continuation_token": "mine", "count": 100})
        probe = json.loads(result.content[0].text)
        page = await told(
            client, "read_result", continuation_token=probe["continuation_token"], page=2
        )
        assert page["items"][0]["after"] == "mine"

    scene(framework, era, act, budget="3kB")


def test_descriptions_and_constraints_stay(framework):
    async def act(client):
        listed = {tool.name: sent(tool) for tool in (await client.list_tools()).tools}
        count = listed["described"]["inputSchema"]["properties"]["count"]
        assert count["description"] == "How many."
        assert (count["minimum"], count["maximum"]) == (1, 100)
        assert "default" not in count
        label = listed["described"]["inputSchema"]["properties"]["label"]
        assert label["description"] == "A label."
        probe = await told(client, "described", count=90, label="b")
        page = await told(client, "described", continuation_token=probe["continuation_token"])
        assert page["items"][0]["label"] == "b"

    scene(framework, "modern", act)


@pytest.mark.parametrize("reference", ["whole", "derived"])
def test_a_stored_result_as_an_argument(framework, era, reference):
    @heavy
    def doubled(items: list[dict[str, Any]], factor: int = 2) -> list[dict[str, Any]]:
        """Rows."""
        return [{"id": item["id"] * factor, "note": "y" * 50} for item in items]

    async def scenario():
        async with served(framework, rows, doubled, era=era) as client:
            token = (await told(client, "rows", count=90))["continuation_token"]
            if reference == "derived":
                asked = {"mode": "sql", "query": "SELECT * FROM result LIMIT 50"}
                token = (await told(client, "rows", continuation_token=token, **asked))[
                    "continuation_token"
                ]
            probe = await told(client, "doubled", items=f"@result:{token}", factor=3)
            assert probe["count"] == (90 if reference == "whole" else 50)
            page = await told(
                client, "doubled", continuation_token=probe["continuation_token"], page_size=3
            )
            assert [row["id"] for row in page["items"]] == [0, 3, 6]

    run(scenario)
