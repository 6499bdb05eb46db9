"""Workers of `penstock serve --workers 2` that end or hang, and a supervisor that is killed."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx2
import pytest
from http_rig import ACCEPT, PLAIN, eventually, messages_of, request, started, value_of
from relay_processes import is_gone, wait_until_gone
from team_rig import WAIT, is_waiting, serving_team

from penstock.relay.http.gateway import Inbound
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.team.colleague import Colleague
from penstock.wire import messages

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="teams are for Linux")


@pytest.fixture
def mortal_team(tmp_path):
    with serving_team(tmp_path, "--", *PLAIN) as team:
        yield team


# -- a worker that is killed -------------------------------------------------------------------


def test_a_killed_worker_loses_only_its_own_calls(mortal_team):
    team = mortal_team
    with team.clients() as (kept, lost), team.client(0) as other:
        kept.initialize()
        lost.initialize()
        other.session = lost.session
        victim = list(team.doors().values())[1]
        servers = victim.children(recursive=True)
        outcome = {}

        def wait_in_vain():
            outcome["reply"] = other.post(request("tools/call", {"name": "wait"}, 5))

        waiting = threading.Thread(target=wait_in_vain)
        waiting.start()
        assert eventually(lambda: is_waiting(lost), WAIT)
        victim.kill()
        waiting.join(WAIT)
        error = outcome["reply"].json()["error"]
        assert (outcome["reply"].status_code, error["code"]) == (502, -32010)
        assert "ended before it answered" in error["message"]
        assert "may have run" in error["message"]
        assert value_of(kept.call("echo", {"text": "kept"})) == {"text": "kept"}
        assert other.post(request("tools/list", {}, 6)).status_code == 404  # by the new worker
        assert eventually(lambda: len(team.doors()) == 2, WAIT)
        told = "worker 1 was ended by signal 9. What it had in progress is lost"
        assert told in team.log.read_text()
        assert victim not in team.doors().values()
        wait_until_gone(*(server.pid for server in servers))
    told = team.log.read_text()
    assert "worker 1 was ended by signal 9" in told
    assert "worker 1 did not answer what was passed on to it" in told


def test_a_modern_call_hears_that_the_worker_with_its_process_was_killed(mortal_team):
    team = mortal_team
    with team.client(1) as client, team.client(1) as asker, ThreadPoolExecutor() as threads:
        wait = {"name": "wait", "arguments": {}}
        call = threads.submit(client.modern, "tools/call", wait, 5)
        assert eventually(lambda: "wait" in str(value_of(asker.modern_call("seen"))), WAIT)
        next(iter(team.doors().values())).kill()
        reply = call.result(WAIT)
        error = messages_of(reply)[-1]["error"]
        assert (reply.status_code, error["code"]) == (502, -32010)
        assert "ended before it answered" in error["message"]
        assert "may have run" in error["message"]
        assert "session" not in error["message"]  # It has none.
        assert value_of(client.modern_call("echo", {"text": "next"})) == {"text": "next"}


def test_a_session_in_front_of_a_url_survives_its_killed_worker(tmp_path):
    with (
        started([*PLAIN, "--http"]) as url,
        serving_team(tmp_path, "--url", url) as team,
        team.clients() as (lost, other),
    ):
        lost.initialize()
        other.session = lost.session
        victim = next(iter(team.doors().values()))
        with ThreadPoolExecutor() as threads:
            waiting = threads.submit(other.post, request("tools/call", {"name": "wait"}, 5))
            with team.client(0) as watching:
                watching.session = lost.session
                assert eventually(lambda: is_waiting(watching), WAIT)
            victim.kill()
            reply = waiting.result(WAIT)
        assert reply.status_code == 502
        assert "may have run" in reply.json()["error"]["message"]
        assert value_of(other.call("echo", {"text": "é"})) == {"text": "é"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_all_workers_and_their_servers(mortal_team, number):
    team = mortal_team
    with team.clients() as clients:
        for client in clients:
            client.initialize()
    family = team.process.children(recursive=True)
    folder = Path(next(iter(team.doors()))).parent
    team.process.send_signal(number)
    assert team.process.wait(WAIT) in (128 + number, -number, None)
    wait_until_gone(*(one.pid for one in family))
    assert not folder.exists()


def test_workers_end_when_their_supervisor_is_killed(mortal_team):
    team = mortal_team
    with team.client(1) as client:
        client.initialize()
    family = team.process.children(recursive=True)
    folder = Path(next(iter(team.doors()))).parent
    team.process.kill()
    wait_until_gone(*(one.pid for one in family))
    assert not folder.exists()


def test_a_worker_that_is_told_to_end_is_replaced(mortal_team):
    old = next(iter(mortal_team.doors().values()))
    old.terminate()
    assert eventually(lambda: is_gone(old.pid) and len(mortal_team.doors()) == 2, WAIT)
    with mortal_team.client(0) as client:
        client.initialize()
        assert client.session.startswith("w0-")
    log = mortal_team.log.read_text()
    assert "worker 0 ended with the exit code" in log
    assert "is lost" not in log


KILLED_AT_THE_START = """
import os, signal, sys
from penstock.relay.http.team.supervisor import Supervisor

