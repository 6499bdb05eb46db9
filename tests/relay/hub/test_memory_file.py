"""The file of what is known of servers, which several processes have at the same time."""

import fcntl
import json
import os
import subprocess
import sys
import threading

import msgspec
import pytest
from environments import clean_environment
from http_rig import eventually

from penstock.hub.remembered import Remembered
from penstock.relay.alarms import Alarms
from penstock.relay.hub.memory_file import MemoryFile, load, memory_path

PROCESSES, SAVES = 4, 25
# A process that learns one tool after another, and saves each time.
LEARNER = """
import json, sys, time
import msgspec
from penstock.hub.remembered import Remembered
from penstock.relay.alarms import Alarms
from penstock.relay.hub.memory_file import MemoryFile

own, saves = sys.argv[1], int(sys.argv[2])
memory = MemoryFile("front", Remembered(), Alarms())
known = memory.remembered.server(f"id of {own}", own)
print("ready", flush=True)
input()
for number in range(saves):
    tool = {"name": f"{own}_{number}"}
    memory.remembered.learn(known, "tools", [msgspec.Raw(json.dumps(tool).encode())], time.time())
    memory.remembered.names.claim("tools", {own: [tool["name"]]})
    memory.save_soon()
    memory.save()
"""


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "penstock" / "servers"


def test_no_process_loses_what_another_has_saved(state):
    command = [sys.executable, "-c", LEARNER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = clean_environment(XDG_STATE_HOME=os.environ["XDG_STATE_HOME"])
    learners = [
        subprocess.Popen([*command, f"s{number}", str(SAVES)], env=environment, **pipes)
        for number in range(PROCESSES)
    ]
    for learner in learners:
        assert learner.stdout.readline() == "ready\n"
    for learner in learners:
        learner.stdin.write("\n")
        learner.stdin.flush()
    for learner in learners:
        learner.communicate(timeout=60)
        assert learner.returncode == 0
    names = {f"s{number}": f"id of s{number}" for number in range(PROCESSES)}
    found = load("front", names)
    assert set(found.servers) == set(names.values())
    expected = {f"s{number}_{save}" for number in range(PROCESSES) for save in range(SAVES)}
    assert set(found.names.tables["tools"]) == expected
    assert [path.name for path in state.iterdir()] == ["front.json"]


def saved(name):
    memory = MemoryFile("front", Remembered(), Alarms())
    memory.remembered.learn(
        memory.remembered.server(f"id of {name}", name), "tools", [tool(name)], 1.0
    )
    memory.save_soon()
    memory.save()


def tool(name):
    return msgspec.Raw(json.dumps({"name": name}).encode())


def test_a_process_that_is_stopped_while_it_saves_holds_up_nobody_for_long(state):
    saved("a")
    holder = os.open(state, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    saving = threading.Thread(target=saved, args=("b",))
    saving.start()
    saving.join(30)
    os.close(holder)
    assert set(load("front", {"a": "id of a", "b": "id of b"}).servers) == {"id of a", "id of b"}


def test_nothing_waits_while_a_file_is_saved(state):
    saved("a")
    holder = os.open(state, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    remembered, alarms, rang = Remembered(), Alarms(), threading.Event()
    remembered.server("id of b", "b")
    memory = MemoryFile("front", remembered, alarms)
    memory.save_soon()
    assert eventually(memory._writing.locked)
    noting = threading.Thread(target=memory.save_soon)  # the hub does this while it holds its lock
    noting.start()
    alarms.set(0, rang.set)
    noting.join(1)
    assert not noting.is_alive()
    assert rang.wait(1)
    os.close(holder)
    memory.save()
    assert set(load("front", {"a": "id of a", "b": "id of b"}).servers) == {"id of a", "id of b"}


def test_a_damaged_file_is_written_anew(state):
    saved("a")
    memory_path("front").write_bytes(b"damaged")
    saved("b")
    assert set(load("front", {"a": "id of a", "b": "id of b"}).servers) == {"id of b"}
