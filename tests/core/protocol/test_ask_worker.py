"""Programs that are refused before any row is read for them."""

import pytest

from penstock import Call, Gate
from penstock.core.model.continuation import parse
from penstock.core.model.effects import Entry
from penstock.core.protocol.ask_worker import MOST_CHARS, TableSource, ask
from penstock.core.protocol.entries import _HEAD
from penstock.core.views.focus import root

PROGRAMS = {
    "blank": "  \n",
    "NUL": "SELECT '\0'",
    "half of a pair": "SELECT '\ud800'",
    "too long": "x" * (MOST_CHARS + 1),
}


@pytest.fixture(scope="module")
def entry():
    with Gate() as gate:
        rows = [{"id": number} for number in range(5_000)]
        token = parse(gate.offer(Call("tool"), rows).value["continuation_token"])
        loaded = gate.store.load(token.key, now=gate.clock())
        return Entry(token, _HEAD.decode(loaded.head), loaded.index)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("language", ["sql", "jq", "order", "chart"])
def test_no_worker_is_asked_to_run_a_program_that_cannot_run(entry, language, program):
    with pytest.raises(StopIteration) as refused:
        next(ask(TableSource(entry, "", root(entry)), language, program))
    assert refused.value.value.error
    assert refused.value.value.next_step
