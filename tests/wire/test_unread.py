"""Messages that were not read: their ends tell whose answer they were."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.unread import ENDS_KEPT, Unread

FILLING = "x" * 3 * ENDS_KEPT


def unread(line, *, is_final=True):
    ends = (line[:ENDS_KEPT], line[-ENDS_KEPT:] if is_final else b"")
    return Unread("is too long", ".", *ends, is_final=is_final)


def answered(message, waiting=(b"1", b"2", b'"a"')):
    line = message if isinstance(message, bytes) else json.dumps(message).encode()
    return [json.loads(error)["id"] for error in unread(line).answers(waiting)]


RESULT = {"content": [{"type": "text", "text": FILLING}]}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 2, "result": RESULT},
        {"id": 2, "result": RESULT, "jsonrpc": "2.0"},
        {"result": RESULT, "jsonrpc": "2.0", "id": 2},
        {"result": RESULT, "id": 2, "jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": 2, "error": {"code": 1, "message": FILLING}},
        {"error": {"code": 1, "message": FILLING}, "id": 2},
        {"result": {**RESULT, "id": 1}, "id": 2},
        {"result": {"id": 1, **RESULT}, "id": 2},
    ],
)
def test_the_id_is_found_at_either_end(message):
    assert answered(message) == [2]


def test_an_id_in_a_text_is_none():
    tricky = FILLING + '"},"id":1,"x":"'
    assert answered({"result": {"text": tricky}, "id": 2}) == [2]
    assert answered({"result": {"text": tricky}}) == [1, 2, "a"]
    assert answered({"result": {"text": FILLING, "id": 1}}) == [1, 2, "a"]


def test_a_text_as_id():
    assert answered({"result": RESULT, "id": "a"}) == ["a"]


def test_an_answer_that_nobody_waits_for():
    assert answered({"result": RESULT, "id": 77}) == []


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": FILLING}},
        {"params": {"data": FILLING}, "method": "notifications/message"},
        {"id": 2, "params": {"data": FILLING}, "method": "sampling/createMessage"},
    ],
)
def test_messages_that_answer_nothing(message):
    assert answered(message) == []
    assert answered(message, [b"2"]) == []


def test_what_tells_nothing_may_be_the_answer_to_any():
    assert answered(FILLING.encode()) == [1, 2, "a"]
    assert answered(FILLING.encode(), [b"2"]) == [2]
    assert answered([{"id": 1, "result": RESULT}, {"id": 2, "result": RESULT}]) == [1, 2, "a"]


def test_the_end_may_still_tell():
    told = unread(json.dumps({"result": RESULT}).encode(), is_final=False)
    assert told.answers([b"1", b"2"]) == []
    assert not told.is_settled


@given(
    st.dictionaries(st.text(max_size=9), st.text(max_size=30) | st.integers(), max_size=3),
    st.integers() | st.text(max_size=20),
    st.booleans(),
    st.booleans(),
)
def test_no_result_hides_or_feigns_an_id(result, key, is_first, is_ascii):
    padded = {"a": FILLING, **result, "z": FILLING + str(result)}
    named = {"id": key}
    message = {**named, "result": padded} if is_first else {"result": padded, **named}
    line = json.dumps(message, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    raw = json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert len(unread(line).answers([b"-99999999999999999999", raw])) == 1
