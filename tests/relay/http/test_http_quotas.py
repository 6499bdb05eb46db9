"""Callers who have not logged in, each with a quota of its own, over HTTP."""

import os
import sys

import httpx2
import pytest
from http_rig import PLAIN, Raw, serving, value_of

# A result takes some 3 kB in the store, an answer some 10 kB.
LIMITS = {"PENSTOCK_QUOTA": "40kB", "PENSTOCK_CAPACITY": "1MB", "PENSTOCK_BUDGET": "2kB"}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a second loopback address")


@pytest.fixture(scope="module")
def url():
    with serving("--", *PLAIN, env={**os.environ, **LIMITS}) as url:
        yield url


@pytest.fixture
def clients(url):
    """Two clients, at two addresses."""
    with Raw(url) as one, Raw(url) as other:
        other.http.close()
        transport = httpx2.HTTPTransport(local_address="127.0.0.2")
        other.http = httpx2.Client(timeout=60, transport=transport)
        yield one, other


def read(call, token, **more):
    return value_of(call("read_result", {"continuation_token": token, **more}))


def ask_much(call, token):
    """Ask queries whose answers are together larger than the quota."""
    for number in range(30):
        statement = (
            f"SELECT *, {number} AS turn, hex(randomblob(40)) AS noise FROM result LIMIT 200"  # noqa: S608 (a query of this test)
        )
        answer = read(call, token, mode="sql", query=statement)
        assert "error" not in answer


def test_queries_of_one_peer_leave_the_results_of_another(clients):
    one, other = (client.modern_call for client in clients)
    mine = value_of(one("rows"))["continuation_token"]
    its = value_of(other("rows"))["continuation_token"]
    ask_much(other, its)
    assert read(one, mine)["total"] == 2_000
    assert read(other, its)["total"] == 2_000  # answers go before the result that they are from


def test_queries_of_one_session_leave_the_results_of_another(url):
    with Raw(url) as one, Raw(url) as other:
        for client in (one, other):
            client.initialize()
        mine = value_of(one.call("rows"))["continuation_token"]
        its = value_of(other.call("rows"))["continuation_token"]
        ask_much(other.call, its)
        assert read(one.call, mine)["total"] == 2_000
        assert read(other.call, its)["total"] == 2_000


def test_who_asks_about_anothers_result_pays_for_the_answers(clients):
    """A token of an unknown caller works for every unknown caller who holds it."""
    one, other = (client.modern_call for client in clients)
    shared = value_of(one("rows"))["continuation_token"]
    its = [value_of(other("rows"))["continuation_token"] for _ in range(2)]
    ask_much(other, shared)
    assert read(one, shared)["total"] == 2_000
    assert [read(other, token)["total"] for token in its] == [2_000, 2_000]
