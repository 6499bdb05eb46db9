"""Failures of upstream, of the store and of Penstock itself. A client always gets an answer."""

import json
from collections import Counter

import pytest
from relay_rig import table, value_of
from relay_upstream import MODERN_META, Upstream, text

from penstock.errors import StoreError
from penstock.stores.memory import MemoryStore
from penstock.wire.messages import MAY_HAVE_RUN, UPSTREAM_GONE

LARGE = text(table())
UNKNOWN = "pen_x"


def answered(messages):
    """Return how often each id was answered."""
    found = [json.loads(message) for message in messages]
    flat = [
        item for message in found for item in (message if isinstance(message, list) else [message])
    ]
    return Counter(message["id"] for message in flat)


# -- upstream ends -----------------------------------------------------------------------------


def test_each_request_that_waits_is_told_once(open_rig, era):
    """Each request that waits for a list or for its answer gets one error. A result that has come
    is kept."""
    rig = open_rig(Upstream(era, results={"rows": LARGE}))
    rig.upstream = None
    rig.holds_work = True

    def ask(number, name, **arguments):
        params = {"name": name, "arguments": arguments}
        if era == "modern":
            params["_meta"] = MODERN_META
        rig.from_client({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    rig.down.clear()
    ask(10, "read_result", continuation_token=UNKNOWN)  # waits for the list
    ask(11, "rows")
    ask(12, "rows")
    ask(13, "rows")
    rig.from_upstream({"jsonrpc": "2.0", "id": 13, "result": LARGE})  # Penstock works on it
    rig.from_upstream({"jsonrpc": "2.0", "id": 12, "result": text("small")})
    rig.from_client({"jsonrpc": "2.0", "id": 14, "method": "ping"})
    told = rig.upstream_ends()
    assert {answer["id"]: answer["error"]["code"] for answer in told} == dict.fromkeys(
        [10, 11, 14], UPSTREAM_GONE
    )
    assert rig.upstream_ends() == []
    rig.work()
    assert answered(rig.down) == dict.fromkeys([10, 11, 12, 13, 14], 1)
    assert rig.store.stats().entries == 1
    assert rig.session.pending == {}


def test_a_request_that_needs_upstream_after_its_end_is_told_then(open_rig, era):
    """The first page of a list has come; the second never will."""
    rig = open_rig(Upstream(era))
    rig.upstream = None
    rig.from_client(rig.request("tools/list", {}, id=60))
    page = {"tools": [], "nextCursor": "more"}
    if era == "modern":
        page |= {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    rig.from_upstream({"jsonrpc": "2.0", "id": 60, "result": page})
    (told,) = rig.upstream_ends()
    assert (told["id"], told["error"]["code"]) == (60, UPSTREAM_GONE)


def test_a_request_that_comes_too_late_is_told_too(open_rig, era):
    rig = open_rig(Upstream(era))
    rig.upstream = None
    rig.upstream_ends()
    (answer,) = map(json.loads, rig.from_client(rig.request("tools/call", {"name": "rows"}, id=60)))
    assert (answer["id"], answer["error"]["code"]) == (60, UPSTREAM_GONE)
    assert rig.session.pending == {}


def test_requests_that_wait_for_the_era_are_told_too(open_rig):
    rig = open_rig()
    params = {"name": "rows", "_meta": MODERN_META}
    rig.from_client({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    assert [answer["id"] for answer in rig.upstream_ends()] == [1]


def test_a_batch_that_waits_is_told_as_one(open_rig):
    rig = open_rig()
    rig.from_client([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in (1, 2)])
    rig.from_upstream({"jsonrpc": "2.0", "id": 1, "result": {}})
    (answers,) = rig.upstream_ends()
    assert sorted(answer["id"] for answer in answers) == [1, 2]


def test_a_request_that_was_cancelled_is_told_nothing(open_rig):
    rig = open_rig()
    rig.from_client({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    params = {"requestId": 1}
    rig.from_client({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    assert rig.upstream_ends() == []


def test_a_large_answer_after_a_small_one(open_rig, era):
    """The large one is over the budget, and nobody waits for it: it is dropped."""
    rig = open_rig(Upstream(era))
    rig.upstream = None
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=60))
    assert len(rig.from_upstream({"jsonrpc": "2.0", "id": 60, "result": text("small")})) == 1
    assert rig.from_upstream({"jsonrpc": "2.0", "id": 60, "result": LARGE}) == []


def test_a_call_that_upstream_took_may_have_run(open_rig):
    """Only a call changes something, so only its error has the warning."""
    rig = open_rig()
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=1))
    rig.from_client(rig.request("tools/list", id=2))
    told = {answer["id"]: answer["error"]["message"] for answer in rig.upstream_ends()}
    assert told == {1: f"It ended.{MAY_HAVE_RUN}", 2: "It ended."}


def test_an_answer_that_comes_twice(open_rig, era):
    """The second answer is upstream's mistake. It is not stored."""
    rig = open_rig(Upstream(era))
    rig.upstream = None
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=60))
    first = rig.from_upstream({"jsonrpc": "2.0", "id": 60, "result": LARGE})
    again = rig.from_upstream({"jsonrpc": "2.0", "id": 60, "result": LARGE})
    assert again in ([], first)
    assert rig.store.stats().entries == 1


def test_an_id_that_is_used_again(open_rig, era):
    rig = open_rig(Upstream(era, results={"rows": LARGE}))
    for _ in range(3):
        answer = rig.ask("tools/call", {"name": "rows"}, id=60)
        assert "continuation_token" in value_of(answer["result"])
    rig.upstream.results["rows"] = text("small")
    assert (
        rig.ask("tools/call", {"name": "rows"}, id=60)["result"]["content"]
        == text("small")["content"]
    )


# -- Penstock breaks ---------------------------------------------------------------------------


class Broken(MemoryStore):
    """A store that raises an error that no store may raise."""

    def load(self, *_args, **_keywords):
        raise ZeroDivisionError("broken")


def test_a_fault_in_a_job_answers_the_client(open_rig, era, caplog):
    rig = open_rig(Upstream(era))
    rig.gate.store = Broken()
    params = {"name": "read_result", "arguments": {"continuation_token": "pen_" + "1" * 39}}
    error = rig.ask("tools/call", params)["error"]
    assert error["code"] == -32603
    assert "broken" not in json.dumps(error)
    assert "ZeroDivisionError: broken" in caplog.text
    assert rig.session.pending == {}


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "resources/read", "tasks/get"])
def test_a_fault_while_a_request_is_opened(open_rig, monkeypatch, method):
    rig = open_rig(Upstream())
    monkeypatch.setattr("penstock.wire.messages.members_of", lambda _raw: 1 / 0)
    assert rig.ask(method, {"name": "x"})["error"]["code"] == -32603


def test_a_fault_while_a_list_is_learnt(open_rig, monkeypatch):
    """If Penstock asked for the list itself, the call that needs the list is answered."""
    rig = open_rig(Upstream())
    monkeypatch.setattr("penstock.wire.lists.read_list", lambda *_a, **_k: 1 / 0)
    assert rig.ask("tools/list")["error"]["code"] == -32603
    params = {"name": "read_result", "arguments": {"continuation_token": "pen_x"}}
    assert rig.ask("tools/call", params)["error"]["code"] == -32603


def test_a_fault_while_a_notification_is_opened(open_rig, monkeypatch, caplog):
    rig = open_rig(Upstream("modern"))
    monkeypatch.setattr("penstock.wire.tasks.WireResult", lambda _members: 1 / 0)
    params = {"taskId": "t", "result": LARGE}
    assert rig.from_upstream({"method": "notifications/tasks", "params": params}) == []
    assert "ZeroDivisionError" in caplog.text


# -- the store breaks --------------------------------------------------------------------------


class Full(MemoryStore):
    def put(self, *_args, **_keywords):
        raise StoreError("no space left")


def test_a_store_that_is_full_loses_nothing_in_silence(open_rig, era):
    """The reply says so, and holds the first page. The call is not repeated."""
    rig = open_rig(Upstream(era, results={"rows": LARGE}))
    rig.gate.store = Full()
    reply = value_of(rig.call("rows"))
    assert reply["stored"] is False
    assert reply["items"] == table()[: len(reply["items"])]
    assert reply["items"]
    assert len(rig.upstream.got("tools/call")) == 1


def test_a_store_that_is_full_when_an_error_is_to_be_kept(open_rig, era):
    rig = open_rig(Upstream(era))
    rig.gate.store = Full()
    rig.upstream = None
    rig.from_client(rig.request("tools/call", {"name": "rows"}, id=60))
    error = {"code": -5, "message": "boom", "data": "x" * 50_000}
    (answer,) = map(json.loads, rig.from_upstream({"jsonrpc": "2.0", "id": 60, "error": error}))
    assert answer["error"]["code"] == -5
    assert answer["error"]["data"]["stored"] is False
