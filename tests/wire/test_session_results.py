"""Tool results: held to the budget, with nothing lost."""

import json

import pytest
from relay_rig import compact, table, value_of
from relay_upstream import Fault, Upstream, text, tool
from relay_weights import body_of

ERAS = ["legacy", "modern"]
BUDGETS = ["1kB", "25kB", "500tok", "1000ch", "10KiB+30lines", "2kB+600tok"]
LOG = "\n".join(f'2026-11-15 line {number}: all quiet, é日本😀 "quoted"' for number in range(3_000))
VALUES = {
    "rows": table(),
    "text": LOG,
    "one line": "x" * 60_000,
    "fat row": [{"id": 1, "blob": "y" * 60_000}],
    "nested": {"a": {"b": [{"c": list(range(9_000))}]}},
    "two lists": {"a": table(500), "b": table(500)},
    "map": {f"key {number}": {"n": number, "s": "é" * 9} for number in range(900)},
    "control characters": "\x00\x01\x02" * 9_000,
    "half pairs": "\ud800 " * 9_000,
    "digits": {"n": [int("1234567890" * 3)] * 1_200},
    "wide row": {f"column {number}": number for number in range(4_000)},
}


def as_text(value):
    return text(value)


def as_structured(value):
    return {
        "content": [],
        "structuredContent": value if isinstance(value, dict) else {"result": value},
    }


def as_both(value):
    return {**as_structured(value), **text(value)}


def spread(values, times):
    """Yield each value several times, with other budgets and eras each time."""
    return [
        (value, BUDGETS[(number * 5 + turn * 2) % len(BUDGETS)], ERAS[(number + turn) % 2])
        for number, value in enumerate(values)
        for turn in range(times)
    ]


@pytest.mark.parametrize("told", [as_text, as_structured, as_both])
@pytest.mark.parametrize(("kind", "budget", "era"), spread(VALUES, 1))
def test_every_reply_is_within_the_budget(open_rig, era, kind, told, budget):
    """The rig weighs every reply as it leaves, in the frame of its era."""
    tools = [tool("t", outputSchema={"type": "object"})] if told is as_both else [tool("t")]
    rig = open_rig(Upstream(era, tools=tools, results={"t": told(VALUES[kind])}), budget=budget)
    rig.listed()
    token = rig.probe("t")["continuation_token"]
    for reader in ("read_result", "t"):
        for fields in (
            {},
            {"page_size": 1_000},
            {"mode": "summary"},
            {"mode": "search", "query": "1"},
            {"mode": "filtered", "filter_keys": ["id", "n"]},
            {"mode": "full"},
            {"mode": "no such mode" * 50},
            {"path": "/0"},
        ):
            rig.call(reader, continuation_token=token, **fields)


def test_the_measure_is_what_leaves(open_rig, era):
    """The measure is compact UTF-8 without `\\u` escapes. A result at the budget passes."""
    rig = open_rig(Upstream(era), budget="1kB")
    frame = len(b'{"content":[{"type":"text","text":""}]') + (26 if era == "modern" else 1)
    fits = "é" * ((1_000 - frame) // 2)
    for value, passes in ((fits, True), (fits + "é", False)):
        rig.upstream.results["rows"] = text(value)
        assert (rig.call("rows")["content"] == text(value)["content"]) == passes
    body = body_of(rig.down[-1])
    assert b"continuation_token" in body
    assert body == compact(json.loads(body))


@pytest.mark.parametrize("kind", VALUES)
def test_full_gives_the_result_back(open_rig, era, kind):
    rig = open_rig(Upstream(era, results={"rows": text(VALUES[kind])}), ceiling="10MB")
    token = rig.probe("rows")["continuation_token"]
    told = rig.call("read_result", continuation_token=token, mode="full")["content"][0]["text"]
    assert (told if isinstance(VALUES[kind], str) else json.loads(told)) == VALUES[kind]


def test_the_tool_does_not_run_again(open_rig, era):
    rig = open_rig(Upstream(era, results={"rows": text(table())}))
    token = rig.probe("rows", city="Lyon")["continuation_token"]
    assert rig.rows(token) == table()
    rig.call("rows", continuation_token=token, mode="summary")
    rig.call("rows", continuation_token=token, city="Lyon")
    assert len(rig.upstream.got("tools/call")) == 1


def test_exact_numbers_and_escapes_in_structured_content(open_rig):
    rig = open_rig(Upstream(), ceiling="1MB")
    rig.upstream = None
    rig.from_client(b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"rows"}}')
    row = b'{"n":123456789012345678901234567890.10,"e":1E+400,"s":"\\u00e9\\ud800","n":-0}'
    rows = b"[" + b" , ".join([row] * 600) + b"]"
    (answer,) = rig.from_upstream(
        b'{"jsonrpc":"2.0","id":9,"result":{"content":[],"structuredContent":{"result":%b}}}' % rows
    )
    token = value_of(json.loads(answer)["result"])["continuation_token"]
    rig.upstream = Upstream()
    full = rig.call("read_result", continuation_token=token, mode="full")["content"][0]["text"]
    assert full.encode() == b"[" + b",".join([row] * 600) + b"]"


