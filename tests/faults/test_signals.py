"""Signals to Penstock at each stage: it ends with all that it started, and loses nothing."""

import json
import os
import signal
import sqlite3
from contextlib import closing

import pytest
from fault_list import KILLED, SIGNAL, SIGNAL_TO_SERVE
from fault_rig import (
    ENDLESS_SQL,
    RUN_COMMAND,
    RUN_URL,
    SERVE_COMMAND,
    assert_kept,
    hold,
    read,
    told_by,
)
from relay_processes import wait_until_gone

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)
LARGE = 20_000  # rows
SETTINGS = {"query_seconds": "15s", "call_timeout": "10m"}
# The worker ends by itself at its limit, if nobody is left to end it. The test waits for that.
SETTINGS_OF_KILLED = {**SETTINGS, "query_seconds": "8s"}


def starting(rig):
    """Stop before the first message: only a command is already running."""
    if rig.way == RUN_COMMAND:
        rig.wait_for("up")


def greeted(rig, client):
    """Stop after the handshake, with nothing to do."""


def calling(rig, client):
    """Stop while upstream runs a tool that never answers."""
    key = client.call("hang")
    rig.wait_for("hang")
    return key


def querying(rig, client):
    """Stop while a worker computes what never ends."""
    key = read(client, hold(client), mode="sql", query=ENDLESS_SQL)
    rig.wait_for_query()
    return key


def holding(rig, client):
    """Stop while a large result is being stored: the file is locked until the signal has come."""
    key = client.call("rows", count=LARGE)
    rig.wait_for("answered rows", rig.count("answered rows") + 1)
    return key


STAGES = (greeted, calling, querying, holding)
# The signals that Penstock handles are handled alike. So `make test` sends all of them at one stage
# only, and two at the others. `make faults` sends all at each.
IS_LONG = "PENSTOCK_FAULT_CYCLES" in os.environ
CASES = [
    pytest.param(stage, number, id=f"{stage.__name__}-{number.name}")
    for stage in STAGES
    for number in SIGNALS
    if IS_LONG or stage is calling or number in (signal.SIGTERM, signal.SIGKILL)
]


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("way", [RUN_COMMAND, RUN_URL, SERVE_COMMAND], ids=str)
def test_a_signal_before_the_first_message(rig, way, number):
    """Even a server that ignores the end of its input, and SIGTERM, does not stay."""
    made = rig(way, starts=False, options=["--stubborn"])
    made.start(waits=False)
    starting(made)
    made.process.send_signal(number)
    assert made.wait() in codes_of(number)
    made.start()
    assert_kept(client := made.client(), hold(client))


@pytest.mark.parametrize(("stage", "number"), CASES)
@pytest.mark.parametrize("way", [RUN_COMMAND, RUN_URL, SERVE_COMMAND], ids=str)
def test_a_signal(rig, saw, way, stage, number):
    """The agent's call has no answer or an error; the results from before are still there."""
    # A server that stays until it is killed costs seconds, so not every stage has one.
    settings = SETTINGS_OF_KILLED if number == signal.SIGKILL else SETTINGS
    made = rig(way, options=["--stubborn"] if stage is calling else [], **settings)
    client = made.client()
    token = hold(client)
    with closing(lock_on(made.store, stage)):
        key = stage(made, client)
        below = [one.pid for one in made.below()]
        made.process.send_signal(number)
    assert made.wait() in codes_of(number)
    wait_until_gone(*below)
    client.close()
    late = token_in(client, key)
    if key is not None and not late:
        words = last_words(client, key)
        if number == signal.SIGKILL:
            saw(KILLED, words)
        elif way == SERVE_COMMAND:
            saw(SIGNAL_TO_SERVE, words)
        else:
            saw(SIGNAL, words)
    ran = {tool: made.count(tool) for tool in ("rows", "hang")}
    made.start()
    client = made.client()
    assert_kept(client, token)
    if late:
        assert_kept(client, late, LARGE)
    assert ran == {tool: made.count(tool) for tool in ("rows", "hang")}
    assert ran["hang"] == (stage is calling)


def codes_of(number):
    """Return the exit codes that name a signal: a program's own, and the system's."""
    return (128 + number, -number)


def lock_on(store, stage):
    """Hold the lock of an SQLite file, so that nothing can be stored."""
    lock = sqlite3.connect(store, isolation_level=None)
    if stage is holding:
        lock.execute("BEGIN IMMEDIATE")
    return lock


def token_in(client, key):
    """Return the token of a result that was stored just in time, and of which the agent knows."""
    answers = [] if key is None else client.answers(key)
    if not answers or "error" in answers[0]:
        return ""
    return json.loads(told_by(answers[0]))["continuation_token"]


def last_words(client, key):
    answers = [] if key is None else client.answers(key)
    return told_by(answers[0]) if answers else "the connection ends without an answer"
