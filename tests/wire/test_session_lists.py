"""`tools/list` as one page, with the reader at its end."""

import json

import pytest
from jsonschema import Draft202012Validator
from relay_rig import compact, table, value_of
from relay_upstream import Fault, Upstream, text, tool


def names(result):
    return [tool["name"] for tool in result["tools"]]


def upstream_of(count, era="legacy", **members):
    return Upstream(era, tools=[tool(f"t{number}") for number in range(count)], **members)


# -- one page ----------------------------------------------------------------------------------


@pytest.mark.parametrize("page_size", [1, 3, 100])
def test_several_pages_become_one(open_rig, era, page_size):
    """There is no `nextCursor`. The list has every tool as upstream wrote it, and the reader."""
    rig = open_rig(upstream_of(7, era, page_size=page_size))
    result = rig.listed()
    assert "nextCursor" not in result
    assert result["tools"][:-1] == rig.upstream.tools
    assert names(result)[-1] == "read_result"


def test_the_list_of_a_server_with_no_tools_yet(open_rig):
    rig = open_rig(upstream_of(0))
    assert names(rig.listed()) == ["read_result"]


def test_tools_are_listed_byte_for_byte(open_rig):
    rig = open_rig()
    rig.from_client(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    odd = b'{"name" : "\\u0061","inputSchema":{"type":"object"}, "x":1.0, "x":123456789012345678901234567890}'
    nameless = b'{"description":"no name"}'
    (answer,) = rig.from_upstream(
        b'{"jsonrpc":"2.0","id":1,"result":{"tools":[%b,%b,7]}}' % (odd, nameless)
    )
    assert b"[" + odd + b"," + nameless + b",7," in answer


@pytest.mark.parametrize("cursor", ["x", "", 5, {"a": 1}])
def test_a_cursor_that_nobody_gave(open_rig, era, cursor):
    """The error is -32602, and upstream is not asked."""
    rig = open_rig(upstream_of(3, era))
    before = len(rig.up)
    assert rig.ask("tools/list", {"cursor": cursor})["error"]["code"] == -32602
    assert len(rig.up) == before


def test_no_cursor_spelled_out(open_rig, era):
    rig = open_rig(upstream_of(3, era))
    assert len(rig.ask("tools/list", {"cursor": None})["result"]["tools"]) == 4


def test_a_cursor_that_repeats(open_rig, era):
    rig = open_rig(upstream_of(3, era, listed={"nextCursor": "0"}))
    error = rig.ask("tools/list")["error"]
    assert error["code"] == -32603
    assert error["message"] == "Upstream's list of tools repeats the cursor '0' after page 2."
    assert len(rig.upstream.got("tools/list")) == 2


def test_cursors_that_never_end(open_rig):
    """An endless list gives an error that says so, and how much of it was read."""
    rig = open_rig(upstream_of(10_000, page_size=1))
    error = rig.ask("tools/list")["error"]
    assert error["code"] == -32603
    told = "does not end: after 1,000 pages and 1,000 tools there is still a next page. At most"
    assert told in error["message"]
    assert len(rig.upstream.got("tools/list")) == 1_000


@pytest.mark.parametrize(("limit", "value"), [("MOST_TOOLS", 20), ("MOST_BYTES", 2_000)])
def test_a_list_over_a_limit(open_rig, era, monkeypatch, limit, value):
    """Nothing after the page that goes over a limit is read."""
    monkeypatch.setattr(f"penstock.wire.list_limits.{limit}", value)
    rig = open_rig(upstream_of(100, era, page_size=10))
    error = rig.ask("tools/list")["error"]
    assert "Upstream's list of tools is too large: it has 30 tools and" in error["message"]
    assert "after page 3. At most 1,000 pages, 50,000 tools and 50 MB are read." in error["message"]
    assert len(rig.upstream.got("tools/list")) == 3


def test_a_single_page_over_a_limit(open_rig, monkeypatch):
    monkeypatch.setattr("penstock.wire.list_limits.MOST_TOOLS", 20)
    error = open_rig(upstream_of(100)).ask("tools/list")["error"]
    assert "it has 100 tools" in error["message"]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            {"code": -32000, "message": "database gone", "data": [1]},
            {"code": -32000, "message": "{}: database gone", "data": [1]},
        ),
        ({"code": 5}, {"code": 5, "message": "{}: no message"}),
        ("no object", {"code": -32603, "message": "{}: no message"}),
    ],
)
@pytest.mark.parametrize("page", [2, 3])
def test_an_error_on_a_later_page(open_rig, error, told, page):
    """Half a list would look like a whole one, so the client gets upstream's error, and the number
    of the page."""
    rig = open_rig()
    rig.from_client(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    key = 1
    for number in range(2, page + 1):
        listed = {"tools": [tool("a")], "nextCursor": str(number)}
        assert rig.from_upstream({"jsonrpc": "2.0", "id": key, "result": listed}) == []
        key = json.loads(rig.up[-1])["id"]
    (answer,) = rig.from_upstream({"jsonrpc": "2.0", "id": key, "error": error})
    message = told["message"].format(f"page {page} of the list of tools failed")
    assert json.loads(answer)["error"] == {**told, "message": message}


@pytest.mark.parametrize("second", [{"no": "tools"}, [], None, {"tools": 5}])
def test_a_second_page_that_is_none(open_rig, second):
    rig = open_rig()
    rig.from_client(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    rig.from_upstream({"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "nextCursor": "2"}})
    own = json.loads(rig.up[-1])
    (answer,) = rig.from_upstream({"jsonrpc": "2.0", "id": own["id"], "result": second})
    assert json.loads(answer)["error"]["code"] == -32603


@pytest.mark.parametrize("result", [b"{}", b'{"tools":"none"}', b"[]", b"null", b'{"tools":{}}'])
def test_a_first_page_that_is_none_is_upstreams_affair(open_rig, result):
    rig = open_rig()
    rig.from_client(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    answer = b'{"jsonrpc": "2.0", "id": 1, "result": ' + result + b"}"
    assert rig.from_upstream(answer) == [answer]


def test_an_error_instead_of_a_list(open_rig, era):
    rig = open_rig(Upstream(era))
    rig.upstream._list = lambda _params: (_ for _ in ()).throw(Fault(-32001, "no", {"x": 1}))
    assert rig.ask("tools/list")["error"] == {"code": -32001, "message": "no", "data": {"x": 1}}


def test_how_long_a_list_may_be_kept(open_rig):
    """`ttlMs` is the least of all pages, `cacheScope` the strictest."""
    upstream = upstream_of(3, "modern", page_size=1)
    told = iter([(9_000, "public"), (4_000, "private"), (7_000, "public")])
    plain = upstream._list

    def listed(params):
        life, scope = next(told)
        return {**plain(params), "ttlMs": life, "cacheScope": scope}

    upstream._list = listed
    result = open_rig(upstream).listed()
    assert (result["ttlMs"], result["cacheScope"]) == (4_000, "private")


def test_a_list_never_changes_by_other_requests(open_rig, era):
    """The list has the same bytes after calls, probes, reads and references."""
    rig = open_rig(Upstream(era, results={"rows": text(table()), "take": text("done")}))
    before = rig.listed()
    token = rig.probe("rows")["continuation_token"]
    rig.read(token, mode="summary")
    rig.call("take", what=f"@result:{token}")
    rig.call("unheard_of", what="@result:pen_x")
    assert rig.listed() == before


# -- when Penstock asks for the list again -----------------------------------------------------


def asked(rig):
    return len(rig.upstream.got("tools/list"))


def hand_on(rig, name="take"):
    return rig.call(name, what=f"@result:{rig.token}")


@pytest.fixture
def rig(open_rig, era):
    results = {"rows": text(table()), "take": text("done"), "new": text("done")}
    rig = open_rig(Upstream(era, results=results))
    rig.token = rig.probe("rows")["continuation_token"]
    rig.listed()
    return rig


def test_what_is_known_is_not_asked_again(rig):
    before = asked(rig)
    hand_on(rig)
    hand_on(rig)
    rig.read(rig.token)
    assert asked(rig) == before


def test_after_list_changed(rig):
    """Penstock asks again after `list_changed`. The notification passes unchanged."""
    note = b'{"jsonrpc": "2.0", "method":"notifications/tools/list_changed"}'
    assert rig.from_upstream(note) == [note]
    before = asked(rig)
    hand_on(rig)
    assert asked(rig) == before + 1
    hand_on(rig)
    assert asked(rig) == before + 1


def test_after_its_time(open_rig):
    """Penstock asks again once `ttlMs` is over."""
    upstream = Upstream("modern", results={"rows": text(table()), "take": text("done")})
    upstream.listed = {"ttlMs": 5_000, "cacheScope": "public"}
    rig = open_rig(upstream)
    rig.listed()
    rig.token = rig.probe("rows")["continuation_token"]
    rig.clock.now += 4
    hand_on(rig)
    assert asked(rig) == 1
    rig.clock.now += 2
    hand_on(rig)
    assert asked(rig) == 2


def test_for_a_tool_that_was_never_listed(rig):
    """Penstock asks again for an unknown tool, and then knows its parameters."""
    rig.upstream.tools.append(tool("new", {"what": {"type": "string"}}))
    hand_on(rig, "new")
    (given,) = [call for call in rig.upstream.got("tools/call") if call["name"] == "new"]
    assert json.loads(given["arguments"]["what"]) == table()


def test_after_a_mismatch_of_headers(rig):
    """Error -32020 means that upstream has changed the schema from which the headers were made."""

    def mismatch(_arguments):
        raise Fault(-32020, "Header mismatch")

    rig.upstream.results["new"] = mismatch
    assert rig.ask("tools/call", {"name": "new"})["error"]["code"] == -32020
    before = asked(rig)
    hand_on(rig)
    assert asked(rig) == before + 1


def test_a_list_that_cannot_be_had_does_not_stop_a_call(rig):
    rig.from_upstream({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    rig.upstream._list = lambda _params: (_ for _ in ()).throw(Fault(-32603, "not now"))
    assert hand_on(rig)["content"][:1] == text("done")["content"]


# -- the reader --------------------------------------------------------------------------------


def test_the_readers_annotations(open_rig, era):
    """The reader is read-only, and has a title for users."""
    reader = open_rig(Upstream(era)).listed()["tools"][-1]
    assert reader["annotations"]["title"] == "Read a stored result"
    hints = {name: hint for name, hint in reader["annotations"].items() if name.endswith("Hint")}
    assert hints == {"readOnlyHint": True}
    Draft202012Validator.check_schema(reader["inputSchema"])
    assert reader["inputSchema"]["required"] == ["continuation_token"]
    assert "outputSchema" not in reader


def test_the_modes_that_the_reader_offers(open_rig):
    rig = open_rig(Upstream(), modes="summary paginated")
    reader = rig.listed()["tools"][-1]
    assert reader["inputSchema"]["properties"]["mode"]["enum"] == ["summary", "paginated"]
    assert "jq" not in reader["description"]


TAKEN = ["read_result", "penstock_read_result", "penstock_stored_result", "penstock_read_result_2"]


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        (0, "read_result"),
        (1, "penstock_read_result"),
        (2, "penstock_stored_result"),
        (3, "penstock_read_result_2"),
        (4, "penstock_read_result_3"),
    ],
)
def test_a_name_that_upstream_has_taken(open_rig, era, taken, name):
    """Upstream's tool keeps its name. The reader takes another name, and replies use it."""
    tools = [tool("rows"), *(tool(named) for named in TAKEN[:taken])]
    results = {"rows": text(table()), **{named: text(f"mine: {named}") for named in TAKEN[:taken]}}
    rig = open_rig(Upstream(era, tools=tools, results=results))
    assert names(rig.listed())[-1] == name
    probe = rig.probe("rows")
    assert name in probe["next_step"]
    assert rig.rows(probe["continuation_token"], name) == table()
    for named in TAKEN[:taken]:
        assert rig.call(named)["content"] == text(f"mine: {named}")["content"]


def test_a_taken_name_before_anything_was_listed(open_rig, era):
    """A client may know its tools from before, so Penstock asks upstream for the list."""
    results = {"rows": text(table()), "read_result": text("mine")}
    tools = [tool("rows"), tool("read_result")]
    rig = open_rig(Upstream(era, tools=tools, results=results))
    assert rig.call("read_result")["content"] == text("mine")["content"]
    token = rig.probe("rows")["continuation_token"]
    assert rig.rows(token, "penstock_read_result") == table()


@pytest.mark.parametrize(
    "arguments",
    [None, {}, [], 5, "x", {"continuation_token": ""}, {"continuation_token": 5}, {"mode": "sql"}],
)
def test_a_call_of_the_reader_without_a_token(open_rig, era, arguments):
    rig = open_rig(Upstream(era))
    rig.listed()
    params = {"name": "read_result"} | ({} if arguments is None else {"arguments": arguments})
    answer = rig.ask("tools/call", params)
    if isinstance(arguments, dict | None):
        assert set(value_of(answer["result"])) == {"error", "next_step"}
    else:
        assert answer["error"]["code"] == -32602
    assert rig.upstream.got("tools/call") == []


def test_a_token_of_nobodys(open_rig, era):
    rig = open_rig(Upstream(era))
    result = rig.call("read_result", continuation_token="pen_" + "1" * 39)
    assert result["isError"]
    assert value_of(result)["error"].startswith("Continuation token expired or not found.")


# -- output schemas ----------------------------------------------------------------------------

PROMISED = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}},
    "required": ["rows"],
    "$defs": {"row": {"type": "object", "properties": {"next": {"$ref": "#"}}}},
}


@pytest.fixture
def promising(open_rig, era):
    def opened(schema=PROMISED, **settings):
        given = tool("rows", outputSchema=schema)
        results = {"rows": text({"rows": table()}, structuredContent={"rows": table()})}
        return open_rig(
            Upstream(era, tools=[given], results=results), **{"list_form": "full", **settings}
        )

    return opened


def test_a_widened_schema_admits_both(promising):
    """The root has `type: object` and `$defs`, and `$ref: "#"` is rewritten."""
    rig = promising()
    schema = rig.listed()["tools"][0]["outputSchema"]
    assert schema["type"] == "object"
    validator = Draft202012Validator(schema)
    own = {"rows": [{"next": {"rows": []}}]}
    validator.validate(own)
    theirs = Draft202012Validator({**schema, "anyOf": schema["anyOf"][:1]})
    assert not theirs.is_valid({"rows": [{"next": {}}]})
    assert not theirs.is_valid({"rows": 5})
    envelope = rig.call("rows")["structuredContent"]
    validator.validate(envelope)
    assert "continuation_token" in envelope


def test_an_envelope_is_structured_and_text_and_counts_once(promising):
    """A page of a tool that keeps its schema holds as many rows as that of any other tool."""
    rig = promising(max_page_size=1_000)
    result = rig.call("rows")
    assert value_of(result) == result["structuredContent"]
    token = value_of(result)["continuation_token"]
    page = rig.call("rows", continuation_token=token, page_size=1_000)
    assert value_of(page) == page["structuredContent"]
    alone = rig.call("read_result", continuation_token=token, page_size=1_000)
    assert "structuredContent" not in alone
    assert len(value_of(page)["items"]) == len(value_of(alone)["items"])
    assert 25_000 < len(compact(page)) < 50_000


def test_an_envelope_counts_twice_for_a_host_that_shows_both(promising):
    rig = promising(shows_both="on")
    token = value_of(rig.call("rows"))["continuation_token"]
    page = rig.call("rows", continuation_token=token, page_size=1_000)
    assert 20_000 < len(compact(page)) <= 25_000


# -- icons and `_meta` -------------------------------------------------------------------------

ICON = {"src": "data:image/png;base64," + "A" * 30_000, "mimeType": "image/png"}


def test_icons_and_meta_do_not_shorten_a_list(open_rig, era):
    """Four small tools stay a full list, whatever is there for hosts."""
    tools = [
        tool(f"tool_{n}", description="words " * 100, icons=[ICON], _meta={"vendor/x": "x" * 9_000})
        for n in range(4)
    ]
    info = {"name": "s", "version": "1", "icons": [ICON]}
    meta = {"io.modelcontextprotocol/serverInfo": info}
    listed = open_rig(Upstream(era, tools=tools, listed={"_meta": meta})).listed()
    assert listed["tools"][:-1] == tools
    assert listed["_meta"] == meta


def test_the_cap_on_icons_and_meta_of_a_list(open_rig, era):
    """The parts that clients need most stay: `ui`, then the rest of `_meta`, then icons."""
    ui = {"ui": {"resourceUri": "ui://x"}}
    tools = [
        tool(f"tool_{n}", icons=[ICON], _meta={"vendor/x": "x" * 20_000, **ui}) for n in range(9)
    ]
    listed = open_rig(Upstream(era, tools=tools)).listed()
    shown = listed["tools"][:-1]
    assert all(each["_meta"] == tools[0]["_meta"] for each in shown)
    assert [("icons" in each) for each in shown] == [True] * 2 + [False] * 7
    counts = {"host_members": 7, "host_bytes": 7 * len(json.dumps([ICON]))}
    assert listed["_meta"]["dev.penstock/left_out"] == counts
    del tools[5]["icons"]
    larger = [{**each, "_meta": {"vendor/x": "x" * 30_000, **ui}} for each in tools]
    listed = open_rig(Upstream(era, tools=larger)).listed()
    shown = listed["tools"][:-1]
    assert [each["_meta"] for each in shown] == [larger[0]["_meta"]] * 8 + [ui]
    assert not any("icons" in each for each in shown)
    assert listed["_meta"]["dev.penstock/left_out"]["host_members"] == 9


def test_reading_through_the_tool_itself_keeps_the_promise(promising):
    """This holds for pages, refusals and `full` too."""
    rig = promising()
    validator = Draft202012Validator(rig.listed()["tools"][0]["outputSchema"])
    token = rig.probe("rows")["continuation_token"]
    for fields in (
        {},
        {"mode": "summary"},
        {"mode": "full"},
        {"mode": "sql", "query": "SELECT count(*) AS n FROM result"},
        {"mode": "full", "path": "/rows/0"},
        {"mode": "no such"},
    ):
        result = rig.call("rows", continuation_token=token, **fields)
        validator.validate(result["structuredContent"])


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
        {"type": "array"},
        {"type": "object", "$id": "https://example.com/a"},
        {"type": "object", "properties": {"a": {"$dynamicRef": "#x"}}},
        True,
        {},
    ],
)
def test_a_schema_that_cannot_be_widened_is_left_out(promising, schema):
    """Replies then have no structuredContent either."""
    rig = promising(schema)
    assert "outputSchema" not in rig.listed()["tools"][0]
    assert "structuredContent" not in rig.call("rows")


def test_the_schema_of_a_tool_that_is_left_alone_stays(promising):
    rig = promising(except_="rows")
    assert rig.listed()["tools"][0] == rig.upstream.tools[0]
    assert rig.call("rows")["structuredContent"] == {"rows": table()}


def test_a_tool_that_promises_nothing_sends_none(open_rig, era):
    results = {"rows": text(table(), structuredContent={"result": table()})}
    rig = open_rig(Upstream(era, results=results))
    rig.listed()
    assert "structuredContent" not in rig.call("rows")


def test_before_a_list_the_result_itself_says_what_the_tool_sends(open_rig, era):
    results = {"rows": text(table(), structuredContent={"result": table()})}
    rig = open_rig(Upstream(era, results=results), list_form="full")
    result = rig.call("rows")
    assert value_of(result) == result["structuredContent"]
