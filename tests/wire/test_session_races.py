"""Pairs of events that two threads may cause at the same moment: nothing is lost, doubled or
leaked."""

import gc
import json
import threading
import weakref

import pytest
from relay_rig import table
from relay_upstream import MODERN_META, Upstream, text, tool

from penstock.wire.effects import StepAside

DISCOVERED = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}


def call(name, number, **arguments):
    params = {"name": name, "arguments": arguments, "_meta": MODERN_META}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


# -- the era -----------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [{"level": "info", "msg": "tick"}, {}, {"result": {}}])
def test_a_line_without_an_id_says_nothing_of_the_era(open_rig, noise):
    """Some servers log JSON to stdout."""
    rig = open_rig()
    line = json.dumps(noise).encode()
    assert rig.from_upstream(line) == [line]
    assert rig.session.known.era == ""
    rig = open_rig(Upstream("modern"))
    rig.from_upstream(line)
    assert rig.session.known.era == "modern"


def test_a_discovery_that_is_answered_twice_counts_once(open_rig):
    rig = open_rig()
    rig.from_client(call("rows", 1))
    asked = json.loads(rig.up.pop())
    rig.from_upstream({"jsonrpc": "2.0", "id": asked["id"], "result": DISCOVERED})
    error = {"code": -32601, "message": "no such method"}
    assert rig.from_upstream({"jsonrpc": "2.0", "id": asked["id"], "error": error}) == []
    assert rig.session.known.era == "modern"


# -- the list ----------------------------------------------------------------------------------


def test_a_list_that_changes_while_it_is_shown_is_not_kept(open_rig):
    rig = open_rig(Upstream())
    rig.holds_work = True
    rig.from_client(rig.request("tools/list", {}, id=60))
    rig.from_upstream({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    rig.work()
    assert rig.session.known.toolbox.is_outdated


def test_a_list_that_changes_between_two_of_its_pages_is_not_kept(open_rig):
    rig = open_rig(Upstream(tools=[tool("a"), tool("b")], page_size=1))
    rig.upstream = None
    rig.from_client(rig.request("tools/list", {}, id=60))
    first = {"tools": [tool("a")], "nextCursor": "more"}
    rig.from_upstream({"jsonrpc": "2.0", "id": 60, "result": first})
    rig.from_upstream({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    asked = json.loads(rig.up[-1])
    rig.from_upstream({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": [tool("b")]}})
    assert list(rig.session.known.toolbox.tools) == ["a", "b"]
    assert rig.session.known.toolbox.is_outdated


def test_a_long_list_is_read_by_another_thread_than_the_one_that_reads(open_rig):
    rig = open_rig(Upstream(tools=[tool(f"t{number}", x={"y": 1}) for number in range(2_000)]))
    rig.holds_work = True
    rig.from_client(rig.request("tools/list", {}, id=60))
    assert [type(held.work) for held in rig.held] == [StepAside]
    assert rig.session.known.toolbox is None
    rig.work()
    assert len(rig.session.known.toolbox.tools) == 2_000


def test_a_list_for_a_cancelled_call_is_kept_for_the_next(open_rig):
    rig = open_rig(Upstream())
    rig.upstream = None
    rig.from_client(rig.request("tools/call", {"name": "read_result", "arguments": {}}, id=70))
    asked = json.loads(rig.up[-1])
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 70}}
    rig.from_client({"jsonrpc": "2.0", **cancelled})
    rig.from_upstream({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": [tool("rows")]}})
    assert "rows" in rig.session.known.toolbox.tools
    assert rig.down[1:] == []


def test_a_gate_teaches_also_where_the_list_came_for_the_sake_of_this_call(open_rig):
    """The client has not listed anything, and gives arguments that Penstock has to decode."""
    words = "It takes care of every detail that there is to take care of, and then of some more. "
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    many = [
        tool(f"file_{number}", description=words * 8) | {"inputSchema": schema}
        for number in range(60)
    ]
    rig = open_rig(Upstream(tools=many, results={"file_1": text("done")}), gate="teach")
    refusal = rig.call("file_1", n="\\u0041 is no number")
    assert refusal["isError"] is True
    assert rig.upstream.got("tools/call") == []


# -- ids ---------------------------------------------------------------------------------------


def test_an_id_that_is_used_again_while_a_cancelled_call_is_on_its_way(open_rig):
    """The cancelled call notices only when it is about to be forwarded."""
    rig = open_rig(Upstream(results={"rows": text("done")}))
    rig.listed()
    rig.upstream, rig.holds_work = None, True
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=70))
    rig.from_upstream({"jsonrpc": "2.0", "id": 70, "result": text(table())})
    (held,) = rig.held
    assert isinstance(held.work, StepAside)
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 70}}
    rig.from_client({"jsonrpc": "2.0", **cancelled})
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=70))
    assert rig.work() == []
    (answer,) = rig.from_upstream({"jsonrpc": "2.0", "id": 70, "result": text("done")})
    assert json.loads(answer)["result"] == text("done")
    assert rig.session.pending == {}


class Crossed(dict):
    """A table of waiting requests. While one request is looked up, another thread acts."""

    def __init__(self, waiting, meanwhile):
        super().__init__(waiting)
        self._thread = threading.Thread(target=meanwhile)
        self._is_first = True

    def get(self, key, default=None):
        found = super().get(key, default)
        if self._is_first:
            self._is_first = False
            self._thread.start()
            self._thread.join(0.1)  # it may have to wait for its turn
        return found

    def end(self):
        self._thread.join(30)


def test_a_cancellation_while_an_answer_is_delivered(open_rig):
    rig = open_rig(Upstream())
    rig.upstream = None
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=70))
    waiting = Crossed(rig.session.pending, lambda: rig.session.cancel(b"70"))
    rig.session.pending = waiting
    (answer,) = rig.from_upstream({"jsonrpc": "2.0", "id": 70, "result": text("done")})
    waiting.end()
    assert json.loads(answer)["result"] == text("done")
    assert rig.session.pending == {}


def test_an_answer_while_its_request_is_cancelled(open_rig):
    rig = open_rig(Upstream())
    rig.upstream = None
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=70))
    line = json.dumps({"jsonrpc": "2.0", "id": 70, "result": text(table())}).encode()
    late = []
    waiting = Crossed(rig.session._awaiting, lambda: late.extend(rig.session.from_upstream(line)))
    rig.session._awaiting = waiting
    assert rig.session.cancel(b"70") is not None
    waiting.end()
    assert late == []


# -- memory ------------------------------------------------------------------------------------


def held(rig):
    rig.holds_work = True
    rig.from_upstream({"jsonrpc": "2.0", "id": 70, "result": text(table())})


@pytest.mark.parametrize("stage", ["forwarded", "held"])
@pytest.mark.parametrize("end", ["cancelled", "upstream ended"])
def test_a_request_that_has_ended_leaves_nothing_for_the_garbage_collector(open_rig, stage, end):
    """A garbage collection would close the handler on an arbitrary thread."""
    rig = open_rig(Upstream())
    rig.upstream = None
    gc.disable()
    try:
        rig.from_client(rig.request("tools/call", {"name": "rows"}, id=70))
        request = weakref.ref(rig.session.pending[b"70"].steps)
        if stage == "held":
            held(rig)
        if end == "cancelled":
            params = {"requestId": 70}
            note = {"method": "notifications/cancelled", "params": params}
            rig.from_client({"jsonrpc": "2.0", **note})
        else:
            rig.upstream_ends()
        rig.work()
        assert request() is None
    finally:
        gc.enable()
