"""The processes, threads and files of programs: none is left behind, however a program or the relay
ends."""

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from http_rig import Raw, serving
from relay_calls import value_of
from relay_processes import SERVERS, is_gone, wait_until, wait_until_gone

SERVER = [sys.executable, str(SERVERS / "program_server.py")]
ENDLESS = "while True:\n    pass"
ENDINGS = ["SIGTERM", "SIGINT", "SIGKILL", "the client leaves"]
RUNNING = {
    "computes": ENDLESS,
    "waits for a tool": "await wait()",
    "reads the store": "while True:\n    store(1)",
}
BUSY_SECONDS = 0.1  # of processor time; an idle process uses none
linux = pytest.mark.skipif(
    sys.platform != "linux", reason="the sandbox has a process of its own here"
)


def children(number):
    return [child.pid for child in psutil.Process(number).children(recursive=True)]


def sandboxes(client):
    """Return the processes of the sandbox: those of programs, and those that check types."""
    return [pid for pid in children(client.process.pid) if is_sandbox(pid)]


def is_sandbox(pid):
    try:
        return psutil.Process(pid).name() == "monty"
    except psutil.NoSuchProcess:
        return False


def begin(client, code):
    """Start a program, and return the id of the request once its sandbox is at work."""
    request = client.request("tools/call", {"name": "run_python", "arguments": {"code": code}})
    used = processor_seconds(client)
    client.send(request)
    if code == RUNNING["waits for a tool"]:
        threading.Event().wait(0.3)  # a program that has not begun yet must end too
    else:
        wait_until(lambda: computed_since(used, client) > BUSY_SECONDS, "a busy program")
    return request["id"]


def computed_since(used, client):
    """Return how long the program's processes have computed, those that have been replaced left out."""
    now = processor_seconds(client)
    return sum(seconds - used.get(pid, 0) for pid, seconds in now.items())


def processor_seconds(client):
    """Return how long the relay and the sandboxes have computed. A program that reads the store keeps
    the relay busier than its sandbox."""
    found = {}
    for pid in [client.process.pid, *sandboxes(client)]:
        with suppress(psutil.NoSuchProcess):  # It is being replaced.
            times = psutil.Process(pid).cpu_times()
            found[pid] = times.user + times.system
    return found


@linux
@pytest.mark.parametrize("doing", RUNNING)
@pytest.mark.parametrize("ending", ENDINGS)
def test_no_process_outlives_the_relay(start, ending, doing):
    """A sandbox that computes does not notice that the relay was killed. Its own limit ends it."""
    seconds = "5" if ending == "SIGKILL" else "60"
    client = start(SERVER, "--programs", "on", environment={"PENSTOCK_PROGRAM_SECONDS": seconds})
    wait_until(lambda: value_of(client.call("run_python", code="1")) == 1, "a sandbox")
    begin(client, RUNNING[doing])
    family = children(client.process.pid)
    assert len(family) >= 2
    if ending == "the client leaves":
        client.hang_up()
    else:
        client.process.send_signal(getattr(signal, ending))
    client.wait()
    wait_until_gone(*family)


@linux
def test_a_cancelled_program_frees_its_process(start):
    client = start(SERVER, "--programs", "on")
    client.call("run_python", code="1")
    key = begin(client, ENDLESS)
    before = sandboxes(client)
    client.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": key}}
    )
    wait_until(lambda: any(map(is_gone, before)), "the end of the sandbox")
    assert value_of(client.call("run_python", code="1 + 1")) == 2


@linux
def test_a_sandbox_that_crashes_costs_one_program(start):
    client = start(SERVER, "--programs", "on")
    client.call("run_python", code="kept = 7")
    key = begin(client, ENDLESS)
    for pid in sandboxes(client):
        os.kill(pid, signal.SIGKILL)
    told = client.answer_to(key)["result"]
    assert told["isError"]
    assert "sandbox ended" in value_of(told)["error"]
    assert value_of(client.call("run_python", code="kept")) == 7


# Programs of all kinds, many times over.
MANY = [
    "1 + 1",
    "await echo(text='a')",
    "import asyncio\nawait asyncio.gather(*[echo(text=str(n)) for n in range(9)])",
    "await fails(why='no')",
    "import asyncio\nawait asyncio.gather(fails(why='no'), slow(text='a', seconds=0.2))",
    "x = = 1",
    "nope",
    "await write(path='/tmp/x')",
    "await call('write', {'path': '/tmp/x'})",
    "_penstock_answer = lambda v: ('{', 0)\n5",
    "_penstock_store('{')",
    "[0] * 10**10",
    "later = echo(text='a')",
    "await later",
    "print('x' * 2_000_000)",
    "rows(store([1, 2]))",
    "sql('SELECT count(*) AS n FROM t', t=[{'a': 1}])",
    "sql('SELECT nonsense', t=[{'a': 1}])",
    "import asyncio\nawait asyncio.gather(*[echo(text='a') for n in range(200)])",
    "value('pen_1')",
]


def weight_of(process):
    """Return the numbers of threads, open files and children of a process."""
    return process.num_threads(), process.num_fds(), len(process.children(recursive=True))


@linux
@pytest.mark.parametrize("door", ["stdio", "http"])
def test_hundreds_of_programs_leave_nothing_behind(start, door):
    if door == "stdio":
        client = start(SERVER, "--programs", "on")
        leave_nothing(lambda code: client.call("run_python", code=code), client.process.pid)
        return
    with serving("--programs", "on", "--", *SERVER) as url, Raw(url) as client:
        client.initialize()
        relay = [child.pid for child in psutil.Process().children() if "serve" in child.cmdline()][
            -1
        ]
        leave_nothing(lambda code: client.call("run_python", {"code": code}), relay)


def leave_nothing(run, pid):
    process = psutil.Process(pid)
    for _ in range(2):
        for code in MANY:
            run(code)
    threading.Event().wait(0.5)
    threads, files, processes = weight_of(process)
    for _ in range(5):
        for code in MANY:
            run(code)
    wait_until(lambda: weight_of(process)[2] <= processes + 2, "the end of the processes")
    later = weight_of(process)
    assert later[0] <= threads + 24  # the pools of threads fill up
    assert later[1] <= files + 12
    assert value_of(run("1 + 1")) == 2


@linux
def test_the_script_that_starts_sandboxes_is_no_file(start):
    client = start(SERVER, "--programs", "on")
    client.call("run_python", code="1")
    for one in sandboxes(client):
        opened = [str(link.readlink()) for link in Path(f"/proc/{one}/fd").iterdir()]
        assert [name for name in opened if not name.startswith(("pipe:", "/dev/null"))] == []
        assert os.getsid(one) != os.getsid(client.process.pid)
