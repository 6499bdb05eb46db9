"""Each look at a stored result reads the rows that it needs, once, and no others."""

from __future__ import annotations

import pytest
from shown_rows import shown_rows

from penstock import Call, Gate, Policy, Principal
from penstock.core.model.continuation import parse
from penstock.core.model.effects import ReadChunks
from penstock.core.results import packing
from penstock.core.views import focus

ROWS = [{"id": n, "kind": "ab"[n % 2], "pad": "x" * 40} for n in range(2_500)]
ALIKE = {f"k{n}": {"id": n, "kind": "ab"[n % 2]} for n in range(1_500)}
MIXED = {f"k{n}": {"id": n} if n % 2 else n for n in range(1_500)}
LINES = "\n".join(f"line {n}" for n in range(2_500))
COUNT = {"mode": "sql", "query": "SELECT count(*) AS n FROM result"}
ANN = Principal("ann")


class Watched(Gate):
    """A gate that notes which rows the protocol asks for."""

    def __init__(self):
        super().__init__(Policy(ceiling="10kB"))
        self.spans = []
        self.has_read = False

    def _answer(self, hooks, effect):
        self.has_read = isinstance(effect, ReadChunks)
        return super()._answer(hooks, effect)

    def slice_rows(self, index, chunks, numbers, start, stop, kind):
        """Note rows that were just read, and not those that came along with the head."""
        if self.has_read:
            self.spans.append((start, stop))
            self.has_read = False
        return packing.slice_rows(index, chunks, numbers, start, stop, kind)

    def stored(self, value):
        return self.offer(Call("tool", principal=ANN), value).value["continuation_token"]

    def look(self, token, **fields):
        return self.call(Call("tool", {"continuation_token": token, **fields}, ANN), None)


@pytest.fixture(scope="module")
def shared():
    """Share one gate between the tests: a worker takes a while to start."""
    with Watched() as gate:
        yield gate


@pytest.fixture
def gate(shared, monkeypatch):
    monkeypatch.setattr(focus, "slice_rows", shared.slice_rows)
    shared.spans.clear()
    return shared


@pytest.fixture
def unpacked(monkeypatch):
    """Return a list that collects the chunks as they are unpacked."""
    chunks, unpack = [], packing.unpack

    def noted(chunk, kind):
        chunks.append(chunk)
        return unpack(chunk, kind)

    monkeypatch.setattr(packing, "unpack", noted)
    return chunks


@pytest.mark.parametrize(
    ("value", "count"),
    [(ROWS, 2_500), (ALIKE, 1_500), (LINES, 2_500)],
    ids=["rows", "members", "lines"],
)
def test_a_question_reads_every_row_once_and_the_next_one_reads_none(gate, value, count):
    token = gate.stored(value)
    for _ in range(2):
        assert gate.look(token, **COUNT).value["items"] == [{"n": count}]
        assert gate.spans == [(at, min(at + 1_000, count)) for at in range(0, count, 1_000)]


@pytest.mark.parametrize(
    ("value", "count"),
    [(ROWS, 2_500), (ALIKE, 1_500), (LINES, 2_500)],
    ids=["rows", "members", "lines"],
)
def test_a_search_reads_every_row_once(gate, value, count):
    gate.look(gate.stored(value), mode="search", query="nowhere")
    # Each span includes the first row of the next one, for the lines around a match.
    assert gate.spans == [(at, min(at + 1_001, count)) for at in range(0, count, 1_000)]


def test_a_mode_that_does_not_apply_is_refused_unread(gate):
    for value in (MIXED, LINES):
        mode = COUNT if value is MIXED else {"mode": "filtered", "filter_keys": ["id"]}
        assert "does not apply" in gate.look(gate.stored(value), **mode).text
    assert gate.spans == []


def test_one_row_tells_whether_rows_have_keys(gate):
    filtered = {"mode": "filtered", "filter_keys": ["id"], "path": "/items", "page": 3}
    assert not gate.look(gate.stored({"items": ROWS, "a": 1}), **filtered).is_error
    assert gate.spans == [(0, 1), (40, 60)]
    gate.spans.clear()
    assert "does not apply" in gate.look(gate.stored({"items": [*range(9_000)]}), **filtered).text
    assert gate.spans == [(0, 1)]


# -- answers that are results of their own -----------------------------------------------------


ANSWERS = {
    "sql": {"mode": "sql", "query": "SELECT id FROM result"},
    "rows of jq": {"mode": "query", "query": ".[] | {id}"},
    "a list of jq": {"mode": "query", "query": "map({id})"},
}


@pytest.mark.parametrize("page", [{}, {"page": 3}, {"page_size": 500, "page": 2}], ids=str)
@pytest.mark.parametrize("asked", ANSWERS.values(), ids=ANSWERS)
def test_the_page_of_an_answer_is_not_unpacked(gate, unpacked, asked, page):
    if asked["mode"] == "query":
        pytest.importorskip("jq")
    token = gate.stored(ROWS)
    gate.look(token, **asked)  # The worker has the rows from now on.
    unpacked.clear()
    answer = gate.look(token, **asked, **page).value
    assert unpacked == []
    first = (page.get("page", 1) - 1) * page.get("page_size", 20)
    rows = shown_rows(answer)
    assert [row["id"] for row in rows] == [*range(first, first + len(rows))]
    again = gate.look(answer["continuation_token"], **page).value
    assert again["items"] == rows[: len(again["items"])]
    assert unpacked


def test_the_page_of_a_search_is_not_unpacked(gate, unpacked):
    token = gate.stored(ROWS)
    answer = gate.look(token, mode="search", query="b", page=2).value
    kept = gate.store.load(parse(answer["continuation_token"]).key, now=0.0, rows=(0, 2_500))
    assert len(shown_rows(answer)) == 20
    assert kept.chunks
    assert not {*kept.chunks.values()}.intersection(unpacked)


@pytest.mark.parametrize("program", ["tostring", '{"a": ., "b": .}', ". | map(tostring) | add"])
def test_nor_is_that_of_a_value_which_is_not_rows(gate, unpacked, program):
    pytest.importorskip("jq")
    token = gate.stored(ROWS)
    gate.look(token, mode="query", query="1")
    unpacked.clear()
    assert gate.look(token, mode="query", query=program).value["total"] in (1, 2)
    assert unpacked == []
