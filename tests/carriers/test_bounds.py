"""The bounds of upstream: too much, or too late, is an error for one call, and all else goes on."""

import json

from contract import carriers_for
from relay_processes import wait_until
from test_cancellation import way_of
from test_death import UPSTREAM_GONE, bystander

TOO_MANY_ROWS = 60_000


@carriers_for("answers over the limit")
def test_an_answer_over_the_limit_is_an_error_for_its_call_alone(rig, client):
    with bystander(rig, client) as other:
        assert client.error_code(client.call("large", rows=TOO_MANY_ROWS)) == UPSTREAM_GONE
    assert client.text(other) == ""
    assert client.text(client.call("small", text="next")) == "next"
    assert len(rig.stage.heard("large")) == 1


@carriers_for("time of a call")
def test_a_call_that_takes_too_long_is_an_error_and_upstream_is_told(rig, client):
    with rig.stage.holding("late"):
        key = client.call("late")
        told = client.result(key)
        wait_until(lambda: rig.stage.heard(way_of(rig.carrier)), "word to upstream")
    assert told["isError"]
    assert "did not answer within 1 s" in json.loads(told["content"][0]["text"])["error"]
    (asked,), (heard,) = rig.stage.heard("late"), rig.stage.heard(way_of(rig.carrier))
    assert heard.message["params"]["requestId"] == asked.message["id"]
    assert client.text(client.call("small", text="next")) == "next"
    client.close()
    assert len(client.answers(key)) == 1
