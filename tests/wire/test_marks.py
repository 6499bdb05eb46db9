"""Decorators and the middleware of their server find each other through a schema."""

import contextvars
import gc

import pytest

from penstock.wire import marks
from penstock.wire.marks import (
    KEYWORD,
    current,
    find_mark,
    is_served,
    new_mark,
    running,
    serving,
    unmerged,
)


def schema_with(mark, **others):
    token = {"type": "string", KEYWORD: mark.key}
    return {"type": "object", "properties": {**others, "continuation_token": token}}


def test_a_mark_is_found_and_taken_out():
    mark = new_mark(added=("continuation_token", "page"), is_merged=True)
    schema = schema_with(
        mark, city={"type": "string", KEYWORD: "required"}, page={"type": "integer"}
    )
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
    mark = new_mark(added=("continuation_token",), is_merged=True)
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


def test_a_mark_ends_with_its_function():
    key = new_mark().key
    gc.collect()
    assert find_mark({"properties": {"a": {KEYWORD: key}}}) is None


def test_a_request_is_served_while_its_tool_runs_and_not_after():
    request = object()
    assert current() is None
    with serving("7", request) as served:
        assert current() is served
        assert is_served(request)
        assert not is_served(object())
        with running():
            assert current().mark == ""
            assert is_served(request)
        later = contextvars.copy_context()
    assert current() is None
    assert later.run(current) is served
    assert not later.run(is_served, request)
