"""The engine: it does work once, in order, and only while the client wants it. A client always gets
an answer."""

import json

import pytest
from relay_rig import Rig, table, value_of
from relay_upstream import Upstream, text, tool

from penstock.core.model.recent import Recent
from penstock.wire.effects import Describe, Disclose, Judge, Offer, Read, StepAside
from penstock.wire.outputs import Perform, ToClient

WORDS = "It takes care of every detail that there is to take care of, and then of some more. "


@pytest.fixture
def rig():
    """Return a rig whose upstream has so many tools that they are listed as an index."""
    many = [tool(f"file_{number}", description=WORDS * 3) for number in range(100)]
    upstream = Upstream(tools=[*many, tool("rows")], results={"rows": text(table())})
    rig = Rig(upstream, list_form="index")
    rig.listed()
    yield rig
    rig.close()


def held_back(rig, tool, arguments, number=70):
    """Return the work that a call waits for."""
    rig.holds_work = True
    params = {"name": tool, "arguments": arguments}
    rig.from_client(rig.request("tools/call", params, id=number))
    (output,) = rig.held
    rig.held.clear()
    return output


def test_work_that_follows_at_once_is_done_at_once(rig, monkeypatch):
    """The thread changes only once: an unlisted tool's call is judged right after it is
    unwrapped."""
    done = []
    carry = type(rig.engine)._do
    monkeypatch.setattr(
        type(rig.engine), "_do", lambda *args: (done.append(type(args[-1])), carry(*args))[1]
    )
    output = held_back(rig, "call_tool", {"name": "rows", "arguments": {}})
    (to_upstream,) = rig.engine.carry_out(rig.session, output)
    assert json.loads(to_upstream.message)["params"]["name"] == "rows"
    assert len(done) >= 2
    assert done[-1] is Judge


def test_a_large_result_leaves_the_thread_that_read_it(rig):
    rig.upstream = None
    rig.from_client(rig.request("tools/call", {"name": "rows", "arguments": {}}, id=70))
    rig.holds_work = True
    rig.work()
    rig.from_upstream({"jsonrpc": "2.0", "id": 70, "result": text(table())})
    (output,) = rig.held
    assert isinstance(output.work, StepAside)
    (answer,) = rig.engine.carry_out(rig.session, output)
    assert answer.answers == b"70"
    assert "continuation_token" in value_of(json.loads(answer.message)["result"])


def test_what_nobody_wants_any_more_is_not_done(rig, monkeypatch):
    output = held_back(rig, "describe_tools", {"tools": ["rows"]})
    rig.session.cancel(b"70")
    done = []
    monkeypatch.setattr(type(rig.engine), "_do", lambda *args: done.append(args))
    assert rig.engine.carry_out(rig.session, output) == []
    assert done == []


@pytest.mark.parametrize("kind", [Disclose, Describe, Read, Offer])
def test_a_fault_is_told(rig, monkeypatch, kind, caplog):
    carry = type(rig.engine)._do

    def broken(engine, request, work):
        return 1 / 0 if isinstance(work, kind) else carry(engine, request, work)

    monkeypatch.setattr(type(rig.engine), "_do", broken)
    rig.session.known.shown = Recent(1)
    asked = {
        Disclose: ("rows", {}),
        Describe: ("describe_tools", {"tools": ["rows"]}),
        Read: ("read_result", {"continuation_token": "pen_x"}),
        Offer: ("call_tool", {"name": "rows", "arguments": {}}),
    }
    name, arguments = asked[kind]
    error = rig.ask("tools/call", {"name": name, "arguments": arguments})["error"]
    assert error["code"] == -32603
    assert "ZeroDivisionError" in caplog.text


def test_outputs_of_a_call_are_one_at_a_time(rig):
    output = held_back(rig, "find_tools", {"query": "rows"})
    assert isinstance(output, Perform)
    (answer,) = rig.engine.carry_out(rig.session, output)
    assert isinstance(answer, ToClient)
