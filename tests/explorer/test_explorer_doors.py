"""The same explorer from every server, in both eras, and none for a client without apps."""

from __future__ import annotations

import pytest
from http_rig import Raw, messages_of
from plant_data import reading
from relays import relay, server_with_penstock

from explorer import Explorer

OURS = {"show_result", "browse_result"}
RESOURCE = "ui://penstock/results"
DOORS = {
    "relay": relay,
    "mcp": lambda origin: server_with_penstock("mcp", origin),
    "fastmcp": lambda origin: server_with_penstock("fastmcp", origin),
}
# The relay is tested in the legacy era, because the other tests here use it in the modern one.
ERAS = {"relay": "legacy", "mcp": "modern", "fastmcp": "legacy"}
REVISION = {"legacy": "2025-11-25", "modern": "2026-07-28"}


@pytest.fixture(scope="module", params=DOORS)
def door(request, site):
    with DOORS[request.param](site[0]) as served:
        yield served


@pytest.fixture
def era(request):
    return ERAS[request.node.callspec.params["door"]]


def test_a_host_shows_what_the_model_was_not_given(host, door, era):
    agreed = host.connect(door.url, era)
    assert agreed["version"] == REVISION[era]
    assert agreed["tools"]["show_result"]["_meta"]["ui"]["resourceUri"] == RESOURCE
    assert agreed["tools"]["browse_result"]["_meta"]["ui"]["visibility"] == ["app"]
    explorer = Explorer(host)
    explorer.open("list_readings", count=3_000)
    explorer.has_row(0, reading(0))
    explorer.scroll_to_end()
    explorer.has_row(2_999, reading(2_999))
    assert {call["name"] for call in host.calls()} == {"browse_result"}
    resource = host.record("resource")
    assert resource["mimeType"] == "text/html;profile=mcp-app"
    assert not any(resource["meta"]["ui"].get("csp", {}).values())  # the page loads nothing


def test_a_client_without_apps_sees_nothing_of_it_in_a_session(door):
    with Raw(door.url) as client:
        client.initialize()
        names = {tool["name"] for tool in client.ask("tools/list")["result"]["tools"]}
        listed = client.ask("resources/list")
        read = client.ask("resources/read", {"uri": RESOURCE})
    assert not names & OURS
    assert RESOURCE not in str(listed)
    assert "error" in read


def test_a_client_without_apps_sees_nothing_of_it_without_sessions(door):
    with Raw(door.url) as client:
        (tools,) = messages_of(client.modern("tools/list"))
        (listed,) = messages_of(client.modern("resources/list"))
        read = messages_of(client.modern("resources/read", {"uri": RESOURCE}))[-1]
    assert not {tool["name"] for tool in tools["result"]["tools"]} & OURS
    assert RESOURCE not in str(listed)
    assert "error" in read
