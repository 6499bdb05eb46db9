"""The tools that run programs in the lists of a client, in both eras."""

import json

import pytest
from relay_upstream import Upstream, text, tool
from relay_weights import o200k

from penstock.wire import program_tools

ONLY = ["find_tools", "describe_tools", "read_result", "run_python"]
WORDS = "It takes care of every detail that there is to take care of, and then of some more. "


def catalogue(count, *others):
    path = {"type": "string", "description": "Where it is. " + WORDS * 2}
    described = [
        tool(
            f"file_{number}",
            {"path": path},
            description=f"Reads file number {number}. " + WORDS * 3,
            annotations={"readOnlyHint": number % 2 == 0},
        )
        for number in range(count)
    ]
    return [*described, *(tool(name) for name in others)]


@pytest.fixture
def opened(open_rig, era):
    def opened(count=400, *others, **settings):
        results = {"file_0": text("done")}
        return open_rig(Upstream(era, catalogue(count, *others), results), **settings)

    return opened


def names(listed):
    return [entry["name"] for entry in listed["tools"]]


def cost(listed):
    return o200k(json.dumps(listed, separators=(",", ":"), ensure_ascii=False))


@pytest.mark.parametrize("mode", ["auto", "on", "write", "only", "off"])
def test_the_setting_decides(opened, mode):
    index = names(opened(programs=mode).listed())
    short = names(opened(1, programs=mode).listed())
    assert ("run_python" in index) is (mode != "off")
    assert ("run_python" in short) is (mode not in ("off", "auto"))
    assert ("run_python_with_writes" in index) is (mode == "write")
    assert ("run_python_with_writes" in short) is (mode == "write")


def test_programs_alone(opened):
    rig = opened(14, programs="only", list_form="full")
    listed = rig.listed()
    assert names(listed) == ONLY
    assert cost(listed) < 600
    assert rig.greet()["result"]["instructions"] == ""  # run_python says it all


def test_a_tool_of_the_list_for_programs_can_be_called_by_name(opened):
    rig = opened(14, programs="only")
    rig.listed()
    assert not rig.call("file_0", path="a").get("isError")


def test_without_the_library_nothing_is_offered(opened, monkeypatch):
    monkeypatch.setattr(program_tools, "programs_available", lambda: False)
    for mode in ("auto", "on", "write", "only"):
        found = names(opened(programs=mode).listed())
        assert not {"run_python", "run_python_with_writes"} & {*found}
        assert "call_tool" in found


def test_a_tool_of_upstreams_keeps_its_name(opened):
    rig = opened(3, "run_python", programs="write")
    found = rig.listed()["tools"]
    ours = {entry["name"]: entry for entry in found}
    assert [*ours][-2:] == ["penstock_run_python", "run_python_with_writes"]
    assert "As penstock_run_python," in ours["run_python_with_writes"]["description"]
    assert "run_python" in ours


def test_a_host_may_ask_before_a_program_writes(opened):
    read, write = opened(programs="write").listed()["tools"][-2:]
    assert read["annotations"]["readOnlyHint"] is True
    assert "readOnlyHint" not in write["annotations"]


def test_a_client_has_its_own_setting(open_rig, era):
    """The client's name decides: from the handshake, or since 2026-07-28 from each request."""
    rig = open_rig(Upstream(era, catalogue(14)), clients={"test": {"programs": "only"}})
    info = {"io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}
    listed = rig.ask("tools/list", {"_meta": info} if era == "modern" else {})["result"]
    assert names(listed) == ONLY


@pytest.mark.parametrize("mode", ["auto", "on", "write", "only"])
def test_the_same_bytes_every_time(opened, mode):
    rig = opened(programs=mode)
    first = rig.from_client(rig.request("tools/list", id=7))
    rig.call("describe_tools", tools=["file_0"])
    assert rig.from_client(rig.request("tools/list", id=7)) == first


# -- descriptions as functions of Python -------------------------------------------------------


def said(result):
    return json.loads(result["content"][0]["text"])


def test_tools_are_described_as_functions(opened):
    rig = opened(gate="strict")
    listed = rig.listed()["tools"]
    assert listed[1]["inputSchema"]["properties"]["as"] == {"enum": ["json", "python"]}
    told = said(rig.call("describe_tools", tools=["file_0", "file_1"], **{"as": "python"}))
    assert told["file_0"].startswith("file_0(path: str = ... # Where it is.")
    assert told["file_1"].startswith("file_1(path: str = ...)  # may write\n")
    assert not rig.call("file_0", path="a").get("isError"), "a grant is given as for a schema"


def test_an_unknown_way_to_describe_is_refused_with_the_choices(opened):
    rig = opened()
    rig.listed()
    for given in ("typescript", 7, ["python"], {"a": 1}, True):
        refused = rig.call("describe_tools", tools=["file_0"], **{"as": given})
        assert refused["isError"]
        assert "json or python" in said(refused)["next_step"]


def test_schemas_are_the_default(opened):
    rig = opened()
    rig.listed()
    for given in ({}, {"as": "json"}, {"as": None}, {"as": ""}):
        told = said(rig.call("describe_tools", tools=["file_0"], **given))
        assert "inputSchema" in told["file_0"]


def test_functions_are_the_default_where_only_programs_call_tools(opened):
    rig = opened(14, programs="only")
    rig.listed()
    assert said(rig.call("describe_tools", tools=["file_0"]))["file_0"].startswith("file_0(")
    told = said(rig.call("describe_tools", tools=["file_0"], **{"as": "json"}))
    assert "inputSchema" in told["file_0"]


def test_an_index_without_programs_describes_in_both_ways_but_does_not_say_so(opened):
    rig = opened(programs="off")
    assert "as" not in rig.listed()["tools"][1]["inputSchema"]["properties"]
    told = said(rig.call("describe_tools", tools=["file_0"], **{"as": "python"}))
    assert told["file_0"].startswith("file_0(")
