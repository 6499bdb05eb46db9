"""Each message reaches the right server, under the right name, in the right era."""

import json

import pytest
from scripted_servers import Bench, ScriptedServer

RESOURCE = {"uri": "file:///a", "name": "a"}


def text_of(result):
    return json.loads(result["content"][0]["text"])


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_calls_reach_their_server_in_its_era(era):
    bench = Bench(
        old=ScriptedServer("read", "search"), new=ScriptedServer("write", "search", era="modern")
    )
    ask = bench.ask_modern if era == "modern" else bench.ask
    if era == "legacy":
        bench.greet()
    assert {item["name"] for item in ask("tools/list")["tools"]} == {
        "read",
        "write",
        "old_search",
        "new_search",
    }
    for name, server, own in [
        ("read", "old", "read"),
        ("write", "new", "write"),
        ("old_search", "old", "search"),
        ("new_search", "new", "search"),
    ]:
        result = ask("tools/call", name=name, arguments={"x": 1})
        assert text_of(result)["name"] == own
        assert ("resultType" in result) == (era == "modern")
        (call,) = [
            message
            for message in bench.servers[server].got("tools/call")
            if message["params"]["name"] == own
        ]
        sent = call["params"].get("_meta", {})
        assert bool(sent) == (server == "new")


def test_a_message_that_nothing_changes_passes_as_the_same_bytes():
    bench = Bench(one=ScriptedServer("read"), two=ScriptedServer("write"))
    bench.greet()
    bench.ask("tools/list")
    line = b'{"id" : 7, "method":"tools/call","params":{"name":"read",  "arguments":{"x":1.0}}}'
    (output,) = bench.hub.from_client(line)
    assert output.message == line
    answer = b'{"jsonrpc":"2.0",  "id":7,"result":{"content":[]}}'
    (output,) = bench.hub.from_member("one", answer)
    assert output.message == answer


def test_an_unknown_name_says_what_it_may_be():
    bench = Bench(a=ScriptedServer("search"), b=ScriptedServer("search"))
    bench.greet()
    error = bench.ask("tools/call", name="search")
    assert (
        error["message"]
        == "Unknown tool: search. Several servers have it, as a_search and b_search."
    )
    assert bench.ask("tools/call", name="nothing")["message"] == "Unknown tool: nothing."
    assert bench.ask("tools/call")["code"] == -32602


def test_the_only_server_judges_all_names_itself():
    bench = Bench(one=ScriptedServer("read"))
    bench.greet()
    assert text_of(bench.ask("tools/call", name="unlisted"))["name"] == "unlisted"
    assert bench.ask("foo/bar")["got"] == {}


def test_prompts_and_completions_reach_their_server():
    prompt = {"name": "greet"}
    bench = Bench(
        a=ScriptedServer(prompts=[prompt]),
        b=ScriptedServer(prompts=[prompt], resourceTemplates=[{"uriTemplate": "db://{x}"}]),
    )
    bench.greet()
    assert bench.names("prompts/list") == ["a_greet", "b_greet"]
    assert bench.ask("prompts/get", name="b_greet")["got"]["name"] == "greet"
    reference = {"type": "ref/prompt", "name": "a_greet"}
    got = bench.ask("completion/complete", ref=reference, argument={"name": "x", "value": ""})
    assert got["got"]["ref"] == {"type": "ref/prompt", "name": "greet"}
    assert bench.names("resources/templates/list") == ["db://{x}"]
    reference = {"type": "ref/resource", "uri": "db://{x}"}
    bench.ask("completion/complete", ref=reference, argument={"name": "x", "value": ""})
    assert bench.servers["b"].got("completion/complete")


def test_one_uri_on_two_servers_leads_back_to_each():
    bench = Bench(a=ScriptedServer(resources=[RESOURCE]), b=ScriptedServer(resources=[RESOURCE]))
    bench.greet()
    assert bench.names("resources/list") == ["file://a//a", "file://b//a"]
    read = bench.ask("resources/read", uri="file://b//a")
    assert read["contents"] == [{"uri": "file://b//a", "text": "here"}]
    assert not bench.servers["a"].got("resources/read")
    error = bench.ask("resources/read", uri="file:///a")
    assert "Several servers have the resource file:///a: a, b" in error["message"]


