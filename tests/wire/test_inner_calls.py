"""The calls of a program, which several threads finish, wait for, interrupt and cancel at once."""

import json
import threading
from collections import Counter

import pytest
from relay_rig import Rig
from relay_upstream import Upstream, text, tool

from penstock.wire.inner_calls import InnerCalls

READS = {"annotations": {"readOnlyHint": True}}
GATHER = "import asyncio\nawait asyncio.gather(*[echo(of=n) for n in range(20)])"


# -- by itself ---------------------------------------------------------------------------------


def test_finished_calls_go_to_the_one_that_waits_first():
    calls = InnerCalls()
    calls.begin(b"1", "one")
    calls.begin(b"2", "two")
    assert calls.finish(b"1", "one") is None
    assert calls.wait() == ["one"]
    assert calls.wait() is None
    assert calls.open == {b"2": "two"}
    assert calls.finish(b"2", "two") == ["two"]
    assert calls.finished() == []


def test_an_interruption_counts_only_while_the_program_waits():
    calls = InnerCalls()
    assert calls.interrupt() is None
    assert calls.wait() is None
    assert calls.interrupt() == []
    assert calls.interrupt() is None
    calls.begin(b"1", "one")
    assert calls.finish(b"1", "one") is None  # nobody waits any more
    assert calls.finished() == ["one"]


@pytest.mark.parametrize("interrupts", [False, True])
def test_every_call_is_handed_over_once_and_one_thread_goes_on(interrupts):
    calls, taken, running = InnerCalls(), [], threading.Lock()
    done = threading.Event()

    def advance(found):
        """Be the program: take what is there, and wait for more. Only one thread may be here."""
        while found is not None:
            assert running.acquire(blocking=False), "two threads advance one program"
            taken.extend(found)
            running.release()
            found = calls.wait()
        if len(taken) == 400:
            done.set()

    def finish(start):
        for number in range(start, 400, 4):
            key = str(number).encode()
            calls.begin(key, number)
            advance(calls.finish(key, number))

    def interrupt():
        while not done.is_set():
            advance(calls.interrupt())

    advance(calls.wait())
    threads = [threading.Thread(target=finish, args=(start,)) for start in range(4)]
    threads += [threading.Thread(target=interrupt)] if interrupts else []
    for thread in threads:
        thread.start()
    assert done.wait(30), len(taken)
    for thread in threads:
        thread.join(30)
    assert sorted(taken) == list(range(400))
    assert calls.open == {}


# -- in a session ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rig():
    made = Rig(Upstream(tools=[tool("echo", {"of": {}}, **READS)]), programs="on")
    made.listed()
    made.upstream = None
    made.call_number = 100
    yield made
    made.close()


def started(rig):
    """Start a program that waits for its first calls. Return the ids of the program and its calls."""
    rig.call_number += 1
    rig.up.clear()
    rig.down.clear()
    arguments = {"name": "run_python", "arguments": {"code": GATHER}}
    rig.from_client(rig.request("tools/call", arguments, id=rig.call_number))
    return rig.call_number, ids_of_calls(rig)


def ids_of_calls(rig):
    return [json.loads(line)["id"] for line in rig.up if b'"tools/call"' in line]