# -- which tools, and how ----------------------------------------------------------------------


def test_only_and_except(open_rig, era):
    """Penstock reads neither the results nor the arguments of a tool that is left alone."""
    names = ["list_a", "list_b", "get_a"]
    upstream = Upstream(era, tools=[tool(name) for name in names])
    upstream.results = {name: text(table()) for name in names}
    rig = open_rig(upstream, only="list_*", except_="list_b")
    rig.listed()
    assert "continuation_token" in value_of(rig.call("list_a"))
    for name in ("list_b", "get_a"):
        arguments = {"what": "@result:pen_x", "continuation_token": "pen_y"}
        assert value_of(rig.call(name, **arguments)) == table()
        assert rig.upstream.got("tools/call")[-1]["arguments"] == arguments


def test_heavy_for_one_tool(open_rig, era):
    results = {"rows": text(table(100)), "take": text(table(100))}
    rig = open_rig(Upstream(era, results=results), tools={"rows": {"heavy": True}})
    assert rig.probe("rows")["count"] == 100
    assert value_of(rig.call("take")) == table(100)


def test_a_heavy_tool_whose_result_is_smaller_than_its_probe(open_rig, era):
    """A reply is never larger than the result. Here upstream's bytes pass."""
    rig = open_rig(Upstream(era, results={"rows": text("tiny")}), heavy=True)
    assert rig.call("rows")["content"] == text("tiny")["content"]
    assert rig.store.stats().entries == 0


def test_settings_of_one_tool(open_rig, era):
    settings = {"rows": {"inline": "100kB"}, "take": {"inline": "1kB", "page_size": 7}}
    results = {"rows": text(table()), "take": text(table(100))}
    rig = open_rig(Upstream(era, results=results), tools=settings)
    assert value_of(rig.call("rows")) == table()
    token = rig.probe("take")["continuation_token"]
    assert len(rig.read(token)["items"]) == 7


# -- what a result is made of ------------------------------------------------------------------


def image(size):
    return {"type": "image", "data": "A" * size, "mimeType": "image/png"}


def test_an_image_under_the_cap_travels_beside_the_reply(open_rig, era):
    result = {"content": [{"type": "text", "text": LOG}, image(500_000)]}
    rig = open_rig(Upstream(era, results={"rows": result}))
    content = rig.call("rows")["content"]
    assert content[1:] == [image(500_000)]
    assert "continuation_token" in content[0]["text"]


def test_an_image_alone_passes_as_it_is(open_rig, era):
    rig = open_rig(Upstream(era, results={"rows": {"content": [image(900_000)]}}))
    assert rig.call("rows")["content"] == [image(900_000)]