member = Supervisor(2).run(lambda: os.write(1, b"all serve\\n"), lambda: None)
if isinstance(member, int):
    sys.exit(member)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_that_is_killed_before_it_serves_is_told():
    """As for lack of memory. The worker could not say why the team does not start."""
    command = [sys.executable, "-c", KILLED_AT_THE_START]
    told = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=False)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.count("worker 0 was ended by signal 9 before it served") == 1


def test_workers_are_replaced_though_the_parent_ignores_the_end_of_children(tmp_path):
    ignoring = ["sh", "-c", 'trap "" CHLD; exec "$@"', "sh"]
    with serving_team(tmp_path, "--", *PLAIN, before=ignoring) as team:
        old = next(iter(team.doors().values()))
        old.kill()
        assert eventually(lambda: is_gone(old.pid) and len(team.doors()) == 2, WAIT)


# -- under load --------------------------------------------------------------------------------


class Caller:
    """A session of one worker whose calls arrive at one worker, the same or the other one."""

    def __init__(self, door, session):
        self.http = httpx2.AsyncClient(timeout=WAIT, transport=httpx2.AsyncHTTPTransport(uds=door))
        self.session = session
        self.replies = asyncio.Semaphore(0)
        self.outcomes = []  # a status, or "broken off", and the text of each reply

    async def call(self):
        number = len(self.outcomes)
        call = request("tools/call", {"name": "echo", "arguments": {"number": number}}, number)
        given = {**ACCEPT, "mcp-session-id": self.session}
        try:
            reply = await self.http.post("http://127.0.0.1/mcp", json=call, headers=given)
        except httpx2.TransportError:
            self.outcomes.append(("broken off", ""))
        else:
            self.outcomes.append((reply.status_code, reply.text))

    async def call_until(self, ended):
        async with self.http:
            while not ended.is_set():
                await self.call()
                self.replies.release()

    @property
    def statuses(self):
        return Counter(status for status, _ in self.outcomes)

    def texts(self, status):
        return [text for given, text in self.outcomes if given == status]


def callers_of(team, many=5):
    """Return callers by the worker that they call and the worker of their session."""
    doors = list(team.doors())
    callers = {}
    for owner in (0, 1):
        for door in (0, 1):
            callers[door, owner] = []
            for _ in range(many):
                with team.client(owner) as client:
                    client.initialize()
                    callers[door, owner].append(Caller(doors[door], client.session))
    return callers


async def call_while(callers, harm):
    """Let all callers call, before, during and after the harm, until each has had a few replies."""
    everyone = [caller for some in callers.values() for caller in some]
    ended = asyncio.Event()
    calling = [asyncio.create_task(caller.call_until(ended)) for caller in everyone]
    for cause in (lambda: None, harm):
        cause()
        for caller in everyone:
            caller.replies = asyncio.Semaphore(0)
        for caller in everyone:
            for _ in range(3):
                await caller.replies.acquire()
    ended.set()
    await asyncio.wait_for(asyncio.gather(*calling), WAIT)


def test_a_worker_killed_under_load_loses_only_what_it_had_in_progress(mortal_team):
    callers = callers_of(mortal_team)
    victim = list(mortal_team.doors().values())[1]
    asyncio.run(asyncio.wait_for(call_while(callers, victim.kill), WAIT))
    for caller in callers[0, 0]:
        assert set(caller.statuses) == {200}
    for caller in callers[1, 0]:  # The connection breaks off. The session goes on.
        assert caller.statuses["broken off"] <= 1
        assert set(caller.statuses) <= {200, "broken off"}
        assert caller.outcomes[-1][0] == 200
    for caller in callers[
        0, 1
    ]:  # No connection of the client is harmed, so every call has a reply.
        assert set(caller.statuses) <= {200, 502, 404}
        assert caller.statuses[502] <= 1
        for text in caller.texts(502):
            assert "may have run" in text or "cannot be reached" in text
    for caller in callers[1, 1]:
        assert set(caller.statuses) <= {200, 404, "broken off"}
        assert caller.statuses["broken off"] <= 1
    for caller in callers[0, 1] + callers[1, 1]:
        assert caller.outcomes[-1][0] == 404
        assert all("initialize again" in text for text in caller.texts(404))
    assert "Traceback" not in mortal_team.log.read_text()