def test_a_resource_in_no_list_is_found_by_asking():
    bench = Bench(a=ScriptedServer(resources=[RESOURCE]), b=ScriptedServer(resources=[]))
    bench.greet()
    bench.servers["b"].answers["resources/read"] = lambda params: {
        "result": {"contents": [{"uri": params["uri"], "text": "hidden"}]}
    }
    assert bench.ask("resources/read", uri="x:hidden")["contents"][0]["text"] == "hidden"
    assert bench.ask("resources/read", uri="file:///a")["contents"][0]["text"] == "here"
    asked = len(bench.servers["a"].got("resources/read"))
    bench.ask("resources/read", uri="x:hidden")
    assert len(bench.servers["a"].got("resources/read")) == asked


def test_a_widget_of_one_server_calls_no_tool_of_another():
    page = {"_meta": {"ui": {"resourceUri": "ui://page"}}}
    shop, db = ScriptedServer("buy"), ScriptedServer("read_query", "refresh")
    shop.lists["tools"].append({"name": "show", "inputSchema": {"type": "object"}, **page})
    db.lists["tools"][0]["_meta"] = {"kept": 1}
    db.lists["tools"][1]["_meta"] = {"ui": {"visibility": ["app"]}}  # for no app that there is
    bench = Bench(shop=shop, db=db)
    bench.greet()
    metas = {tool["name"]: tool.get("_meta") for tool in bench.ask("tools/list")["tools"]}
    closed = {"kept": 1, "ui": {"visibility": ["model"]}}
    assert metas == {"buy": None, "show": page["_meta"], "read_query": closed}
    alone = Bench(db=ScriptedServer("read_query"), other=ScriptedServer("y"))
    alone.greet()
    assert not any("_meta" in tool for tool in alone.ask("tools/list")["tools"])


def test_the_page_of_a_widget_keeps_its_server():
    page = {"_meta": {"ui": {"resourceUri": "ui://page"}}}
    servers = {}
    for name in "ab":
        servers[name] = ScriptedServer(resources=[])
        servers[name].lists["tools"] = [
            {"name": f"show_{name}", "inputSchema": {"type": "object"}, **page}
        ]
    bench = Bench(**servers)
    bench.greet()
    tools = bench.ask("tools/list")["tools"]
    uris = [item["_meta"]["ui"]["resourceUri"] for item in tools]
    assert uris == ["ui://a/page", "ui://b/page"]
    bench.ask("resources/read", uri=uris[1])
    (read,) = bench.servers["b"].got("resources/read")
    assert read["params"]["uri"] == "ui://page"


def test_a_servers_request_and_the_clients_answer_find_their_way():
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.greet()
    bench.ask("tools/list")
    for name in "ab":
        bench.from_server(name, {"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
    first, second = bench.told("roots/list")
    assert first["id"] != second["id"]
    bench.send({"jsonrpc": "2.0", "id": second["id"], "result": {"roots": ["of b"]}})
    assert bench.servers["b"].received[-1] == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"roots": ["of b"]},
    }
    cancelled = {"requestId": 1, "reason": "enough"}
    bench.from_server(
        "a", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
    )
    (told,) = bench.told("notifications/cancelled")
    assert told["params"]["requestId"] == first["id"]


def test_a_request_that_would_cross_eras_gets_an_error_with_the_servers_name():
    bench = Bench(old=ScriptedServer("x"))
    bench.ask_modern("tools/list")
    ask = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}}
    bench.from_server("old", ask)
    assert not bench.told("sampling/createMessage")
    assert "'old'" in bench.servers["old"].received[-1]["error"]["message"]


