"""The example site under real servers and databases, with the official client in both eras."""

import json
from itertools import count

import pytest
from mcp.shared.exceptions import MCPError
from running import DEVICES
from shown_rows import shown_rows

VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
both_eras = pytest.mark.parametrize("agent", VERSIONS, indirect=True)
READING = {
    "device_list", "device_retrieve", "device_faults", "device_history", "devices_site_list",
    "devices_site_retrieve", "devices_event_list", "devices_event_retrieve", "fleet.overview",
    "fleet.power",
}  # fmt: skip
WRITING = {
    "device_create", "device_update", "device_partial_update", "device_retire",
    "devices_event_create",
}  # fmt: skip
OWN = {"read_result", "describe_tools"}
_numbers = count()


@pytest.fixture
def agent(request, fleet_site):
    mode = getattr(request, "param", "auto")
    with fleet_site.agent(mode=mode) as connected:
        assert connected.client.protocol_version == VERSIONS[mode]
        yield connected


def new_device():
    """Return a device with a tag that no other test uses."""
    return {
        "asset_tag": f"NEW-{next(_numbers)}", "name": "spare", "serial": "77", "kind": "valve",
        "site": "LYS-4", "firmware": "1.3.3", "purchased": "2026-10-01", "power_watts": "24.50",
    }  # fmt: skip


def everything(site, **filters):
    return site.api("devices/", limit=100_000, **filters)["results"]


@both_eras
def test_the_views_and_functions_of_the_site_are_tools(agent):
    tools = agent.tools()
    assert set(tools) - OWN == READING | WRITING
    assert {name for name in READING | WRITING if tools[name].annotations.read_only_hint} == READING


@both_eras
def test_a_heavy_list_answers_with_its_first_page(fleet_site, agent):
    page = agent.told("device_list", status="active")
    truth = everything(fleet_site, status="active")
    assert page["count"] == len(truth) > DEVICES / 2
    assert page["results"] == truth[:20]
    size = len(json.dumps(truth, separators=(",", ":"), ensure_ascii=False))
    assert page["data_size"] == pytest.approx(size, rel=0.1)
    assert page["data_size_is"] == "estimated"
    assert page["previous"] is None
    assert page["live"] is True
    assert "sql" in page["available_modes"]


@both_eras
def test_walking_next_meets_every_row_once(fleet_site, agent):
    given = {"kind": "valve", "ordering": "-asset_tag"}
    first = agent.told("device_list", **given)
    rows = agent.walk("device_list", first["next"])
    assert [*first["results"], *rows] == everything(fleet_site, **given)


def test_pages_that_do_not_fit_the_budget_lose_nothing(fleet_site, agent):
    first = agent.told("device_list")
    assert first["count"] >= DEVICES
    page = agent.told("device_list", continuation_token=first["continuation_token"], page_size=200)
    assert page["truncated"] > 0
    rows = [*page["items"], *agent.walk("device_list", page["next"])]
    assert rows == everything(fleet_site)


def test_a_list_with_a_cursor_is_walked_too(fleet_site, agent):
    first = agent.told("devices_event_list", kind="installed")
    rows = [*first["results"], *agent.walk("devices_event_list", first["next"])]
    assert len({row["id"] for row in rows}) == len(rows) == first["count"] > 200
    assert rows[:100] == fleet_site.api("events/", kind="installed")["results"]


def test_every_view_of_a_list(fleet_site, agent):
    token = agent.told("device_list", kind="sensor")["continuation_token"]
    rows = everything(fleet_site, kind="sensor")
    recalled = [row["asset_tag"] for row in rows if row["status"] == "recalled"]

    def look(**view):
        return agent.told("device_list", continuation_token=token, **view)

    query = "SELECT asset_tag FROM result WHERE status = 'recalled'"
    assert shown_rows(look(mode="sql", query=query)) == [{"asset_tag": tag} for tag in recalled]
    found = shown_rows(look(mode="search", query="battery may swell"))
    assert [item["value"]["asset_tag"] for item in found] == recalled
    assert look(mode="query", query="map(.kind) | unique")["items"] == ["sensor"]
    few = look(mode="filtered", filter_keys=["asset_tag", "site"], page_size=50)["items"]
    assert few == [{"asset_tag": row["asset_tag"], "site": row["site"]} for row in rows[:50]]
    assert look(mode="summary")["total"] == len(rows)
    assert look(mode="full", path="/321") == rows[321]
    assert look(page=3, page_size=25)["items"] == rows[50:75]
    assert agent.told("read_result", continuation_token=token)["items"] == rows[:20]


