"""Programs that are refused before any row is read for them."""

import pytest

from penstock import Call, Gate, Policy
from penstock.core.protocol.ask_worker import MOST_CHARS

ROWS = [{"id": number} for number in range(5_000)]
PROGRAMS = {
    "blank": "  \n",
    "NUL": "SELECT '\0'",
    "half of a pair": "SELECT '\ud800'",
    "too long": "x" * (MOST_CHARS + 1),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("mode", ["sql", "query"])
def test_no_row_is_read_for_a_program_that_cannot_run(monkeypatch, mode, program):
    if mode == "query":
        pytest.importorskip("jq")
    with Gate(Policy(budget="10kB")) as gate:
        token = gate.offer(Call("tool"), ROWS).value["continuation_token"]
        monkeypatch.setattr(gate.store, "read", pytest.fail)
        asked = {"continuation_token": token, "mode": mode, "query": program}
        reply = gate.read(Call("tool", asked))
        assert reply.is_error
        assert reply.value["next_step"]
