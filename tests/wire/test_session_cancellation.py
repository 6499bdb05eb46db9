"""Requests that the client cancels: nothing is sent, nothing is stored, and nothing keeps
running."""

import json
import threading

import pytest
from relay_rig import table
from relay_upstream import MODERN_META, Upstream, text

from penstock.stores.memory import MemoryStore


def cancelled(number):
    params = {"requestId": number, "reason": "changed my mind"}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


@pytest.fixture
def rig(open_rig, era):
    """From here on the test answers for upstream, and starts the jobs."""
    rig = open_rig(Upstream(era, results={"rows": text(table())}), query_seconds=600)
    rig.listed()
    rig.token = rig.probe("rows")["continuation_token"]
    rig.up.clear()
    rig.down.clear()
    return rig


def by_hand(rig, method, params, number):
    """Send a request whose answer upstream keeps back."""
    request = rig.request(method, params, id=number)
    upstream, rig.upstream = rig.upstream, None
    rig.from_client(request)
    rig.upstream = upstream
    return request


def test_answered_by_the_relay(rig):
    """Penstock sends no answer, and forwards nothing."""
    rig.holds_work = True
    params = {
        "name": "read_result",
        "arguments": {"continuation_token": rig.token, "mode": "summary"},
    }
    rig.from_client(rig.request("tools/call", params, id=70))
    assert rig.from_client(cancelled(70)) == []
    assert rig.work() == []
    assert rig.up == []
    assert rig.session.pending == {}
    assert rig.store.stats().entries == 1


@pytest.mark.parametrize("mode", ["query", "sql"])
def test_answered_by_the_relay_while_the_worker_is_at_it(rig, mode):
    """Penstock stops the worker, and stores nothing."""
    pytest.importorskip("jq")
    rig.read(rig.token, mode="sql", query="SELECT 1")  # a worker is there
    entries = rig.store.stats().entries
    endless = {
        "query": "def f: f; f",
        "sql": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT count(*) FROM c",
    }
    arguments = {"continuation_token": rig.token, "mode": mode, "query": endless[mode]}
    rig.holds_work = True
    rig.up.clear()
    rig.down.clear()
    rig.from_client(
        rig.request("tools/call", {"name": "read_result", "arguments": arguments}, id=70)
    )
    (work,) = rig.held
    outcome = []
    thread = threading.Thread(
        target=lambda: outcome.append(rig.engine.carry_out(rig.session, work))
    )
    thread.start()
    workers = rig.gate._workers
    wait_until(lambda: set(workers._children) - set(workers._free))
    assert rig.from_client(cancelled(70)) == []
    thread.join(30)
    assert outcome == [[]]
    assert rig.up == []
    assert rig.store.stats().entries == entries


