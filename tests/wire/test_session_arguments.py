"""Arguments of calls: tools with parameters named like Penstock's, and references to results."""

import json

import pytest
from relay_rig import table, value_of
from relay_upstream import Upstream, text, tool

TEXT = {"type": "string"}
THEIRS = "a cursor of upstream's"


# -- tools with parameters of the same names ---------------------------------------------------


@pytest.fixture
def rig(open_rig, era):
    """`search` declares a token, `find` a query and a path, `open` no parameters."""
    tools = [
        tool("search", {"continuation_token": TEXT, "mode": TEXT, "page": {"type": "integer"}}),
        tool("find", {"query": TEXT, "path": TEXT, "mode": TEXT, "filter_keys": {"type": "array"}}),
        tool("open"),
    ]
    results = dict.fromkeys(("search", "find", "open"), text(table()))
    rig = open_rig(Upstream(era, tools=tools, results=results))
    rig.listed()
    return rig


OWN_ARGUMENTS = {
    "search": {"continuation_token": THEIRS, "mode": "fuzzy", "page": 3},
    "find": {"query": "SELECT", "path": "/etc", "mode": "deep", "filter_keys": ["a"]},
    "open": {"continuation_token": THEIRS, "query": "q", "page": 2},
}


@pytest.mark.parametrize("name", OWN_ARGUMENTS)
def test_the_first_call_is_unchanged_on_the_wire(rig, name):
    params = {"name": name, "arguments": OWN_ARGUMENTS[name]}
    line = json.dumps(rig.request("tools/call", params, id=90), indent=None).encode()
    rig.from_client(line)
    assert rig.up[-1] == line


@pytest.mark.parametrize("name", OWN_ARGUMENTS)
def test_its_result_is_read_through_the_reader(rig, name):
    token = rig.probe(name, **OWN_ARGUMENTS[name])["continuation_token"]
    assert rig.rows(token) == table()
    n = rig.read(token, mode="sql", query="SELECT count(*) AS n FROM result")["items"]
    assert n == [{"n": len(table())}]


@pytest.mark.parametrize("name", ["find", "open"])
def test_a_token_of_ours_given_to_the_tool_itself(rig, name):
    """With our token, all seven fields are Penstock's, whatever names the tool's own have."""
    token = rig.probe(name, **OWN_ARGUMENTS[name])["continuation_token"]
    before = len(rig.up)
    result = rig.call(name, continuation_token=token, mode="full", path="/5/id")
    assert value_of(result) == 5
    assert len(rig.up) == before


def test_a_tool_with_a_token_of_its_own_is_left_alone(rig):
    """The schema decides, even if the token looks like one of Penstock's."""
    token = rig.probe("search", continuation_token=THEIRS)["continuation_token"]
    rig.call("search", continuation_token=token)
    assert rig.upstream.got("tools/call")[-1]["arguments"] == {"continuation_token": token}


def test_a_token_of_a_tool_that_was_never_told_of(rig):
    """`find` declares its parameters, and no token among them: the token can only be Penstock's."""
    result = rig.call("find", continuation_token=THEIRS)
    assert result["isError"]
    assert "expired or not found" in value_of(result)["error"]


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_token_is_none(rig, empty):
    rig.call("find", continuation_token=empty, query="x")
    arguments = rig.upstream.got("tools/call")[-1]["arguments"]
    assert arguments == {"continuation_token": empty, "query": "x"}


def test_arguments_that_differ_from_the_first_call(rig):
    token = rig.probe("open", city="Lyon")["continuation_token"]
    assert value_of(rig.call("open", continuation_token=token, city="Lyon"))["total"] == 1_000
    refused = rig.call("open", continuation_token=token, city="Paris")
    assert refused["isError"]
    assert "city" in value_of(refused)["error"]


def test_a_token_of_another_tool(rig):
    token = rig.probe("open")["continuation_token"]
    assert rig.call("find", continuation_token=token)["isError"]


