"""Lists of tools in each form: within the budget, never above the server's own, nothing dropped."""

import json

import pytest
from real_lists import SERVERS, tools_of

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import default_meter
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.forms import Lister
from penstock.disclosure.lists.host_parts import counted_list
from penstock.disclosure.lists.ladder import WORTH_TELLING
from penstock.errors import InvalidSetting

METER = default_meter()
READER = b'{"name":"read_result","description":"Reads.","inputSchema":{"type":"object"}}'


def tool(number, words=60, **more):
    described = f"Does thing number {number} to the files. " + "It has details. " * words
    properties = {
        f"parameter_{n}": {"type": "string", "title": f"Parameter {n}", "description": "Of this."}
        for n in range(6)
    }
    schema = {"type": "object", "properties": properties, "required": ["parameter_0"]}
    return {"name": f"files_{number}", "description": described, "inputSchema": schema, **more}


def lister(tokens=2_000, form="auto", always=()):
    return Lister(Budget(tokens=tokens), METER, form, always)


def cost(tools):
    return METER.count(counted_list(tools).decode())


def names(listing):
    return [json.loads(raw)["name"] for raw in listing.tools]


SMALL = Catalogue.from_tools([tool(n, words=2) for n in range(1)])
MIDDLE = Catalogue.from_tools([tool(n) for n in range(20)])
LARGE = Catalogue.from_tools([tool(n) for n in range(300)])


def test_a_small_list_passes_as_it_is():
    listing = lister().listing(SMALL, [READER])
    assert listing.form == "full"
    assert listing.tools == [*(entry.raw for entry in SMALL), READER]


def test_a_longer_list_says_what_is_needed_to_act():
    listing = lister().listing(MIDDLE, [READER])
    assert listing.form == "signatures"
    assert names(listing) == [*MIDDLE.names, "describe_tools", "read_result"]
    last = json.loads(listing.tools[-3])
    assert last["description"] == (
        "Does thing number 19 to the files. "
        "(parameter_0* parameter_1 parameter_2 parameter_3 parameter_4 parameter_5)"
    )
    assert last["inputSchema"] == {
        "type": "object",
        "properties": {},
        "additionalProperties": True,
    }


@pytest.mark.parametrize("server", SERVERS)
def test_a_larger_budget_never_tells_less(server):
    catalogue = Catalogue.from_tools(tools_of(server))
    costs = [cost(lister(tokens).listing(catalogue).tools) for tokens in range(800, 9_000, 400)]
    assert costs == sorted(costs)


@pytest.mark.parametrize("server", SERVERS)
def test_what_calls_before_add_is_bounded(server):
    catalogue = Catalogue.from_tools(tools_of(server))
    every = Lister(Budget(tokens=8_000), METER, called=lambda: frozenset(catalogue.names))
    enough = cost(lister(8_000, "signatures").listing(catalogue).tools)
    assert cost(every.listing(catalogue).tools) <= enough + WORTH_TELLING


def test_a_list_that_another_penstock_shortened_stays_as_it_is():
    listing = lister(8_000).listing(MIDDLE, is_shortened=True)
    assert (listing.form, listing.tools) == ("full", [entry.raw for entry in MIDDLE])
    assert lister(2_000).listing(MIDDLE, is_shortened=True).form != "full", "a claim proves nothing"


@pytest.mark.parametrize("tokens", [2_000, 3_000, 8_000, 20_000])
def test_the_budget_is_a_ceiling_and_no_target(tokens):
    enough = cost(lister(tokens, "signatures").listing(MIDDLE).tools)
    listing = lister(tokens).listing(MIDDLE)
    assert enough <= cost(listing.tools) <= min(tokens, enough + WORTH_TELLING)


def test_parameters_come_before_prose():
    """A schema without words costs little more than a signature, so that it is listed."""
    described = {"type": "string", "description": "A glob, such as **/*.py. " * 30}
    schema = {"type": "object", "properties": {"pattern": described}, "required": ["pattern"]}
    found = {"name": "find", "description": "Finds files. " + "At length. " * 300}
    catalogue = Catalogue.from_tools([{**found, "inputSchema": schema}])
    listing = lister().listing(catalogue)
    shown = json.loads(listing.tools[0])
    assert listing.form == "short"
    assert shown["description"] == "Finds files."
    assert shown["inputSchema"]["required"] == ["pattern"]
    assert shown["inputSchema"]["properties"] == {
        "pattern": {"type": "string", "description": "A glob, such as **/*.py."}
    }
    assert names(listing) == ["find", "describe_tools"]


