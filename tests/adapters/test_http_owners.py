"""Owners of stored results over HTTP, on real sockets. Every refusal reads the same."""

import json
from contextlib import ExitStack, contextmanager

import pytest
from adapter_server import build, sdk_server, with_users
from doors import ERAS, SERVER, quiet_environment
from http_rig import started
from mcp.server.caching import CacheHint
from transcripts import REFUSAL

from penstock import Policy, open_store
from penstock.adapters.mcp import Penstock
from wire import Wire, listening

HTTP_DOORS = ["mcp", "lowlevel", "fastmcp"]
QUERY = {"mode": "sql", "query": "SELECT max(id) AS m FROM result"}


@contextmanager
def clients(door, *eras, stateless=False, users=(), **settings):
    """Yield clients of one server, each with its own connection and session."""
    server, middleware = build(door, "heavy", budget=2_000, list_form="full", **settings)
    if users:
        server = with_users(door, "heavy", [middleware])
    with ExitStack() as stack:
        url = stack.enter_context(listening(door, server, stateless=stateless))
        bearers = [f"token-of-{user}" for user in users] or [""] * len(eras)
        yield [
            stack.enter_context(Wire(url, era, bearer=bearer))
            for era, bearer in zip(eras, bearers, strict=True)
        ]
    middleware.close()


def assert_owned(client, token):
    assert client.told("read_result", continuation_token=token, **QUERY)["items"] == [{"m": 499}]
    assert client.told("rows", continuation_token=token)["items"][0]["id"] == 0
    assert json.loads(client.called("total", items=f"@result:{token}"))["structuredContent"] == {
        "result": sum(range(500))
    }


def assert_refused(client, token):
    """Check that the reader, the tool, a reference in an argument and a join refuse the token."""
    join = {"continuation_token": token_of(client), "tables": {"other": token}}
    assert client.told("read_result", **join, **QUERY)["error"] == f"Table 'other': {REFUSAL}"
    assert client.told("read_result", continuation_token=token, **QUERY)["error"] == REFUSAL
    assert client.told("read_result", continuation_token="pen_nonsense")["error"] == REFUSAL  # noqa: S106 (no password)
    assert client.told("rows", continuation_token=token)["error"] == REFUSAL
    handed = json.loads(client.called("total", items=f"@result:{token}"))
    unknown = json.loads(
        client.called("total", items="@result:pen_111111111111111111111111111111111111111")
    )
    assert handed["isError"]
    assert handed["content"] == unknown["content"]


def token_of(client):
    probe = client.told("rows", count=500)
    assert probe["count"] == 500
    return probe["continuation_token"]


def link_of(client, token):
    above = json.loads(client.called("read_result", continuation_token=token, mode="full"))
    return above["content"][1]["uri"]


@pytest.mark.parametrize("door", HTTP_DOORS)
def test_a_legacy_session_owns_its_results(door):
    with clients(door, "legacy", "legacy") as (one, other):
        assert one.session != other.session
        token = token_of(one)
        assert_owned(one, token)
        assert_refused(other, token)


@pytest.mark.parametrize("door", HTTP_DOORS)
def test_a_link_is_the_sessions_too(door):
    with clients(door, "legacy", "legacy", ceiling=3_000) as (one, other):
        uri = link_of(one, token_of(one))
        mine = json.loads(one.result("resources/read", {"uri": uri}))
        assert len(json.loads(mine["contents"][0]["text"])) == 500
        refused = json.loads(bytes(other.sent("resources/read", {"uri": uri}).error))
        assert refused["code"] == -32002


@pytest.mark.parametrize("door", HTTP_DOORS)
@pytest.mark.parametrize("stateless", [False, True], ids=["stateful", "stateless"])
def test_a_modern_token_is_its_bearers(door, stateless):
    """The caller is unknown, so any bearer of the token may read."""
    with clients(door, "modern", "modern", stateless=stateless) as (one, other):
        token = token_of(one)
        assert_owned(one, token)
        assert_owned(other, token)


@pytest.mark.parametrize("door", HTTP_DOORS)
def test_without_sessions_a_legacy_token_is_its_bearers(door):
    with clients(door, "legacy", "legacy", stateless=True) as (one, other):
        assert not one.session
        assert_owned(other, token_of(one))