def test_a_question_that_would_cross_eras_is_an_error_of_the_call():
    new = ScriptedServer("x", era="modern")
    new.answers["tools/call"] = lambda _: {
        "result": {"resultType": "input_required", "inputRequests": {}}
    }
    bench = Bench(new=new)
    bench.greet()
    result = bench.ask("tools/call", name="x")
    assert result["isError"]
    assert "'new'" in result["content"][0]["text"]


@pytest.mark.parametrize("method", ["tasks/get", "tools/call"])
def test_tasks_do_not_cross_eras(method):
    bench = Bench(new=ScriptedServer("x", era="modern"))
    bench.greet()
    params = {"name": "x", "task": {}} if method == "tools/call" else {"taskId": "7"}
    assert "'new'" in bench.ask(method, **params)["message"]


def test_a_task_leads_to_its_server():
    server = ScriptedServer("slow")
    server.answers["tools/call"] = lambda _: {"result": {"task": {"taskId": "t1"}}}
    bench = Bench(a=ScriptedServer("x"), b=server)
    bench.greet()
    bench.ask("tools/list")
    bench.ask("tools/call", name="slow", task={})
    assert bench.ask("tasks/get", taskId="t1")["got"] == {"taskId": "t1"}
    assert server.got("tasks/get")
    assert bench.ask("tasks/get", taskId="t2")["message"] == "Unknown task: t2."


def test_a_cancellation_reaches_the_server_that_works():
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.servers["b"].is_silent.add("tools/call")
    bench.greet()
    bench.ask("tools/list")
    key = bench.begin("tools/call", name="y")
    bench.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": key}}
    )
    (told,) = bench.servers["b"].got("notifications/cancelled")
    assert told["params"]["requestId"] == key
    assert not bench.servers["a"].got("notifications/cancelled")
    bench.from_server("b", {"jsonrpc": "2.0", "id": key, "result": {}})
    assert bench.answer(key) is None


def test_a_server_cannot_answer_what_another_was_asked():
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.servers["b"].is_silent.add("tools/call")
    bench.greet()
    bench.ask("tools/list")
    key = bench.begin("tools/call", name="y")
    bench.from_server("a", {"jsonrpc": "2.0", "id": key, "result": {"forged": True}})
    assert bench.answer(key) is None
    bench.from_server("b", {"jsonrpc": "2.0", "id": key, "result": {"content": []}})
    assert bench.answer(key)["result"] == {"content": []}


def test_the_log_level_reaches_all_legacy_servers_and_modern_calls():
    bench = Bench(
        a=ScriptedServer("x"), b=ScriptedServer("y"), new=ScriptedServer("z", era="modern")
    )
    bench.greet()
    bench.ask("tools/list")
    assert bench.ask("logging/setLevel", level="debug") == {}
    assert [len(bench.servers[name].got("logging/setLevel")) for name in ("a", "b", "new")] == [
        1,
        1,
        0,
    ]
    bench.ask("tools/call", name="z")
    (call,) = bench.servers["new"].got("tools/call")
    assert call["params"]["_meta"]["io.modelcontextprotocol/logLevel"] == "debug"


@pytest.mark.parametrize("uri", ["file:///a", "x:unknown"])
def test_news_of_a_resource_reach_a_legacy_client(uri):
    bench = Bench(a=ScriptedServer(resources=[RESOURCE]), b=ScriptedServer(resources=[]))
    bench.greet()
    bench.ask("resources/list")
    answer = bench.ask("resources/subscribe", uri=uri)
    if uri != "file:///a":
        assert "Read it first" in answer["message"]
        return
    (asked,) = bench.servers["a"].got("resources/subscribe")
    assert asked["params"]["uri"] == uri
    news = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
    bench.from_server("a", news)
    assert bench.told("notifications/resources/updated")[0]["params"] == {"uri": uri}


