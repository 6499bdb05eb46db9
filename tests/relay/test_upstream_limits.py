"""Messages of upstream over the limit: they cost no memory, and each request still gets an answer."""

import os
import resource
import sys

import psutil
import pytest
from http_rig import PLAIN, Raw, serving, started
from relay_processes import RUN, SERVERS, wait_until

from penstock.relay import lines
from penstock.relay.pipes import Wake, source_of
from penstock.wire.messages import UPSTREAM_GONE

WILD = [sys.executable, str(SERVERS / "wild_server.py")]
MOST = 1_000_000
OPTIONS = ("--max-upstream", "1MB")


def ask(client, tool, **arguments):
    """Send a call, and return its id."""
    request = client.request("tools/call", {"name": tool, "arguments": arguments})
    client.send(request)
    return request["id"]


def error_of(client, key):
    error = client.answer_to(key)["error"]
    assert error["code"] == UPSTREAM_GONE
    return error["message"]


def assert_goes_on(client):
    """The server and the connection are as usable as before."""
    assert client.listed()["tools"]
    assert client.close() == 0


@pytest.mark.parametrize("place", ["start", "end"])
def test_an_answer_over_the_limit_is_an_error_for_its_request_alone(start, place):
    client = start(WILD, *OPTIONS)
    waiting = ask(client, "wait")
    told = error_of(client, ask(client, "long", size=3 * MOST, place=place))
    assert "answer is over 1 MB" in told
    assert "--max-upstream" in told
    text = client.call("long", size=MOST // 2, place=place)
    assert text["content"] or text["structuredContent"]
    assert [other for other in client.others if other.get("id") == waiting] == []
    assert "Traceback" not in client.errors


def test_an_answer_that_does_not_tell_its_request_is_an_error_for_all_that_wait(start):
    client = start(WILD, *OPTIONS)
    keys = [ask(client, "wait"), ask(client, "wait")]
    keys.append(ask(client, "long", size=3 * MOST, place="nowhere"))
    assert all("does not show which request" in error_of(client, key) for key in keys)
    assert_goes_on(client)


def test_the_only_request_that_waits_is_the_one(start):
    client = start(WILD, *OPTIONS)
    told = error_of(client, ask(client, "long", size=3 * MOST, place="nowhere"))
    assert "answer is over 1 MB" in told
    assert_goes_on(client)


def test_a_line_that_never_ends(start):
    client = start(WILD, *OPTIONS)
    assert "over 1 MB" in error_of(client, ask(client, "endless", size=3 * MOST))
    assert client.close() == 0


def test_a_line_without_an_end_is_given_up_after_a_while(monkeypatch):
    """Several requests wait. The end of the line might tell which of them it answers."""
    monkeypatch.setattr(lines, "PATIENCE_SECONDS", 0.1)
    source, sink = os.pipe()
    read = lines.UpstreamLines(source_of(os.fdopen(source, "rb", 0), Wake()), 100)
    os.write(sink, b"x" * 200)
    unread = next(read)
    assert (unread.answers([b"1", b"2"]), unread.is_settled) == ([], False)
    assert next(read) is unread
    assert len(unread.answers([b"1", b"2"])) == 2
    os.write(sink, b"\nnext\n")
    assert next(read) == b"next\n"
    os.close(sink)
    assert list(read) == []
    read.close()


def test_a_log_message_over_the_limit_is_dropped(start):
    client = start(WILD, *OPTIONS)
    assert client.call("log", size=3 * MOST)["content"][0]["text"] == "logged"
    assert client.others == []
    assert "dropped a message" in client.errors
    assert_goes_on(client)


def test_a_long_line_takes_no_memory(start):
    client = start(WILD, "--max-upstream", "8MB")
    error_of(client, ask(client, "long", size=200 * MOST))
    assert psutil.Process(client.process.pid).memory_info().rss < 150 * MOST
    assert_goes_on(client)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="Linux alone limits other processes")
def test_an_answer_that_memory_does_not_hold(start):
    """The thread that reads gets a `MemoryError`, and goes on."""
    client = start(WILD)
    client.listed()
    wait_until(lambda: psutil.Process(client.process.pid).num_threads() >= 3)
    # Threads that have just started may still reserve 64 MB each.
    most = psutil.Process(client.process.pid).memory_info().vms + 200 * MOST
    resource.prlimit(client.process.pid, resource.RLIMIT_AS, (most, most))
    told = error_of(client, ask(client, "long", size=250 * MOST))
    assert "memory" in told
    assert "tools" in client.ask("tools/list")["result"]
    assert client.close() == 0


# -- over HTTP ---------------------------------------------------------------------------------

FLOODING = [sys.executable, str(SERVERS / "flooding_server.py")]
FORMS = ["json", "bomb", "event", "endless"]


@pytest.fixture(scope="module")
def flooding():
    with started(FLOODING) as url:
        yield url


@pytest.mark.parametrize("form", FORMS)
def test_an_answer_over_the_limit_from_a_url(start, flooding, form):
    client = start([*RUN, *OPTIONS, "--url", flooding], behind=False)
    told = error_of(client, ask(client, "flood", form=form, size=40))
    assert "answer is over 1 MB" in told
    assert "content" in client.call("flood", form="event", size=0)
    assert psutil.Process(client.process.pid).memory_info().rss < 150 * MOST
    assert_goes_on(client)
    assert "Traceback" not in client.errors


def test_an_answer_over_the_limit_behind_serve(flooding):
    with serving(*OPTIONS, "--url", flooding) as url, Raw(url) as client:
        client.initialize()
        for form in FORMS:
            params = {"name": "flood", "arguments": {"form": form, "size": 3}}
            error = client.ask("tools/call", params)["error"]
            assert (error["code"], "is over 1 MB" in error["message"]) == (UPSTREAM_GONE, True)
        assert client.ask("tools/list")["result"]["tools"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_answer_over_the_limit_of_a_command_behind_serve(era):
    server = WILD if era == "legacy" else PLAIN
    with serving(*OPTIONS, "--", *server) as url, Raw(url) as client:
        if era == "legacy":
            client.initialize()
            params = {"name": "long", "arguments": {"size": 3 * MOST, "place": "end"}}
            error = client.ask("tools/call", params)["error"]
        else:
            params = {"name": "echo", "arguments": {"text": "x" * 3 * MOST}}
            error = client.modern("tools/call", params).json()["error"]
        assert (error["code"], "is over 1 MB" in error["message"]) == (UPSTREAM_GONE, True)
