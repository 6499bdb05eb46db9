"""`penstock serve --workers 2`: two processes on one port."""

import asyncio
import json
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from http_rig import ACCEPT, PLAIN, eventually, messages_of, request, started, value_of
from raw_http import Wire, head
from team_rig import SERVE, WAIT, is_waiting, serving_team

from penstock.errors import InvalidSetting
from penstock.relay.http.server import Listening, serve_http
from penstock.relay.target import Target
from penstock.settings.policy import Policy

MANY = 80
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="teams are for Linux")


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    """A team that no test may harm."""
    with serving_team(tmp_path_factory.mktemp("team"), "--", *PLAIN) as team:
        yield team


@pytest.fixture(scope="module")
def remote_team(tmp_path_factory):
    folder = tmp_path_factory.mktemp("team")
    with started([*PLAIN, "--http"]) as url, serving_team(folder, "--url", url) as team:
        yield team


@pytest.fixture
def mortal_team(tmp_path):
    with serving_team(tmp_path, "--", *PLAIN) as team:
        yield team


@pytest.fixture(params=["team", "remote_team"])
def any_team(request):
    return request.getfixturevalue(request.param)


# -- one session, two workers ------------------------------------------------------------------


def test_the_id_of_a_session_names_its_worker(any_team):
    for index in (0, 1):
        with any_team.client(index) as client:
            client.initialize()
            assert client.session.startswith(f"w{index}-")


def test_a_session_can_be_used_through_either_worker(any_team):
    with any_team.clients() as (own, other):
        own.initialize()
        other.session = own.session
        for client in (own, other):
            assert value_of(client.call("echo", {"text": "é"})) == {"text": "é"}
        probe = value_of(own.call("rows"))
        page = {"continuation_token": probe["continuation_token"], "mode": "paginated"}
        assert value_of(other.call("read_result", page))["total"] == probe["count"]


def test_progress_reaches_the_client_through_the_other_worker(any_team):
    with any_team.clients() as (own, other):
        own.initialize()
        other.session = own.session
        params = {"name": "echo", "arguments": {"text": "1"}, "_meta": {"progressToken": 7}}
        progress, answer = messages_of(other.post(request("tools/call", params, 3)))
        assert progress["params"] == {"progressToken": 7, "progress": 1}
        assert (answer["id"], value_of(answer["result"])) == (3, {"text": "1"})


def test_the_stream_of_a_session_opens_at_once_through_the_other_worker(team):
    with team.clients() as (own, other):
        own.initialize()
        given = {**ACCEPT, "mcp-session-id": own.session}
        with other.http.stream("GET", team.url, headers=given) as stream:
            assert stream.status_code == 200
            parts = stream.iter_raw()  # If this were dropped, the connection would be closed.
            assert next(parts).startswith(b": open")
            assert own.http.get(team.url, headers=given).status_code == 409


def test_a_broken_stream_is_resumed_through_the_other_worker(team):
    with team.clients() as (own, other):
        own.initialize()
        params = {"name": "echo", "arguments": {"text": "1"}, "_meta": {"progressToken": 7}}
        events = own.post(request("tools/call", params, 3)).text
        first = re.search(r"^id: (\S+)", events, re.MULTILINE)[1]
        given = {**ACCEPT, "mcp-session-id": own.session, "last-event-id": first}
        rest = other.http.get(team.url, headers=given).text
        later = events.partition(f"id: {first}\r\n")[2].partition("\r\n\r\n")[2]
        assert later
        assert rest.endswith(later)


def test_a_client_that_leaves_at_once_has_said_what_it_said(team):
    """A request passes to the worker of its session although the client does not wait."""
    with team.clients() as (own, hurried):
        own.initialize()
        hurried.session = own.session
        hurried.http.timeout = 0.1
        with pytest.raises(httpx2.ReadTimeout):
            hurried.post(request("tools/call", {"name": "wait"}, 5))
        assert eventually(lambda: is_waiting(own), WAIT)


def test_a_stream_hears_what_a_client_that_left_no_longer_can(team):
    """The worker of a session learns that the client of a passed-on request has left."""
    with team.clients() as (own, hurried):
        own.initialize()
        hurried.session = own.session
        given = {**ACCEPT, "mcp-session-id": own.session}
        with own.http.stream("GET", team.url, headers=given) as stream:
            parts = stream.iter_raw()
            assert next(parts).startswith(b": open")
            hurried.http.timeout = 0.1
            with pytest.raises(httpx2.ReadTimeout):
                hurried.post(request("tools/call", {"name": "wait"}, 5))
            assert eventually(lambda: is_waiting(own), WAIT)
            assert eventually(lambda: open_requests_from_other_worker(team) == 0, WAIT)


def open_requests_from_other_worker(team):
    """Return how many connections to the first worker come from the other one."""
    first, worker = next(iter(team.doors().items()))
    return sum(one.laddr == first and one.raddr != "" for one in worker.net_connections("unix"))


