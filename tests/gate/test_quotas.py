"""The quota that a stored result counts against, and the entries that go when a store is full."""

import pytest

from penstock import Call, Gate, Policy, Principal
from penstock.core.protocol.entries import account_of
from penstock.stores.memory import MemoryStore
from penstock.stores.sqlite import SQLiteStore

ROWS = [{"id": number, "pad": f"{number * 7919:x}" * 9} for number in range(2_000)]
ANN = Principal("ann")


def token_in(reply):
    return reply.value["continuation_token"]


def ask(gate, token, query, call):
    given = {"continuation_token": token, "mode": "sql", "query": query}
    return gate.read(Call("read_result", given, call.principal, party=call.party)).value


@pytest.fixture(params=["memory", "sqlite"])
def stored(request, tmp_path):
    """A function that opens a store with a quota."""
    if request.param == "memory":
        return lambda quota: MemoryStore(quota=quota)
    return lambda quota: SQLiteStore(tmp_path / f"{quota}.sqlite", quota=quota)


@pytest.fixture
def size(stored):
    """The bytes that the rows take in a store."""
    with Gate(Policy(), stored(10**7)) as gate:
        gate.call(Call("rows"), lambda _: ROWS)
        return gate.store.stats().bytes


def test_an_answer_that_fits_only_in_place_of_its_result_is_not_stored(stored, size, caplog):
    call = Call("rows", principal=ANN)
    with Gate(Policy(), stored(size + size // 2)) as gate:
        token = token_in(gate.call(call, lambda _: ROWS))
        answer = ask(gate, token, "SELECT *, 1 AS n FROM result", call)
        assert "could not be stored" in answer["notice"]
        assert answer["rows"]
        assert "continuation_token" not in answer
        assert "an answer about a result of the tool rows was not stored" in caplog.text
        assert "does not fit beside those that it was made from" in caplog.text
        # Nothing was removed for it, and smaller questions are answered as before.
        assert ask(gate, token, "SELECT count(*) AS n FROM result", call)["continuation_token"]


def test_questions_never_push_out_the_askers_results(stored, size):
    call = Call("rows", principal=ANN)
    with Gate(Policy(), stored(4 * size)) as gate:
        tokens = [token_in(gate.call(call, lambda _: ROWS)) for _ in range(2)]
        for turn in range(8):
            answer = ask(gate, tokens[turn % 2], f"SELECT *, {turn} AS n FROM result", call)  # noqa: S608 (a query of this test)
            assert answer["continuation_token"]
        for token in tokens:
            assert ask(gate, token, "SELECT max(id) AS most FROM result", call)["total"] == 1


def test_unknown_callers_share_tokens_but_no_quota(stored, size):
    one, other = (Call("rows", party=f"peer:10.0.0.{number}") for number in (1, 2))
    with Gate(Policy(), stored(2 * size + 1_000)) as gate:
        mine = token_in(gate.call(one, lambda _: ROWS))
        for turn in range(5):
            answer = ask(gate, mine, f"SELECT *, {turn} AS n FROM result", other)  # noqa: S608 (a query of this test)
            assert answer["continuation_token"]
        for _ in range(3):
            gate.call(other, lambda _: ROWS)
        assert ask(gate, mine, "SELECT count(*) AS n FROM result", one)["total"] == 1


def test_the_account_is_that_of_the_party():
    assert account_of(Call("t", principal=ANN)) == account_of(Call("t", principal=ANN, party="ann"))
    known = [Call("t", principal=ANN), Call("t", principal=Principal("bob"))]
    unknown = [
        Call("t"),
        Call("t", party="peer:"),
        Call("t", party="peer:10.0.0.1"),
        Call("t", party="session:a"),
        Call("t", principal=Principal("session:b")),
        Call("t", principal=Principal("session:b"), server="other"),
    ]
    accounts = [account_of(call) for call in (*known, *unknown)]
    assert len({account.name for account in accounts}) == len(accounts)
    assert [account.is_anonymous for account in accounts] == [False] * 2 + [True] * 6
