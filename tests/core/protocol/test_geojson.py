"""GeoJSON: the features are rows, also if there are other lists beside them."""

from __future__ import annotations

import json

import pytest
from node_runtime import MODULES
from shown_rows import shown_rows

QUAKES = [
    {
        "type": "Feature",
        "properties": {"mag": number / 10, "place": f"{number} km N of somewhere", "tsunami": 0},
        "geometry": {"type": "Point", "coordinates": [number, -number, 3.5]},
        "id": f"nc{number}",
    }
    for number in range(80)
]
FIRST = {
    "type": "FeatureCollection",
    "bbox": [-179.9, -60.1, 0, 179.9, 80.2, 600],
    "features": QUAKES,
    "metadata": {"title": "all quakes", "count": 80},
}
LAST = {"crs": ["urn:ogc:def:crs:OGC:1.3:CRS84"], **FIRST, "notes": ["a", "b"]}
WRITTEN = {
    "value": lambda value: value,
    "compact": lambda value: json.dumps(value, separators=(",", ":")),
    "indented": lambda value: json.dumps(value, indent=1),
    "fenced": lambda value: f"Here:\n```json\n{json.dumps(value, indent=1)}\n```\n",
}


@pytest.mark.parametrize("value", [FIRST, LAST], ids=["bbox first", "lists all around"])
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_the_features_are_the_rows(open_agent, write, value):
    agent = open_agent(call={"heavy": True})
    probe = agent.offer(write(value)).value
    assert probe["count"] == 80
    assert probe["rows_at"] == "/features"
    assert "tables" not in probe
    token = probe["continuation_token"]
    found = agent.look(
        token, mode="sql", query="SELECT id, properties_mag FROM result WHERE properties_mag > 7.75"
    )
    dotted = 'SELECT id, "properties.mag" FROM result WHERE "properties.mag" > 7.75'
    rows = shown_rows(agent.look(token, mode="sql", query=dotted))
    assert shown_rows(found) == rows
    assert [row["id"] for row in rows] == ["nc78", "nc79"]
    assert agent.look(token, path="/features/7", mode="full") == QUAKES[7]
    assert agent.look(token, path="/bbox", mode="full") == value["bbox"]
    assert agent.look(token, path="/metadata/title", mode="full") == "all quakes"
    page = agent.look(token, page_size=2)
    assert page["items"] == QUAKES[:2]
    assert page["envelope"] == {key: item for key, item in value.items() if key != "features"}
    hit = shown_rows(agent.look(token, mode="search", query="79 km N"))[0]
    assert hit["path"].startswith("/features/79")
    assert agent.look(token, path=hit["path"], mode="full")


@pytest.mark.parametrize("write", [*WRITTEN.values()][:3], ids=[*WRITTEN][:3])
def test_the_whole_comes_back(open_agent, write):
    agent = open_agent(call={"heavy": True}, ceiling="100kB")
    whole = agent.look(agent.offer(write(LAST)).value["continuation_token"], mode="full")
    assert whole == write(LAST)


@pytest.mark.parametrize(
    "value",
    [
        {**FIRST, "type": "Topology"},
        {**FIRST, "type": ["FeatureCollection"]},
        {"type": "FeatureCollection", "a": QUAKES, "b": QUAKES},
    ],
    ids=["another type", "no type", "no features"],
)
@pytest.mark.parametrize("write", [*WRITTEN.values()][:3], ids=[*WRITTEN][:3])
def test_other_dicts_of_lists_keep_their_members(open_agent, write, value):
    probe = open_agent(call={"heavy": True}).offer(write(value)).value
    assert "rows_at" not in probe
    assert probe["count"] == len(value)


def test_features_that_come_twice_are_members(open_agent):
    agent = open_agent(call={"heavy": True})
    text = json.dumps(FIRST, indent=1).replace('"metadata"', '"features": [1], "metadata"')
    probe = agent.offer(text).value
    assert "rows_at" not in probe
    assert agent.look(probe["continuation_token"], path="/features", mode="full") == [1]


def test_a_real_collection_of_earthquakes(agent):
    path = MODULES / "vega-datasets" / "data" / "earthquakes.json"
    if not path.exists():
        pytest.skip("vega-datasets is not installed")
    text = path.read_text("utf-8")
    quakes = json.loads(text)
    assert sum(isinstance(item, list) for item in quakes.values()) > 1
    probe = agent.offer(text).value
    assert (probe["rows_at"], probe["count"]) == ("/features", len(quakes["features"]))
    query = "SELECT count(*) AS n, max(properties_mag) AS most FROM result WHERE properties_mag > 4"
    found = agent.look(probe["continuation_token"], mode="sql", query=query)
    mags = [quake["properties"]["mag"] for quake in quakes["features"]]
    strong = [mag for mag in mags if mag is not None and mag > 4]
    assert shown_rows(found) == [{"n": len(strong), "most": max(strong)}]