def test_an_image_over_the_cap_is_stored(open_rig, era):
    rig = open_rig(Upstream(era, results={"rows": {"content": [image(2_000_000)]}}))
    token = rig.probe("rows")["continuation_token"]
    page = rig.read(token, path="/data")
    assert page["window"]["of"] == 2_000_000
    following = rig.read(page["next"])
    pieces = "".join(page["items"] + following["items"])
    assert set(pieces) == {"A"}
    assert following["window"]["to"] == len(pieces)
    kept = rig.read(token, mode="filtered", filter_keys=["type", "mimeType"])["value"]
    assert kept == {"type": "image", "mimeType": "image/png"}


def test_resource_blocks(open_rig, era):
    """A resource in the content is part of the result: `full` gives it back whole."""
    resource = {"type": "resource", "resource": {"uri": "file:///log", "text": LOG}}
    link = {"type": "resource_link", "uri": "file:///x", "name": "x"}
    result = {"content": [{"type": "text", "text": "See:"}, resource, link]}
    rig = open_rig(Upstream(era, results={"rows": result}), ceiling="10MB")
    token = rig.probe("rows")["continuation_token"]
    whole = rig.read(token, mode="full")
    assert whole == ["See:", resource, link]


def test_an_error_of_the_tool_stays_one(open_rig, era):
    rig = open_rig(Upstream(era, results={"rows": text(LOG, isError=True)}))
    result = rig.call("rows")
    assert result["isError"] is True
    assert "continuation_token" in value_of(result)


def test_meta_of_a_replaced_result(open_rig, era):
    """Only keys that the protocol reserves stay. The others come with `full`."""
    meta = {
        "io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"},
        "fastmcp": {"wrap_result": True},
        "vendor/x": 1,
    }
    rig = open_rig(Upstream(era, results={"rows": text(table(), _meta=meta)}))
    result = rig.call("rows")
    reserved = {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}
    assert result["_meta"] == reserved
    token = value_of(result)["continuation_token"]
    full = rig.call("read_result", continuation_token=token, mode="full")
    assert full["_meta"]["fastmcp"] == {"wrap_result": True}


def test_members_that_no_revision_defines_are_kept(open_rig, era):
    given = text(table(), vendorMember={"a": 1}, _meta={"vendor/x": 1})
    rig = open_rig(Upstream(era, results={"rows": given}))
    result = rig.call("rows")
    assert "vendorMember" not in result
    token = value_of(result)["continuation_token"]
    full = rig.call("read_result", continuation_token=token, mode="full")
    assert full["vendorMember"] == {"a": 1}
    assert full["_meta"] == {"vendor/x": 1}


ANNOTATED = {"annotations": {"audience": ["assistant"], "priority": 0.5}, "_meta": {"vendor/x": 1}}


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("value", [LOG, table()], ids=["text", "json"])
def test_full_gives_a_block_with_its_members(open_rig, era, value, copied):
    """The only block comes back with its annotations and its `_meta`, at any size of its text."""
    given = text(value)
    given["content"][0] |= ANNOTATED
    given |= {"structuredContent": {"result": value}} if copied else {}
    rig = open_rig(Upstream(era, results={"rows": given}), ceiling="10MB")
    probe = value_of(rig.call("rows"))
    asked = {"continuation_token": probe["continuation_token"], "mode": "full"}
    full = rig.call("read_result", **asked)
    assert full["content"][0].items() >= {"type": "text", **ANNOTATED}.items()
    assert len(body_of(rig.down[-1])) == probe["total_size"]


