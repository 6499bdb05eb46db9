"""An upstream that hangs, dies in the middle of a line, answers twice, or never ends a line."""

import pytest
from fault_list import (
    LINE_WITHOUT_END,
    STREAM_WITHOUT_END,
    UPSTREAM_ANSWERS_TWICE,
    UPSTREAM_BREAKS_OFF,
    UPSTREAM_DIES,
    UPSTREAM_HANGS,
)
from fault_rig import (
    RUN_COMMAND,
    RUN_URL,
    SERVE_COMMAND,
    SERVE_URL,
    WAYS,
    Way,
    assert_kept,
    hold,
    told_by,
)

SERVE_SESSION = Way("serve")  # in the legacy era, each session has a process of its own
COMMANDS, URLS = (RUN_COMMAND, SERVE_COMMAND), (RUN_URL, SERVE_URL)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_upstream_that_hangs(rig, saw, way):
    made = rig(way, call_timeout="5s")
    client = made.client()
    token = hold(client)
    saw(UPSTREAM_HANGS, told_by(client.answer(client.call("hang"))))
    made.wait_for("hung up on" if way == SERVE_URL else "cancelled")
    assert_kept(client, token)
    assert_kept(client, hold(client))
    assert made.count("hang") == 1


def test_a_command_that_dies_behind_run(rig, saw):
    """The host sees the end of `run`, and starts it again, as after any crash of a server."""
    made = rig(RUN_COMMAND)
    client = made.client()
    token = hold(client)
    saw(UPSTREAM_DIES, told_by(client.answer(client.call("half"))))
    assert made.wait() == 1
    made.start()
    client = made.client()
    assert_kept(client, token)
    assert_kept(client, hold(client))
    assert made.count("half") == 1


def test_a_command_that_dies_behind_serve(rig, saw):
    made = rig(SERVE_COMMAND)
    client, other = made.client(), made.client()
    token = hold(client)
    saw(UPSTREAM_DIES, told_by(client.answer(client.call("half"))))
    assert_kept(client, token)
    assert_kept(other, hold(other))
    assert made.process.poll() is None
    assert made.count("half") == 1


def test_a_command_that_dies_behind_a_session_of_serve(rig, saw):
    """The other sessions have processes of their own, and notice nothing."""
    made = rig(SERVE_SESSION)
    client, other = made.client(), made.client()
    token = hold(other)
    saw(UPSTREAM_DIES, told_by(client.answer(client.call("half"))))
    assert_kept(other, token)
    assert_kept(new := made.client(), hold(new))
    assert made.count("half") == 1


@pytest.mark.parametrize("way", URLS, ids=str)
def test_a_server_that_breaks_off(rig, saw, way):
    made = rig(way)
    client = made.client()
    token = hold(client)
    saw(UPSTREAM_BREAKS_OFF, told_by(client.answer(client.call("half"))))
    assert_kept(client, token)
    assert_kept(client, hold(client))
    assert made.count("half") == 1


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_upstream_that_answers_twice(rig, saw, way):
    """The second answer is 340 kB, over the budget, and does not reach the client."""
    made = rig(way)
    client = made.client()
    token = hold(client)
    key = client.call("twice")
    saw(UPSTREAM_ANSWERS_TWICE, told_by(client.answer(key)))
    assert_kept(client, token)
    assert_kept(client, hold(client))
    client.close()
    assert len(client.answers(key)) == 1
    assert made.count("twice") == 1


@pytest.mark.parametrize("way", COMMANDS, ids=str)
def test_a_line_without_end(rig, saw, way):
    """While the line goes on, the stored results are readable; after it, upstream is again too."""
    made = rig(way, max_upstream="1MB")
    client = made.client()
    token = hold(client)
    saw(LINE_WITHOUT_END, told_by(client.answer(client.call("endless"))))
    assert_kept(client, token)
    made.end_line()
    assert_kept(client, hold(client))
    assert made.count("endless") == 1


@pytest.mark.parametrize("way", URLS, ids=str)
def test_an_event_without_end(rig, saw, way):
    made = rig(way, max_upstream="1MB")
    client = made.client()
    token = hold(client)
    saw(STREAM_WITHOUT_END, told_by(client.answer(client.call("endless"))))
    made.wait_for("hung up on")
    assert_kept(client, token)
    assert_kept(client, hold(client))
    assert made.count("endless") == 1
