"""Decorators and the middleware of their server find each other through a schema."""

import pytest

from penstock import marks
from penstock.marks import KEYWORD, current, find_mark, handover, new_mark, running, unmerged


def schema_with(mark, **others):
    token = {"type": "string", KEYWORD: mark.key}
    return {"type": "object", "properties": {**others, "continuation_token": token}}


def test_a_mark_is_found_and_taken_out():
    mark = new_mark(own=("city",), required=("city",), is_merged=True)
    schema = schema_with(mark, city={"type": "string"}, page={"type": "integer"})
    assert find_mark(schema) is mark
    shown = marks.without_mark(schema)
    assert find_mark(shown) is None
    assert shown["properties"]["continuation_token"] == {"type": "string"}
    assert unmerged(schema, mark) == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    }


def test_what_requires_nothing_says_nothing_of_it():
    mark = new_mark(own=("city",))
    assert "required" not in unmerged(schema_with(mark, city={}), mark)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": []},
        {"properties": {"a": True}},
        {"properties": {"a": {KEYWORD: "of another process"}}},
        {"properties": {"a": {KEYWORD: 1}}},
    ],
)
def test_marks_that_are_nobodys_here(schema):
    assert find_mark(schema) is None


def test_a_handover_is_open_while_the_tool_runs_and_closed_to_what_it_calls():
    assert current() is None
    with handover("7") as receiver:
        assert current() is receiver
        assert not receiver.is_filled
        with running():
            assert current() is not None
            assert current().mark == ""
        receiver.value = None  # a value too
        assert receiver.is_filled
    assert current() is None
