"""MCP and REST on real sites: the same rows, counts and refusals, for every caller.

`make test-sites` runs these. The files in `.sites/results` have every comparison and measurement.
"""

from contextlib import suppress

import pytest
from real_sites import DidNotRun

LISTS_TO_WALK = {"nautobot": 20, "label-studio": 3, "wagtail": 3}


@pytest.fixture(scope="module")
def compared(site):
    """Compare every GET without parameters, with every tool listed in full."""
    return site.run("compare", LIST="full")


@pytest.fixture(scope="module")
def written(site):
    return site.run("write", MAX_TIER="read_write")["tried"]


def told(cases, *, of="path"):
    """Return cases as the lines that a failed test shows."""
    return "".join(
        f"\n{one['caller']}, {one[of]}: REST {one['rest']}; MCP {one['mcp']}" for one in cases
    )


def test_rows_counts_and_refusals_are_those_of_the_api(compared):
    assert compared["compared"]
    assert not compared["differences"], told(compared["differences"])


def test_no_page_of_html_is_a_tool(compared):
    assert not compared["html"]


def test_a_tool_that_refuses_a_caller_is_hidden_from_the_caller(compared):
    assert not compared["shown_though_refused"], told(compared["shown_though_refused"])


def test_long_lists_are_walked_to_their_end_by_tokens(site, compared):
    whole = {one["path"] for one in compared["walked"]}
    assert len(whole) >= LISTS_TO_WALK[site.name]


def test_writes_out_of_reach_are_refused_alike_and_change_nothing(written):
    assert written
    wrong = [one for one in written if not one["is_alike"] or not one["is_unchanged"]]
    assert not wrong, told(wrong, of="write")


def test_times_and_memory_are_measured(site, tmp_path):
    """Measure, for the table. The second process finds what the first has kept."""
    assert site.run("alone", "plain")["megabytes"]
    state = str(tmp_path)
    assert site.run("cold", state=state)["first"]
    assert site.run("warm", state=state)["first"]
    assert site.run("calls")["record"]


def test_another_gateway_is_measured_beside(site):
    """Measure frisian-mcp. If it does not run on a site, the table gives the reason."""
    for task in ("cold", "calls"):
        with suppress(DidNotRun):
            site.run(task, "frisian")
