"""`@heavy` on every kind of function, registered in every way, with the middleware."""

import json

import pytest
from doors import client_of, empty, run, sent, served, told, walked

from penstock import heavy

ROWS = [{"id": number, "name": f"row {number}"} for number in range(90)]
NEGOTIATION = {
    "continuation_token", "mode", "page", "page_size", "filter_keys", "path", "query",
}  # fmt: skip


@heavy
def plain(count: int) -> list[dict[str, object]]:
    """Rows."""
    return ROWS[:count]


@heavy(page_size=7)
def with_options(count: int) -> list[dict[str, object]]:
    """Rows."""
    return ROWS[:count]


@heavy()
def with_none(count: int) -> list[dict[str, object]]:
    """Rows."""
    return ROWS[:count]


@heavy
async def asynchronous(count: int) -> list[dict[str, object]]:
    """Rows."""
    return ROWS[:count]


@heavy
def generator(count: int):
    """Rows."""
    yield from ROWS[:count]


@heavy
async def async_generator(count: int):
    """Rows."""
    for row in ROWS[:count]:
        yield row


@heavy
def lazily(count: int):
    """Rows."""
    return map(dict, ROWS[:count])


KINDS = [plain, with_options, with_none, asynchronous, generator, async_generator, lazily]


async def assert_heavy(client, tool="rows"):
    """Check that the first call returns a probe, which the tool and the reader can read."""
    listed = {item.name: item for item in (await client.list_tools()).tools}
    schema = sent(listed[tool])["inputSchema"]
    assert schema["properties"].keys() == {"count", *NEGOTIATION}
    assert "required" not in schema
    assert "x-penstock" not in json.dumps(sent(listed[tool]))
    assert "count" in schema["properties"]["continuation_token"]["description"]
    assert listed[tool].output_schema is None
    assert listed[tool].description == "Rows."
    probe = await told(client, tool, count=90)
    assert probe["count"] == 90
    token = probe["continuation_token"]
    assert await walked(client, tool, token) == ROWS
    assert await walked(client, "read_result", token) == ROWS
    answer = await told(
        client, tool, continuation_token=token, mode="sql", query="SELECT max(id) AS m FROM result"
    )
    assert answer["items"] == [{"m": 89}]
    again = await told(client, tool, count=80)
    assert again["count"] == 80
    assert again["continuation_token"] != token


@pytest.mark.parametrize("function", KINDS, ids=lambda function: function.__name__)
def test_kinds_of_functions(framework, era, function):
    async def scenario():
        server, middleware = empty(framework, list_form="full")
        server.tool(name="rows")(function)
        async with client_of(server, era) as client:
            await assert_heavy(client)
        middleware.close()

    run(scenario)


def test_under_the_decorator(framework):
    async def scenario():
        server, middleware = empty(framework, list_form="full")

        @server.tool()
        @heavy
        def rows(count: int) -> list[dict[str, object]]:
            """Rows."""
            return ROWS[:count]

        async with client_of(server) as client:
            await assert_heavy(client)
        middleware.close()

    run(scenario)


def test_under_fastmcps_decorator_without_parentheses():
    async def scenario():
        server, middleware = empty("fastmcp", list_form="full")

        @server.tool
        @heavy(page_size=5)
        async def rows(count: int) -> list[dict[str, object]]:
            """Rows."""
            return ROWS[:count]

        async with client_of(server) as client:
            await assert_heavy(client)
        middleware.close()

    run(scenario)


def test_with_add_tool(framework):
    async def scenario():
        server, middleware = empty(framework, list_form="full")
        if framework == "mcp":
            server.add_tool(plain, name="rows")
        else:
            from fastmcp.tools import Tool

            server.add_tool(Tool.from_function(plain, name="rows"))
        async with client_of(server) as client:
            await assert_heavy(client)
        middleware.close()

    run(scenario)


class Source:
    def __init__(self, rows):
        self._rows = rows

    def bound(self, count: int) -> list[dict[str, object]]:
        """Rows."""
        return self._rows[:count]

    @staticmethod
    @heavy
    def static(count: int) -> list[dict[str, object]]:
        """Rows."""
        return ROWS[:count]


@pytest.mark.parametrize(
    "function", [heavy(Source(ROWS).bound), Source.static, Source(ROWS).static]
)
def test_methods(framework, function):
    async def scenario():
        server, middleware = empty(framework, list_form="full")
        server.tool(name="rows")(function)
        async with client_of(server) as client:
            await assert_heavy(client)
        middleware.close()

    run(scenario)


def test_every_form_of_the_list(framework, era):
    """The tool is heavy in every listing form, and no list shows its mark."""

    async def scenario(list_form):
        async with served(framework, plain, with_options, era=era, list_form=list_form) as client:
            assert "x-penstock" not in json.dumps(sent(await client.list_tools()))
            probe = await told(client, "plain", count=90)
            assert probe["count"] == 90
            token = probe["continuation_token"]
            assert (await told(client, "plain", continuation_token=token))["items"] == ROWS[:20]

    for form in ("auto", "full", "brief", "index"):
        run(lambda form=form: scenario(form))


def test_without_a_list_first(framework, era):
    """A client that never lists the tools gets the same reply as one that did."""

    async def scenario():
        async with served(framework, plain, era=era) as client:
            probe = await told(client, "plain", count=90)
            assert probe["count"] == 90

    run(scenario)


def test_one_function_under_two_names(framework):
    async def scenario():
        server, middleware = empty(framework, list_form="full")
        server.tool(name="rows")(plain)
        server.tool(name="others")(plain)
        async with client_of(server) as client:
            await assert_heavy(client, "rows")
            await assert_heavy(client, "others")
        middleware.close()

    run(scenario)