def test_the_whole_is_behind_a_link(fleet_site, agent):
    token = agent.told("device_list", kind="sensor")["continuation_token"]
    above = agent.call("device_list", continuation_token=token, mode="full")
    read = agent.portal.call(agent.client.read_resource, above.content[1].uri)
    assert json.loads(read.contents[0].text) == everything(fleet_site, kind="sensor")


def test_actions_and_single_records(fleet_site, agent):
    assert agent.told("device_faults") == fleet_site.api("devices/faults/")
    (tag, *_) = (row["asset_tag"] for row in everything(fleet_site, status="recalled"))
    assert agent.told("device_retrieve", asset_tag=tag) == fleet_site.api(f"devices/{tag}/")
    assert agent.told("device_history", asset_tag=tag) == fleet_site.api(f"devices/{tag}/history/")
    assert agent.told("devices_site_retrieve", code="LYS-4") == fleet_site.api("sites/LYS-4/")


@both_eras
def test_functions_are_tools(fleet_site, agent):
    states = agent.told("fleet.overview")["status"]
    assert sum(states.values()) == fleet_site.api("devices/", limit=1)["count"]
    assert states["recalled"] == 3
    token = agent.told("fleet.power", country="FR")["continuation_token"]
    query = "SELECT sum(devices) AS n, round(sum(watts), 2) AS watts FROM result"
    (total,) = agent.told("fleet.power", continuation_token=token, mode="sql", query=query)["items"]
    french = everything(fleet_site, country="FR")
    drawn = [float(row["power_watts"]) for row in french if row["status"] != "retired"]
    assert total == {"n": len(drawn), "watts": round(sum(drawn), 2)}


@both_eras
def test_a_write_answers_lean_and_keeps_the_rest(fleet_site, agent):
    given = new_device()
    lean = agent.told("device_create", **given)
    truth = fleet_site.api(f"devices/{given['asset_tag']}/")
    assert truth.items() >= given.items()
    assert (lean["id"], lean["asset_tag"]) == (truth["id"], given["asset_tag"])
    assert not {"serial", "firmware", "power_watts", "site"} & set(lean)
    echo = agent.told("read_result", continuation_token=lean["continuation_token"], mode="full")
    assert echo == truth


def test_a_write_is_verified_on_demand(fleet_site, agent):
    tag = agent.told("device_create", **new_device())["asset_tag"]
    whole = agent.told("device_retire", asset_tag=tag, reason="worn out", verify=True)
    assert whole == fleet_site.api(f"devices/{tag}/")
    assert whole["status"] == "retired"
    (event,) = fleet_site.api(f"devices/{tag}/history/")
    assert (event["technician"], event["notes"]) == ("technician", "worn out")


def test_a_bad_write_is_explained_and_writes_nothing(fleet_site, agent):
    given = new_device()
    for name, value in {"site": "NOWHERE", "kind": "toaster", "purchased": "lately"}.items():
        result = agent.call("device_create", **{**given, name: value})
        assert result.is_error
        assert name in result.content[0].text
    assert fleet_site.api("devices/", search=given["asset_tag"])["count"] == 0


def test_a_viewer_is_shown_nothing_that_writes(fleet_site):
    with fleet_site.agent("viewer") as viewer:
        assert set(viewer.tools()) - OWN == READING
        assert viewer.told("device_list")["count"] >= DEVICES
        for tool in (*WRITING, "device_destroy", "no_such_tool"):
            with pytest.raises(MCPError, match=f"Unknown tool: {tool}"):
                viewer.call(tool, asset_tag="CM-000006", reason="curious")
    assert fleet_site.api("devices/CM-000006/")["status"] == "active"


def test_a_token_is_its_users(fleet_site):
    with fleet_site.agent("technician") as one, fleet_site.agent("viewer") as other:
        for tool in ("device_list", "fleet.power"):
            token = one.told(tool)["continuation_token"]
            refusals = {
                other.refused(tool, continuation_token=token),
                other.refused("read_result", continuation_token=token),
                other.refused("read_result", continuation_token="pen_" + "1" * 39),
            }
            assert len(refusals) == 1
            assert one.told("read_result", continuation_token=token)["total"] > 400
