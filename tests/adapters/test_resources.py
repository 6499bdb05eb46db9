"""The server's own resources, beside those of Penstock."""

import json

import pytest
from adapter_functions import MANY
from doors import client_of, make, run, sent
from mcp.shared.exceptions import MCPError

LARGE = "x" * 100_000


def with_resources(framework, *functions, **settings):
    server, middleware = make(framework, *functions, **settings)

    @server.resource("data://one")
    def one() -> str:
        """The only one."""
        return LARGE

    @server.resource("data://{name}/item", mime_type="application/json")
    def item(name: str) -> str:
        """One of many."""
        return json.dumps({"name": name})

    return server, middleware


def test_they_are_listed_and_read_as_ever(framework, era):
    """The server's resources come last, and have any size: the client chooses to read one."""
    server, middleware = with_resources(framework, *MANY)

    async def scenario():
        async with client_of(server, era) as client:
            uris = [str(item.uri) for item in (await client.list_resources()).resources]
            assert uris == ["resource:///tool_descriptions", "data://one"]
            templates = (await client.list_resource_templates()).resource_templates
            assert [item.uri_template for item in templates] == [
                "resource:///tool_descriptions{?tools}",
                "data://{name}/item",
            ]
            (content,) = (await client.read_resource("data://one")).contents
            assert content.text == LARGE
            (content,) = (await client.read_resource("data://a/item")).contents
            assert json.loads(content.text) == {"name": "a"}

    run(scenario)
    middleware.close()


def test_what_is_not_there_is_said_as_ever(framework, era):
    """The error is the framework's, as without Penstock."""
    server, middleware = with_resources(framework)
    bare, other = with_resources(framework)
    bare.middleware.remove(other)

    async def said(server):
        async with client_of(server, era) as client:
            with pytest.raises(MCPError) as refused:
                await client.read_resource("data://nowhere/at/all")
            return refused.value.error.model_dump()

    assert run(lambda: said(server)) == run(lambda: said(bare))
    middleware.close()
    other.close()


def test_a_full_list_adds_none(framework, era):
    server, middleware = with_resources(framework, *MANY[:2])

    async def scenario():
        async with client_of(server, era) as client:
            listed = sent(await client.list_resources())["resources"]
            assert [item["uri"] for item in listed] == ["data://one"]
            templates = sent(await client.list_resource_templates())["resourceTemplates"]
            assert [item["uriTemplate"] for item in templates] == ["data://{name}/item"]

    run(scenario)
    middleware.close()