def test_a_signal_under_load_ends_each_call_with_an_answer_an_error_or_its_connection(mortal_team):
    team = mortal_team
    callers = callers_of(team)
    family = team.process.children(recursive=True)
    folder = Path(next(iter(team.doors()))).parent
    asyncio.run(asyncio.wait_for(call_while(callers, team.process.terminate), WAIT))
    wait_until_gone(team.process.pid, *(one.pid for one in family))
    assert not folder.exists()
    for caller in [caller for some in callers.values() for caller in some]:
        told = [text for status, text in caller.outcomes if status not in (200, "broken off")]
        assert all('"error"' in text for text in told), caller.outcomes
    assert "Traceback" not in team.log.read_text()


# -- a worker that hangs -----------------------------------------------------------------------


def test_a_worker_that_hangs_is_replaced_and_its_callers_hear_of_it(mortal_team):
    team = mortal_team
    with (
        team.clients() as (kept, direct),
        team.client(0) as taken,
        team.client(0) as waiting,
        ThreadPoolExecutor() as threads,
    ):
        kept.initialize()
        direct.initialize()
        taken.session = waiting.session = direct.session
        taken.call("echo")  # Now the workers have one connection, which the next call takes.
        hung = list(team.doors().values())[1]
        hung.suspend()
        calls = [
            threads.submit(client.post, request("tools/call", {"name": "echo"}, number))
            for number, client in enumerate((taken, waiting, direct))
        ]
        assert value_of(kept.call("echo", {"text": "kept"})) == {"text": "kept"}
        errors = [messages_of(call.result(WAIT))[-1] for call in calls[:2]]
        with pytest.raises(httpx2.TransportError):
            calls[2].result(WAIT)
        assert [error["id"] for error in errors] == [0, 1]
        told = sorted(error["error"]["message"] for error in errors)
        assert "initialize again" in told[0]  # by the new worker
        assert "may have run" in told[1]
        assert taken.post(request("tools/list", {}, 6)).status_code == 404
        assert eventually(lambda: len(team.doors()) == 2, WAIT)
        assert hung not in team.doors().values()
    assert "worker 1 hangs" in team.log.read_text()


HANGING_AND_BUSY = """
import os, sys, time
from penstock.relay.http.team.supervisor import Supervisor

member = Supervisor(2, turn_seconds=0.2).run(lambda: os.write(1, b"all serve\\n"), lambda: None)
if isinstance(member, int):
    sys.exit(member)
os.write(member.ready, b"+")
os.write(1, b"%d\\n" % member.team.index)
while member.team.index == 1:
    pass  # busy
time.sleep(600)
"""


def test_only_a_worker_that_does_nothing_at_all_hangs():
    """The first worker sleeps, and is replaced again and again. The second one never beats either,
    but it works."""
    command = [sys.executable, "-c", HANGING_AND_BUSY]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as supervisor:
        heard = [supervisor.stdout.readline().strip() for _ in range(5)]
        supervisor.terminate()
        errors = supervisor.stderr.read()
    assert Counter(heard) == {"all serve": 1, "0": 3, "1": 1}
    assert "worker 0 hangs" in errors
    assert "worker 1" not in errors


HANGING_AT_THE_START = """
import os, sys, time
from pathlib import Path
from penstock.relay.http.team.supervisor import Supervisor

member = Supervisor(2, turn_seconds=0.05).run(lambda: os.write(1, b"all serve\\n"), lambda: None)
if isinstance(member, int):
    sys.exit(member)
name = f"worker {member.team.index}, life "
lives = Path(sys.argv[1], name)
lives.write_text(lives.read_text() + "+" if lives.exists() else "+")
name += str(len(lives.read_text()))
os.write(1, f"{name} {os.getpid()}\\n".encode())
while name != sys.argv[2]:
    os.write(member.ready, b"+")
    time.sleep(0.05)
time.sleep(600)
"""