def test_news_reach_a_modern_client_on_its_stream():
    bench = Bench(a=ScriptedServer("x", resources=[RESOURCE]))
    bench.ask_modern("tools/list")
    from scripted_servers import META

    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["file:///a"]}
    bench.begin("subscriptions/listen", key="s", notifications=wanted, _meta=META)
    (told,) = bench.told("notifications/subscriptions/acknowledged")
    assert told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "s"
    assert bench.servers["a"].got("resources/subscribe")
    news = {"uri": "file:///a"}
    bench.from_server(
        "a", {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": news}
    )
    (told,) = bench.told("notifications/resources/updated")
    assert told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "s"
    bench.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "s"}}
    )
    assert bench.servers["a"].got("resources/unsubscribe")


def test_a_batch_of_an_old_client_is_taken_apart():
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.greet()
    bench.ask("tools/list")
    calls = [
        {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": name}}
        for name in ("x", "y")
    ]
    bench.send(calls)
    assert bench.answer("x")
    assert bench.answer("y")


def test_progress_of_the_clients_work_reaches_the_server_that_asked():
    """The official clients count their progress tokens from one, so those of two servers are alike."""
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.greet()
    bench.ask("tools/list")
    params = {"messages": [], "_meta": {"progressToken": 1}}
    for name in "ab":
        ask = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": params}
        bench.from_server(name, ask)
    first, second = (
        asked["params"]["_meta"]["progressToken"] for asked in bench.told("sampling/createMessage")
    )
    assert first != second
    progress = {"progressToken": second, "progress": 0.5}
    bench.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})
    (told,) = bench.servers["b"].got("notifications/progress")
    assert told["params"] == {"progressToken": 1, "progress": 0.5}
    assert not bench.servers["a"].got("notifications/progress")


def test_a_request_that_its_server_has_cancelled_is_forgotten():
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.greet()
    bench.ask("tools/list")
    bench.from_server("a", {"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    bench.from_server("a", cancelled)
    received = len(bench.servers["a"].received)
    (asked,) = bench.told("roots/list")
    bench.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}})
    bench.from_server("a", cancelled)
    assert len(bench.servers["a"].received) == received
    assert len(bench.told("notifications/cancelled")) == 1


def test_a_server_cannot_tell_the_progress_of_another():
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.greet()
    bench.names()
    bench.servers["a"].is_silent.add("tools/call")
    key = bench.begin("tools/call", name="x", _meta={"progressToken": "t"})
    told = {"method": "notifications/progress", "params": {"progressToken": "t", "progress": 1}}
    bench.from_server("b", told)
    assert not bench.told("notifications/progress")
    bench.from_server("a", told)
    assert len(bench.told("notifications/progress")) == 1
    bench.from_server("a", {"id": key, "result": {"content": []}})
    bench.from_server("b", told)  # of a task that goes on: its server is not known
    assert len(bench.told("notifications/progress")) == 2


def test_a_server_cannot_tell_news_of_the_resources_of_another():
    resource = {"uri": "file:///r", "name": "r"}
    bench = Bench(a=ScriptedServer(resources=[resource]), b=ScriptedServer("y"))
    bench.greet()
    bench.names("resources/list")
    bench.ask("resources/subscribe", uri="file:///r")
    told = {"method": "notifications/resources/updated", "params": {"uri": "file:///r"}}
    bench.from_server("b", told)
    assert not bench.told("notifications/resources/updated")
    bench.from_server("a", told)
    assert bench.told("notifications/resources/updated")


def test_a_server_cannot_take_the_task_of_another():
    """The ids of tasks are the servers' own, and need not differ."""
    servers = {name: ScriptedServer(f"slow_{name}") for name in "ab"}
    for server in servers.values():
        server.answers["tools/call"] = lambda _: {"result": {"task": {"taskId": "1"}}}
    bench = Bench(**servers)
    bench.greet()
    bench.ask("tools/list")
    bench.ask("tools/call", name="slow_a", task={})
    status = {"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": {"taskId": "1"}}
    bench.from_server("b", status)
    refused = bench.ask("tools/call", name="slow_b", task={})
    assert "'b'" in refused["message"]
    assert "'a'" in refused["message"]
    bench.ask("tasks/get", taskId="1")
    assert servers["a"].got("tasks/get")
    assert not servers["b"].got("tasks/get")