def test_each_of_several_blocks_keeps_its_members(open_rig, era):
    link = {"type": "resource_link", "uri": "file:///a", "name": "a", "icons": [ICON]}
    inner = {"uri": "file:///b", "text": "b", "_meta": {"vendor/z": 3}}
    blocks = [
        {"type": "text", "text": LOG, **ANNOTATED},
        {"type": "text", "text": "plain"},
        link,
        {"type": "resource", "resource": inner, "_meta": {"vendor/y": 2}},
    ]
    rig = open_rig(Upstream(era, results={"rows": {"content": blocks}}), ceiling="10MB")
    probe = value_of(rig.call("rows"))
    token = probe["continuation_token"]

    def full(**fields):
        return rig.call("read_result", continuation_token=token, mode="full", **fields)

    assert full()["_meta"]["dev.penstock/blocks"] == {
        "/0": ANNOTATED,
        "/2": {"icons": [ICON]},
        "/3": {"_meta": {"vendor/y": 2}},
        "/3/resource": {"_meta": {"vendor/z": 3}},
    }
    assert len(body_of(rig.down[-1])) == probe["total_size"]
    assert full(path="/0")["content"] == [{**ANNOTATED, "type": "text", "text": LOG}]
    assert full(path="/1")["content"] == [{"type": "text", "text": "plain"}]
    assert value_of(full(path="/2")) == {"type": "resource_link", "uri": "file:///a", "name": "a"}
    assert full(path="/2")["_meta"]["dev.penstock/blocks"] == {"": {"icons": [ICON]}}
    assert full(path="/3")["_meta"]["dev.penstock/blocks"] == {
        "": {"_meta": {"vendor/y": 2}},
        "/resource": {"_meta": {"vendor/z": 3}},
    }


def test_annotations_without_end_stay_in_the_value(open_rig, era):
    """A head stays small: such a block is an object, and its members are read in pages."""
    block = {"type": "text", "text": "short", "annotations": {"x": "y" * 300_000}}
    rig = open_rig(Upstream(era, results={"rows": {"content": [block]}}), ceiling="10MB")
    token = rig.probe("rows")["continuation_token"]
    full = rig.call("read_result", continuation_token=token, mode="full")
    assert value_of(full) == block


def test_a_block_of_several_lines_is_not_put_beside_a_probe(open_rig, era):
    """The budget may have one line. The rig weighs the probe."""
    rows = {"rows": table()}
    given = {"content": [*text(rows)["content"], {"type": "text", "text": "a\nb"}]}
    given["structuredContent"] = rows
    rig = open_rig(Upstream(era, results={"rows": given}), budget="2kB+1lines")
    token = rig.probe("rows")["continuation_token"]
    asked = {"continuation_token": token, "path": "/content/0/text", "mode": "full"}
    assert rig.call("read_result", **asked)["content"] == text("a\nb")["content"]


# -- blocks for the user alone -----------------------------------------------------------------


def for_user(words):
    return {"type": "text", "text": words, "annotations": {"audience": ["user"]}}


def test_a_block_for_the_user_counts_like_any_other(open_rig, era):
    """Any upstream could bypass the budget otherwise."""
    given = {"content": [{"type": "text", "text": "hello"}, for_user("n" * 30_000)]}
    rig = open_rig(Upstream(era, results={"rows": given}))
    token = rig.probe("rows")["continuation_token"]
    note = rig.call("read_result", continuation_token=token, mode="full", path="/1")
    assert note["content"] == given["content"][1:]


def test_a_small_block_for_the_user_goes_beside_the_probe(open_rig, era):
    given = {"content": [for_user("Saved."), *text(table())["content"]]}
    rig = open_rig(Upstream(era, results={"rows": given}))
    result = rig.call("rows")
    assert result["content"][1:] == [for_user("Saved.")]
    token = value_of(result)["continuation_token"]
    assert rig.read(token, mode="paginated")["items"] == table()[:20]


def test_a_host_that_hides_blocks_for_the_user(open_rig, era):
    """Such blocks do not count, and go beside the probe. The wire carries twice the budget at most."""
    settings = {"hides_user_blocks": "on"}
    note = for_user("n" * 20_000)
    short = {"content": [{"type": "text", "text": "x" * 20_000}, note]}
    long = {"content": [*text(table())["content"], note]}
    too_long = {"content": [{"type": "text", "text": "hello"}, for_user("n" * 60_000)]}
    results = {"short": short, "long": long, "too_long": too_long}
    rig = open_rig(Upstream(era, results=results), budget="25kB", **settings)
    assert rig.call("short")["content"] == short["content"]
    shown = rig.call("long")
    assert shown["content"][1:] == [note]
    assert "continuation_token" in value_of(shown)
    assert "continuation_token" in value_of(rig.call("too_long"))


