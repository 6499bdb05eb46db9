"""The limits of tool lists, on lists from a whole Penstock."""

import pytest
from benchmarks.agents.start import Start

from benchmarks import list_limits
from penstock.disclosure.catalogue import Catalogue

_DAY = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
_OPEN = {"type": "object", "properties": {}, "additionalProperties": True}
TOOLS = [
    {"name": "sunrise", "description": "Tell when the sun rises.", "inputSchema": _DAY},
    {"name": "sunset", "description": "Tell when the sun sets.", "inputSchema": _DAY},
]
CATALOGUE = Catalogue.from_tools(TOOLS)


def test_a_small_server_is_received_in_full_with_what_penstock_adds():
    (received,) = list_limits.in_form({"sun": CATALOGUE}, "auto")
    assert received.hidden == []
    assert received.callable == len(TOOLS)
    assert received.added == pytest.approx(received.above_raw, abs=3)  # joints differ


def test_an_index_of_a_real_penstock_shows_every_name():
    many = [{**TOOLS[0], "name": f"sun_{number}_rises"} for number in range(60)]
    (received,) = list_limits.in_form({"sun": Catalogue.from_tools(many)}, "index")
    assert received.hidden == []
    assert received.added is None
    assert received.callable == 0


@pytest.mark.parametrize(
    ("entry", "callable_"),
    [
        ({**TOOLS[0], "inputSchema": _OPEN}, 0),
        ({**TOOLS[0], "inputSchema": _OPEN, "description": "(day*) Tell it."}, 1),
        ({**TOOLS[0], "inputSchema": _OPEN, "description": "(night*) Tell it."}, 0),
        (TOOLS[0], 1),
    ],
)
def test_a_tool_is_callable_if_the_list_shows_what_it_requires(entry, callable_):
    received = list_limits.received("sun", CATALOGUE, Start("", [entry]))
    assert received.callable == callable_
    assert received.hidden == ["sunset"]


def test_a_tool_is_callable_if_the_directory_shows_what_it_requires():
    call = {"name": "call_tool", "description": "All: sun(rise[day*] set[night*])"}
    received = list_limits.received("sun", CATALOGUE, Start("", [call]))
    assert received.callable == 1
    assert received.hidden == []


def test_each_limit_can_fail():
    worse = list_limits.Received("sun", 100, 300, 50, 250, ["sunset"], 1)
    report = {line.what: line.is_over for line in list_limits.lines("auto", [worse], 2)}
    assert {what.strip() for what, is_over in report.items() if is_over} == {
        "most above raw (sun)",
        "servers more than 220 tok above raw (sun)",
        "reader and instructions beside a list in full (1 servers), at most",
        "servers that hide names (sun: 1)",
    }
