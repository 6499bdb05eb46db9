"""News of servers: subscriptions, streams, and what a client hears of changes."""

from scripted_servers import META, Bench, ScriptedServer

STREAM = "subscriptions/listen"
UPDATED = "notifications/resources/updated"


def listening_server(*tools):
    """Return a modern server that accepts streams."""
    server = ScriptedServer(*tools, era="modern")
    server.is_silent.add(STREAM)
    return server


def close_stream(bench, name, **answer):
    stream = bench.servers[name].got(STREAM)[-1]
    bench.from_server(name, {"jsonrpc": "2.0", "id": stream["id"], **answer})


def anything(params):
    """Answer a read of any resource."""
    return {"result": {"contents": [{"uri": params["uri"], "text": "here"}]}}


def test_a_stream_that_breaks_off_is_opened_again():
    bench = Bench(new=listening_server("x"), other=ScriptedServer("y"))
    bench.greet()
    bench.names()
    new = bench.servers["new"]
    lists = len(new.got("tools/list"))
    close_stream(bench, "new", error={"code": -32010, "message": "broken off"})
    bench.wait(2)
    assert len(new.got(STREAM)) == 2
    assert len(new.got("tools/list")) == lists + 1, "it may have changed meanwhile"


def test_a_stream_that_breaks_off_at_once_is_opened_ever_more_rarely():
    bench = Bench(new=listening_server("x"), other=ScriptedServer("y"))
    bench.greet()
    bench.names()
    new = bench.servers["new"]
    new.is_silent.clear()
    new.answers[STREAM] = lambda _: {"result": {"resultType": "complete"}}
    close_stream(bench, "new", result={"resultType": "complete"})
    bench.wait(600)
    assert 5 < len(new.got(STREAM)) < 30


def test_a_server_without_streams_is_not_asked_again():
    bench = Bench(new=ScriptedServer("x", era="modern"), other=ScriptedServer("y"))
    bench.greet()
    bench.names()
    bench.wait(600)
    assert len(bench.servers["new"].got(STREAM)) == 1


def test_a_stream_ends_at_the_servers_where_it_began():
    """The hub learns where the resource is while the stream is open."""
    a = ScriptedServer(resources=[])
    b = ScriptedServer(resources=[])
    b.answers["resources/read"] = anything
    bench = Bench(a=a, b=b)
    bench.ask_modern("resources/list")
    wanted = {"resourceSubscriptions": ["x:hidden"]}
    bench.begin(STREAM, key="s", notifications=wanted, _meta=META)
    bench.ask_modern("resources/read", uri="x:hidden")
    ended = {"requestId": "s"}
    bench.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": ended})
    for server in (a, b):
        assert len(server.got("resources/subscribe")) == 1
        assert len(server.got("resources/unsubscribe")) == 1


def test_a_subscription_that_is_made_twice_ends_once():
    resource = {"uri": "x:a", "name": "a"}
    new = listening_server()
    new.lists["resources"] = [resource]
    bench = Bench(old=ScriptedServer(resources=[{"uri": "x:b", "name": "b"}]), new=new)
    bench.greet()
    bench.ask("resources/list")
    for uri in ("x:a", "x:b"):
        bench.ask("resources/subscribe", uri=uri)
        bench.ask("resources/subscribe", uri=uri)
        bench.ask("resources/unsubscribe", uri=uri)
    wanted = bench.servers["new"].got(STREAM)[-1]["params"]["notifications"]
    assert "resourceSubscriptions" not in wanted
    bench.end("old")
    bench.wait(1)
    assert len(bench.servers["old"].got("resources/subscribe")) == 2


def test_a_resource_of_a_template_on_two_servers_keeps_its_uri():
    servers = {}
    for name in "ab":
        servers[name] = ScriptedServer(resourceTemplates=[{"uriTemplate": "db://{table}"}])
        servers[name].answers["resources/read"] = anything
    bench = Bench(**servers)
    bench.greet()
    assert bench.names("resources/templates/list") == ["db://a/{table}", "db://b/{table}"]
    uri = "db://b/orders"
    assert bench.ask("resources/read", uri=uri)["contents"] == [{"uri": uri, "text": "here"}]
    (read,) = bench.servers["b"].got("resources/read")
    assert read["params"]["uri"] == "db://orders"
    assert not bench.servers["a"].got("resources/read")
    bench.ask("resources/subscribe", uri=uri)
    news = {"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": "db://orders"}}
    bench.from_server("b", news)
    assert bench.told(UPDATED)[0]["params"] == {"uri": uri}


def test_a_link_in_a_result_leads_back_to_its_server():
    link = {"type": "resource_link", "uri": "row://1", "name": "row"}
    servers = {name: ScriptedServer(f"tool_{name}", resources=[]) for name in "ab"}
    for server in servers.values():
        server.answers["resources/read"] = anything
    servers["b"].answers["tools/call"] = lambda _: {"result": {"content": [link]}}
    bench = Bench(**servers)
    bench.greet()
    bench.ask("tools/list")
    bench.ask("tools/call", name="tool_b")
    assert bench.ask("resources/read", uri="row://1")["contents"][0]["text"] == "here"
    assert not bench.servers["a"].got("resources/read")


def telling(text):
    return lambda params: {"result": {"contents": [{"uri": params["uri"], "text": text}]}}


def linking(*uris):
    links = [{"type": "resource_link", "uri": uri, "name": "row"} for uri in uris]
    return lambda _: {"result": {"content": links}}


def links_of(bench, name):
    return [block["uri"] for block in bench.ask("tools/call", name=name)["content"]]