@pytest.mark.parametrize("depth", [100, 900, 100_000])
def test_members_that_nest_deep(open_rig, era, depth):
    """No depth of what hosts read keeps the text from the model."""
    deep = json.loads("[" * 100 + "]" * 100)
    block = {"type": "text", "text": LOG, "annotations": {"a": deep}, "_meta": {"b": deep}}
    result = json.dumps({"content": [block], "_meta": {"c": deep}, "vendorMember": deep})
    nested = "[" * depth + "]" * depth
    line = result.replace("[" * 100 + "]" * 100, nested)
    rig = open_rig(Upstream(era))
    rig.upstream.answer = lambda raw: [
        b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (json.loads(raw)["id"], line.encode())
    ]
    told = json.loads(rig.from_client(rig.request("tools/call", {"name": "rows"}))[-1])
    token = value_of(told["result"])["continuation_token"]
    assert token.startswith("pen_")


def test_a_result_that_is_all_for_the_user_is_a_result(open_rig, era):
    given = {"content": [for_user("n" * 30_000)]}
    for settings in ({}, {"hides_user_blocks": "on"}):
        rig = open_rig(Upstream(era, results={"rows": given}), budget="10kB", **settings)
        token = rig.probe("rows")["continuation_token"]
        full = rig.call("read_result", continuation_token=token, mode="full")
        assert full["content"] == given["content"]


ICON = {"src": "data:image/png;base64," + "A" * 30_000, "mimeType": "image/png"}
SERVER = {"name": "s", "version": "1", "icons": [ICON]}


def test_what_hosts_read_counts_against_no_budget(open_rig, era):
    """Neither do the `_meta` and the icons of a result, nor those of its blocks."""
    link = {"type": "resource_link", "uri": "file:///a", "name": "a", "icons": [ICON]}
    said = {"type": "text", "text": "hello Ann", "_meta": {"vendor/y": "y" * 30_000}}
    meta = {"io.modelcontextprotocol/serverInfo": SERVER, "vendor/x": "x" * 30_000}
    given = {"content": [said, link], "_meta": meta}
    rig = open_rig(Upstream(era, results={"greet": given}), budget="1kB")
    assert rig.call("greet").items() >= given.items()
    assert rig.store.stats().entries == 0


def test_the_cap_on_what_hosts_read(open_rig, era):
    """Members over 256 kB together are left out and counted. The result passes all the same."""
    meta = {"vendor/a": "a" * 200_000, "vendor/b": "b" * 100_000, "vendor/c": "c"}
    said = {"type": "text", "text": "hello", "_meta": {"vendor/d": "d" * 60_000}}
    result = open_rig(
        Upstream(era, results={"greet": {"content": [said], "_meta": meta}}), budget="1MB"
    ).call("greet")
    assert result["content"] == [{"type": "text", "text": "hello"}]
    counts = {"host_members": 2, "host_bytes": 100_002 + len(compact(said["_meta"]))}
    kept = {"vendor/a": meta["vendor/a"], "vendor/c": "c", "dev.penstock/left_out": counts}
    assert {name: result["_meta"][name] for name in kept} == kept
    assert "vendor/b" not in result["_meta"]


def test_a_probe_counts_what_the_cap_left_out(open_rig, era):
    given = text(table(), _meta={"vendor/a": "a" * 300_000, "vendor/b": 1})
    rig = open_rig(Upstream(era, results={"rows": given}))
    result = rig.call("rows")
    counts = {"host_members": 1, "host_bytes": 300_002}
    assert result["_meta"]["dev.penstock/left_out"] == counts
    token = value_of(result)["continuation_token"]
    full = rig.call("read_result", continuation_token=token, mode="full")
    assert full["_meta"]["vendor/b"] == 1


# -- content that structured content repeats ---------------------------------------------------