def test_a_token_spelled_with_escapes(rig):
    """The text of the arguments counts, not its spelling in JSON."""
    token = rig.probe("open")["continuation_token"]
    line = json.dumps(
        rig.request("tools/call", {"name": "open", "arguments": {"KEY": token}}, id=90)
    ).replace('"KEY"', '"continuation\\u005ftoken"')
    before = len(rig.up)
    (answer,) = rig.from_client(line.encode())
    assert value_of(json.loads(answer)["result"])["total"] == 1_000
    assert len(rig.up) == before


# -- references --------------------------------------------------------------------------------

PARAMETERS = {
    "any": {},
    "rows": {"type": "array"},
    "text": TEXT,
    "number": {"type": "number"},
    "object": {"type": "object", "properties": {"inner": {"type": ["string", "null"]}}},
    "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    "many": {"type": "array", "items": {"type": "array"}},
}


@pytest.fixture
def taking(open_rig, era):
    tools = [tool("rows"), tool("take", PARAMETERS)]
    results = {"rows": text(table()), "take": text("taken")}
    rig = open_rig(Upstream(era, tools=tools, results=results))
    rig.token = rig.probe("rows")["continuation_token"]
    return rig


def handed(rig, **arguments):
    """Return the value that the tool got."""
    assert rig.call("take", **arguments)["content"][:1] == text("taken")["content"]
    return rig.upstream.got("tools/call")[-1]["arguments"]


def test_native_where_the_schema_admits_its_type(taking):
    reference = f"@result:{taking.token}"
    given = handed(taking, any=reference, rows=reference, many=[reference, reference])
    assert given == {"any": table(), "rows": table(), "many": [table(), table()]}


def test_the_reply_says_what_was_handed_on(taking):
    taken, told = taking.call("take", rows=f"@result:{taking.token}")["content"]
    assert [taken] == text("taken")["content"]
    size = len(json.dumps(table(), separators=(",", ":"), ensure_ascii=False).encode())
    assert told["text"] == f"Handed on: {size:,} bytes, {len(table()):,} rows."
    assert len(taking.call("take", any="nothing stored")["content"]) == 1


def test_json_text_where_it_admits_a_string(taking):
    reference = f"@result:{taking.token}"
    given = handed(taking, text=reference, either=reference, object={"inner": reference})
    assert json.loads(given["text"]) == table()
    assert json.loads(given["either"]) == table()
    assert json.loads(given["object"]["inner"]) == table()


def test_a_part_of_it(taking):
    given = handed(
        taking, number=f"@result:{taking.token}#/5/id", either=f"@result:{taking.token}#/7/id"
    )
    assert given == {"number": 5, "either": 7}


def test_a_type_that_the_schema_refuses(taking):
    """The tool does not run."""
    before = len(taking.upstream.got("tools/call"))
    result = taking.call("take", number=f"@result:{taking.token}")
    assert result["isError"]
    assert "number" in value_of(result)["error"]
    assert len(taking.upstream.got("tools/call")) == before


@pytest.mark.parametrize(
    "reference",
    [
        "@result:",
        "@result:pen_x",
        "@result:pen_" + "1" * 39,
        "@result:{token}#/nowhere",
        "@result:{token}x",
    ],
)
def test_a_reference_that_leads_nowhere(taking, reference):
    """Penstock refuses the call, and the tool does not run."""
    before = len(taking.upstream.got("tools/call"))
    result = taking.call("take", any=reference.format(token=taking.token))
    assert result["isError"]
    assert set(value_of(result)) == {"error", "next_step"}
    assert len(taking.upstream.got("tools/call")) == before


def test_what_only_looks_like_a_reference(taking):
    for value in ("see @result:pen_x", " @result:pen_x", "@RESULT:pen_x", "@results"):
        assert handed(taking, any=value) == {"any": value}


def test_the_rest_of_the_request_stays_as_it_was_spelled(taking):
    meta = ', "_meta": ' + json.dumps(taking.request("x")["params"].get("_meta", {}))
    line = (
        '{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{"vendor": [1.0],"name":"take",'
        '"arguments":{"a":1.50,"b":"\\u00e9","n":123456789012345678901234567890,'
        f'"any":"@result:{taking.token}#/0/id"' + "}" + meta + "}}"
    )
    taking.from_client(line.encode())
    sent = taking.up[-1].decode()
    assert '"vendor":[1.0]' in sent
    assert '"a":1.50,"b":"\\u00e9","n":123456789012345678901234567890,"any":0}' in sent
    assert '"id":90' in sent