def at_once(*deeds):
    """Run functions in threads that begin at the same moment."""
    barrier, failures = threading.Barrier(len(deeds)), []

    def do(deed):
        barrier.wait()
        try:
            deed()
        except BaseException as error:  # noqa: BLE001 (the test reports it)
            failures.append(error)

    threads = [threading.Thread(target=do, args=(deed,)) for deed in deeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert failures == []


def answer_all(rig, seen):
    """Be upstream: answer each call once, also those that answers cause."""
    while True:
        asked = [json.loads(line) for line in list(rig.up)]
        new = [
            one["id"] for one in asked if one["method"] == "tools/call" and one["id"] not in seen
        ]
        if not new:
            return
        for key in new:
            if seen.setdefault(key, threading.get_ident()) == threading.get_ident():
                rig.from_upstream({"jsonrpc": "2.0", "id": key, "result": text("ok")})


def answers_to(rig, key):
    return [message for message in map(json.loads, rig.down) if message.get("id") == key]


def calls_made(rig):
    asked = [json.loads(line) for line in rig.up]
    return Counter(
        one["params"]["arguments"]["of"] for one in asked if one["method"] == "tools/call"
    )


def cancelled(rig):
    asked = [json.loads(line) for line in rig.up]
    return [
        one["params"]["requestId"] for one in asked if one["method"] == "notifications/cancelled"
    ]


@pytest.mark.parametrize("turn", range(20))
def test_answers_from_many_threads(rig, turn):
    key, first = started(rig)
    assert len(first) == 8
    seen = {}
    at_once(*[lambda: answer_all(rig, seen)] * 4)
    answer_all(rig, seen)
    (answer,) = answers_to(rig, key)
    assert json.loads(answer["result"]["content"][0]["text"]) == ["ok"] * 20
    assert set(calls_made(rig).values()) == {1}
    assert rig.session.pending == {}
    assert cancelled(rig) == []


@pytest.mark.parametrize("turn", range(20))
@pytest.mark.parametrize("ending", ["cancel", "ring"])
def test_an_end_while_answers_come(rig, ending, turn):
    key, _ = started(rig)
    gone = {"method": "notifications/cancelled", "params": {"requestId": key}}
    end = {
        "cancel": lambda: rig.from_client({"jsonrpc": "2.0", **gone}),
        "ring": rig.ring,
    }[ending]
    seen = {}
    at_once(end, *[lambda: answer_all(rig, seen)] * 3)
    answer_all(rig, seen)
    answers = answers_to(rig, key)
    assert len(answers) <= 1
    if ending == "ring":
        assert len(answers) == 1
    made = calls_made(rig)
    assert set(made.values()) <= {1}
    assert rig.session.pending == {}
    assert rig.session._awaiting == {}
    if not answers:  # a cancellation that comes too late is passed on
        assert key not in [*cancelled(rig)]
    rig.alarms.clear()


def test_a_call_that_begins_while_its_program_is_cancelled(rig, monkeypatch):
    """The cancellation comes when the session has decided to begin calls, and has begun none."""
    begin, key = InnerCalls.begin, rig.call_number + 1

    def cancelling(self, name, call):
        if rig.session.pending.get(str(key).encode()) is not None:
            gone = {"method": "notifications/cancelled", "params": {"requestId": key}}
            thread = threading.Thread(target=rig.from_client, args=({"jsonrpc": "2.0", **gone},))
            thread.start()
            thread.join(30)
        begin(self, name, call)

    monkeypatch.setattr(InnerCalls, "begin", cancelling)
    key, sent = started(rig)
    monkeypatch.undo()
    assert len(sent) == 8
    assert sorted(cancelled(rig)) == sorted(sent)
    assert answers_to(rig, key) == []
    assert rig.session.pending == {}
    assert rig.session._awaiting == {}


def test_an_alarm_before_the_program_waits(rig):
    rig.holds_work = True
    key, _ = started(rig)
    rig.ring()
    rig.holds_work = False
    rig.work()
    (answer,) = answers_to(rig, key)
    assert "longer than" in answer["result"]["content"][0]["text"]
    assert sorted(cancelled(rig)) == sorted(ids_of_calls(rig))
    assert rig.session.pending == {}


def test_an_alarm_after_the_answer_does_nothing(rig):
    key, _ = started(rig)
    answer_all(rig, {})
    assert rig.ring() == []
    assert len(answers_to(rig, key)) == 1


def test_the_end_of_upstream_while_a_program_waits(rig):
    other = Rig(Upstream(tools=[tool("echo", {"of": {}}, **READS)]), programs="on")
    other.listed()
    other.upstream, other.call_number = None, 0
    key, _ = started(other)
    at_once(other.upstream_ends, lambda: answer_all(other, {}))
    answers = answers_to(other, key)
    assert len(answers) == 1
    assert other.session.pending == {}
    other.close()