LINES = "\n".join(f"{number}: something happened" for number in range(500))
COPIES = {
    "text under any key": (text(LINES), {"content": LINES}),
    "wrapped": (text(LINES), {"result": LINES}),
    "json": (text({"rows": table(250)}), {"rows": table(250)}),
    "indented json": (text(json.dumps({"rows": table(200)}, indent=1)), {"rows": table(200)}),
    "one block an item": (
        {"content": [{"type": "text", "text": json.dumps(row)} for row in table(170)]},
        {"result": table(170)},
    ),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_counts_once(open_rig, era, name):
    """The larger of the two copies is within the budget, so the result passes whole."""
    content, structured = COPIES[name]
    given = {**content, "structuredContent": structured}
    half = len(compact(content))
    assert 12_000 < half < len(compact(given)) - 6_000
    rig = open_rig(Upstream(era, results={"rows": given}), budget=half + 100)
    assert rig.call("rows").items() >= given.items()
    smaller = open_rig(Upstream(era, results={"rows": given}), budget=half - 100)
    assert "continuation_token" in value_of(smaller.call("rows"))


@pytest.mark.parametrize("name", COPIES)
def test_a_host_that_shows_both_copies(open_rig, era, name):
    content, structured = COPIES[name]
    given = {**content, "structuredContent": structured}
    whole = len(compact(content)) + len(json.dumps(structured)) + 100
    rig = open_rig(Upstream(era, results={"rows": given}), budget=whole - 200, shows_both="on")
    assert "continuation_token" in value_of(rig.call("rows"))
    larger = open_rig(Upstream(era, results={"rows": given}), budget=whole, shows_both="on")
    assert larger.call("rows").items() >= given.items()


def test_content_that_says_something_else_counts_too(open_rig, era):
    given = text("x" * 15_000, structuredContent={"y": "y" * 15_000})
    rig = open_rig(Upstream(era, results={"rows": given}))
    assert "continuation_token" in value_of(rig.call("rows"))


@pytest.mark.parametrize("content", ["x" * 50_000, [1, 2, "x" * 50_000], {"a": "x" * 50_000}, None])
def test_content_that_is_no_list_of_blocks(open_rig, era, content):
    """Invalid content must not flood the agent either."""
    result = {"content": content, "structuredContent": {"a": "y" * 50_000}}
    rig = open_rig(Upstream(era, results={"rows": result}))
    token = rig.probe("rows")["continuation_token"]
    assert rig.call("read_result", continuation_token=token, mode="summary")


# -- what is no result yet ---------------------------------------------------------------------


def test_a_request_for_input_passes_untouched(open_rig):
    """The request passes even over the budget, because the client has to see it whole."""
    asked = {"a": {"method": "elicitation/create", "params": {"message": "m" * 50_000}}}
    result = {"resultType": "input_required", "inputRequests": asked, "requestState": "s" * 9}
    rig = open_rig(Upstream("modern", results={"rows": result}))
    assert rig.call("rows") == result
    assert rig.store.stats().entries == 0


def test_a_request_for_input_that_has_content_too(open_rig):
    result = {"resultType": "input_required", "inputRequests": {}, **text(LOG)}
    rig = open_rig(Upstream("modern", results={"rows": result}))
    told = rig.call("rows")
    assert (told["resultType"], told["inputRequests"]) == ("input_required", {})
    assert "continuation_token" in value_of(told)


# -- JSON-RPC errors ---------------------------------------------------------------------------


FAULTS = [
    Fault(-32000, "short", {"log": LOG}),
    Fault(-32000, "m" * 60_000),
    Fault(-32000, "\x00" * 60_000, {"x": 1}),
    Fault(-32000, "日" * 60_000),
    Fault(-32000, "line\n" * 60_000),
    Fault("c" * 60_000, "code"),
    Fault(10**3_000, "number", LOG),
    Fault(True, "m" * 60_000),
    Fault(None, None, LOG),
]


@pytest.mark.parametrize(("fault", "budget", "era"), spread(FAULTS, 3))
def test_an_error_over_the_budget(open_rig, era, fault, budget):
    """The error is cut, and the reader gives the whole error."""

    def fail(_arguments):
        raise fault

    rig = open_rig(Upstream(era, results={"rows": fail}), budget=budget, ceiling="10MB")
    error = rig.ask("tools/call", {"name": "rows"})["error"]
    assert isinstance(error["code"], int)
    if isinstance(fault.error["code"], int) and abs(fault.error["code"]) < 2**31:
        assert error["code"] == fault.error["code"]
    assert str(fault.error["message"]).startswith(error["message"])
    token = error["data"]["continuation_token"]
    whole = rig.call("read_result", continuation_token=token, mode="full")["content"][0]["text"]
    assert json.loads(whole) == fault.error


@pytest.mark.parametrize("error", [b'"' + b"x" * 50_000 + b'"', b"[" * 40_000 + b"]" * 40_000])
def test_an_error_that_is_none(open_rig, error):
    rig = open_rig(Upstream())
    rig.upstream = None
    rig.from_client(b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"rows"}}')
    (answer,) = rig.from_upstream(b'{"jsonrpc":"2.0","id":9,"error":%b}' % error)
    assert "continuation_token" in json.loads(answer)["error"]["data"]


