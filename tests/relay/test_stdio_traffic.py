"""Many messages at once, and huge lines: the relay passes them on, and keeps nothing in memory."""

import json
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from relay_calls import table, value_of
from relay_processes import SCRIPTED, wait_until
from relay_rig import LEGACY_GREETING

MEGABYTE = 1_000_000
HUGE = 100 * MEGABYTE


def call(number, name, /, **arguments):
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def resident(client):
    """Return the bytes of memory that the relay itself holds."""
    status = Path(f"/proc/{client.process.pid}/status")
    if not status.exists():
        pytest.skip("resident memory is read from /proc, which is Linux's")
    (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1_024


# -- much at once ------------------------------------------------------------------------------


def test_calls_are_answered_in_any_order(start):
    client = start(SCRIPTED)
    names = [f"call {number}" for number in range(50)]
    for number, name in enumerate(names, 100):
        client.send(call(number, "wait", name=name))
    client.send(call(99, "release", names=names[::-1]))
    answers = [json.loads(client.receive()) for _ in range(51)]
    assert [answer["id"] for answer in answers] == [*range(149, 99, -1), 99]
    assert answers[0]["result"]["content"][0]["text"] == "released call 49"


def test_one_that_waits_holds_up_nobody(start):
    client = start(SCRIPTED)
    client.send(call(100, "wait", name="a"))
    token = client.probe("big", size=100_000)["continuation_token"]
    assert client.read(token, mode="summary")
    client.call("release", names=["a"])
    assert [message["id"] for message in client.others] == [100]


def test_many_large_results_at_once(start):
    client = start(SCRIPTED)
    for number in range(100, 140):
        client.send(call(number, "big", size=MEGABYTE))
    answers = [json.loads(client.receive()) for _ in range(40)]
    assert sorted(answer["id"] for answer in answers) == list(range(100, 140))
    tokens = {value_of(answer["result"])["continuation_token"] for answer in answers}
    assert len(tokens) == 40


@pytest.mark.parametrize("is_listed", [True, False])
def test_many_results_handed_on_at_once(start, is_listed):
    """The thread that reads from a server must not write to it: the server may not read while it
    writes. This holds for calls that go up at once, and for calls that wait for the list of tools
    (as one batch, so that all of them wait)."""
    client = start(SCRIPTED)
    token = client.probe("big", size=3 * MEGABYTE)["continuation_token"]
    asked = [
        request
        for number in range(100, 130)
        for request in (
            call(number, "measure", of=f"@result:{token}"),
            call(number + 100, "big", size=3 * MEGABYTE),
        )
    ]
    if is_listed:
        client.listed()
        for request in asked:
            client.send(request)
        answers = [json.loads(client.receive()) for _ in asked]
    else:
        client.send(asked)
        answers = json.loads(client.receive())
    results = {answer["id"]: answer["result"] for answer in answers}
    assert sorted(results) == [*range(100, 130), *range(200, 230)]
    assert {value_of(results[number])["size"] for number in range(100, 130)} == {3 * MEGABYTE}


# -- much in one line --------------------------------------------------------------------------


def test_a_huge_line_up(start):
    client = start(SCRIPTED)
    measured = value_of(client.call("measure", of="x" * HUGE))
    assert measured == {"type": "str", "size": HUGE, "note": 0}


def test_a_huge_line_down(start):
    """The line is stored and shown in part, or passed on if the settings leave the tool alone."""
    client = start(SCRIPTED)
    probe = client.probe("big", size=HUGE)
    assert probe["total_size"] > HUGE
    page = client.read(probe["continuation_token"])
    assert page["window"]["of"] == HUGE


def test_a_large_line_down_of_a_tool_that_is_left_alone(start):
    client = start(SCRIPTED, "--except", "big")
    assert len(client.call("big", size=10 * MEGABYTE)["content"][0]["text"]) == 10 * MEGABYTE


# -- back-pressure -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["notifications", "results"])
def test_a_client_that_stops_reading_costs_no_memory(start, kind):
    """The server waits, as it would without a relay: the relay does not collect 600 MB."""
    client = start(SCRIPTED, is_reading=False, greet=False)
    client.send(client.request("initialize", LEGACY_GREETING))
    idle = steady(lambda: resident(client))
    if kind == "notifications":
        client.send(call(1, "flood", count=600, size=MEGABYTE))
    else:
        for number in range(600):
            client.send(call(number, "big", size=MEGABYTE))
    assert steady(lambda: resident(client)) - idle < 200 * MEGABYTE
    client.start_reading()
    assert all(client.receive() for _ in range(30))


def steady(look):
    """Return a value once it has nearly stopped changing."""
    found = Steady(look)
    wait_until(found)
    return found.value


class Steady:
    """A check that a value has nearly stopped changing."""

    def __init__(self, look):
        self.look = look
        self.value = 0
        self.times = 0

    def __call__(self):
        value = self.look()
        self.times = self.times + 1 if abs(value - self.value) < 100_000 else 0
        self.value = value
        return self.times > 25


def test_a_server_that_stops_reading_costs_no_memory(start, tmp_path):
    """The client waits."""
    ready = tmp_path / "ready"
    client = start([*SCRIPTED, "--deaf", "--ready", str(ready)], greet=False)
    wait_until(ready.exists)
    idle = steady(lambda: resident(client))
    taken = []

    def write():
        with suppress(OSError, ValueError):  # The test ends the relay meanwhile.
            for number in range(600):
                client.send(call(number, "measure", of="x" * MEGABYTE))
                taken.append(number)

    threading.Thread(target=write, daemon=True).start()
    assert steady(lambda: resident(client)) - idle < 200 * MEGABYTE
    assert len(taken) < 20


# -- what is kept ------------------------------------------------------------------------------


def test_a_token_that_survives_a_restart(start, tmp_path):
    store = f"sqlite:///{tmp_path}/results.sqlite"
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(table()))
    first = start(SCRIPTED, "--store", store)
    token = first.probe("read", path=str(file))["continuation_token"]
    assert first.close() == 0
    second = start(SCRIPTED, "--store", store)
    assert second.rows(token) == table()
    assert second.close() == 0


def test_a_token_of_another_server(start, tmp_path):
    """Another command with the same store cannot read the result."""
    store = f"sqlite:///{tmp_path}/results.sqlite"
    first = start(SCRIPTED, "--store", store)
    token = first.probe("big", size=50_000)["continuation_token"]
    assert first.close() == 0
    other = start([*SCRIPTED, "--garbage"], "--store", store)
    assert other.call("read_result", continuation_token=token)["isError"]


def test_a_token_in_memory_ends_with_the_relay(start):
    first = start(SCRIPTED)
    token = first.probe("big", size=50_000)["continuation_token"]
    first.close()
    assert start(SCRIPTED).call("read_result", continuation_token=token)["isError"]


def test_a_print_of_somebody_elses_does_not_get_between_messages(start, tmp_path):
    """A print inside the relay goes to stderr, because stdout belongs to the protocol."""
    (tmp_path / "sitecustomize.py").write_text(STRAY_PRINT)
    client = start(SCRIPTED, environment={"PYTHONPATH": str(tmp_path)})
    wait_until(lambda: "a stray line" in client.errors)
    assert client.listed()
    client.hang_up()
    assert client.receive_rest() == []
    assert client.others == []


STRAY_PRINT = """
import sys, threading

def shout():
    while sys.stdout is sys.__stdout__:  # the relay is not up yet
        threading.Event().wait(0.01)
    print("a stray line", flush=True)

threading.Thread(target=shout, daemon=True).start()
"""
