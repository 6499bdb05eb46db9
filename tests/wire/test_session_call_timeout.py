"""Calls whose answer takes longer than `call_timeout`."""

import json

import pytest
from relay_calls import value_of
from relay_upstream import Upstream, text, tool


@pytest.fixture
def rig(open_rig, era):
    """From here on the test answers for upstream."""
    rig = open_rig(Upstream(era, results={"rows": text("quick")}), call_timeout="2s")
    rig.listed()
    rig.up.clear()
    return rig


def unanswered(rig, number, name="rows"):
    """Send a call that upstream does not answer."""
    request = rig.request("tools/call", {"name": name, "arguments": {}}, id=number)
    upstream, rig.upstream = rig.upstream, None
    rig.from_client(request)
    rig.upstream = upstream


def answer(number):
    return {"jsonrpc": "2.0", "id": number, "result": text("late")}


def test_a_late_call_is_an_error_for_the_agent_and_cancelled_for_upstream(rig, caplog):
    unanswered(rig, 7)
    (told,) = map(json.loads, rig.ring())
    assert "the tool 'rows' did not answer within 2 s" in caplog.text
    assert (told["id"], told["result"]["isError"]) == (7, True)
    error = value_of(told["result"])
    assert "did not answer within 2 s" in error["error"]
    assert "repeat" in error["next_step"]
    told = json.loads(rig.up[-1])
    assert told["method"] == "notifications/cancelled"
    assert told["params"]["requestId"] == 7
    assert rig.session.pending == {}


def test_an_answer_that_comes_still_later_is_dropped(rig):
    unanswered(rig, 7)
    rig.ring()
    assert rig.from_upstream(answer(7)) == []
    unanswered(rig, 7)  # the client uses the id again
    assert len(rig.from_upstream(answer(7))) == 1


def test_an_alarm_after_the_answer_changes_nothing(rig):
    unanswered(rig, 7)
    assert len(rig.from_upstream(answer(7))) == 1
    sent = len(rig.up)
    assert rig.ring() == []
    assert len(rig.up) == sent


def test_progress_does_not_make_the_time_longer(rig):
    unanswered(rig, 7)
    progress = {"progressToken": 1, "progress": 1}
    rig.from_upstream({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})
    assert len(rig.alarms) == 1
    assert len(rig.ring()) == 1


def test_one_tool_may_have_another_time_or_none(open_rig, era):
    tools = {"rows": {"call_timeout": "off"}, "take": {"call_timeout": 9}}
    rig = open_rig(Upstream(era), call_timeout="2s", tools=tools)
    unanswered(rig, 7)
    assert rig.alarms == []
    unanswered(rig, 8, "take")
    assert [alarm.seconds for alarm in rig.alarms] == [9]


def test_no_call_has_an_alarm_by_default(open_rig, era):
    rig = open_rig(Upstream(era))
    unanswered(rig, 7)
    assert rig.alarms == []


def test_a_call_of_a_program_has_the_same_time(open_rig, era):
    pytest.importorskip("pydantic_monty")
    upstream = Upstream(era, tools=[tool("fetch", annotations={"readOnlyHint": True})])
    rig = open_rig(upstream, call_timeout="2s", programs="on")
    rig.listed()
    code = "try:\n    await fetch()\nexcept Exception as error:\n    x = str(error)\nx"
    params = {"name": "run_python", "arguments": {"code": code}}
    asked = rig.request("tools/call", params, id=7)
    rig.upstream = None
    rig.from_client(asked)
    rig.alarms = [alarm for alarm in rig.alarms if alarm.seconds == 2]  # not the program's own
    assert len(rig.alarms) == 1
    (told,) = map(json.loads, rig.ring())
    assert "did not answer within 2 s" in told["result"]["content"][0]["text"]
    assert any(b"notifications/cancelled" in line for line in rig.up)
