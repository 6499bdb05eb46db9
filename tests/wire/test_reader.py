"""The reader's description says what a model would otherwise have to guess, in few tokens."""

from __future__ import annotations

import json

import jsonschema_rs
import pytest

from penstock.core.budget.measure import default_meter
from penstock.settings.policy import Policy
from penstock.wire.reader import INSTRUCTIONS, description, reader_tool

pytest.importorskip("jq")


@pytest.mark.parametrize(
    ("modes", "told", "untold"),
    [
        ("paginated full", ["paginated"], ["sql", "query", "search", "filtered"]),
        ("sql search summary paginated", ["sql", "search"], ["jq", "filtered"]),
    ],
)
def test_it_speaks_of_the_modes_that_are_offered(modes, told, untold):
    said = description(Policy(modes=modes))
    assert all(word in said for word in told)
    assert not any(word in said for word in untold)


def test_the_entry_and_the_preamble_take_at_most_220_tokens():
    """A small server's list must not become much more expensive than it was."""
    entry = default_meter().count("," + reader_tool("read_result", Policy()).decode())
    assert entry + default_meter().count(INSTRUCTIONS + "\n\n") <= 220


@pytest.mark.parametrize("more", [{"page_size": 0}, {"row_form": "table"}, {"tables": {"a": "b"}}])
def test_clients_that_check_arguments_let_every_field_pass(more):
    schema = json.loads(reader_tool("read_result", Policy()))["inputSchema"]
    assert jsonschema_rs.is_valid(schema, {"continuation_token": "pen_x", **more})
