"""Where the tools that run programs are listed, and what such a list costs."""

import json

import pytest
from real_lists import SERVERS, tools_of

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import default_meter
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.forms import Lister
from penstock.disclosure.lists.host_parts import counted_list, counted_tool
from penstock.disclosure.names import RUN, RUN_WRITES
from penstock.disclosure.programs import callable_by
from penstock.settings.policy import Policy
from penstock.wire.program_tools import program_names, program_tool, program_tools
from penstock.wire.reader import reader_tool, short_reader_tool

METER = default_meter()
READER = reader_tool("read_result", Policy())
SHORT_READER = short_reader_tool("read_result", Policy())
NAMES = program_names(())
BOTH = program_tools(Policy(programs="write"), NAMES)
ONE = BOTH[:1]
ONLY = ["find_tools", "describe_tools", "read_result", "run_python"]


def tool(number, *, reads=True, words=60):
    return {
        "name": f"files_{number}",
        "description": f"Does thing {number} to the files. " + "It has details. " * words,
        "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
        "annotations": {"readOnlyHint": reads},
    }


SMALL = Catalogue.from_tools([tool(0, words=2)])
MIDDLE = Catalogue.from_tools([tool(n, reads=n % 2 == 0) for n in range(20)])
LARGE = Catalogue.from_tools([tool(n, reads=n % 2 == 0) for n in range(300)])
WRITING = Catalogue.from_tools([tool(n, reads=False) for n in range(300)])
APPS = {"_meta": {"ui": {"visibility": ["app"]}}}


def listing(catalogue, mode, form="auto", tools=ONE, tokens=2_000, **more):
    lister = Lister(Budget(tokens=tokens), METER, form, programs=mode, **more)
    reader = SHORT_READER if mode == "only" and tools else READER
    return lister.listing(catalogue, [reader], programs=tools)


def cost(tools):
    return METER.count(counted_list(tools).decode())


def names(given):
    return [json.loads(raw)["name"] for raw in given.tools]


def describes_as(given):
    """Return whether `describe_tools` is listed with the argument `as`."""
    return b'"as":{"enum":["json","python"]}' in b"".join(given.tools)


# -- the tools ---------------------------------------------------------------------------------


def test_the_tool_costs_at_most_250_tokens():
    shown = program_tool(RUN, NAMES)
    assert METER.count(counted_tool(shown).decode()) <= 250
    told = json.loads(shown)
    assert told["annotations"]["readOnlyHint"] is True
    assert told["inputSchema"]["required"] == ["code"]


def test_the_tool_that_writes_refers_to_the_other_and_does_not_say_that_it_reads():
    told = json.loads(program_tool(RUN_WRITES, program_names({"run_python"})))
    assert told["description"].startswith("As penstock_run_python,")
    assert "readOnlyHint" not in told["annotations"]


def test_a_program_may_call_tools_that_say_that_they_only_read():
    app = tool(7) | APPS
    catalogue = Catalogue.from_tools([tool(0), tool(1, reads=False), app])
    assert [each.name for each in callable_by(RUN, catalogue)] == ["files_0"]
    assert [each.name for each in callable_by(RUN_WRITES, catalogue)] == ["files_0", "files_1"]


# -- which form lists them ---------------------------------------------------------------------


@pytest.mark.parametrize("form", ["auto", "full", "signatures", "brief", "index"])
@pytest.mark.parametrize("catalogue", [SMALL, MIDDLE, LARGE])
def test_on_lists_it_in_every_form(form, catalogue):
    given = listing(catalogue, "on", form)
    assert names(given)[-2:] == ["read_result", "run_python"]
    assert given.role_of("run_python") == RUN


@pytest.mark.parametrize("form", ["auto", "full", "signatures", "brief"])
@pytest.mark.parametrize("catalogue", [SMALL, MIDDLE])
def test_auto_lists_it_in_no_other_form_than_the_index(form, catalogue):
    given, without = listing(catalogue, "auto", form), listing(catalogue, "auto", form, ())
    assert given == without
    assert given.form != "index"


