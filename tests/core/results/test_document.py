"""Documents of results: every case of the table in `core.results.blocks`, and hard JSON."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from penstock.core.json.rawjson import TooDeep
from penstock.core.model.values import Result
from penstock.core.results.blocks import document_as_text, document_of
from penstock.core.results.decoding import decoded
from penstock.core.results.document import Document, pointer, read_value
from penstock.errors import InvalidResult

DIGITS = b"123456789012345678901234567890"


def read(result, media_cap=1_000) -> Document:
    return document_of(result, media_cap=media_cap)


def rows_of(document: Document) -> list[bytes]:
    return [row for block in document.blocks for row in block]


def whole(document: Document) -> bytes:
    return document.prefix + document.joint.join(rows_of(document)) + document.suffix


def stable(value):
    """Return a name for a case that is the same in every process."""
    return re.sub(r" at 0x\w+", "", repr(value))


def text(value) -> Result:
    return Result(content=[{"type": "text", "text": value}])


def structured(value) -> Result:
    return Result(structured=value)


def nested(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("result", "shape", "rows", "list_path"),
    [
        (structured([{"a": 1}, 2]), "rows", [b'{"a":1}', b"2"], ""),
        (structured((1, 2)), "rows", [b"1", b"2"], ""),
        (structured([]), "rows", [], ""),
        (structured({"n": 2, "items": [1, 2], "z": {}}), "rows", [b"1", b"2"], "/items"),
        (structured({"a/b": [1]}), "rows", [b"1"], "/a~1b"),
        (structured({"a": [1], "b": [2]}), "members", [b'"a":[1]', b'"b":[2]'], ""),
        (structured({"a": {"b": 1}}), "members", [b'"a":{"b":1}'], ""),
        (structured({}), "members", [], ""),
        (structured({1: 2}), "members", [b'"1":2'], ""),
        (structured(5), "literal", [b"5"], ""),
        (structured(None), "literal", [b"null"], ""),
        (structured({"result": [1, 2]}), "rows", [b"1", b"2"], ""),
        (structured({"result": "a\nb"}), "lines", [b"a", b"b"], ""),
        (structured({"result": {"a": 1}}), "members", [b'"result":{"a":1}'], ""),
        (structured({"result": [1], "other": 2}), "rows", [b"1"], "/result"),
        (text("[1,2]"), "rows", [b"1", b"2"], ""),
        (text(' {"a": 1}'), "members", [b'"a":1'], ""),
        (text('"quoted"'), "lines", [b'"quoted"'], ""),
        (text("5"), "lines", [b"5"], ""),
        (text("[1, 2"), "lines", [b"[1, 2"], ""),
        (text("one\ntwo\n"), "lines", [b"one", b"two", b""], ""),
        (text("one\r\ntwo"), "lines", [b"one\r", b"two"], ""),
        (text(""), "lines", [b""], ""),
        (Result(content=[]), "rows", [], ""),
    ],
    ids=stable,
)
def test_the_table(result, shape, rows, list_path):
    document = read(result)
    assert (document.shape, document.list_path) == (shape, list_path)
    assert decoded(document, rows_of(document)) == rows


@pytest.mark.parametrize(
    "value",
    [
        b'[1.50,-0,1e5,"\\u00e9"]',
        b"[" + DIGITS + b"]",
        b'{"z":1,"a":[' + DIGITS + b',"\\/"],"b":null}',
        b'{"z":1,"a":{"y":1,"x":2}}',
        b'{"a":1,"a":[2],"a":3}',
        b'["\\ud800"]',
        b'{"\\ud800":[1],"b":"\\udfff"}',
        b"[]",
        b'{"a":[]}',
        b"12",
        b'{"deep":' + b"[" * 100 + b"]" * 100 + b"}",
    ],
    ids=stable,
)
@pytest.mark.parametrize("pretty", [False, True])
@pytest.mark.parametrize("way", ["raw", "text"])
def test_json_comes_back_to_the_byte(value, pretty, way):
    given = b" " + value.replace(b",", b" ,\n\t").replace(b":", b" : ") if pretty else value
    result = structured(msgspec.Raw(given)) if way == "raw" else text(given.decode())
    assert whole(read(result)) == (given if way == "text" else value)


@pytest.mark.parametrize(
    ("value", "shape", "list_path"),
    [
        (b'{"a":[1],"b":[2]}', "members", ""),
        (b'{"a":[1],"a":[2]}', "members", ""),
        (b'{"a":{"b":[1]}}', "members", ""),
        (b'{"a":1,"b":[2]}', "rows", "/b"),
        (b'{"result":[1]}', "rows", ""),
        (b'{"result":{"a":[1]}}', "members", ""),
        (b'{"result":[1],"b":2}', "rows", "/result"),
    ],
)
def test_bytes_and_values_are_seen_alike(value, shape, list_path):
    from_bytes = read(structured(msgspec.Raw(value)))
    assert (from_bytes.shape, from_bytes.list_path) == (shape, list_path)
    if b'"a":[1],"a"' not in value:
        from_value = read(structured(json.loads(value)))
        assert (from_value.shape, from_value.list_path) == (shape, list_path)
        assert rows_of(from_value) == rows_of(from_bytes)


@pytest.mark.parametrize(
    ("value", "wrapped"),
    [
        ({"result": [1]}, "value"),
        ({"result": 5}, "value"),
        ({"result": "text"}, "value"),
        ({"result": "[1, 2]"}, "text"),
        ({"result": {}}, ""),
        ([1], ""),
    ],
)
def test_the_wrapper_of_frameworks_is_remembered(value, wrapped):
    assert read(structured(value)).wrapped == wrapped
    assert read(structured(msgspec.Raw(json.dumps(value).encode()))).wrapped == wrapped


@pytest.mark.parametrize("size", [8_100, 100_000])
def test_a_large_envelope_is_paged_itself(size):
    document = read(structured({"rows": [1], "other": "x" * size}))
    assert document.shape == "members"


@pytest.mark.parametrize(
    "value",
    [
        [{"id": n} for n in range(3_000)],
        {"a": 1, "items": [{"id": n} for n in range(3_000)], "b": [1][0]},
        {str(n): {"id": n} for n in range(3_000)},
        "\n".join(f"line {n}" for n in range(30_000)),
        "x" * 200_000,
        "x" * 100_000 + "\n\n" + "y" * 100_000 + "\n",
    ],
    ids=lambda value: type(value).__name__,
)
def test_large_values_come_in_blocks_that_join_to_the_whole(value):
    joined = whole(read_value(value))
    assert joined.decode() == value if isinstance(value, str) else json.loads(joined) == value


def test_rows_that_are_bytes_are_made_compact():
    value = [{"a": 1}, msgspec.Raw(b"[ 1,\n2 ]")]
    assert rows_of(read(structured(value))) == [b'{"a":1}', b"[1,2]"]
    assert whole(read(structured({"a": msgspec.Raw(b"{ }")}))) == b'{"a":{}}'


@pytest.mark.parametrize("value", [msgspec.Raw(b"[1,"), [msgspec.Raw(b"nope")], msgspec.Raw(b"")])
def test_bytes_that_are_not_json_are_a_clear_error(value):
    with pytest.raises(InvalidResult, match="invalid JSON"):
        rows_of(read(structured(value)))


# -- content blocks ----------------------------------------------------------------------------

IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "file:///a", "name": "a"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": "hello"}}
WORDS = {"type": "text", "text": "hello"}
JSON_WORDS = {"type": "text", "text": '{"b": [1.0]}'}
ANNOTATED = {"type": "text", "text": "hello", "annotations": {"audience": ["user"]}}


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ([WORDS, WORDS], [b'"hello"', b'"hello"']),
        ([WORDS, JSON_WORDS], [b'"hello"', b'{"b":[1.0]}']),
        ([WORDS, LINK], [b'"hello"', json.dumps(LINK, separators=(",", ":")).encode()]),
        ([RESOURCE, WORDS], [json.dumps(RESOURCE, separators=(",", ":")).encode(), b'"hello"']),
        ([WORDS, IMAGE], [b"hello"]),
        ([AUDIO, JSON_WORDS], [b"1.0"]),
        ([IMAGE, AUDIO], []),
    ],
)
def test_several_blocks_are_a_list_with_media_apart(content, rows):
    document = read(Result(content=content))
    assert decoded(document, rows_of(document)) == rows
    assert document.beside == tuple(b for b in content if b["type"] in ("image", "audio"))


@pytest.mark.parametrize(
    ("block", "shape"), [(LINK, "members"), (RESOURCE, "members"), (ANNOTATED, "lines")]
)
def test_one_block_alone(block, shape):
    assert read(Result(content=[block])).shape == shape


@pytest.mark.parametrize("content", [[WORDS], [JSON_WORDS], [LINK, RESOURCE], [IMAGE, WORDS]])
def test_structured_content_is_the_value_whatever_stands_beside(content):
    document = read(Result(content=content, structured={"items": [1, 2]}))
    assert rows_of(document) == [b"1", b"2"]
    assert document.beside == tuple(sorted(content, key=lambda block: block["type"] != "image"))


ROWS = [{"id": n} for n in range(300)]


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": json.dumps(ROWS)}],
        [{"type": "text", "text": json.dumps({"result": ROWS}, indent=1)}],
        [{"type": "text", "text": json.dumps(row)} for row in ROWS],
    ],
    ids=["the value", "with its wrapper", "an item a block"],
)
@pytest.mark.parametrize("as_raw", [False, True])
def test_what_says_the_structured_content_again_is_not_kept_twice(content, as_raw):
    value = {"result": ROWS}
    value = msgspec.Raw(json.dumps(value).encode()) if as_raw else value
    document = read(Result(content=content, structured=value))
    assert (document.beside, document.notices) == ((), ())
    assert len(rows_of(document)) == 300


def test_more_than_a_little_beside_structured_content_is_stored_with_it():
    content = [{"type": "text", "text": "Only here. " * 50}]
    document = read(Result(content=content, structured={"items": [1, 2]}))
    value = json.loads(document.prefix + b",".join(rows_of(document)) + document.suffix)
    assert value == {"structuredContent": {"items": [1, 2]}, "content": content}
    assert document.all_notices


@pytest.mark.parametrize("kind", ["image", "audio"])
def test_media_over_the_cap_is_stored_like_anything_else(kind):
    small = {"type": kind, "data": "x" * 1_000}
    large = {"type": kind, "data": "x" * 1_001}
    document = read(Result(content=[small, large, WORDS]))
    assert document.beside == (small,)
    assert [json.loads(row) for row in rows_of(document)] == [large, "hello"]


# -- notices and depth -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ([float("nan"), None], 1),
        ({"a": 1.0, "items": [{"x": float("inf")}] * 3, "b": float("nan")}, 4),
        ({"a": {"b": float("nan")}}, 1),
        (float("-inf"), 1),
        ([None, 1.0], 0),
    ],
)
def test_lost_numbers_are_counted(value, count):
    document = read(structured(value))
    rows_of(document)
    expected = (f"{count} NaN or infinite numbers are shown as null.",) if count else ()
    assert document.all_notices == expected


DEEP = "[" * 1_000 + "1" + "]" * 1_000


@pytest.mark.parametrize(
    "result",
    [
        structured(nested(1_000)),
        structured({"a": nested(1_000)}),
        structured({"a": 1, "items": [nested(1_000)]}),
        structured(msgspec.Raw(DEEP.encode())),
        structured(msgspec.Raw(b'{"a":' + DEEP.encode() + b"}")),
        Result(content=[{"type": "resource", "resource": {"meta": nested(1_000)}}]),
    ],
    ids=range(6),
)
def test_a_thousand_levels_are_kept_as_text_with_a_notice(result):
    with pytest.raises(TooDeep):
        rows_of(read(result))
    document = document_as_text(result, media_cap=1_000)
    assert document.shape == "lines"
    assert whole(document).count(b"[") >= 1_000
    assert document.all_notices == ("Nested deeper than 128 levels: kept as text.",)


@pytest.mark.parametrize(
    "deep", [DEEP, '{"a":' + DEEP + "}", "[" * 150_000 + "]" * 150_000], ids=range(3)
)
def test_a_text_of_a_thousand_levels_is_lines_with_a_notice(deep):
    document = read(text(deep))
    assert rows_of(document) == [deep.encode()]
    assert "nested deeper than 128 levels" in document.all_notices[0]


@pytest.mark.parametrize("levels", [129, 1_000, 150_000])
def test_a_deep_block_among_others_is_text(levels):
    deep = "[" * levels + "]" * levels
    document = read(Result(content=[{"type": "text", "text": deep}, JSON_WORDS]))
    assert [*map(json.loads, decoded(document, rows_of(document)))] == [deep, {"b": [1.0]}]


@pytest.mark.parametrize("value", ["lone \ud800 half\nnext", "a\x00b\x1f"])
def test_any_text_comes_back(value):
    assert whole(read(text(value))).decode("utf-8", "surrogatepass") == value


@pytest.mark.parametrize(
    ("steps", "expected"),
    [((), ""), (("a",), "/a"), (("a/b", "c~d"), "/a~1b/c~0d"), ((0, ""), "/0/")],
)
def test_pointer(steps, expected):
    assert pointer(*steps) == expected
