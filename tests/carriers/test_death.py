"""If upstream dies, each request that waits for it gets an error, once and at once."""

import json
from contextlib import contextmanager

from call_stages import ROWS, STAGES, kept_in_upstream, loading, probe
from contract import carriers_at, carriers_for

UPSTREAM_GONE = -32010


@carriers_at("death at once", *STAGES)
def test_requests_that_wait_are_told_while_the_stage_lasts(rig, client, stage):
    with bystander(rig, client) as other, STAGES[stage](rig, client) as reached:
        rig.kill_upstream()
        assert client.error_code(other) == UPSTREAM_GONE
        if stage != "storing":  # upstream has answered before
            assert client.error_code(reached.key) == UPSTREAM_GONE
    assert_one_answer_each(client, reached.key, other)


@carriers_at("death", "loading")
def test_a_call_whose_reference_was_being_loaded_is_told(rig, client, stage):
    with bystander(rig, client) as other, STAGES[stage](rig, client) as reached:
        rig.kill_upstream()
    assert client.error_code(reached.key) == client.error_code(other) == UPSTREAM_GONE
    assert_one_answer_each(client, reached.key, other)


@carriers_at("death", "storing")
def test_a_result_that_upstream_gave_before_is_delivered(rig, client, stage):
    with bystander(rig, client) as other, STAGES[stage](rig, client) as reached:
        rig.kill_upstream()
    assert probe(client, reached.key)["count"] == ROWS
    assert client.error_code(other) == UPSTREAM_GONE
    assert_one_answer_each(client, reached.key, other)


@carriers_for("death of a shared process")
def test_the_next_request_gets_another_process(rig, client):
    with bystander(rig, client) as first:
        rig.kill_upstream()
        assert client.error_code(first) == UPSTREAM_GONE
    assert client.text(client.call("small", text="next")) == "next"
    pids = [one.pid for one in rig.stage.heard("small")]
    assert len(set(pids)) == 2


@carriers_for("death of a shared process")
def test_a_call_whose_reference_was_being_loaded_gets_another_process(rig, client):
    with bystander(rig, client) as other, loading(rig, client) as reached:
        rig.kill_upstream()
        assert client.error_code(other) == UPSTREAM_GONE
    assert json.loads(client.text(reached.key)) == {"size": ROWS}
    assert_one_answer_each(client, reached.key, other)


@carriers_for("death of a remote server")
def test_a_call_whose_reference_was_being_loaded_is_told_when_it_is_sent(rig, client):
    with bystander(rig, client) as other, loading(rig, client) as reached:
        rig.kill_upstream()
        assert client.error_code(other) == UPSTREAM_GONE
    assert client.error_code(reached.key) == UPSTREAM_GONE
    assert_one_answer_each(client, reached.key, other)


@contextmanager
def bystander(rig, client):
    """Start another call, and wait until upstream runs it."""
    with kept_in_upstream(rig, "small", lambda: client.call("small")) as reached:
        yield reached.key


def assert_one_answer_each(client, *keys):
    client.close()
    assert [len(client.answers(key)) for key in keys] == [1] * len(keys)
