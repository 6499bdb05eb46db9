"""Messages that have another form in the client's era than in the server's."""

import pytest
from scripted_servers import META, VERSION, Bench, ScriptedServer, tool

from penstock.hub.remembered import Remembered

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


def next_run(bench):
    """Return the next run with the same servers, for a modern client."""
    again = Bench(Remembered.read(bench.remembered.encoded()), **bench.servers)
    for server in again.servers.values():
        server.received.clear()
    again.ask_modern("tools/list")
    return again


def test_a_server_that_a_legacy_client_has_started_speaks_to_a_modern_one_in_its_era():
    bench = Bench(both=ScriptedServer("x", era="both"), other=ScriptedServer("y"))
    bench.greet()
    bench.names()
    again = next_run(bench)
    again.ask_modern("tools/call", name="x")
    assert not again.servers["both"].got("initialize")
    assert VERSION in again.servers["both"].got("tools/call")[0]["params"]["_meta"]


def test_a_server_that_has_refused_an_era_is_not_asked_for_it_again():
    bench = Bench(old=ScriptedServer("x"), other=ScriptedServer("y"))
    bench.ask_modern("tools/list")
    assert bench.servers["old"].got("server/discover")
    again = next_run(bench)
    again.ask_modern("tools/call", name="x")
    assert not again.servers["old"].got("server/discover")


def test_a_server_that_was_slow_to_start_is_asked_for_its_era_again():
    bench = Bench(slow=ScriptedServer("x", era="both"), other=ScriptedServer("y"))
    bench.servers["slow"].is_silent.add("server/discover")
    bench.begin("tools/list", _meta=META)
    bench.wait(6)
    assert bench.servers["slow"].got("initialize")
    bench.servers["slow"].is_silent.clear()
    again = next_run(bench)
    again.ask_modern("tools/call", name="x")
    assert not again.servers["slow"].got("initialize")


def test_a_server_of_one_era_may_start_later_than_it_is_asked_for_it():
    bench = Bench(new=ScriptedServer("x", era="modern"), other=ScriptedServer("y"))
    bench.stuck.add("new")
    key = bench.begin("tools/list", _meta=META)
    bench.wait(40)  # it gets server/discover and initialize, and then starts
    bench.release("new")
    assert bench.started.count("new") == 1
    assert bench.ask_modern("tools/call", name="x")["resultType"] == "complete"
    assert bench.answer(key)


def test_what_a_server_can_do_depends_on_the_era_of_its_own_client():
    """The clients of one `serve` share what is known of the servers."""
    shared = Remembered()
    old = Bench(shared, a=ScriptedServer("x"), b=ScriptedServer("y"))
    old.greet()
    old.names()
    quiet = ScriptedServer("x", era="modern", able_to_log=False)
    Bench(shared, a=quiet, b=ScriptedServer("y")).ask_modern("tools/call", name="x")
    assert quiet.got("server/discover")
    old.ask("logging/setLevel", level="debug")
    assert old.servers["a"].got("logging/setLevel")


def test_a_server_that_another_client_has_just_greeted_is_listed():
    shared = Remembered()
    servers = {"a": ScriptedServer("x"), "b": ScriptedServer("y")}
    first, second = Bench(shared, **servers), Bench(shared, **servers)
    second.stuck.add("b")
    first.greet()
    first.stuck.add("b")
    second.greet()
    key = second.begin("tools/list")
    second.release("b")
    assert [one["name"] for one in second.answer(key)["result"]["tools"]] == ["x", "y"]


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
