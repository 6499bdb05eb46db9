"""Lists that fit their budget, descriptions on demand, and the gate, in both eras."""

import json

import pytest
from relay_upstream import MODERN_META, Fault, Upstream, text, tool
from relay_weights import o200k

from penstock import StoreError
from penstock.wire.reader import INSTRUCTIONS

URI = "resource:///tool_descriptions"
# Some providers refuse a schema that names no properties at all.
OPEN = {"type": "object", "properties": {}, "additionalProperties": True}
WORDS = "It takes care of every detail that there is to take care of, and then of some more. "


def catalogue(count=40, **members):
    """Return tools that do not fit 2,000 tokens together."""
    path = {"type": "string", "title": "Path", "description": "Where it is. " + WORDS * 2}
    lines = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    return [
        tool(
            f"file_{number}",
            {"path": path, "lines": lines},
            description=f"Reads file number {number}. " + WORDS * 3,
            annotations={"readOnlyHint": number % 2 == 0},
            **members,
        )
        | {
            "inputSchema": {
                "type": "object",
                "properties": {"path": path, "lines": lines},
                "required": ["path"],
            }
        }
        for number in range(count)
    ]


@pytest.fixture
def opened(open_rig, era):
    """Return a rig in front of many tools. All answer `done`, but `rows` answers with a large
    table. With up to 20 tools, the list is brief unless a test sets another form."""

    def opened(count=40, tools=None, **settings):
        if tools is None and count <= 20:
            settings.setdefault("list_form", "brief")
        listed = catalogue(count) if tools is None else tools
        results = {entry.get("name"): text("done") for entry in listed}
        results["file_1"] = text([{"id": n, "name": f"row {n}"} for n in range(5_000)])
        return open_rig(Upstream(era, tools=listed, results=results), **settings)

    return opened


def names(listed):
    return [entry["name"] for entry in listed["tools"]]


def said(result):
    """Return the text that an agent reads of a result."""
    return json.loads(result["content"][0]["text"])


def read(rig, uri):
    (content,) = rig.ask("resources/read", {"uri": uri})["result"]["contents"]
    assert content["uri"] == uri
    assert content["mimeType"] == "application/json"
    return json.loads(content["text"])


# -- lists -------------------------------------------------------------------------------------


def test_a_list_that_shows_every_parameter(opened):
    rig = opened(20, list_form="auto")
    listed = rig.listed()
    assert names(listed) == [*(f"file_{n}" for n in range(20)), "describe_tools", "read_result"]
    assert o200k(json.dumps(listed, separators=(",", ":"), ensure_ascii=False)) <= 2_000
    first = listed["tools"][0]
    assert first["description"].startswith("Reads file number 0.")
    assert first["annotations"] == {"readOnlyHint": True}
    assert all(entry["inputSchema"]["required"] == ["path"] for entry in listed["tools"][:20])


def test_a_list_of_signatures(opened):
    listed = opened(20, list_form="signatures").listed()
    assert all(entry["inputSchema"] == OPEN for entry in listed["tools"][:20])
    assert listed["tools"][7]["description"] == "Reads file number 7. (path* lines:int)"


def test_an_index(opened):
    listed = opened(400).listed()
    assert names(listed) == [
        "find_tools", "describe_tools", "call_read_only_tool", "call_tool", "run_python",
        "read_result",
    ]  # fmt: skip
    assert o200k(json.dumps(listed, separators=(",", ":"), ensure_ascii=False)) <= 2_000
    told = listed["tools"][1]["description"]
    assert "Read-only: file_(0 2 4" in told
    assert "others: file_(1 3 5" in told
    assert listed["tools"][2]["annotations"] == {"readOnlyHint": True}
    assert "annotations" not in listed["tools"][3], "a host takes it for one that destroys"


@pytest.mark.parametrize("form", ["brief", "index"])
def test_the_same_bytes_every_time(opened, form):
    rig = opened(list_form=form)
    first = rig.from_client(rig.request("tools/list", id=7))
    rig.call("describe_tools", tools=["file_0"])
    assert rig.from_client(rig.request("tools/list", id=7)) == first, "a grant changes no list"


def test_a_list_is_never_larger_than_upstreams_and_the_reader(opened):
    """A widened output schema is large. If it does not fit, it is left out."""
    schema = {
        "type": "object",
        "properties": {"result": {"type": "string"}},
        "required": ["result"],
    }
    rig = opened(tools=[tool(f"t{n}", {}, outputSchema=schema) for n in range(8)])
    listed = rig.listed()["tools"]
    raw = json.dumps([*rig.upstream.tools, listed[-1]], separators=(",", ":"))
    assert o200k(json.dumps(listed, separators=(",", ":"))) <= o200k(raw)
    assert [entry["inputSchema"] for entry in listed[:-1]] == [
        entry["inputSchema"] for entry in rig.upstream.tools
    ]