def test_a_small_error_passes_byte_for_byte(open_rig, era):
    rig = open_rig(Upstream(era))
    rig.upstream = None
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=9))
    line = b'{"id":9, "error":{"code":-32602, "message":"Unknown tool: rows", "data":null}}'
    assert rig.from_upstream(line) == [line]


# -- very deep ---------------------------------------------------------------------------------

DEEP = b'{"a":' * 5_000 + b"1" + b"}" * 5_000


@pytest.mark.parametrize(
    "result",
    [
        b'{"content":[],"structuredContent":%b}' % DEEP,
        b'{"content":[{"type":"text","text":"hi"}],"structuredContent":{"x":%b}}' % DEEP,
        b'{"content":[{"type":"text","text":"hi"}],"_meta":{"x":%b}}' % DEEP,
        b'{"content":[{"type":"text","text":"hi","_meta":%b}]}' % DEEP,
        b'{"content":[{"type":"text","text":"hi"}],"vendor":%b}' % DEEP,
        b'{"content":[{"type":"text","text":%b}]}' % json.dumps(DEEP.decode()).encode(),
        b'{"content":%b}' % DEEP,
    ],
    ids=range(7),
)
def test_results_nested_deeper_than_python_can_go(open_rig, era, result):
    """The result is stored and shown as text. Its parts, put together, are the whole."""
    rig = open_rig(Upstream(era), ceiling="1MB")
    rig.listed()
    upstream, rig.upstream = rig.upstream, None
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=900) | {"id": 900})
    (answer,) = rig.from_upstream(b'{"jsonrpc":"2.0","id":900,"result":%b}' % result)
    rig.upstream = upstream
    token = value_of(json.loads(answer)["result"])["continuation_token"]
    full = rig.call("read_result", continuation_token=token, mode="full")["content"][0]["text"]
    assert '{"a":' * 5_000 in full


def test_arguments_nested_deeper_than_python_can_go(open_rig, era):
    """Upstream judges them; they pass byte for byte."""
    rig = open_rig(Upstream(era))
    rig.listed()
    rig.upstream = None
    for mark in (b'"@result:pen_x"', b'"\\u0041"', b'"continuation_token"'):
        line = (
            b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"take","arguments":{"x":'
            + DEEP.replace(b"1", mark)
            + b"}}}"
        )
        if era == "legacy":
            assert rig.from_client(line) == []
            assert rig.up[-1] == line


def test_half_a_surrogate_pair(open_rig, era):
    rows = [{"id": number, "s": "\ud800x"} for number in range(2_000)]
    rig = open_rig(Upstream(era, results={"rows": text(rows)}))
    token = rig.probe("rows")["continuation_token"]
    assert rig.rows(token) == rows