def test_a_server_that_does_not_list_its_tasks_hides_no_tasks_of_others():
    servers = {name: ScriptedServer(f"slow_{name}") for name in "ab"}
    for server in servers.values():
        server.able = {"tasks": {"list": {}}}
    servers["a"].answers["tasks/list"] = lambda _: {"error": {"code": 1, "message": "not now"}}
    servers["b"].answers["tasks/list"] = lambda _: {"result": {"tasks": [{"taskId": "t"}]}}
    bench = Bench(**servers)
    bench.greet()
    bench.ask("tools/list")
    assert bench.ask("tasks/list") == {"tasks": [{"taskId": "t"}]}
    assert "'a' did not list its tasks" in bench.hub.take_notices()


def test_a_flood_of_a_server_does_not_take_the_task_of_another():
    servers = {name: ScriptedServer(f"slow_{name}") for name in "ab"}
    servers["a"].answers["tools/call"] = lambda _: {"result": {"task": {"taskId": "7"}}}
    bench = Bench(**servers)
    bench.greet()
    bench.ask("tools/list")
    bench.ask("tools/call", name="slow_a", task={})
    for task in [*map(str, range(100, 10_200)), "7"]:
        status = {"method": "notifications/tasks/status", "params": {"taskId": task}}
        bench.carry(bench.hub.from_member("b", json.dumps({"jsonrpc": "2.0", **status}).encode()))
    assert not bench.told("notifications/tasks/status")
    assert bench.ask("tasks/result", taskId="7")["got"] == {"taskId": "7"}
    assert servers["a"].got("tasks/result")
    assert not servers["b"].got("tasks/result")


def test_a_flood_of_questions_of_a_server_leaves_the_question_of_another():
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.greet()
    bench.names()
    bench.from_server("a", {"id": "q", "method": "sampling/createMessage", "params": {}})
    asked = bench.told("sampling/createMessage")[0]["id"]
    for number in range(2_000):
        bench.from_server("b", {"id": number, "method": "roots/list"})
    last = bench.told("roots/list")[-1]["id"]
    for key, name in ((asked, "a"), (last, "b")):
        bench.send({"jsonrpc": "2.0", "id": key, "result": {"for": name}})
        assert bench.servers[name].received[-1]["result"] == {"for": name}


def test_a_question_of_a_server_to_the_user_is_answered_to_it_alone():
    bench = Bench(a=ScriptedServer("x"), b=ScriptedServer("y"))
    bench.greet()
    bench.names()
    for name in "ab":
        question = {"message": name, "requestedSchema": {"type": "object"}}
        bench.from_server(name, {"id": 1, "method": "elicitation/create", "params": question})
    for asked in bench.told("elicitation/create"):
        content = {"for": asked["params"]["message"]}
        bench.send({"id": asked["id"], "result": {"action": "accept", "content": content}})
    for name in "ab":
        answer = bench.servers[name].received[-1]
        assert (answer["id"], answer["result"]["content"]) == (1, {"for": name})


def test_content_stays_the_same_bytes_where_a_uri_in_it_changes():
    resource = {"uri": "file:///a", "name": "a"}
    bench = Bench(
        a=ScriptedServer("x", resources=[resource]), b=ScriptedServer(resources=[resource])
    )
    bench.servers["a"].is_silent.add("tools/call")
    bench.greet()
    bench.names("resources/list")
    bench.names()
    key = bench.begin("tools/call", name="x")
    deep = b"[" * 3_000 + b"]" * 3_000
    more = rb'"_meta":{"deep":%b,"large":12345678901234567890123.50,"huge":1e400}' % deep
    block = rb'{"type":"resource","resource":{"uri":"file:///a","text":"\u0061",%b}}' % more
    answer = rb'{"jsonrpc":"2.0","id":%d,"result":{"content":[%b]}}' % (key, block)
    (output,) = bench.hub.from_member("a", answer)
    assert block.replace(b"file:///a", b"file://a//a") in output.message
