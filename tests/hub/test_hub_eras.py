"""Messages that have another form in the client's era than in the server's."""

import pytest
from scripted_servers import META, Bench, ScriptedServer, tool

LEVEL = "io.modelcontextprotocol/logLevel"
ROWS = {"type": "array", "items": {"type": "object"}}
TABLE = {"type": "object", "properties": {"rows": ROWS}}


FUTURE = {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}


def wanting(level):
    return {**META, LEVEL: level}


def log(level, data):
    params = {"level": level, "data": data}
    return {"jsonrpc": "2.0", "method": "notifications/message", "params": params}


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_legacy_client_gets_no_schema_for_which_it_would_refuse_the_list(era):
    new = ScriptedServer(era="modern")
    new.lists["tools"] = [tool("rows", outputSchema=ROWS), tool("table", outputSchema=TABLE)]
    bench = Bench(new=new)
    if era == "legacy":
        bench.greet()
    ask = bench.ask_modern if era == "modern" else bench.ask
    rows, table = ask("tools/list")["tools"]
    assert rows.get("outputSchema") == (ROWS if era == "modern" else None)
    assert table["outputSchema"] == TABLE


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("value", [[1, 2], "text", None, {"rows": []}])
def test_a_legacy_client_gets_structured_content_as_an_object(era, value):
    new = ScriptedServer("rows", era="modern")
    result = {"resultType": "complete", "content": [], "structuredContent": value}
    new.answers["tools/call"] = lambda _: {"result": result}
    bench = Bench(new=new)
    if era == "legacy":
        bench.greet()
    ask = bench.ask_modern if era == "modern" else bench.ask
    found = ask("tools/call", name="rows")["structuredContent"]
    assert found == (value if era == "modern" or isinstance(value, dict) else {"result": value})


def test_a_legacy_server_logs_at_the_level_that_a_modern_client_asks_for():
    bench = Bench(old=ScriptedServer("x"), other=ScriptedServer("y"))
    bench.ask("tools/list", _meta=wanting("warning"))
    old = bench.servers["old"]
    for _ in range(2):
        bench.ask("tools/call", name="x", _meta=wanting("debug"))
    levels = [message["params"]["level"] for message in old.got("logging/setLevel")]
    assert levels == ["warning", "debug"]


@pytest.mark.parametrize(("level", "heard"), [("error", True), ("warning", True), ("info", False)])
def test_a_modern_client_hears_no_log_below_its_level(level, heard):
    bench = Bench(old=ScriptedServer("x"))
    bench.ask("tools/list", _meta=wanting("warning"))
    bench.from_server("old", log(level, "hm"))
    assert bool(bench.told("notifications/message")) == heard


def test_an_unknown_log_level_is_refused():
    bench = Bench(new=ScriptedServer("x", era="modern"), other=ScriptedServer("y", era="modern"))
    bench.greet()
    assert bench.ask("logging/setLevel", level="loud")["code"] == -32602
    bench.ask("tools/call", name="x")
    (call,) = bench.servers["new"].got("tools/call")
    assert LEVEL not in call["params"]["_meta"]


def test_a_request_that_no_server_can_judge_is_judged_here():
    bench = Bench(old=ScriptedServer("x"))
    bench.ask_modern("tools/list")
    assert bench.ask("tools/call", name="x", _meta=FUTURE)["code"] == -32022
    assert not bench.servers["old"].got("tools/call")