def test_tools_that_begin_alike_get_more_sentences():
    same = "Read the complete contents of a file. "
    tools = [
        {"name": "read_file", "description": same + "Deprecated. Use read_text_file."},
        {"name": "read_text_file", "description": same + "Handles encodings. It is safe."},
        {"name": "write", "description": "Write a file. It is safe."},
    ]
    long = [{**each, "inputSchema": {"$comment": "x " * 900}} for each in tools]
    listing = lister(form="brief").listing(Catalogue.from_tools(long))
    told = [json.loads(raw).get("description") for raw in listing.tools[:3]]
    assert told == [same + "Deprecated.", same + "Handles encodings.", "Write a file."]


def test_labels_that_say_nothing_are_left_out():
    noise = {
        "title": "Files 0", "readOnlyHint": True, "destructiveHint": False,
        "idempotentHint": True, "openWorldHint": True,
    }  # fmt: skip
    catalogue = Catalogue.from_tools([tool(0, annotations=noise), *map(tool, range(1, 20))])
    first = json.loads(lister(form="signatures").listing(catalogue).tools[0])
    assert first["annotations"] == {"readOnlyHint": True}


def test_a_tool_that_was_called_before_tells_more():
    called = Lister(Budget(tokens=2_500), METER, called=lambda: frozenset({"files_7"}))
    listing = called.listing(MIDDLE)
    by_name = {json.loads(raw)["name"]: json.loads(raw) for raw in listing.tools}
    assert by_name["files_7"]["description"].endswith("It has details. ")
    assert len(by_name["files_7"]["inputSchema"]["properties"]) == 6
    assert listing.says_all_of("files_7")
    assert not listing.says_all_of("files_8")
    index = Lister(Budget(tokens=2_000), METER, "index", called=lambda: frozenset({"files_7"}))
    directory = json.loads(index.listing(LARGE).tools[1])["description"]
    assert " 7[parameter_0* parameter_1" in directory
    assert directory.count("parameter_0") == 1


def test_an_even_longer_list_becomes_an_index():
    listing = lister().listing(LARGE, [READER])
    assert listing.form == "index"
    assert names(listing) == ["find_tools", "describe_tools", "call_tool", "read_result"]
    assert cost(listing.tools) <= 2_000
    told = json.loads(listing.tools[1])["description"]
    assert told.endswith(f"files_({' '.join(map(str, range(300)))})")


def test_an_index_marks_the_tools_that_only_read():
    reads = {"readOnlyHint": True}
    mixed = Catalogue.from_tools([tool(n, annotations=reads if n < 3 else {}) for n in range(90)])
    listing = lister(form="index").listing(mixed)
    assert names(listing) == ["find_tools", "describe_tools", "call_read_only_tool", "call_tool"]
    told = json.loads(listing.tools[1])["description"]
    assert "Read-only: files_(0 1 2); others: files_(3 4" in told
    every = Catalogue.from_tools([tool(n, annotations=reads) for n in range(90)])
    assert "call_tool" not in names(lister(form="index").listing(every))


def test_an_index_tells_whose_tools_they_are():
    listing = lister().listing(LARGE, about="Plant (readings of pumps)")
    assert (
        " 300 tools of Plant (readings of pumps), a_(b c) for a_b and a_c: "
        in json.loads(listing.tools[1])["description"]
    )


def test_an_index_shows_parameters_if_that_costs_little():
    tiny = Catalogue.from_tools(
        [{"name": f"files_{n}", "description": "Does it. " * 40} for n in range(90)]
    )
    assert " 7[]" in json.loads(lister().listing(tiny).tools[1])["description"]
    assert " 7[]" not in json.loads(lister(form="index").listing(tiny).tools[1])["description"]


@pytest.mark.parametrize("form", ["signatures", "brief", "index", "auto"])
@pytest.mark.parametrize("catalogue", [SMALL, MIDDLE, LARGE, Catalogue([])])
def test_never_above_raw_and_our_own(form, catalogue):
    raw = [*(entry.raw for entry in catalogue), READER]
    listing = lister(form=form).listing(catalogue, [READER])
    assert cost(listing.tools) <= cost(raw)