def test_exact_values_are_handed_on(open_rig):
    rig = open_rig(Upstream(tools=[tool("rows"), tool("take")]))
    rig.listed()
    upstream, rig.upstream = rig.upstream, None
    rig.from_client(b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"rows"}}')
    row = b'{"n":123456789012345678901234567890.10,"e":1E+400,"s":"\\ud800"}'
    rows = b"[" + b",".join([row] * 600) + b"]"
    answer = b'{"jsonrpc":"2.0","id":9,"result":{"content":[],"structuredContent":{"result":%b}}}'
    (answered,) = rig.from_upstream(answer % rows)
    token = value_of(json.loads(answered)["result"])["continuation_token"]
    rig.from_client(
        rig.request("tools/call", {"name": "take", "arguments": {"a": f"@result:{token}"}})
    )
    assert b'"arguments":{"a":' + rows + b"}" in rig.up[-1]
    rig.upstream = upstream


def test_a_tool_with_a_token_of_its_own_can_be_handed_a_result(open_rig, era):
    tools = [tool("rows"), tool("take", {"continuation_token": TEXT, "what": {}})]
    results = {"rows": text(table()), "take": text("taken")}
    rig = open_rig(Upstream(era, tools=tools, results=results))
    rig.token = rig.probe("rows")["continuation_token"]
    given = handed(rig, continuation_token=THEIRS, what=f"@result:{rig.token}")
    assert given == {"continuation_token": THEIRS, "what": table()}
    given = handed(rig, continuation_token=f"@result:{rig.token}", what=1)
    assert given["what"] == 1


def test_a_result_and_a_token_that_may_be_upstreams(open_rig, era):
    """A tool that declares no parameters may have one of this name: the token goes up unchanged."""
    rig = open_rig(Upstream(era, results={"rows": text(table()), "take": text("taken")}))
    rig.token = rig.probe("rows")["continuation_token"]
    given = handed(rig, continuation_token=THEIRS, what=f"@result:{rig.token}#/0/id")
    assert given == {"continuation_token": THEIRS, "what": 0}


def test_a_parameter_that_is_sent_as_a_header(open_rig, era):
    """Headers reach logs, so a stored result cannot be sent there."""
    deep = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "R" * 9}}}
    long = "n" * 900
    tools = [
        tool("rows"),
        tool("take", {"tenant": {**TEXT, "x-mcp-header": "Tenant"}, "at": deep, "what": {},
                      long: {**TEXT, "x-mcp-header": "Long"}}),
    ]  # fmt: skip
    results = {"rows": text(table()), "take": text("taken")}
    rig = open_rig(Upstream(era, tools=tools, results=results), budget="1kB")
    rig.token = rig.probe("rows")["continuation_token"]
    reference = f"@result:{rig.token}#/0/city"
    before = len(rig.upstream.got("tools/call"))
    for arguments in ({"tenant": reference}, {"at": {"region": reference}}, {long: reference}):
        result = rig.call("take", **arguments)
        assert result["isError"]
        assert "header" in value_of(result)["error"]
    assert len(rig.upstream.got("tools/call")) == before
    given = handed(rig, tenant="acme", what=f"@result:{rig.token}#/0/id")
    assert given == {"tenant": "acme", "what": 0}


def test_what_a_tool_gives_for_a_result_handed_to_it_is_its_own(taking):
    """The stored call has the reference as its argument, not the ten megabytes."""
    taking.upstream.results["take"] = text(table(2_000))
    arguments = {"any": f"@result:{taking.token}"}
    token = taking.probe("take", **arguments)["continuation_token"]
    assert value_of(taking.call("take", continuation_token=token, **arguments))["total"] == 2_000


def test_answers_can_be_handed_on_too(taking):
    answer = taking.read(taking.token, mode="sql", query="SELECT id FROM result WHERE id < 3")
    given = handed(taking, rows=f"@result:{answer['continuation_token']}")
    assert given == {"rows": [{"id": 0}, {"id": 1}, {"id": 2}]}
