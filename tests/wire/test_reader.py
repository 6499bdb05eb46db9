"""The reader's description says what a model would otherwise have to guess, in few tokens."""

from __future__ import annotations

import json

import pytest

from penstock.core.budget.measure import default_meter
from penstock.settings.policy import Policy
from penstock.wire.reader import description, reader_tool

pytest.importorskip("jq")
ANSWERS = "each answer is stored under its own token; page_size 0 shows no rows."


def test_it_says_what_the_token_of_an_answer_stands_for():
    assert f"sql, query, search: {ANSWERS}" in description(Policy())


@pytest.mark.parametrize(
    ("modes", "told"),
    [
        ("paginated full", ""),
        ("search paginated", f" search: {ANSWERS}"),
        ("sql search summary paginated", f" sql, search: {ANSWERS}"),
    ],
)
def test_it_speaks_of_the_modes_that_are_offered(modes, told):
    said = description(Policy(modes=modes))
    assert told in said
    assert (ANSWERS in said) is bool(told)


def test_it_is_short():
    assert default_meter().count(description(Policy())) <= 205


def test_clients_that_check_arguments_let_page_size_0_pass():
    schema = json.loads(reader_tool("read_result", Policy()))["inputSchema"]
    assert schema["properties"]["page_size"] == {"type": "integer", "minimum": 0}


def test_clients_that_check_arguments_let_row_form_pass():
    schema = json.loads(reader_tool("read_result", Policy()))["inputSchema"]
    assert schema["properties"]["row_form"]["enum"] == ["auto", "objects", "table"]
