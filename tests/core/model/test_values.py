"""A reply on the wire is as large as the reply that was measured."""

from __future__ import annotations

import json

import msgspec
import pytest

from penstock.core.model.reply import Reply, Showing
from penstock.core.model.values import Frame, Mode, Principal, Result

IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "penstock://result/x", "name": "n"}


@pytest.mark.parametrize(
    ("reply", "wire"),
    [
        (Reply(b'{"a":1}'), '{"content":[{"type":"text","text":"{\\"a\\":1}"}]}'),
        (Reply("é\n".encode(), is_text=True), '{"content":[{"type":"text","text":"é\\n"}]}'),
        (
            Reply(b'{"a":1}', structured=b'{"a":1}'),
            '{"content":[{"type":"text","text":"{\\"a\\":1}"}],"structuredContent":{"a":1}}',
        ),
        (
            Reply(b"1", is_error=True),
            '{"content":[{"type":"text","text":"1"}],"isError":true}',
        ),
        (
            Reply(b"1", frame=Frame(fields={"resultType": "complete", "isError": False})),
            '{"content":[{"type":"text","text":"1"}],"resultType":"complete","isError":false}',
        ),
        (
            Reply(b"1", is_error=True, frame=Frame(fields={"isError": False})),
            '{"content":[{"type":"text","text":"1"}],"isError":true}',
        ),
        (
            Reply(b"1", meta={"k": [1]}),
            '{"content":[{"type":"text","text":"1"}],"_meta":{"k":[1]}}',
        ),
        (
            Reply(b"1", attachments=(LINK,)),
            (
                '{"content":[{"type":"text","text":"1"},{"type":"resource_link",'
                '"uri":"penstock://result/x","name":"n"}]}'
            ),
        ),
    ],
)
def test_wire(reply, wire):
    assert reply.wire().decode() == wire
    assert json.loads(wire)["content"] == reply.content


def test_the_data_of_media_is_not_measured_and_all_else_is():
    reply = Reply(b"1", attachments=(IMAGE, LINK))
    assert [block["type"] for block in json.loads(reply.wire())["content"]] == [
        "text",
        "image",
        "resource_link",
    ]
    measured = json.loads(*reply.shown())["content"]
    assert [block["type"] for block in measured] == ["text", "image", "resource_link"]
    assert "data" not in measured[1]


def test_what_hosts_read_is_not_measured():
    """Icons and `_meta` are for hosts and users: of the result, of its frame and of each block."""
    inner = {"uri": "file:///a", "text": "t", "_meta": {"n": 1}}
    embedded = {"type": "resource", "resource": inner, "_meta": {"n": 1}}
    link = {**LINK, "icons": [{"src": "data:"}], "annotations": {"priority": 1}}
    frame = Frame(fields={"resultType": "complete", "_meta": {"m": 1}})
    reply = Reply(b"1", attachments=(embedded, link), meta={"k": 1}, frame=frame)
    assert json.loads(*reply.shown()) == {
        "content": [
            {"type": "text", "text": "1"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "t"}},
            {**LINK, "annotations": {"priority": 1}},
        ],
        "resultType": "complete",
    }
    sent = json.loads(reply.wire())
    assert sent["content"][1:] == [embedded, link]
    assert sent["_meta"] == {"k": 1, "m": 1}


def test_a_copy_is_measured_once():
    """A host shows the content or its copy. The block that is no copy is in both forms."""
    reply = Reply(b'{"a":1}', structured=b'{"a":1}', repeated=(0,), attachments=(LINK,))
    text = {"type": "text", "text": '{"a":1}'}
    content, structured = map(json.loads, reply.shown())
    assert content == {"content": [text, LINK]}
    assert structured == {"content": [LINK], "structuredContent": {"a": 1}}
    both = {"content": [text, LINK], "structuredContent": {"a": 1}}
    assert [json.loads(form) for form in reply.shown(Showing(both=True))] == [both]
    assert json.loads(reply.everything) == json.loads(reply.wire()) == both


def test_content_and_structured_content_that_differ_are_measured_together():
    reply = Reply(b"other", is_text=True, structured=b'{"a":1}')
    assert reply.shown() == (reply.wire(),)


def test_a_block_for_the_user_is_measured_unless_the_host_hides_it():
    note = {"type": "text", "text": "n", "annotations": {"audience": ["user"]}}
    shared = {"type": "text", "text": "s", "annotations": {"audience": ["user", "assistant"]}}
    reply = Reply(b"1", attachments=(note, shared))
    assert json.loads(*reply.shown())["content"][1:] == [note, shared]
    (hidden,) = reply.shown(Showing(hides_user_blocks=True))
    assert json.loads(hidden)["content"][1:] == [shared]
    assert json.loads(reply.wire())["content"][1:] == [note, shared]


def test_a_result_that_was_not_touched_goes_out_as_it_came():
    block = {"type": "text", "text": "hi", "annotations": {"priority": 1}}
    result = Result(content=[block, IMAGE], structured={"b": 1, "a": [1]}, meta={"m": 1})
    reply = Reply(b"other", untouched=result, meta=result.meta, is_error=True)
    assert reply.content == [block, IMAGE]
    assert reply.structured_content == {"b": 1, "a": [1]}
    assert reply.value == {"b": 1, "a": [1]}
    assert json.loads(reply.wire()) == {
        "content": [block, IMAGE],
        "structuredContent": {"b": 1, "a": [1]},
        "isError": True,
        "_meta": {"m": 1},
    }


def test_structured_bytes_are_not_rounded():
    raw = msgspec.Raw(b'{"n":123456789012345678901234567890,"f":1.10}')
    reply = Reply(untouched=Result(content=[{"type": "text", "text": "x"}], structured=raw))
    assert bytes(raw) in reply.wire()


@pytest.mark.parametrize(
    ("reply", "value", "structured"),
    [
        (Reply(b'{"a":1}'), {"a": 1}, None),
        (Reply(b'{"a":1}', structured=b'{"b":2}'), {"a": 1}, {"b": 2}),
        (Reply(b"plain", is_text=True), "plain", None),
    ],
)
def test_values(reply, value, structured):
    assert reply.value == value
    assert reply.structured_content == structured


def test_a_lone_surrogate_reaches_the_wire_as_an_escape():
    reply = Reply("\ud800".encode("utf-8", "surrogatepass"), is_text=True)
    assert reply.wire() == b'{"content":[{"type":"text","text":"\\ud800"}]}'


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("text", Result(content=({"type": "text", "text": "text"},))),
        ([1], Result(structured=[1])),
        (None, Result(structured=None)),
        (Result(is_error=True), Result(is_error=True)),
    ],
)
def test_the_result_of_a_function(value, result):
    assert Result.of(value) == result


def test_the_reason_is_never_on_the_wire():
    assert b"secret" not in Reply(b"1", reason="secret").wire()


def test_who_is_a_bearer():
    assert Principal().is_bearer
    assert not Principal("ann").is_bearer


def test_modes_are_cheapest_first():
    assert [mode.value for mode in Mode] == [
        "sql", "query", "search", "summary", "filtered", "paginated", "full",
    ]  # fmt: skip
