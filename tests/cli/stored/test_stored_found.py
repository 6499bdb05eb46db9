"""The results that the command line shows: those of this user, and no other records."""

import json
import os

import msgspec
import pytest
from msgspec.structs import replace

from penstock import Call, Gate
from penstock.cli.store_choice import StoreChoice
from penstock.cli.stored.found import UnknownResult, id_length, result_named, results_in
from penstock.core.model.values import Principal
from penstock.disclosure.grants import Grants
from penstock.gate.identity import os_user
from penstock.settings.policy import Policy
from penstock.stores import Record, open_store
from penstock.stores.urls import sqlite_file

ROWS = [{"id": number, "text": "words " * 10} for number in range(500)]
needs_users = pytest.mark.skipif(not hasattr(os, "getuid"), reason="users of POSIX")


@pytest.fixture
def private(tmp_path):
    url = f"sqlite:///{tmp_path}/results.sqlite"
    return StoreChoice(Policy(store=url), url, sqlite_file(url))


def opened(choice, **options):
    return Gate(choice.policy, open_store(choice.url), **options)


def tools(gate, choice):
    return [result.head.tool for result in results_in(gate.store, choice, gate.clock())]


@needs_users
def test_a_private_file_shows_every_result_the_newest_first(private):
    times = iter(range(1_000, 2_000))
    with opened(private, clock=lambda: float(next(times))) as gate:
        for tool, who in (("a", os_user()), ("b", Principal("session:1")), ("c", Principal())):
            gate.offer(Call(tool, principal=who, server="s"), ROWS)
        assert [one.head.tool for one in results_in(gate.store, private, 1_100.0)] == [
            "c",
            "b",
            "a",
        ]


@needs_users
def test_a_file_that_others_may_read_shows_only_this_users_results(private):
    """Such a file cannot be opened, but it may be opened to others afterwards."""
    shared = private
    with opened(shared) as gate:
        shared.file.chmod(0o660)
        for tool, who in (("mine", os_user()), ("other", Principal("os:-5")), ("any", Principal())):
            gate.offer(Call(tool, principal=who, server="s"), ROWS)
        assert tools(gate, shared) == ["mine"]
        (others,) = [
            entry for entry in gate.store.entries(None, now=gate.clock()) if b"other" in entry.head
        ]
        with pytest.raises(UnknownResult) as refused:
            result_named(others.key, gate.store, shared, gate.clock())
        assert "other" not in refused.value.next_step


def test_in_redis_only_this_user_of_this_machine_is_shown(redis_url, tmp_path, monkeypatch):
    choice = StoreChoice(Policy(store=redis_url), redis_url, None)
    with opened(choice) as gate:
        for machine in ("one", "two"):
            monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / machine))
            gate.offer(Call(machine, principal=os_user(redis_url), server="s"), ROWS)
        gate.offer(Call("unmarked", principal=os_user(), server="s"), ROWS)
        assert tools(gate, choice) == ["two"]
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "one"))
        assert tools(gate, choice) == ["one"]
        monkeypatch.setenv("XDG_STATE_HOME", os.devnull)  # nothing can be kept there
        assert tools(gate, choice) == []


def test_grants_aliases_and_orders_are_no_results(private):
    with opened(private) as gate:
        Grants(gate.store).grant("agent", ["t", "tool", "\x05"])
        call = Call("tool", principal=os_user(), server="s", browser="browse_result")
        token = json.loads(gate.offer(call, ROWS).text)["continuation_token"]

        def read(how=gate.read, **arguments):
            given = {"continuation_token": token, **arguments}
            return how(Call("tool", given, os_user(), "s"))

        read(gate.browse, sort={"column": "id", "descending": True})
        read(mode="filtered", filter_keys=[f"column {number}" for number in range(200)])
        heads = [entry.head for entry in gate.store.entries(None, now=gate.clock())]
        assert len([head for head in heads if b'{"path":"","edition":' in head]) == 1
        assert len([head for head in heads if b"alias" in head]) == 1
        assert tools(gate, private) == ["tool"]
        read(mode="sql", query="SELECT id FROM result")
        answer, first = results_in(gate.store, private, gate.clock())
        assert answer.head.parents == (first.key,)


def test_an_id_is_the_start_of_a_key(private):
    with opened(private) as gate:
        for _ in range(40):
            gate.offer(Call("tool", principal=os_user(), server="s"), ROWS)
        now = gate.clock()
        results = results_in(gate.store, private, now)
        assert id_length(results) >= 6
        for one in results[:3]:
            for given in (one.key[: id_length(results)], one.key[:8].upper(), one.key):
                assert result_named(given, gate.store, private, now).key == one.key
        for given, told in (("", "No result is named"), ("zz", "no stored result zz")):
            with pytest.raises(UnknownResult, match=told) as refused:
                result_named(given, gate.store, private, now)
            assert "Use one of: " in refused.value.next_step
            assert "and 30 more" in refused.value.next_step
        starts = [one.key[0] for one in results]
        twice = next(start for start in starts if starts.count(start) > 1)
        with pytest.raises(UnknownResult, match="is the start of"):
            result_named(twice, gate.store, private, now)


def test_a_token_names_its_result_and_is_not_repeated(private):
    with opened(private) as gate:
        reply = gate.offer(Call("tool", principal=os_user(), server="s"), ROWS)
        token = json.loads(reply.text)["continuation_token"]
        (one,) = results_in(gate.store, private, gate.clock())
        assert result_named(token, gate.store, private, gate.clock()) == one
        gate.store.delete(one.key)
        with pytest.raises(UnknownResult) as refused:
            result_named(token, gate.store, private, gate.clock())
        assert token not in str(refused.value)


def test_an_expired_result_is_called_expired(private):
    with opened(private) as gate:
        gate.offer(Call("tool", principal=os_user(), server="s"), ROWS)
        (one,) = results_in(gate.store, private, gate.clock())
        later = gate.clock() + 10**6
        assert results_in(gate.store, private, later) == []
        with pytest.raises(UnknownResult, match=f"'{one.key[:6]}' has expired"):
            result_named(one.key[:6], gate.store, private, later)


def test_ids_become_longer_where_they_would_be_alike(private):
    with opened(private) as gate:
        gate.offer(Call("tool", principal=os_user(), server="s"), ROWS)
        (one,) = results_in(gate.store, private, gate.clock())
        other = replace(one, entry=replace(one.entry, key=one.key[:9] + "x"))
        assert id_length([one, other]) == 10
        assert id_length([]) == 6


def test_a_result_of_an_earlier_version_is_listed_under_the_digest_of_its_server(private):
    with opened(private) as gate:
        gate.offer(Call("tool", principal=os_user(), server="0123456789abcdef" * 2), ROWS)
        (entry,) = gate.store.entries(None, now=gate.clock())
        head = msgspec.msgpack.decode(entry.head)
        del head["server_name"], head["mark"]
        record = Record(entry.owner, entry.expires, msgspec.msgpack.encode(head))
        gate.store.put(entry.key, record, now=gate.clock())
        (one,) = results_in(gate.store, private, gate.clock())
        assert one.server == "01234567"
        assert one.head.count == 500