def test_many_calls_at_once_pass_to_a_worker_that_is_busy(mortal_team):
    """The queue of connections between workers is as long as that of clients."""
    with mortal_team.client(1) as client:
        client.initialize()
        given = {**ACCEPT, "mcp-session-id": client.session}
    first, second = mortal_team.doors().items()
    second[1].suspend()
    statuses = asyncio.run(burst(mortal_team.url, first[0], given, second[1]))
    assert statuses == [200] * MANY


async def burst(url, door, given, suspended):
    transport = httpx2.AsyncHTTPTransport(uds=door, limits=httpx2.Limits(max_connections=None))
    async with httpx2.AsyncClient(transport=transport, timeout=WAIT) as http:
        calls = [
            asyncio.create_task(
                http.post(url, json=request("tools/list", {}, number), headers=given)
            )
            for number in range(MANY)
        ]
        await asyncio.sleep(1)  # until most have been passed on
        suspended.resume()
        return [(await call).status_code for call in calls]


def test_a_session_ends_through_the_other_worker(team):
    with team.clients() as (own, other):
        own.initialize()
        given = {**ACCEPT, "mcp-session-id": own.session}
        assert other.http.delete(team.url, headers=given).status_code == 204
        for client in (own, other):
            client.session = given["mcp-session-id"]
            assert client.post(request("tools/list", {}, 2)).status_code == 404


@pytest.mark.parametrize("session", ["w0-unknown", "w1-unknown", "w7-unknown", "unknown"])
def test_an_unknown_session_is_refused_by_every_worker(team, session):
    for index in (0, 1):
        with team.client(index) as client:
            client.session = session
            assert client.post(request("tools/list", {}, 2)).status_code == 404


@pytest.mark.parametrize("length", [1_000, 3_900_000])
@pytest.mark.parametrize("session", ["w0-unknown", "w1-unknown", "unknown"])
def test_an_unknown_session_is_refused_before_its_body(team, session, length):
    for door in team.doors():
        with Wire(team.url, door) as wire:
            wire.send(head(team.url, length, **{"mcp-session-id": session}))
            answer = wire.answer()
        assert answer.status == 404
        assert "initialize" in answer.error["message"]


def test_a_batch_passes_to_the_worker_of_its_session(team):
    with team.clients() as (own, other):
        own.initialize("2025-03-26")
        other.session = own.session
        batch = [request("tools/call", {"name": "echo", "arguments": {"n": n}}, n) for n in (1, 2)]
        answers = messages_of(other.post(batch))[-1]
        assert sorted(answer["id"] for answer in answers) == [1, 2]


def test_a_body_of_megabytes_passes_to_the_worker_of_its_session(team):
    with team.clients() as (own, other):
        own.initialize()
        other.session = own.session
        text = "é" * 500_000
        assert value_of(other.call("echo", {"text": text}))["total_size"] > len(text)


def test_a_session_that_initializes_again_through_the_other_worker_keeps_its_worker(any_team):
    """A command goes on with its session. A URL opens another one, whose id the client must get."""
    with any_team.clients() as (own, other):
        own.initialize()
        other.session = own.session
        other.initialize()
        other.session = other.session or own.session
        assert other.session.startswith("w0-")
        for client in (own, other):
            assert value_of(client.call("echo", {"text": "é"})) == {"text": "é"}


def test_a_server_without_sessions_can_be_used_through_either_worker(tmp_path):
    """A worker that has not seen the greeting knows that there was one."""
    with (
        started([*PLAIN, "--http", "--stateless", "--wide"]) as url,
        serving_team(tmp_path, "--list", "index", "--url", url) as team,
        team.clients() as (greeter, other),
    ):
        greeter.initialize()
        assert greeter.session == ""
        assert (
            value_of(other.call("find_tools", {"query": "wide_7"}))["tools"][0]["name"] == "wide_7"
        )
        token = value_of(other.call("rows"))["continuation_token"]
        assert (
            value_of(greeter.call("read_result", {"continuation_token": token}))["total"] == 2_000
        )


# -- who may come in ---------------------------------------------------------------------------


def test_only_their_user_can_enter_the_folder_of_the_sockets(team):
    folder = Path(next(iter(team.doors()))).parent
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IRWXU


# -- modern requests ---------------------------------------------------------------------------


def test_modern_requests_share_one_process_of_a_command(team):
    with team.clients() as clients:
        for number, client in enumerate(clients):
            client.modern_call("echo", {"number": number})
        for client in clients:
            params = [
                one["body"]["params"] for one in value_of(client.modern_call("seen"))["requests"]
            ]
            numbers = [given.get("arguments", {}).get("number") for given in params]
            assert {0, 1} <= set(numbers)


def test_a_modern_result_is_read_through_either_worker(any_team):
    with any_team.clients() as (first, second):
        probe = value_of(first.modern_call("rows"))
        page = {"continuation_token": probe["continuation_token"], "mode": "paginated"}
        assert value_of(second.modern_call("read_result", page))["total"] == probe["count"]


