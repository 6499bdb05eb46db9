"""The map: what its model, its widget and everybody else get."""

import json
import runpy
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.extension import advertise

SERVER = Path(__file__).parents[2] / "examples" / "atlas" / "server.py"
APPS = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def atlas():
    return runpy.run_path(str(SERVER))


async def test_the_widget_gets_figures_and_borders(atlas):
    async with Client(atlas["server"], cache=None, extensions=[APPS]) as client:
        shown = await client.call_tool("show_map", {"figure": "rainfall"})
        assert len(shown.content[0].text) < 200
        rows = shown.structured_content["rows"]
        assert len(rows) == 384
        assert set(rows[0]) >= {"id", "name", "rainfall"}
        shapes = (await client.call_tool("borders", {"level": 1})).structured_content
        assert [each["id"] for each in shapes["features"]] == [row["id"] for row in rows]
        assert len(json.dumps(shapes)) > 100_000


async def test_neighbours_share_their_borders(atlas):
    lines = [
        {tuple(point) for point in shape["geometry"]["coordinates"][0]}
        for shape in atlas["land"].borders(1)["features"]
    ]
    assert len(lines[0] & lines[1]) >= 3


async def test_nobody_else_sees_the_borders(atlas):
    async with Client(atlas["server"], cache=None) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["show_map", "read_result"]


async def test_the_page_carries_the_helper_and_loads_nothing(atlas):
    async with Client(atlas["server"], cache=None, extensions=[APPS]) as client:
        [page] = (await client.read_resource("ui://atlas/map.html")).contents
        assert "export function readPayload" in page.text
        assert "/* payload.js */" not in page.text
        loading = [word for word in ("src=", "href=", "import ", "fetch(") if word in page.text]
        assert loading in ([], ["import "]), "the helper's own comment shows an import"
