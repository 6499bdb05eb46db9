"""JSON is cut and never decoded, so its bytes come out unchanged."""

from __future__ import annotations

import json

import pytest

from penstock.core.json import rawjson
from penstock.core.json.rawjson import NotJson, TooDeep

DIGITS = b"123456789012345678901234567890"
VALUES = [
    b"0",
    b"-1.50e+10",
    DIGITS,
    b"true",
    b"null",
    b'""',
    b'"a\\"b\\\\"',
    b'"\\u00e9 \\/ \\ud83d\\ude00"',
    '"é漢😀"'.encode(),
    b'"\\ud800"',
    b"[]",
    b"{}",
    b'[1,[2,{"a":"]"}],"}"]',
    b'{"b":1,"a":{"c":[1,2]},"b":2}',
    b"[" * 60 + b"]" * 60,
]


@pytest.mark.parametrize(
    ("pretty", "compact"),
    [
        (b' { "a" : [ 1 , 2 ] ,\r\n\t"b" : "x  y" } ', b'{"a":[1,2],"b":"x  y"}'),
        (b"[ 1.50, 1e5, -0 ]", b"[1.50,1e5,-0]"),
        (b'[ "\\u00e9", "\\/" ]', b'["\\u00e9","\\/"]'),
        (b'{ "z": 1, "a": 2, "z": 3 }', b'{"z":1,"a":2,"z":3}'),
        (b'[ "\\ud800 x", " " ]', b'["\\ud800 x"," "]'),
        (b"[ " + DIGITS + b" ]", b"[" + DIGITS + b"]"),
    ],
)
def test_compact_takes_out_white_space_and_nothing_else(pretty, compact):
    assert rawjson.compact(pretty) == compact


@pytest.mark.parametrize(
    "data",
    [b"", b"[1,]", b"{'a':1}", b"[1] 2", b"NaN", b"[Infinity]", b'["\xff"]', b"nul", b'"\n"'],
)
def test_compact_refuses_what_is_not_json(data):
    with pytest.raises(NotJson):
        rawjson.compact(data)


def test_compact_says_when_a_value_is_too_deep():
    with pytest.raises(TooDeep):
        rawjson.compact(b"[" * 200_000 + b"]" * 200_000)


@pytest.mark.parametrize(("levels", "is_deep"), [(128, False), (129, True), (1_000, True)])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_is_counted_in_brackets(levels, is_deep, opening, closing):
    value = opening * levels + b"1" + closing * levels
    if is_deep:
        with pytest.raises(TooDeep):
            rawjson.require_shallow(value)
    else:
        rawjson.require_shallow(value)


def test_brackets_in_texts_are_no_depth():
    rawjson.require_shallow(b'["' + b"[" * 5_000 + b'","\\"' + b"{" * 5_000 + b'"]')


@pytest.mark.parametrize("block_size", [1, 10, 1_000_000])
def test_rows_are_slices_of_the_array(block_size):
    array = b"[" + b",".join(VALUES * 3) + b"]"
    blocks = list(rawjson.row_blocks(array, block_size))
    assert [row for block in blocks for row in block] == VALUES * 3
    assert list(rawjson.elements(array)) == VALUES * 3


@pytest.mark.parametrize(
    "row",
    [
        b'{"id":1,"inner":[{"id":2},{"id":3}]}',  # inner objects look like the start of a row
        b'{"id":1,"text":",{\\"id\\":1}"}',
        b'[[1],["a,b"]]',
        b'"a,b"',
        b"12",
    ],
)
def test_a_cut_is_never_inside_a_row(row):
    array = b"[" + b",".join([row] * 500) + b"]"
    blocks = list(rawjson.row_blocks(array, 300))
    assert len(blocks) > 1
    assert [part for block in blocks for part in block] == [row] * 500


def test_blocks_are_small_however_many_rows():
    array = b"[" + b",".join([b'{"id":1}'] * 10_000) + b"]"
    assert max(sum(map(len, block)) for block in rawjson.row_blocks(array, 1_000)) <= 1_100


def test_members_keep_order_and_duplicates():
    document = b'{"b":1,"a":{"x":[1,"}"]},"b":"two","\\u0061":3}'
    members = list(rawjson.members(document))
    assert [(m.name, m.value) for m in members] == [
        ("b", b"1"),
        ("a", b'{"x":[1,"}"]}'),
        ("b", b'"two"'),
        ("a", b"3"),
    ]
    assert rawjson.fields(document) == {"b": b'"two"', "a": b"3"}
    assert b"{" + b",".join(m.key + b":" + m.value for m in members) + b"}" == document


@pytest.mark.parametrize(
    "document",
    [
        b"{}",
        b'{"a":[1,2],"b":{"c":[]}}',
        b'{"a":[1],"a":2,"b":[3]}',
        b'{"\\ud800":[1],"b":2}',
        b'{"a":' + b"[" * 50 + b"]" * 50 + b"}",
    ],
)
def test_spans_agree_with_members(document):
    spans = rawjson.member_spans(document)
    expected = [(m.key, len(m.value), m.value[:1] == b"[") for m in rawjson.members(document)]
    assert spans == expected


@pytest.mark.parametrize("value", [b"1", b'"a:b"', b'{"c":":"}'])
@pytest.mark.parametrize("key", [b'""', b'"a"', b'"a\\":b"'])
def test_a_member_is_split_at_its_colon(key, value):
    assert rawjson.split_member(key + b":" + value) == (key, value)


@pytest.mark.parametrize(
    "text", ["", "a", 'q"\\\n', "é漢😀", "\x00\x1f", "lone \ud800 half", "\udc80"]
)
def test_a_text_survives_as_a_json_string(text):
    encoded = rawjson.string(text)
    assert rawjson.decode(encoded) == text
    assert json.loads(encoded) == text
    encoded.decode()  # valid UTF-8, whatever the text


def test_strings_are_not_escaped_without_need():
    assert rawjson.string("é漢😀/") == '"é漢😀/"'.encode()


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (DIGITS, int(DIGITS)),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'["\\ud800"]', ["\ud800"]),
        (b'"\\ud83d\\ude00"', "😀"),
    ],
)
def test_decode(raw, value):
    assert rawjson.decode(raw) == value


@pytest.mark.parametrize(
    "document",
    [
        b'{"a":-0,"id":[null,null],"a":false}',
        b'{"a":[1],"a":[2,3],"b":1}',
        b'{"a":1,"b":[1],"a":12345}',
        b'{"a":"\\"a\\":[","b":[1],"a":"x"}',
    ],
)
def test_spans_are_right_where_keys_occur_twice(document):
    expected = [(key, len(value), value[:1] == b"[") for key, value in rawjson.members(document)]
    assert rawjson.member_spans(document) == expected


@pytest.mark.parametrize(
    "data", ["[1,2]".encode("utf-16"), b"\xef\xbb\xbf[1]", "[1]".encode("utf-32"), b'["\xff"]']
)
def test_json_is_utf8_without_a_mark(data):
    with pytest.raises(rawjson.NotJson):
        rawjson.compact(data)


def test_an_integer_of_very_many_digits_is_json():
    digits = b"9" * 10_000
    assert rawjson.compact(b'[ "\\ud800", ' + digits + b" ]") == b'["\\ud800",' + digits + b"]"