def test_a_program_that_asked_through_one_worker_goes_on_through_the_other(tmp_path):
    asks = {"_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}}
    run = {"name": "run_python", "arguments": {"code": "await greet()"}, **asks}
    with (
        started([*PLAIN, "--http", "--asks"]) as url,
        serving_team(tmp_path, "--programs", "on", "--url", url) as team,
        team.clients() as (first, second),
    ):
        for own, other, mark in ((first, second, "w0-"), (second, first, "w1-")):
            asked = messages_of(own.modern("tools/call", run))[-1]["result"]
            assert asked["requestState"].startswith(mark)
            name = {"action": "accept", "content": {"name": "Ada"}}
            replies = dict.fromkeys(asked["inputRequests"], name)
            given = {"requestState": asked["requestState"], "inputResponses": replies}
            told = messages_of(other.modern("tools/call", {**run, **given}))[-1]["result"]
            assert told["content"][0]["text"] == "Hello, Ada!"


# -- several servers ---------------------------------------------------------------------------


def test_several_servers_are_used_through_either_worker(tmp_path):
    entries = {name: {"command": PLAIN[0], "args": PLAIN[1:]} for name in ("one", "two")}
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": entries}))
    with (
        serving_team(tmp_path, "--list", "full", "--servers", str(file)) as team,
        team.clients() as (own, other),
    ):
        own.initialize()
        other.session = own.session
        assert own.session.startswith("w0-")
        names = [tool["name"] for tool in other.ask("tools/list")["result"]["tools"]]
        echoes = [name for name in names if "echo" in name]
        assert len(echoes) == 2
        for name in echoes:
            for client in (own, other):
                assert value_of(client.call(name, {"text": "é"})) == {"text": "é"}
                assert value_of(client.modern_call(name, {"text": "é"})) == {"text": "é"}


# -- the start ---------------------------------------------------------------------------------


def start_in_vain(*options, before=(), **environment):
    command = [*before, *SERVE, "--workers", "2", *options, "--", *PLAIN]
    given = {**os.environ, **environment}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=WAIT, check=False, env=given
    )


@pytest.mark.parametrize("store", ["memory:", "memory://", "MEMORY:"])
def test_a_store_in_memory_is_refused(store):
    told = start_in_vain("--store", store)
    assert told.returncode == 2
    assert "needs a store that all workers share" in told.stderr
    assert "--store sqlite:///" in told.stderr


def test_a_store_in_memory_is_refused_wherever_it_is_set(tmp_path):
    settings = tmp_path / "penstock.toml"
    settings.write_text('store = "memory:"\n')
    for told in (
        start_in_vain(),  # by default
        start_in_vain(PENSTOCK_STORE="memory:"),
        start_in_vain("--config", str(settings)),
    ):
        assert told.returncode == 2
        assert "needs a store that all workers share" in told.stderr


def test_a_team_that_cannot_start_tells_the_reason_once():
    told = start_in_vain("--store", "redis://127.0.0.1:1")
    assert told.returncode == 2
    assert told.stderr.count("127.0.0.1:1") == 1
    assert "http://" not in told.stderr


def test_a_port_that_is_in_use_is_told_once(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = start_in_vain("--store", f"sqlite:///{tmp_path}/results", "--port", port)
    assert told.returncode == 2
    assert told.stderr.count(f"Cannot listen on 127.0.0.1:{port}: it is in use.") == 1
    assert "Traceback" not in told.stderr


def test_several_workers_are_refused_on_macos(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "darwin")
    policy = Policy(store=f"sqlite:///{tmp_path}/results")
    with pytest.raises(InvalidSetting, match="may crash") as refused:
        serve_http(Target(tuple(PLAIN)), policy, Listening("127.0.0.1", 0, workers=2))
    assert "Start several processes" in str(refused.value)


@pytest.mark.parametrize("count", ["0", "-1", "65", "two", "1.5"])
def test_a_wrong_number_of_workers_is_refused(count):
    told = start_in_vain("--workers", count)
    assert told.returncode == 2
    assert "is not a number from 1 to 64" in told.stderr


def test_a_system_without_a_folder_for_sockets_is_refused(tmp_path):
    """As in a container whose file system is read-only. Here no file may hold a byte."""
    before = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"]
    told = start_in_vain("--store", f"sqlite:///{tmp_path}/results", before=before)
    assert told.returncode == 2
    assert "Set TMPDIR to a folder" in told.stderr
    assert "Traceback" not in told.stderr


def test_a_folder_with_too_long_a_path_is_refused(tmp_path):
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    told = start_in_vain("--store", f"sqlite:///{tmp_path}/results", TMPDIR=str(folder))
    assert told.returncode == 2
    assert "Set TMPDIR to a folder" in told.stderr
    assert "Traceback" not in told.stderr
    assert not list(folder.iterdir())