def test_a_new_worker_that_hangs_before_it_serves_is_replaced(tmp_path):
    command = [sys.executable, "-c", HANGING_AT_THE_START, str(tmp_path), "worker 0, life 2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as supervisor:
        heard = sorted(supervisor.stdout.readline() for _ in range(3))
        assert heard[0] == "all serve\n"
        os.kill(int(heard[1].split()[-1]), signal.SIGKILL)
        later = [supervisor.stdout.readline() for _ in range(2)]
        supervisor.terminate()
        errors = supervisor.stderr.read()
    assert [line[: len("worker 0, life 2")] for line in later] == [
        "worker 0, life 2",
        "worker 0, life 3",
    ]
    assert "worker 0 hangs" in errors


def test_a_team_does_not_start_if_a_worker_hangs_before_it_serves(tmp_path):
    command = [sys.executable, "-c", HANGING_AT_THE_START, str(tmp_path), "worker 1, life 1"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=False)
    assert told.returncode == 1
    assert "all serve" not in told.stdout
    assert "worker 1 hangs" in told.stderr


def test_a_team_that_was_stopped_as_a_whole_goes_on(mortal_team):
    """As by Ctrl-Z. Nobody has hung, whatever the clock says."""
    team = mortal_team
    with team.clients() as (first, second):
        first.initialize()
        second.initialize()
        family = [team.process, *team.doors().values()]
        for one in family:
            one.suspend()
        threading.Event().wait(1)
        for one in family:
            one.resume()
        for client in (first, second):
            assert value_of(client.call("echo", {"text": "é"})) == {"text": "é"}
        assert list(team.doors().values()) == family[1:]


def test_a_worker_that_hangs_does_not_keep_the_team_from_ending(mortal_team):
    family = mortal_team.process.children(recursive=True)
    next(iter(mortal_team.doors().values())).suspend()
    mortal_team.process.terminate()
    wait_until_gone(mortal_team.process.pid, *(one.pid for one in family))


def test_a_colleague_that_says_nothing_at_all_costs_a_caller_a_while_only(tmp_path):
    """No worker is there, and none can be started: the supervisor keeps the door open."""
    with socket.socket(socket.AF_UNIX) as door:
        path = str(tmp_path / "0.sock")
        door.bind(path)
        door.listen()
        body = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "echo"}}'
        status, text = asyncio.run(pass_on(path, body))
    assert status == 502
    assert '"id":7' in text
    assert "may have run" in text


@contextmanager
def full_door(path):
    """Listen on a Unix socket whose queue is full. Yield it, and what is in the queue."""
    with socket.socket(socket.AF_UNIX) as door, ExitStack() as waiting:
        door.bind(path)
        door.listen(0)
        with suppress(BlockingIOError):
            while True:
                one = waiting.enter_context(socket.socket(socket.AF_UNIX))
                one.setblocking(False)
                one.connect(path)
        yield door, waiting


def test_a_request_that_finds_a_full_queue_was_not_sent(tmp_path, monkeypatch):
    monkeypatch.setattr("penstock.relay.http.client.CONNECT_SECONDS", 0.3)
    path = str(tmp_path / "0.sock")
    body = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "echo"}}'
    with full_door(path):
        status, text = asyncio.run(pass_on(path, body, silence=WAIT))
    assert status == 502
    assert "cannot be reached" in text
    assert "may have run" not in text


def test_a_request_waits_for_a_place_in_a_full_queue(tmp_path):
    path = str(tmp_path / "0.sock")
    body = b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
    answer = b'{"jsonrpc": "2.0", "id": 7, "result": {}}'

    async def connected(reader, writer):
        with suppress(asyncio.IncompleteReadError):  # Those in the queue ask nothing.
            await reader.readuntil(b"\r\n\r\n")
            length = b"content-length: %d\r\n\r\n" % len(answer)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" + length + answer)
        writer.close()

    async def scenario(door, waiting):
        passing = asyncio.create_task(pass_on(path, body, silence=WAIT))
        await asyncio.sleep(0.2)
        waiting.close()
        async with await asyncio.start_unix_server(connected, sock=door):
            return await passing

    with full_door(path) as (door, waiting):
        assert asyncio.run(scenario(door, waiting)) == (200, answer.decode())


def test_a_worker_that_is_busy_gets_all_that_a_client_said_before_it_left(tmp_path):
    path, body = (
        str(tmp_path / "0.sock"),
        b'{"jsonrpc": "2.0", "method": "%b"}' % (b"a" * 4_000_000),
    )

    async def scenario():
        loop = asyncio.get_running_loop()
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(path)
            door.listen()
            door.setblocking(False)
            colleague = Colleague(path)
            inbound = Inbound(body, messages.read_message(body))
            asking = asyncio.create_task(colleague.serve("POST", inbound, ReplyQueue()))
            connection, _ = await loop.sock_accept(door)
            asking.cancel()
            await asyncio.sleep(6)
            received = bytearray()
            with connection:
                while part := await loop.sock_recv(connection, 1_000_000):
                    received += part
            await colleague.close()
            return bytes(received)

    assert asyncio.run(scenario()).endswith(body)