def wait_until(condition):
    """Poll for a condition, because a worker has no event to wait for."""
    pause = threading.Event()
    for _ in range(3_000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it never came to be")


def test_forwarded(rig):
    """Upstream gets the cancellation byte for byte."""
    by_hand(rig, "tools/call", {"name": "rows"}, 70)
    line = json.dumps(cancelled(70), indent=1).encode()
    assert rig.from_client(line) == []
    assert rig.up[-1] == line
    assert rig.session.pending == {}


def test_an_answer_to_what_was_cancelled(rig):
    """A late answer is not stored, and a large one does not flood the client."""
    entries = rig.store.stats().entries
    by_hand(rig, "tools/call", {"name": "rows"}, 70)
    by_hand(rig, "tools/call", {"name": "rows"}, 71)
    rig.from_client(cancelled(70))
    rig.from_client(cancelled(71))
    assert rig.from_upstream({"jsonrpc": "2.0", "id": 70, "result": text(table())}) == []
    small = b'{"jsonrpc": "2.0", "id": 71, "error": {"code": 0, "message": "Request cancelled"}}'
    assert rig.from_upstream(small) == [small]
    assert rig.store.stats().entries == entries


def test_while_concluding(rig):
    """Penstock drops the reply and the entry. Upstream has nothing left to cancel."""
    entries = rig.store.stats().entries
    by_hand(rig, "tools/call", {"name": "rows"}, 70)
    rig.holds_work = True
    rig.up.clear()
    rig.from_upstream({"jsonrpc": "2.0", "id": 70, "result": text(table())})
    assert rig.from_client(cancelled(70)) == []
    assert rig.work() == []
    assert rig.up == []
    assert rig.store.stats().entries == entries


class StoreThatIsSlow(MemoryStore):
    """A store that does something else while it stores a result."""

    def __init__(self, meanwhile):
        super().__init__()
        self.meanwhile = meanwhile

    def put(self, key, record, *, now):
        super().put(key, record, now=now)
        self.meanwhile()


def test_while_the_result_is_being_stored(rig):
    """Penstock deletes what it has stored."""
    rig.gate.store = rig.store = StoreThatIsSlow(lambda: rig.from_client(cancelled(70)))
    by_hand(rig, "tools/call", {"name": "rows"}, 70)
    rig.up.clear()
    assert rig.from_upstream({"jsonrpc": "2.0", "id": 70, "result": text(table())}) == []
    assert rig.up == []
    assert rig.store.stats().entries == 0


def test_an_error_over_the_budget_while_it_is_being_stored(rig):
    rig.gate.store = rig.store = StoreThatIsSlow(lambda: rig.from_client(cancelled(70)))
    by_hand(rig, "tools/call", {"name": "rows"}, 70)
    error = {"code": -1, "message": "m" * 50_000}
    assert rig.from_upstream({"jsonrpc": "2.0", "id": 70, "error": error}) == []
    assert rig.store.stats().entries == 0


def test_while_a_reference_is_resolved(rig):
    """Upstream never sees the call."""
    rig.holds_work = True
    params = {"name": "take", "arguments": {"what": f"@result:{rig.token}"}}
    rig.from_client(rig.request("tools/call", params, id=70))
    assert rig.from_client(cancelled(70)) == []
    assert rig.work() == []
    assert rig.up == []


def test_while_upstream_is_asked_for_its_tools(open_rig, era):
    """The call waits for the list, and does not go up when the list has come."""
    rig = open_rig(Upstream(era))
    params = {"name": "take", "arguments": {"what": "\\u0041 @result:pen_x"}}
    by_hand(rig, "tools/call", params, 70)
    (asked,) = [json.loads(line) for line in rig.up if b"penstock-" in line]
    rig.up.clear()
    assert rig.from_client(cancelled(70)) == []
    rig.from_upstream({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": []}})
    assert rig.up == []
    assert rig.down[1:] == []


def test_while_upstreams_era_is_being_found_out(open_rig):
    """The request waits for the era, and never goes up."""
    rig = open_rig()
    params = {"name": "rows", "_meta": MODERN_META}
    rig.from_client({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    rig.from_client({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
    asked = json.loads(rig.up.pop())
    assert rig.from_client(cancelled(1)) == []
    assert rig.up == []
    result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    rig.from_upstream({"jsonrpc": "2.0", "id": asked["id"], "result": result})
    assert [json.loads(line)["id"] for line in rig.up] == [2]


def test_a_cancellation_that_names_nothing_is_upstreams(rig):
    for params in ({"requestId": 999}, {}, {"requestId": None}, {"requestId": "\\u0041"}):
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        line = json.dumps(note).encode()
        assert rig.from_client(line) == []
        assert rig.up.pop() == line


def test_a_cancellation_names_its_request_by_the_bytes_of_the_id(rig):
    by_hand(rig, "tools/call", {"name": "rows"}, "70")
    rig.from_client(cancelled(70))
    assert list(rig.session.pending) == [b'"70"']


def test_cancelled_twice(rig):
    by_hand(rig, "tools/call", {"name": "rows"}, 70)
    rig.up.clear()
    rig.from_client(cancelled(70))
    rig.from_client(cancelled(70))
    assert len(rig.up) == 2
    assert rig.down == []


def test_upstreams_own_cancellation_goes_down(rig):
    line = json.dumps(cancelled("sampling-1")).encode()
    assert rig.from_upstream(line) == [line]