def test_the_same_catalogue_gives_the_same_bytes():
    again = Catalogue.from_tools([json.loads(entry.raw) for entry in MIDDLE])
    for form in ("signatures", "brief", "index"):
        assert lister(form=form).listing(MIDDLE) == lister(form=form).listing(again)


def test_what_a_host_needs_stays_in_brief():
    ui = {"resourceUri": "ui://chart"}
    annotations = {"readOnlyHint": True, "title": "Chart"}
    repeated = {"type": "string", "x-mcp-header": "Region"}
    schema = {
        "type": "object",
        "properties": {"region": repeated, "other": {"type": "string"}},
        "required": ["region"],
    }
    marked = tool(0, title="A chart", annotations=annotations, _meta={"ui": ui, "x": 1})
    catalogue = Catalogue.from_tools([{**marked, "inputSchema": schema}, *map(tool, range(1, 20))])
    first = json.loads(lister(form="brief").listing(catalogue).tools[0])
    assert first["annotations"] == {"title": "A chart", "readOnlyHint": True}
    assert first["_meta"] == {"ui": ui}
    assert first["inputSchema"] == {
        "type": "object",
        "properties": {"region": repeated},
        "additionalProperties": True,
    }
    assert "outputSchema" not in first


def test_tools_that_are_always_listed_are_listed_in_full():
    for form in ("signatures", "brief", "index"):
        listing = lister(form=form, always=("files_7",)).listing(LARGE)
        assert LARGE.get("files_7").raw in listing.tools


def test_an_index_keeps_what_it_would_break():
    catalogue = Catalogue.from_tools(
        [
            *map(tool, range(100)),
            tool(100, execution={"taskSupport": "required"}),
            tool(101, _meta={"ui": {"resourceUri": "ui://x"}}),
            tool(102, _meta={"ui": {"resourceUri": "ui://y", "visibility": ["app"]}}),
        ]
    )
    without, with_apps = (
        names(lister(form="index").listing(catalogue, has_apps=has_apps))
        for has_apps in (False, True)
    )
    assert "files_100" in without
    assert "files_101" not in without
    assert {"files_100", "files_101", "files_102"} <= set(with_apps)


def test_our_names_give_way_to_the_servers():
    catalogue = Catalogue.from_tools([*map(tool, range(200)), {"name": "find_tools"}])
    listing = lister(form="index").listing(catalogue)
    assert names(listing)[0] == "penstock_find_tools"
    assert listing.own["find_tools"] == "penstock_find_tools"


def test_tools_that_say_nothing():
    bare = Catalogue.from_tools([{"name": f"t{n}"} for n in range(5)])
    assert lister(form="brief").listing(bare).form == "full"
    assert lister(form="index").listing(bare).form == "full"


def test_a_form_that_is_not_there():
    with pytest.raises(InvalidSetting, match="auto, full, signatures, brief, index"):
        lister(form="tree")


def test_the_result_of_a_list_is_a_list_too():
    result = {"tools": [tool(n) for n in range(3)], "nextCursor": None}
    assert Catalogue.from_tools(result) == Catalogue.from_tools(result["tools"])


@pytest.mark.parametrize("budget", [Budget(bytes=4_000), Budget(chars=4_000)])
def test_a_budget_in_another_unit(budget):
    for catalogue in (MIDDLE, LARGE):
        listing = Lister(budget, METER).listing(catalogue, [READER])
        assert not listing.is_over
        assert len(counted_list(listing.tools).decode()) <= 4_000


def test_a_list_that_cannot_keep_its_budget_says_so():
    assert lister(always=("files_*",)).listing(LARGE).is_over
    assert lister(form="brief").listing(LARGE).is_over


def test_a_word_without_an_end_stays_within_the_budget():
    endless = [{"name": "a", "description": "x" * 5_000_000}, *map(tool, range(3))]
    listing = lister(form="brief").listing(Catalogue.from_tools(endless))
    assert not listing.is_over


def test_a_thousand_tools_are_counted():
    many = Catalogue.from_tools(
        [tool(n) | {"name": f"svc{n % 7}_does_{n}_thing{n}"} for n in range(1_500)]
    )
    listing = lister().listing(many)
    told = json.loads(listing.tools[1])["description"]
    assert "1500 tools: svc0_… (215); " in told
    assert " for a_b" not in told
    assert not listing.is_over