@pytest.mark.parametrize(("method", "is_answered"), [("GET", False), ("DELETE", True)])
def test_a_request_without_a_body_whose_client_has_left(tmp_path, method, is_answered):
    """A session ends although its client does not wait. Nobody reads a stream whose client has left."""
    path, heard = str(tmp_path / "0.sock"), []

    async def scenario():
        asked, answered = asyncio.Event(), asyncio.Event()

        async def connected(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            asked.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(1 if is_answered else WAIT):
                    heard.append(await reader.read())
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            heard.append("answered")
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            answered.set()

        async with await asyncio.start_unix_server(connected, path):
            colleague = Colleague(path)
            asking = asyncio.create_task(colleague.serve(method, Inbound(), ReplyQueue()))
            await asked.wait()
            asking.cancel()
            await answered.wait()
            await colleague.close()

    asyncio.run(scenario())
    assert heard == (["answered"] if is_answered else [b"", "answered"])


def test_a_batch_that_was_answered_is_not_answered_again_when_its_worker_ends(tmp_path):
    path = str(tmp_path / "0.sock")
    ping = b'{"jsonrpc": "2.0", "id": %d, "method": "ping"}'
    answers = (
        b'[{"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "id": 2, "result": {}}]'
    )
    event = b"data: %b\n\n" % answers
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 1000\r\n\r\n"

    async def connected(reader, writer):
        await reader.readuntil(b"]")
        writer.write(head + event)
        writer.close()

    async def scenario():
        async with await asyncio.start_unix_server(connected, path):
            colleague, queue = Colleague(path), ReplyQueue()
            await colleague.serve("POST", Inbound(b"[" + ping % 1 + b"," + ping % 2 + b"]"), queue)
            await queue.close()
            await colleague.close()
            return [event.message for event in await all_of(queue) if event.message]

    assert asyncio.run(scenario()) == [answers]


async def all_of(queue):
    events = []
    while (event := await queue.get()) is not None:
        events.append(event)
    return events


async def pass_on(path, body, silence=0.1):
    colleague, queue = Colleague(path, silence), ReplyQueue()
    await colleague.serve("POST", Inbound(body, messages.read_message(body)), queue)
    event = await queue.get()
    await colleague.close()
    return queue.status, event.message.decode()


ENDING_SLOWLY = """
import os, signal, socket, sys
from penstock.relay.http.team.supervisor import Supervisor

opened = socket.create_server(("127.0.0.1", 0))
address = opened.getsockname()
outcome = Supervisor(2).run(lambda: os.write(1, b"all serve\\n"), opened.close)
if isinstance(outcome, int):
    sys.exit(outcome)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.write(outcome.ready, b"+")
signal.sigwait([signal.SIGTERM])
opened.close()
try:
    while True:
        socket.create_connection(address).close()
except ConnectionRefusedError:
    os.write(1, b"refused\\n")
"""


def test_nobody_can_connect_to_a_team_that_ends():
    """A connection that no worker takes would hang until the last one has ended."""
    command = [sys.executable, "-c", ENDING_SLOWLY]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as supervisor:
        assert supervisor.stdout.readline() == "all serve\n"
        supervisor.terminate()
        assert supervisor.stdout.read() == "refused\n" * 2


# -- what a team leaves behind -----------------------------------------------------------------


def test_the_next_team_removes_the_folder_of_one_that_was_killed_whole(tmp_path):
    folders = tmp_path / "tmp"
    folders.mkdir()
    foreign = folders / "penstock-other"
    foreign.mkdir()
    given = {"environment": {"TMPDIR": str(folders)}}
    for folder in (tmp_path / "a", tmp_path / "b", tmp_path / "c"):
        folder.mkdir()
    with serving_team(tmp_path / "a", "--", *PLAIN, **given) as living:
        with serving_team(tmp_path / "b", "--", *PLAIN, **given) as killed:
            family = [killed.process, *killed.process.children(recursive=True)]
            for one in family:
                one.suspend()
            for one in family:
                one.kill()
            wait_until_gone(*(one.pid for one in family))
        left = Path(next(iter(living.doors()))).parent
        assert len(list(folders.iterdir())) == 3
        with serving_team(tmp_path / "c", "--", *PLAIN, **given) as later:
            assert set(folders.iterdir()) == {foreign, left, Path(next(iter(later.doors()))).parent}
            with living.client(0) as client:
                client.initialize()
    assert list(folders.iterdir()) == [foreign]
