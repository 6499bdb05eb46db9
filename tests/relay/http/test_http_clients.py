"""The official Python client in both eras, through every combination of front and upstream."""

import json
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
from http_rig import serving, started
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

PLANT = Path(__file__).parents[3] / "examples" / "plant_server.py"
ON_HTTP = f"""
import runpy, socket, sys
sys.path.insert(0, {str(PLANT.parent)!r})
from plant_server import server
# The socket stays bound, so that nobody else gets the port. It does not listen.
held = socket.socket()
held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
held.bind(("127.0.0.1", 0))
port = held.getsockname()[1]
print(f"http://127.0.0.1:{{port}}/mcp", flush=True)
server.run("streamable-http", port=port)
"""


@pytest.fixture(scope="module")
def plant_url():
    with started([sys.executable, "-c", ON_HTTP]) as url:
        wait_for(url)
        yield url


def wait_for(url):

    parts = urlsplit(url)
    for _ in range(600):
        with socket.socket() as trial:
            if trial.connect_ex((parts.hostname, parts.port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on {url}")


@pytest.fixture(params=["serve command", "serve url", "run url"], scope="module")
def way(request, plant_url):
    if request.param == "run url":
        command = ["-m", "penstock", "run", "--url", plant_url]
        yield lambda: stdio_client(StdioServerParameters(command=sys.executable, args=command))
        return
    target = (
        ["--", sys.executable, str(PLANT)] if "command" in request.param else ["--url", plant_url]
    )
    with serving(*target) as url:
        yield lambda: streamable_http_client(url)


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_walk_of_an_agent(way, mode, version):
    anyio.run(walk, way, mode, version)


async def walk(way, mode, version):
    async with Client(way(), mode=mode) as client:
        assert client.protocol_version == version
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["list_devices", "read_log", "plan_visits", "read_result"]
        read = reader(client)
        probe = value_of(await client.call_tool("list_devices", {}))
        token = probe["continuation_token"]
        assert probe["count"] == 5_000

        assert (await read(token, mode="summary"))["total"] == 5_000
        ids, following = [], token
        while following:
            page = await read(following, **({"page_size": 1_000} if following == token else {}))
            ids += [row["id"] for row in page["items"]]
            following = page["next"]
        assert ids == list(range(5_000))
        assert (await read(token, mode="query", query="length"))["value"] == 5_000
        assert (await read(token, mode="full", path="/4711"))["id"] == 4_711

        log = value_of(await client.call_tool("read_log", {}))["continuation_token"]
        assert (await read(log, mode="search", query="valve 7"))["total"] == 1

        visits = await client.call_tool("plan_visits", {"devices": f"@result:{token}"})
        assert visits.content[0].text.startswith("5000 visits planned")

        over = await client.call_tool("read_result", {"continuation_token": token, "mode": "full"})
        whole = await client.read_resource(over.content[1].uri)
        assert len(json.loads(whole.contents[0].text)) == 5_000


def reader(client):
    async def read(token, **view):
        result = await client.call_tool("read_result", {"continuation_token": token, **view})
        assert not result.is_error
        return value_of(result)

    return read


def value_of(result):
    return json.loads(result.content[0].text)
