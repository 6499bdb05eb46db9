"""The parts of the benchmarks of tool lists that need no server of others."""

import json
import sys
from pathlib import Path

import pytest
from benchmarks.servers import replay

from benchmarks import catalogues, choosing, finding, lines, registry, strangers, tool_lists
from penstock.disclosure.catalogue import Catalogue

REPLAY = Path(replay.__file__)
TOOLS = [
    {"name": "add", "description": "Add two numbers.", "inputSchema": {"type": "object"}},
    {"name": "post", "description": "Post a letter. Slowly.", "inputSchema": {"type": "object"}},
]


def test_every_request_is_of_a_pinned_server():
    requests = choosing.requests()
    assert len(requests) >= 120
    assert len({request.server for request in requests}) >= 8
    assert {request.server for request in requests} <= set(registry.pins().servers)
    assert all(request.tools and request.find for request in requests)


def test_shares_are_of_requests_that_found_any_of_their_tools():
    wanted = [frozenset({"a", "b"}), frozenset({"c"})]
    assert choosing.share(wanted, [["x", "b"], []]) == 50
    assert choosing.right(wanted, [["a"], ["c"]]) == [True, True]


def test_all_servers_as_one_keep_their_tools_apart():
    catalogues = {server: Catalogue.from_tools(TOOLS) for server in ("here", "there")}
    request = choosing.Request("there", "sum it up", "add numbers", frozenset({"add"}))
    choice = choosing.together(catalogues, [request])
    assert choice.catalogue.names == ["here__add", "here__post", "there__add", "there__post"]
    assert choice.requests[0].tools == {"there__add"}


def test_brief_words_are_those_of_every_tool():
    assert list(choosing.brief_words(Catalogue.from_tools(TOOLS))) == ["add", "post"]


@pytest.mark.parametrize("count", [1, 4, 5, 13])
def test_as_many_tools_as_are_asked_for(count):
    catalogues = {server: Catalogue.from_tools(TOOLS) for server in ("here", "there")}
    assert len(finding.many_tools(catalogues, count)) == count


def test_no_form_is_above_raw():
    forms = tool_lists.in_forms(Catalogue.from_tools(TOOLS))
    assert set(forms.chosen) == set(forms.by_form)
    assert all(tokens <= forms.raw for tokens in forms.by_form.values())
    assert forms.bare < forms.raw


def test_a_list_is_had_from_a_server(tmp_path):
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(TOOLS))
    assert strangers.tools_of([sys.executable, str(REPLAY), str(file)], {}, tmp_path) == TOOLS


def test_a_server_that_says_nothing_is_ended(tmp_path):
    silent = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(strangers.NoList, match="took over"):
        strangers.tools_of(silent, {}, tmp_path, seconds=0.5)


def test_a_server_that_fails_says_why(tmp_path):
    failing = [sys.executable, "-c", "raise SystemExit('no key')"]
    with pytest.raises(strangers.NoList, match="no key"):
        strangers.tools_of(failing, {}, tmp_path)


def test_what_was_skipped_is_said_and_too_few_fail(capsys):
    report = list(catalogues.Collection({}, {"gone": "it ended"}).lines())
    assert report[0].what == "skipped: gone"
    assert "gone: it ended" in capsys.readouterr().err
    assert report[-1].is_over


def test_a_server_above_raw_fails_and_is_named():
    line = lines.none("where it is above raw", ["azure"])
    assert line.is_over
    assert "azure" in line.what
    assert not lines.none("where it is above the budget", ["azure"], may_be=True).is_over