def test_output_schemas_are_left_out_and_envelopes_are_not_structured(opened):
    schema = {"type": "object", "properties": {"result": {"type": "array"}}}
    rig = opened(tools=catalogue(20, outputSchema=schema), list_form="brief")
    assert not any("outputSchema" in entry for entry in rig.listed()["tools"])
    rig.upstream.results["file_1"]["structuredContent"] = {"result": list(range(9_999))}
    result = rig.call("file_1", path="a")
    assert "structuredContent" not in result
    assert said(result)["continuation_token"]


def test_a_tool_that_is_always_listed(opened):
    rig = opened(400, always=["file_7"])
    listed = rig.listed()["tools"]
    assert rig.upstream.tools[7] in listed
    assert rig.call("file_7", nothing=1)["content"] == text("done")["content"], "no gate before it"


def test_a_changed_list_is_listed_anew(opened):
    rig = opened(20)
    rig.listed()
    rig.upstream.tools.append(tool("new_one"))
    rig.from_upstream({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    told = said(rig.call("describe_tools", tools=["new_one"]))["new_one"]
    assert "inputSchema" in told
    assert "new_one" in names(rig.listed())


def test_a_tool_that_has_come_since_is_gated_like_any_other(opened):
    """A call of an unknown tool makes Penstock ask for the list again."""
    rig = opened(20, gate="strict", list_form="brief")
    rig.listed()
    rig.upstream.tools.append(tool("new_one"))
    assert "error" in said(rig.call("new_one"))
    assert not rig.upstream.got("tools/call")


def test_a_form_for_one_client(open_rig, era):
    """The client's name decides: from the handshake, or since 2026-07-28 from each request."""
    clients = {"test": {"list": "full", "gate": "off"}, "other*": {"list": "index"}}
    rig = open_rig(Upstream(era, tools=catalogue(20)), clients=clients)
    if era == "legacy":
        assert rig.listed()["tools"][0] == rig.upstream.tools[0]
        return

    def listed_to(client):
        info = {"io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"}}
        return rig.ask("tools/list", {"_meta": info})["result"]

    assert listed_to("test")["tools"][0] == rig.upstream.tools[0]
    assert names(listed_to("others"))[0] == "find_tools"
    assert names(listed_to("somebody"))[0] == "file_0"


def test_a_list_that_depends_on_the_client_is_not_for_all(open_rig):
    """`cacheScope` becomes the strictest."""
    upstream = Upstream("modern", tools=catalogue(400))
    upstream.listed = {"ttlMs": 60_000, "cacheScope": "public"}
    assert open_rig(upstream).listed()["cacheScope"] == "private"
    assert open_rig(upstream, list_form="full").listed()["cacheScope"] == "public"


def test_apps_stay_listed_to_clients_that_have_them(open_rig):
    tools = [*catalogue(400), tool("chart", _meta={"ui": {"resourceUri": "ui://chart"}})]
    rig = open_rig(Upstream("modern", tools=tools))
    able = {"extensions": {"io.modelcontextprotocol/ui": {}}}
    meta = {**MODERN_META, "io.modelcontextprotocol/clientCapabilities": able}
    assert "chart" in names(rig.ask("tools/list", {"_meta": meta})["result"])
    assert "chart" not in names(rig.listed())


def test_tools_for_apps_alone_are_nobody_elses(opened):
    hidden = tool("hidden", _meta={"ui": {"resourceUri": "ui://x", "visibility": ["app"]}})
    rig = opened(tools=[hidden, *catalogue(20)])
    assert "hidden" not in names(rig.listed())
    assert "error" in said(rig.call("describe_tools", tools=["hidden"]))["hidden"]


def test_a_list_that_cannot_keep_its_budget_says_so(opened, caplog):
    rig = opened(60, always=["file_*"])
    rig.listed()
    assert "over list_budget" in caplog.text


def test_tools_without_a_name_or_of_one_name_do_not_break_the_budget(opened):
    rig = opened(
        tools=[{"description": WORDS * 9}] * 50 + [tool("twin", description=WORDS * 9)] * 50
    )
    listed = rig.listed()
    assert names(listed) == ["twin", "read_result"]
    assert o200k(json.dumps(listed, separators=(",", ":"))) <= 2_000


def test_tools_that_an_index_would_break_are_listed_in_brief(opened):
    tools = catalogue(400)
    tools[7]["execution"] = {"taskSupport": "required"}
    (stays,) = [
        entry for entry in opened(tools=tools).listed()["tools"] if entry["name"] == "file_7"
    ]
    assert stays["execution"] == {"taskSupport": "required"}
    assert stays["inputSchema"] == OPEN


# -- instructions and resources ----------------------------------------------------------------


def test_instructions_name_no_tool_before_the_list_is_known(open_rig, era):
    rig = open_rig(Upstream(era, members={"instructions": "Theirs."}), greet=False)
    assert rig.greet()["result"]["instructions"] == f"{INSTRUCTIONS}\n\nTheirs."


def test_instructions_say_how_to_use_a_list_that_is_known(open_rig, era):
    rig = open_rig(Upstream(era, tools=catalogue(90), members={"instructions": "Theirs."}))
    rig.listed()
    ours = rig.greet()["result"]["instructions"].removesuffix("\n\nTheirs.")
    assert len(ours) <= 512
    assert "call_read_only_tool or call_tool calls them" in ours
    assert "at once if you know its arguments" in ours


def test_instructions_of_a_list_that_is_always_full(open_rig, era):
    rig = open_rig(Upstream(era), greet=False, list_form="full")
    assert rig.greet()["result"]["instructions"] == INSTRUCTIONS


def test_the_resource_and_its_template_are_listed(opened):
    rig = opened(20)
    (resource,) = rig.ask("resources/list")["result"]["resources"]
    (template,) = rig.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert resource["uri"] == URI
    assert template["uriTemplate"] == URI + "{?tools}"
    assert "PICK" in resource["description"]


def test_nothing_is_listed_where_the_list_says_all(opened, era):
    rig = opened(tools=[tool("file_0")])
    assert rig.ask("resources/list")["result"]["resources"] == []
    code = rig.ask("resources/read", {"uri": URI + "?tools=file_0"})["error"]["code"]
    assert code == (-32602 if era == "modern" else -32002)


def test_upstreams_resources_stay_after_ours(open_rig, era):
    upstream = Upstream(era, tools=catalogue(20), capabilities={"tools": {}, "resources": {}})
    theirs = {"uri": "file:///a", "name": "a"}
    stamped = upstream.stamped
    upstream._result = answering(
        upstream,
        {
            "resources/list": lambda params: {
                "resources": [theirs],
                **stamped,
                **({} if params.get("cursor") else {"nextCursor": "2"}),
            },
            "resources/templates/list": lambda _params: {"resourceTemplates": [], **stamped},
            "resources/read": lambda _params: {"contents": [], **stamped},
        },
    )
    rig = open_rig(upstream)
    first = rig.ask("resources/list")["result"]
    assert [entry["uri"] for entry in first["resources"]] == [URI, "file:///a"]
    assert first["nextCursor"] == "2"
    following = rig.ask("resources/list", {"cursor": "2"})["result"]["resources"]
    assert following == [theirs]
    (template,) = rig.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert template["uriTemplate"] == URI + "{?tools}"
    for uri in (
        "file:///a",
        "resource:///docs/tool_descriptions_guide.md",
        "resource:///a?b=tool_descriptions",
    ):
        assert rig.ask("resources/read", {"uri": uri})["result"]["contents"] == []
    assert "file_3" in read(rig, URI + "?tools=file_3")


def answering(upstream, answers):
    usual = upstream._result
    return lambda method, params: (
        answers[method](params) if method in answers else usual(method, params)
    )


# -- descriptions on demand --------------------------------------------------------------------


@pytest.mark.parametrize("form", ["brief", "index"])
def test_descriptions_by_resource_and_by_tool(opened, form):
    rig = opened(list_form=form)
    by_resource = read(rig, URI + "?tools=file_0,file_3")
    by_tool = said(rig.call("describe_tools", tools=["file_0", "file_3"]))
    assert by_resource == by_tool
    assert list(by_tool) == ["file_0", "file_3"]
    schema = by_tool["file_0"]["inputSchema"]
    assert schema["required"] == ["path"]
    assert schema["properties"]["lines"] == {"type": "integer"}, "without a generator's noise"
    assert "title" not in schema["properties"]["path"]


@pytest.mark.parametrize("given", [[], "", None, ["", " "]])
def test_no_names(opened, given):
    rig = opened(20)
    result = rig.call("describe_tools", tools=given)
    assert result["isError"] is True
    by_tool, by_resource = said(result)["error"], read(rig, URI)["error"]
    assert by_tool["code"] == by_resource["code"] == "MISSING_TOOL_SELECTION"
    assert by_tool["examples"][0] == {"tools": ["file_0"]}
    assert by_resource["examples"][0] == URI + "?tools=file_0"


@pytest.mark.parametrize(
    "uri", [URI + "/file_0", "resource://tool_descriptions", URI + "{?tools}", URI + "?[x=1"]
)
def test_an_address_that_is_not_quite_right_is_told_the_right_one(opened, uri):
    assert read(opened(20), uri)["error"]["examples"][0] == URI + "?tools=file_0"


def test_names_in_one_text(opened):
    assert list(said(opened(20).call("describe_tools", tools="file_0, file_2"))) == [
        "file_0",
        "file_2",
    ]


@pytest.mark.parametrize("budget", ["25kB", "1kB"])
@pytest.mark.parametrize(
    "names",
    [
        "../file_0", "/etc/passwd", "..%2f..%2fetc%2fpasswd", "%00", "FILE_0", "file_0,,file_0",
        ",".join(f"x{n}" for n in range(10_000)), "x" * 20_000, "é" * 3_000,
    ],
)  # fmt: skip
def test_odd_names_stay_within_the_budget(opened, names, budget):
    """The rig weighs every reply."""
    rig = opened(20, budget=budget)
    answer = rig.ask("resources/read", {"uri": f"{URI}?tools={names}"})
    assert "root:" not in json.dumps(answer)
    if "error" in answer:
        assert "fewer tools" in answer["error"]["message"]
    told = said(rig.call("describe_tools", tools=names.split(",")))
    if names == "FILE_0":
        assert told["FILE_0"]["did_you_mean"][0] == "file_0"
    if "file_0,," in names:
        assert list(told) == ["file_0"]


@pytest.mark.parametrize("form", ["brief", "index"])
@pytest.mark.parametrize("odd", ["\x01\x02" * 100, "📎" * 60, "名" * 400, "a\ud800", " sp ", "x,y"])
def test_tools_with_odd_names_in_the_smallest_budget(opened, form, odd):
    """Each is found, described, refused, granted and called, with every reply within 1 kB."""
    tools = [tool(odd, {"p": {"type": "string"}}, description="Odd. " + WORDS), *catalogue(20)]
    rig = opened(tools=tools, budget="1kB", list_form=form, gate="strict")
    rig.listed()
    rig.call("find_tools", query="odd") if form == "index" else None
    rig.call("call_read_only_tool", name=odd) if form == "index" else None
    assert said(rig.call(odd, p="a"))["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
    rig.call("describe_tools", tools=[odd + "x"])
    rig.call("describe_tools", tools=[])
    rig.call("describe_tools", tools=[odd])
    assert not rig.call(odd, p="a").get("isError")


def test_a_description_over_the_budget_is_summarised_and_all_of_it_can_be_read(opened):
    long = tool("long", {"what": {"type": "string"}}, description="Does it. " + WORDS * 1_200)
    rig = opened(tools=[*catalogue(20), long])
    told = said(rig.call("describe_tools", tools=["long"]))["long"]
    assert told["description"].startswith("Does it.")
    assert told["optional"] == ["what"]
    token = told["continuation_token"]
    found = rig.read_result(token, mode="full", path="/description")["content"][0]["text"]
    assert found == long["description"]
    assert read(rig, URI + "?tools=long")["long"]["summarised"] == told["summarised"]


def nested(levels):
    schema = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


def test_tools_that_say_little_or_too_much(opened):
    looped = {
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        "$ref": "#/$defs/a",
    }
    odd = [
        {"name": "bare"},
        {"name": "looped", "inputSchema": {"type": "object", "properties": {"x": looped}}},
        {"name": "self", "inputSchema": {"type": "object", "properties": {"x": {"$ref": "#"}}}},
        {"name": "wrong", "inputSchema": {"type": 5}},
        {"name": "text", "inputSchema": "none", "description": 7},
        {"name": "deep", "inputSchema": nested(300)},
        {"name": "huge", "description": "Word. " * 20_000},
    ]
    rig = opened(tools=[*catalogue(20), *odd], list_form="brief")
    assert {entry["name"] for entry in odd} <= set(names(rig.listed()))
    for entry in odd:
        assert entry["name"] in said(rig.call("describe_tools", tools=[entry["name"]]))
        assert rig.call(entry["name"], x={})["content"] == text("done")["content"]


# -- the index's tools -------------------------------------------------------------------------


@pytest.fixture
def index(opened):
    return opened(400)


def test_finding(index):
    index.upstream.tools.append(
        tool("send_mail", {"to": {"type": "string"}}, description="Sends a message to somebody.")
    )
    best = said(index.call("find_tools", query="email a colleague"))["tools"]
    assert len(best) <= 5
    assert best[0]["name"] == "send_mail"
    assert best[0]["parameters"] == "to"


@pytest.mark.parametrize("query", ["", "  ", None, 5, ["a"]])
def test_finding_nothing_in_particular(index, query):
    result = index.call("find_tools", query=query)
    assert result["isError"] is True
    assert "query" in said(result)["error"]


def test_calling_through_the_index(index):
    for through, name in (("call_tool", "file_3"), ("call_read_only_tool", "file_2")):
        result = index.call(through, name=name, arguments={"path": "a", "lines": 3})
        assert result["content"] == text("done")["content"]
        given = index.upstream.got("tools/call")[-1]
        assert given["name"] == name
        assert given["arguments"] == {"path": "a", "lines": 3}


def test_a_hidden_tool_can_be_called_by_its_name(index):
    index.listed()
    assert index.call("file_3", path="a")["content"] == text("done")["content"]


def test_numbers_and_meta_survive_the_unwrapping(index, era):
    index.listed()
    meta = b',"_meta":%b' % json.dumps(MODERN_META).encode() if era == "modern" else b""
    line = (
        b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"call_tool","arguments":'
        b'{"name":"file_3","arguments":{"path":"a","lines":123456789012345678901234567890}},"x":1%b}}'
    )
    index.from_client(line % meta)
    assert b"123456789012345678901234567890" in index.up[-1]
    assert json.loads(index.up[-1])["params"]["x"] == 1


@pytest.mark.parametrize(
    "given", [{"arguments": '{"path": "a"}'}, {"path": "a"}, {"arguments": {"path": "a"}}]
)
def test_arguments_written_as_models_write_them(index, given):
    index.call("call_tool", name="file_3", **given)
    assert index.upstream.got("tools/call")[-1]["arguments"] == {"path": "a"}


def test_arguments_that_nest_too_deep_are_not_lost(index, era):
    index.listed()
    index.upstream = None
    deep = b"[" * 1_100 + b"]" * 1_100
    meta = b',"_meta":%b' % json.dumps(MODERN_META).encode() if era == "modern" else b""
    index.from_client(
        b'{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":"call_tool","arguments":'
        b'{"name":"file_3","arguments":{"path":"important","a":%b}}%b}}' % (deep, meta)
    )
    assert b"important" in index.up[-1]
    assert deep in index.up[-1]


@pytest.mark.parametrize(
    ("through", "given", "says"),
    [
        ("call_tool", {"name": "call_tool", "arguments": {"name": "file_0"}}, "directly"),
        ("call_tool", {"name": "read_result"}, "directly"),
        ("call_tool", {"name": "fil_3"}, "Did you mean"),
        ("call_tool", {"name": "zzz" * 5_000}, "find_tools"),
        ("call_tool", {}, "find_tools"),
        ("call_tool", {"name": 5}, "find_tools"),
        ("call_tool", {"name": "file_3", "arguments": [1]}, "arguments"),
        ("call_tool", {"name": "file_3", "arguments": "not JSON"}, "arguments"),
        ("call_tool", {"name": "file_3", "arguments": '{"path": NaN}'}, "arguments"),
        ("call_tool", {"name": "file_3", "arguments": '{"path": "\ud800"}'}, "arguments"),
        ("call_tool", {"name": "file_3", "arguments": {}, "path": "a"}, "arguments"),
        ("call_read_only_tool", {"name": "file_3", "arguments": {}}, "call_tool"),
    ],
)
@pytest.mark.parametrize("budget", ["25kB", "1kB"])
def test_calls_through_the_index_that_cannot_be(opened, through, given, says, budget):
    rig = opened(400, budget=budget)
    result = rig.call(through, **given)
    assert result["isError"] is True
    assert says in said(result)["next_step"]
    assert not rig.upstream.got("tools/call")


def test_heavy_results_through_the_index_as_directly(index):
    probe = said(index.call("call_tool", name="file_1", arguments={"path": "a"}))
    token = probe["continuation_token"]
    assert probe["count"] == 5_000
    assert index.read(token, mode="sql", query="select count(*) as n from result")
    again = {"continuation_token": token, "mode": "paginated"}
    page = said(index.call("call_tool", name="file_1", arguments=again))
    assert page["total"] == 5_000
    handed = {"path": f"@result:{token}#/0/name"}
    index.call("call_tool", name="file_3", arguments=handed)
    assert index.upstream.got("tools/call")[-1]["arguments"] == {"path": "row 0"}
    assert len(index.upstream.got("tools/call")) == 2, "the first tool ran once"


def test_names_that_upstream_has_taken(opened):
    rig = opened(tools=[*catalogue(400), tool("find_tools"), tool("penstock_find_tools")])
    assert names(rig.listed())[0] == "penstock_penstock_find_tools"
    assert rig.call("find_tools", query="x")["content"] == text("done")["content"]
    assert said(rig.call("penstock_penstock_find_tools", query="file number"))["tools"]


# -- the gate ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["brief", "index"])
def test_a_call_that_fits_runs_at_once(opened, form):
    rig = opened(list_form=form)
    rig.listed()
    assert rig.call("file_0", path="a")["content"] == text("done")["content"]


def test_a_wrong_call_is_taught_once(opened):
    """The first answer grants the tool, so upstream judges the next call."""
    rig = opened(20)
    rig.listed()
    result = rig.call("file_0", where="a")
    error = said(result)["error"]
    assert result["isError"] is True
    assert error["code"] == "TOOL_DESCRIPTION_REQUIRED"
    assert '"path" is a required property' in error["message"]
    assert error["description"]["inputSchema"]["required"] == ["path"]
    assert not rig.upstream.got("tools/call")
    assert rig.call("file_0", where="a")["content"] == text("done")["content"]
    assert rig.upstream.got("tools/call")[-1]["arguments"] == {"where": "a"}


def test_a_strict_gate(opened):
    rig = opened(20, gate="strict")
    rig.listed()
    error = said(rig.call("file_0", path="a"))["error"]
    assert error["code"] == "TOOL_DESCRIPTION_REQUIRED"
    assert error["resource_uri"] == URI + "?tools=file_0"
    assert "describe_tools" in error["instructions"][0]
    assert "description" not in error
    read(rig, error["resource_uri"])
    assert rig.call("file_0", path="a")["content"] == text("done")["content"]
    assert said(rig.call("file_2", path="a"))["error"], "each tool for itself"


def test_a_strict_gate_before_any_list(opened):
    assert said(opened(20, gate="strict").call("file_0", path="a"))["error"]


def test_a_strict_gate_where_no_list_can_be_had(opened):
    rig = opened(20, gate="strict")
    rig.upstream._list = lambda _params: (_ for _ in ()).throw(Fault(-32603, "not now"))
    assert said(rig.call("file_0", path="a"))["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
    assert not rig.upstream.got("tools/call")


def test_a_list_that_has_grown_unsaid_is_gated_all_the_same(opened):
    rig = opened(2, gate="strict")
    rig.listed()
    rig.upstream.tools += catalogue(60)[2:]
    assert "error" in said(rig.call("file_40", path="a"))


def test_a_tool_for_apps_alone_is_not_called_by_anybody_else(opened):
    hidden = tool("hidden", _meta={"ui": {"resourceUri": "ui://x", "visibility": ["app"]}})
    rig = opened(tools=[hidden, *catalogue(20)], gate="strict")
    assert "error" in said(rig.call("hidden"))
    assert not rig.upstream.got("tools/call")


def test_any_other_gate_where_no_list_can_be_had(opened):
    """Upstream may have a tool with the name of one of Penstock's."""
    rig = opened(tools=[tool("my_call_tool")])
    rig.upstream._list = lambda _params: (_ for _ in ()).throw(Fault(-32603, "not now"))
    assert rig.call("my_call_tool", x=1)["content"] == text("done")["content"]


def test_a_parameter_that_is_not_there_does_not_fit(opened):
    """Most schemas admit unknown parameters, but a server would ignore a guessed one."""
    rig = opened(20)
    rig.listed()
    error = said(rig.call("file_0", path="a", line=7))["error"]
    assert "there is no parameter 'line'" in error["message"]
    assert rig.call("file_0", path="a", line=7)["content"] == text("done")["content"]


@pytest.mark.parametrize("budget", ["1kB", "500tok", "1000ch", "25kB"])
@pytest.mark.parametrize("odd", ["\\", "\u2028", '"', "📎", "x"])
def test_arguments_with_odd_names_stay_within_the_budget(opened, odd, budget):
    """The rig weighs every reply."""
    rig = opened(20, budget=budget)
    rig.listed()
    error = said(rig.call("file_0", **{odd * count: 1 for count in (90, 95, 99)}))["error"]
    assert error["code"] == "TOOL_DESCRIPTION_REQUIRED"


def test_a_read_only_tool_is_not_led_through_the_other(opened):
    rig = opened(400)
    for name, through in (("file_2", "call_read_only_tool"), ("file_3", "call_tool")):
        told = said(rig.call("call_tool", name=name, arguments={"x": 1}))["error"]["instructions"]
        assert told[-1].startswith(f"Call the tool again through {through},")


def test_a_description_is_of_the_list_as_it_is_now(opened, era):
    """A list that has expired is asked for again."""
    rig = opened(20)
    rig.upstream.listed = {"ttlMs": 1_000, "cacheScope": "public"}
    rig.listed()
    rig.clock.now += 100
    rig.upstream.tools[0]["description"] = "New words."
    told = said(rig.call("describe_tools", tools=["file_0"]))["file_0"]
    assert (told["description"] == "New words.") == (era == "modern" or "ttlMs" in rig.listed())


def test_a_flat_argument_of_the_grants_name_is_the_tools_own(open_rig):
    own = tool("granting", {"a": {}, "tool_grant": {"type": "string"}}, description=WORDS * 9)
    upstream = Upstream("modern", tools=[own, *catalogue(400)], results={"granting": text("done")})
    rig = open_rig(upstream, gate="off")
    rig.call("call_tool", name="granting", a=1, tool_grant="mine")
    assert upstream.got("tools/call")[-1]["arguments"] == {"a": 1, "tool_grant": "mine"}


def test_a_store_that_is_down_does_not_stop_a_call(opened, monkeypatch):
    def fails(*_arguments, **_keywords):
        raise StoreError("it is down")

    rig = opened(20, gate="strict")
    rig.listed()
    for name in ("load", "put"):
        monkeypatch.setattr(rig.store, name, fails)
    assert "file_0" in said(rig.call("describe_tools", tools=["file_0"]))
    assert rig.call("file_0", path="a")["content"] == text("done")["content"]


def test_no_gate(opened):
    rig = opened(20, gate="off")
    rig.listed()
    assert rig.call("file_0", where="a")["content"] == text("done")["content"]


@pytest.mark.parametrize("gate", ["teach", "strict"])
def test_penstocks_own_tools_are_never_gated(opened, gate):
    rig = opened(400, gate=gate)
    rig.listed()
    assert "tools" in said(rig.call("find_tools", query="file"))
    unknown = "pen_x"
    told = said(rig.call("read_result", continuation_token=unknown))
    assert "expired or not found" in told["error"]


def test_a_reference_is_checked_by_what_it_stands_for(opened):
    rig = opened(20)
    rig.listed()
    token = said(rig.call("file_1", path="a"))["continuation_token"]
    rig.call("file_0", path=f"@result:{token}#/0/name", lines=f"@result:{token}#/7/id")
    assert rig.upstream.got("tools/call")[-1]["arguments"] == {"path": "row 0", "lines": 7}
    assert said(rig.call("file_0", lines=f"@result:{token}#/7/id"))["error"]["code"]


def test_a_strict_gate_stands_before_references(opened):
    """An error about a reference would reveal the tool's parameters."""
    rig = opened(20, gate="strict")
    rig.call("describe_tools", tools=["file_1"])
    token = said(rig.call("file_1", path="a"))["continuation_token"]
    error = said(rig.call("file_0", lines=f"@result:{token}#/0/name"))["error"]
    assert error["code"] == "TOOL_DESCRIPTION_REQUIRED"


def test_a_grant_of_another_session(open_rig):
    """A grant belongs to the legacy session, even if another has the same store and principal."""
    upstream = Upstream("legacy", tools=catalogue(20), results={"file_0": text("done")})
    one = open_rig(upstream, gate="strict", list_form="brief", legacy_session="one")
    other = open_rig(
        upstream, gate="strict", list_form="brief", legacy_session="other", store=one.store
    )
    one.call("describe_tools", tools=["file_0"])
    assert "error" in said(other.call("file_0", path="a"))
    assert one.call("file_0", path="a")["content"] == text("done")["content"]


def test_workers_agree(open_rig, era):
    """The store holds the grant, so another process with the same session or principal knows it."""
    upstream = Upstream(era, tools=catalogue(20), results={"file_0": text("done")})
    one = open_rig(upstream, gate="strict", list_form="brief", legacy_session="same")
    other = open_rig(
        upstream, gate="strict", list_form="brief", legacy_session="same", store=one.store
    )
    one.call("describe_tools", tools=["file_0"])
    assert other.call("file_0", path="a")["content"] == text("done")["content"]


def test_an_idle_grant_ends(opened):
    rig = opened(20, gate="strict", list_form="brief")
    rig.call("describe_tools", tools=["file_0"])
    rig.clock.now += 3_599
    assert rig.call("file_0", path="a")["content"] == text("done")["content"]
    rig.clock.now += 3_601
    assert "error" in said(rig.call("file_0", path="a"))


# -- unknown agents ----------------------------------------------------------------------------


@pytest.fixture
def stranger(open_rig):
    upstream = Upstream("modern", tools=catalogue(20))
    upstream.results = {entry["name"]: text("done") for entry in upstream.tools}
    return open_rig(upstream, principal="", legacy_session="", gate="strict", list_form="brief")


def test_a_handle_stands_for_its_holder(stranger):
    handle = said(stranger.call("describe_tools", tools=["file_0"]))["$tool_grant"]
    assert "error" in said(stranger.call("file_0", path="a"))
    assert (
        stranger.call("file_0", path="a", tool_grant=handle)["content"] == text("done")["content"]
    )
    assert stranger.upstream.got("tools/call")[-1]["arguments"] == {"path": "a"}
    assert "error" in said(stranger.call("file_0", path="a", tool_grant="pgr_guess"))


def test_a_handle_can_hold_several(stranger):
    handle = read(stranger, URI + "?tools=file_0")["$tool_grant"]
    told = said(stranger.call("describe_tools", tools=["file_2"], tool_grant=handle))
    assert told["$tool_grant"] == handle
    for name in ("file_0", "file_2"):
        result = stranger.call(name, path="a", tool_grant=handle)
        assert result["content"] == text("done")["content"]


def test_a_handle_through_the_index(open_rig):
    upstream = Upstream("modern", tools=catalogue(400), results={"file_3": text("done")})
    rig = open_rig(upstream, principal="", legacy_session="", gate="strict")
    handle = said(rig.call("describe_tools", tools=["file_3"]))["$tool_grant"]
    for given in ({"path": "a", "tool_grant": handle}, {"path": "a"}):
        beside = {} if "tool_grant" in given else {"tool_grant": handle}
        result = rig.call("call_tool", name="file_3", arguments=given, **beside)
        assert result["content"] == text("done")["content"]
        assert upstream.got("tools/call")[-1]["arguments"] == {"path": "a"}


def test_a_tool_with_a_parameter_of_that_name_keeps_it(open_rig):
    own = tool("granting", {"tool_grant": {"type": "string"}}, description=WORDS * 40)
    upstream = Upstream("modern", tools=[own, *catalogue(20)], results={"granting": text("done")})
    rig = open_rig(upstream, principal="", legacy_session="")
    rig.listed()
    rig.call("granting", tool_grant="pgr_theirs")
    assert upstream.got("tools/call")[-1]["arguments"] == {"tool_grant": "pgr_theirs"}


# -- a folder of descriptions ------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    def write(name, **members):
        (tmp_path / f"{name}.json").write_text(json.dumps({"name": name, **members}), "utf-8")

    write("file_0", description="Fetches. " + WORDS, examples=[{"input": {"path": "a"}}])
    return tmp_path, write


def test_descriptions_laid_over_upstreams(opened, folder, caplog):
    path, write = folder
    write("nobody", description="Is not there.")
    rig = opened(20, descriptions=str(path))
    assert rig.listed()["tools"][0]["description"].startswith("Fetches.")
    told = said(rig.call("describe_tools", tools=["file_0"]))["file_0"]
    assert told["examples"] == [{"input": {"path": "a"}}]
    assert "nobody" in caplog.text
    assert "error" in said(rig.call("describe_tools", tools=["nobody"]))["nobody"]


def test_changed_files_are_noticed(opened, folder):
    path, write = folder
    rig = opened(20, descriptions=str(path))
    rig.listed()
    write("file_0", description="Brings it. " + WORDS)
    write("file_1", description="New words.")
    listed = rig.listed()["tools"]
    assert listed[0]["description"].startswith("Brings it.")
    assert listed[1]["description"] == "New words."
    (path / "file_1.json").unlink()
    assert rig.listed()["tools"][1]["description"].startswith("Reads file number 1.")


def test_descriptions_in_a_list_that_is_full(opened, folder):
    rig = opened(2, descriptions=str(folder[0]), list_form="full")
    listed = rig.listed()["tools"]
    assert listed[0]["description"].startswith("Fetches.")
    assert listed[0]["inputSchema"] == rig.upstream.tools[0]["inputSchema"]
    assert listed[1] == rig.upstream.tools[1]


def test_the_whole_description_on_demand(opened):
    """The compact one leaves out the output schema; the tool and the resource give it on demand."""
    rig = opened(tools=catalogue(20, outputSchema={"type": "object"}), list_form="brief")
    rig.listed()
    name = rig.upstream.tools[0]["name"]
    assert "outputSchema" not in said(rig.call("describe_tools", tools=[name]))[name]
    assert "outputSchema" in said(rig.call("describe_tools", tools=[name], whole=True))[name]
    uri = f"resource:///tool_descriptions?tools={name}"
    assert "outputSchema" not in read(rig, uri)[name]
    assert "outputSchema" in read(rig, f"{uri}&whole=true")[name]
