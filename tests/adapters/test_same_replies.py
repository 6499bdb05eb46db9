"""The same calls get the same replies behind every door, except for differences of the frameworks.
This table holds each allowed difference."""

import copy
import json
import re

import pytest
from doors import ERAS
from transcripts import normalised

# FastMCP marks results for its own client.
FASTMCP_MARK = {"wrap_result": True}
FASTMCP_FRAME = '"_meta":{"fastmcp":{"wrap_result":true}},'
# So a page that fills the budget has one row less: the test compares all pages together.
FILLED = re.compile(r"page [1-9]$")
# A probe has hints only if the mark leaves room for them.
HINTS = re.compile(r"(?<=it reads the stored result\.)[^\"]*")
# FastMCP writes a list as one text, the SDK writes each item as a separate text.
LISTS = ("few rows", "own mode", "own token", "ours as its own")
# The SDK puts a sentence before the text of an error; FastMCP quotes the name of an unknown tool.
ERRORS = ("small error", "unknown tool", "large error", "large error read")
# FastMCP gives each tool a title, and closes its input schema.
LISTED = ("list",)


def as_the_sdk_would(step, reply):
    """Return a reply of FastMCP as the SDK would write it."""
    told = copy.deepcopy(reply)
    if not isinstance(told, dict):
        return told
    meta = told.get("_meta", {})
    if meta.pop("fastmcp", FASTMCP_MARK) != FASTMCP_MARK:
        raise AssertionError(f"{step} has another mark: {reply}")
    if not meta:
        told.pop("_meta", None)
    if step in LISTS:
        told.pop("content")
    return told


def pages_together(steps):
    """Return all steps, with the pages that were cut to the budget joined into one."""
    pages = [json.loads(steps[step]["content"][0]["text"]) for step in steps if FILLED.match(step)]
    others = {step: reply for step, reply in steps.items() if not FILLED.match(step)}
    return {**others, "pages": [row for page in pages for row in page["items"]]}


def without_sizes(value):
    if isinstance(value, dict):
        return {key: without_sizes(item) for key, item in value.items() if key != "total_size"}
    if isinstance(value, list):
        return [without_sizes(item) for item in value]
    if isinstance(value, str):
        return re.sub(r'"total_size":\d+', '"total_size":0', HINTS.sub("", value))
    return value


@pytest.mark.parametrize("door", ["relay", "lowlevel"])
def test_to_the_byte(door, era):
    """These doors have the same framework, so nothing may differ."""
    expected, got = normalised("mcp", era), normalised(door, era)
    assert list(got) == list(expected)
    assert {step: got[step] for step in got if got[step] != expected[step]} == {}


def test_fastmcp_differs_only_as_told(era):
    expected, got = (pages_together(normalised(door, era)) for door in ("mcp", "fastmcp"))
    assert list(got) == list(expected)
    theirs = {step: without_sizes(as_the_sdk_would(step, got[step])) for step in got}
    ours = {step: without_sizes(as_the_sdk_would(step, expected[step])) for step in expected}
    differing = {step for step in got if theirs[step] != ours[step]}
    assert differing == {*ERRORS, *LISTED}


def test_fastmcp_lists_the_same_tools(era):
    expected, got = normalised("mcp", era)["list"], normalised("fastmcp", era)["list"]
    tools = {tool["name"]: tool for tool in expected["tools"]}
    theirs = {tool["name"]: tool for tool in got["tools"]}
    assert theirs.keys() == tools.keys()
    assert theirs["read_result"] == tools["read_result"]
    for name, tool in theirs.items():
        assert tool["inputSchema"]["properties"].keys() == (
            tools[name]["inputSchema"]["properties"].keys()
        )


@pytest.mark.parametrize("door", ["mcp", "fastmcp"])
def test_sizes_differ_by_what_the_frame_weighs(door):
    """`total_size` is the size on the wire, with the modern members and FastMCP's mark."""
    sizes = {}
    for era in ERAS:
        text = normalised(door, era)["rows"]["content"][0]["text"]
        sizes[era] = int(re.search(r'"total_size":(\d+)', text)[1])
    stamp = '"resultType":"complete","io.modelcontextprotocol/serverInfo":'
    stamp += '{"name":"doors","version":"1"},'
    stamp += "" if door == "fastmcp" else '"_meta":{}'  # FastMCP's mark is in `_meta` already
    assert abs(sizes["modern"] - sizes["legacy"] - len(stamp)) <= 1
    if door == "fastmcp":
        text = normalised("mcp", "legacy")["rows"]["content"][0]["text"]
        plain = int(re.search(r'"total_size":(\d+)', text)[1])
        assert sizes["legacy"] - plain == len(FASTMCP_FRAME)