def test_auto_lists_it_in_an_index_within_the_budget():
    given = listing(LARGE, "auto")
    assert given.form == "index"
    assert names(given) == [
        "find_tools", "describe_tools", "call_read_only_tool", "call_tool", "run_python",
        "read_result",
    ]  # fmt: skip
    assert cost(given.tools) <= 2_000
    assert given.role_of("run_python") == RUN
    assert describes_as(given)


def test_an_index_without_programs_says_nothing_of_them():
    given = listing(LARGE, "auto", tools=())
    assert "run_python" not in names(given)
    assert not describes_as(given)


def test_auto_does_not_list_it_if_a_program_could_call_nothing():
    given = listing(WRITING, "auto")
    assert given.form == "index"
    assert "run_python" not in names(given)
    assert not describes_as(given)
    assert "run_python" in names(listing(WRITING, "on"))


def test_write_lists_both():
    given = listing(LARGE, "write", tools=BOTH)
    assert names(given)[-3:] == ["read_result", "run_python", "run_python_with_writes"]
    assert cost(given.tools) <= 2_000


@pytest.mark.parametrize("mode", ["auto", "on", "write", "only"])
@pytest.mark.parametrize("catalogue", [SMALL, MIDDLE, LARGE, WRITING])
@pytest.mark.parametrize("tokens", [800, 2_000, 8_000])
def test_a_list_never_costs_more_than_raw_and_our_own_tools(mode, catalogue, tokens):
    tools = BOTH if mode == "write" else ONE
    given = listing(catalogue, mode, tools=tools, tokens=tokens)
    raw = [each.raw for each in catalogue]
    ours = [raw for raw in given.tools if json.loads(raw)["name"] not in catalogue]
    assert cost(given.tools) <= cost([*raw, *ours])
    assert given == listing(catalogue, mode, tools=tools, tokens=tokens), "prompt caches stay valid"


def test_a_list_is_never_over_its_budget_because_of_programs():
    for tokens in range(800, 3_000, 100):
        given = listing(LARGE, "auto", tokens=tokens)
        assert cost(given.tools) <= tokens
        assert not given.is_over


# -- programs alone ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["auto", "full", "brief", "index"])
@pytest.mark.parametrize("catalogue", [SMALL, MIDDLE, LARGE])
def test_only_lists_four_tools(form, catalogue):
    given = listing(catalogue, "only", form)
    assert given.form == "programs"
    assert names(given) == ONLY
    assert given.in_full == frozenset()
    assert not describes_as(given), "it answers so without being asked"


def test_only_names_every_tool_if_the_names_take_little_room():
    few = Catalogue.from_tools([tool(n) for n in range(12)])
    described = json.loads(listing(few, "only").tools[1])["description"]
    assert described.endswith(
        "12 tools, a_(b c) for a_b and a_c: files_(0 1 2 3 4 5 6 7 8 9 10 11)"
    )


def test_only_counts_the_tools_if_their_names_take_much_room():
    given = listing(LARGE, "only")
    assert json.loads(given.tools[1])["description"].endswith(" 300 tools: find_tools finds them.")
    assert cost(given.tools) < 600


def test_only_lists_what_the_settings_always_list():
    given = listing(LARGE, "only", always=("files_7",))
    assert names(given) == ["find_tools", "describe_tools", "files_7", "read_result", "run_python"]
    assert given.says_all_of("files_7")


def test_only_without_programs_is_an_ordinary_list():
    assert listing(LARGE, "only", tools=()) == listing(LARGE, "auto", tools=())


def test_only_for_a_server_without_tools():
    assert names(listing(Catalogue([]), "only")) == ["read_result", "run_python"]


def test_a_list_for_programs_fits_the_budget_whatever_the_names():
    long = [tool(n) | {"name": f"{'x' * 50}{n}_{n * 7919}"} for n in range(400)]
    given = listing(Catalogue.from_tools(long), "only", tokens=800)
    assert cost(given.tools) <= 800
    assert not given.is_over


@pytest.mark.parametrize("server", SERVERS)
def test_the_list_of_a_real_server_for_programs_costs_under_600_tokens(server):
    given = listing(Catalogue.from_tools(tools_of(server)), "only")
    assert names(given) == ONLY
    assert cost(given.tools) < 600