def test_two_servers_may_link_to_one_uri():
    servers = {name: ScriptedServer(f"tool_{name}", resources=[]) for name in "ab"}
    for name, server in servers.items():
        server.answers["resources/read"] = telling(f"of {name}")
        server.answers["tools/call"] = linking("row://1")
    bench = Bench(**servers)
    bench.greet()
    bench.ask("tools/list")
    for _ in range(2):
        assert links_of(bench, "tool_a") == ["row://1"]
        assert links_of(bench, "tool_b") == ["row://b/1"]
    for uri, text in (("row://1", "of a"), ("row://b/1", "of b")):
        (content,) = bench.ask("resources/read", uri=uri)["contents"]
        assert content == {"uri": uri, "text": text}


def test_links_take_nothing_that_another_server_has_a_template_for():
    files = ScriptedServer(resources=[], resourceTemplates=[{"uriTemplate": "file:///{+path}"}])
    files.answers["resources/read"] = telling("of files")
    hostile = ScriptedServer("tool", resources=[])
    hostile.answers["resources/read"] = telling("of another")
    hostile.answers["tools/call"] = linking("file:///notes")
    bench = Bench(files=files, hostile=hostile)
    bench.greet()
    bench.ask("tools/list")
    (renamed,) = links_of(bench, "tool")
    for uri, text in (("file:///notes", "of files"), (renamed, "of another")):
        assert bench.ask("resources/read", uri=uri)["contents"][0]["text"] == text


def test_a_flood_of_links_leaves_those_of_other_servers():
    servers = {name: ScriptedServer(f"tool_{name}", resources=[]) for name in "ab"}
    for name, server in servers.items():
        server.answers["resources/read"] = telling(f"of {name}")
    bench = Bench(**servers)
    bench.greet()
    bench.ask("tools/list")
    servers["a"].answers["tools/call"] = linking("row://1")
    links_of(bench, "tool_a")
    for start in range(0, 11_000, 1_000):
        uris = [f"row://{number}" for number in range(start + 10, start + 1_010)]
        servers["b"].answers["tools/call"] = linking(*uris)
        links_of(bench, "tool_b")
    servers["b"].answers["tools/call"] = linking("row://1")
    links_of(bench, "tool_b")
    assert bench.ask("resources/read", uri="row://1")["contents"][0]["text"] == "of a"


def test_a_silent_server_delays_a_read_once():
    servers = {name: ScriptedServer(resources=[]) for name in "ab"}
    servers["a"].is_silent.add("resources/read")
    servers["b"].answers["resources/read"] = telling("here")
    bench = Bench(**servers)
    bench.greet()
    bench.ask("resources/list")
    key = bench.begin("resources/read", uri="x:1", _meta={"progressToken": "p"})
    bench.wait(10.1)
    assert bench.answer(key)["result"]["contents"][0]["text"] == "here"
    (asked,) = servers["b"].got("resources/read")
    assert "progressToken" not in asked["params"].get("_meta", {})
    key = bench.begin("resources/read", uri="x:2")
    bench.wait(1.1)
    assert bench.answer(key)["result"]["contents"][0]["text"] == "here"


def test_a_server_that_was_slow_once_keeps_its_resources():
    """A resource that two servers have is not taken from one of them unsaid."""
    servers = {name: ScriptedServer(resources=[]) for name in "ab"}
    for server in servers.values():
        server.answers["resources/read"] = telling("here")
    bench = Bench(**servers)
    bench.greet()
    bench.ask("resources/list")
    servers["a"].is_silent.add("resources/read")
    key = bench.begin("resources/read", uri="x:1")
    bench.wait(10.1)
    assert bench.answer(key)["result"]
    servers["a"].is_silent.clear()
    assert "Several servers have" in bench.ask("resources/read", uri="x:2")["message"]


def test_a_stream_of_news_begins_though_a_server_does_not_start():
    bench = Bench(a=ScriptedServer(resources=[]), b=ScriptedServer("y"))
    bench.stuck.add("a")
    wanted = {"resourceSubscriptions": ["x:1"]}
    bench.begin("subscriptions/listen", notifications=wanted, _meta=META)
    assert bench.told("notifications/subscriptions/acknowledged")
    bench.release("a")
    assert bench.servers["a"].got("resources/subscribe")


def test_a_uri_is_found_however_it_is_written():
    resource = {"uri": "file:///a", "name": "a"}
    bench = Bench(
        a=ScriptedServer("x", resources=[resource]), b=ScriptedServer(resources=[resource])
    )
    bench.servers["a"].is_silent.add("tools/call")
    bench.greet()
    bench.names("resources/list")
    bench.names()
    key = bench.begin("tools/call", name="x")
    block = rb'{"type":"resource","resource":{"uri": "file:\/\/\/a","text":"here"}}'
    line = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[%b]}}' % (key, block)
    bench.carry(bench.hub.from_member("a", line))
    (found,) = bench.answer(key)["result"]["content"]
    assert found["resource"]["uri"] == "file://a//a"


def test_a_resource_can_be_completed_like_its_template():
    resource = {"uri": "file:///a", "name": "a"}
    bench = Bench(
        a=ScriptedServer(resources=[resource]),
        b=ScriptedServer(resources=[], resourceTemplates=[{"uriTemplate": "db://{x}"}]),
    )
    bench.greet()
    bench.ask("resources/list")
    bench.ask("resources/templates/list")
    argument = {"name": "x", "value": ""}
    for uri, server in (("file:///a", "a"), ("db://orders", "b")):
        reference = {"type": "ref/resource", "uri": uri}
        assert "got" in bench.ask("completion/complete", ref=reference, argument=argument)
        assert bench.servers[server].got("completion/complete")
    reference = {"type": "ref/resource", "uri": "x:unknown"}
    assert bench.ask("completion/complete", ref=reference, argument=argument)["code"] == -32602