@pytest.mark.parametrize("door", ["mcp", "fastmcp"])
@pytest.mark.parametrize("stateless", [False, True], ids=["stateful", "stateless"])
def test_users_own_their_results(door, era, stateless):
    """This holds in both eras, and on all connections of a user."""
    who = ("ann", "bob", "ann")
    with clients(door, era, era, era, users=who, stateless=stateless) as (ann, bob, ann_again):
        token = token_of(ann)
        assert_owned(ann, token)
        assert_refused(bob, token)
        assert_owned(ann_again, token)


@pytest.mark.parametrize("door", ["mcp", "fastmcp"])
def test_a_user_is_the_same_in_both_eras(door):
    with clients(door, "legacy", "modern", users=("ann", "ann")) as (legacy, modern):
        assert_owned(modern, token_of(legacy))
        assert_owned(legacy, token_of(modern))


@pytest.mark.parametrize("door", ["mcp", "fastmcp"])
@pytest.mark.parametrize("stateless", [False, True], ids=["stateful", "stateless"])
def test_grants_are_the_users(door, era, stateless):
    """A grant of one user does not count for another."""
    server, middleware = build(door, "many", gate="strict")
    server = with_users(door, "many", [middleware])
    good = {"station": "Lyon", "hours": 1}
    with (
        listening(door, server, stateless=stateless) as url,
        Wire(url, era, bearer="token-of-ann") as ann,
        Wire(url, era, bearer="token-of-bob") as bob,
    ):
        ann.told("describe_tools", tools=["station_task_05"])
        assert not json.loads(ann.called("station_task_05", **good)).get("isError")
        refused = bob.told("station_task_05", **good)
        assert refused["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
    middleware.close()


def test_a_stored_result_is_never_public():
    """The cache settings of a server do not apply to a caller's stored results."""
    hint = CacheHint(ttl_ms=3_600_000, scope="public")
    hints = {"resources/read": hint, "tools/list": hint}
    middleware = Penstock(Policy(budget=2_000, ceiling=2_000, clients={"x": {"list": "full"}}))
    server = sdk_server("few", [middleware], cache_hints=hints)
    with listening("mcp", server) as url, Wire(url, "modern") as wire:
        read = json.loads(wire.result("resources/read", {"uri": link_of(wire, token_of(wire))}))
        listed = json.loads(wire.result("tools/list"))
    middleware.close()
    assert (read["cacheScope"], read["ttlMs"]) == ("private", 0)
    assert listed["cacheScope"] == "private"


# -- one store for several ---------------------------------------------------------------------


@pytest.mark.parametrize("door", ["mcp", "fastmcp"])
def test_workers_share_a_sqlite_store(door, tmp_path):
    _workers_share(door, f"sqlite:///{tmp_path / 'results.db'}")


def test_workers_share_a_redis_store(redis_url):
    _workers_share("mcp", redis_url)


def _workers_share(door, store):
    options = ["--http", "--users", "--store", store, "--name", "inventory"]
    settings = ["--tools", "heavy", "--set", "budget=2000", "--set", "list_form=full"]
    command = [*SERVER, door, *options, *settings]
    environment = quiet_environment()
    with started(command, env=environment) as first, started(command, env=environment) as second:
        for era in ERAS:
            with ExitStack() as stack:
                ann = stack.enter_context(Wire(first, era, bearer="token-of-ann"))
                again = stack.enter_context(Wire(second, era, bearer="token-of-ann"))
                bob = stack.enter_context(Wire(second, era, bearer="token-of-bob"))
                token = token_of(ann)
                assert_owned(again, token)
                assert_refused(bob, token)


@pytest.mark.parametrize("door", ["mcp", "fastmcp"])
def test_servers_of_different_names_refuse_each_other(door, era, tmp_path):
    url = f"sqlite:///{tmp_path / 'results.db'}"
    stores = [open_store(url), open_store(url), open_store(url)]
    with ExitStack() as stack:
        opened = [
            stack.enter_context(clients(door, era, users=("ann",), store=store, name=name))[0]
            for store, name in zip(stores, ("first", "second", "first"), strict=True)
        ]
        token = token_of(opened[0])
        assert_refused(opened[1], token)
        assert_owned(opened[2], token)
