"""Notices about several servers, as agents read them."""

import json

import pytest
from front import Front, server
from relay_rig import table
from relay_upstream import text


@pytest.fixture(params=["legacy", "modern"])
def front(request):
    servers = {
        "db": server(request.param, orders=text(table()), one=text("1"), fail=text("no")),
        "down": server(request.param, lost=text("x")),
    }
    dead = {"down": "it was not found"}
    settings = {"except_": "fail", "programs": "write"}
    front = Front(era=request.param, servers=servers, dead=dead, **settings)
    yield front
    front.close()


def blocks(result):
    return [block["text"] for block in result["content"]]


DOWN = "The server 'down' is down: it was not found. It is started again."


def test_a_small_result_carries_it_once(front):
    front.listed()
    assert blocks(front.call("one")) == ["1", DOWN]
    assert blocks(front.call("one")) == ["1"]


def test_a_probe_carries_it(front):
    front.listed()
    assert front.probe("orders")["notices"] == [DOWN]


def test_it_waits_for_a_result_that_may_be_changed(front):
    front.listed()
    assert blocks(front.call("fail")) == ["no"]
    assert blocks(front.call("one")) == ["1", DOWN]


def test_a_call_inside_a_program_does_not_use_it_up(front):
    front.listed()
    assert blocks(front.call("run_python_with_writes", code="(await one())"))[0] == "1"
    assert DOWN in blocks(front.call("one"))


def test_a_server_that_asks_for_input_does_not_use_it_up(front):
    if front.bench.era != "modern":
        pytest.skip("legacy servers ask in a request of their own")
    front.listed()
    asking = front.bench.servers["db"]
    asking.answers["tools/call"] = lambda _: {
        "result": {"resultType": "input_required", "inputRequests": {}, "requestState": "s"}
    }
    front.ask("tools/call", {"name": "one", "arguments": {}})
    asking.answers["tools/call"] = lambda _: {"result": {**text("1"), "resultType": "complete"}}
    assert blocks(front.call("one")) == ["1", DOWN]


def test_the_smallest_budget_holds_with_notices(front):
    era = front.bench.era
    names = [f"a-server-with-a-long-name-{number}" for number in range(9)]
    servers = {name: server(era, **{f"tool{name[-1]}": text("x")}) for name in names}
    dead = dict.fromkeys(names[1:], "no such command " * 40)
    small = Front(era=era, servers=servers, dead=dead, budget="1kB")
    small.listed()
    seen = [json.dumps(small.call("tool0")) for _ in range(9)]
    assert sum(reply.count("is down") for reply in seen) == 8
    small.close()
