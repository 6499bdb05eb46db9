"""Programs of agents: every carrier makes their calls, each once, and ends them with their program."""

import json

import pytest
from contract import carriers_for
from relay_processes import wait_until
from test_cancellation import wait_until_heeded, way_of

GATHERED = """
import asyncio
words = await asyncio.gather(*[small(text=str(n)) for n in range(12)])
rows = await large(rows=3000)
[words, len(rows), rows[-1]["id"]]
"""
TWO_AT_ONCE = "import asyncio\nawait asyncio.gather(wait(), wait())"


def run(client, code):
    """Start a program, and return the id of the request. The tools on a stage say nothing of reading
    and writing, so they count as tools that write."""
    return client.call("run_python_with_writes", code=code)


@carriers_for("programs")
def test_a_program_calls_tools_and_only_its_answer_comes_back(rig, client):
    answer = json.loads(client.text(run(client, GATHERED)))
    assert answer == [[*map(str, range(12))], 3000, 2999]
    if rig.carrier.program != "django":  # its tools do not tell the stage what they hear
        assert len(rig.stage.heard("small")) == 12
        assert len(rig.stage.heard("large")) == 1


@carriers_for("programs")
def test_variables_stay_for_the_next_program(rig, client):
    client.result(run(client, "kept = await small(text='a word')"))
    following = client.result(run(client, "kept.upper()"))
    if is_anonymous(rig.carrier):
        assert following["isError"], following
        assert "kept" in following["content"][0]["text"]
    else:
        assert following["content"][0]["text"] == "A WORD"


def is_anonymous(carrier):
    """Return whether nobody knows who the client is: it has neither a session nor a name."""
    return carrier.door == "http" and (carrier.era == "modern" or carrier.program == "django")


@carriers_for("calls of a program at once")
def test_calls_that_a_program_gathers_run_at_the_same_time(rig, client):
    with rig.stage.holding("wait"):
        key = run(client, TWO_AT_ONCE)
        wait_until(lambda: len(rig.stage.heard("wait")) == 2, "both calls")
    assert json.loads(client.text(key)) == ["waited", "waited"]


@carriers_for("cancellation of a program")
def test_a_cancelled_program_ends_with_its_calls(rig, client):
    kept = rig.store.keys()
    with rig.stage.holding("wait"):
        key = run(client, TWO_AT_ONCE)
        wait_until(lambda: len(rig.stage.heard("wait")) == 2, "both calls")
        client.cancel(key)
        wait_until(lambda: len(rig.stage.heard(way_of(rig.carrier))) == 2, "word to upstream")
        wait_until_heeded(client)
    asked = {one.message["id"] for one in rig.stage.heard("wait")}
    told = {one.message["params"]["requestId"] for one in rig.stage.heard(way_of(rig.carrier))}
    assert told == asked
    assert rig.store.keys() == kept
    assert json.loads(client.text(run(client, "1 + 1"))) == 2
    client.close()
    assert client.answers(key) == []


@carriers_for("time of a program")
@pytest.mark.parametrize("settings", [{"PENSTOCK_PROGRAM_SECONDS": "4"}], ids=["4s"])
def test_a_tool_that_never_answers_costs_its_program_its_time(rig, client):
    wait_until(lambda: client.text(run(client, "1 + 1")) == "2", "a sandbox")
    with rig.stage.holding("wait"):
        told = json.loads(client.text(run(client, "x = await small(text='a')\nawait wait()")))
        assert "longer than 4 seconds" in told["error"]
        assert told["called"] == "small 1x, wait 1x"
        wait_until(lambda: rig.stage.heard(way_of(rig.carrier)), "word to upstream")
    kept = client.call("read_result", continuation_token=told["continuation_token"], mode="full")
    answered, unanswered = json.loads(client.text(kept))
    assert answered == {"tool": "small", "arguments": {"text": "a"}, "result": "a"}
    assert (unanswered["tool"], unanswered.keys()) == ("wait", {"tool", "arguments", "error"})


@carriers_for("death under a program")
def test_a_program_whose_server_dies_tells_what_its_calls_returned(rig, client):
    with rig.stage.holding("wait"):
        key = run(client, "x = await small(text='a')\nawait wait()")
        wait_until(lambda: rig.stage.heard("wait"), "the second call")
        rig.kill_upstream()
    told = json.loads(client.text(key))
    assert "wait" in told["error"]
    assert told["called"] == "small 1x, wait 1x"
    assert told["continuation_token"]
