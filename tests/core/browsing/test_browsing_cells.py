"""Cells that are too large to send, and numbers that JavaScript cannot hold."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest

from penstock import Result


@pytest.fixture
def agent(open_agent):
    return open_agent(call={"essence": {}})


def token_of(agent, document):
    return agent.offer(Result(structured=msgspec.Raw(document))).value["continuation_token"]


def browse(agent, token, **arguments):
    call = replace(agent.template, arguments={"continuation_token": token, **arguments})
    reply = agent.gate.browse(call)
    assert not reply.is_error, reply.text
    return reply.structured_content


def page_of(agent, *rows, **arguments):
    return browse(agent, token_of(agent, b"[" + b",".join(rows) + b"]"), **arguments)


def at(agent, token, cut):
    """Return the JSON of a value that was cut."""
    page = browse(agent, token, path=cut["path"], raw=True)
    assert page["window"]["to"] == page["window"]["of"]
    return page["rows"][0]


def encoded(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


PAD = encoded({"pad": "p" * 200})


# -- cut ----------------------------------------------------------------------------------------

MAP = {f"key {n}": n for n in range(300)}
LARGE = {
    "text": ("x" * 3_000, "x" * 200, "str"),
    "not ASCII": ("é😀漢" * 1_000, ("é😀漢" * 1_000)[:200], "str"),
    "escapes": ('"\\\n\t' * 900, ('"\\\n\t' * 900)[:200], "str"),
    "list": (list(range(2_000)), encoded(list(range(2_000)))[:200].decode(), "list"),
    "a dict of many": (MAP, encoded(MAP)[:200].decode(), "dict"),
}


@pytest.mark.parametrize(("value", "preview", "kind"), LARGE.values(), ids=LARGE)
def test_a_large_cell_is_cut(agent, value, preview, kind):
    rows = [{"id": 1}, {"id": 2, "a/b": value, "c": 3}]
    token = token_of(agent, encoded(rows))
    page = browse(agent, token)
    assert page["rows"] == [{"id": 1}, {"id": 2, "a/b": preview, "c": 3}]
    [cut] = page["cut"]
    size = len(encoded(value))
    assert cut == {"row": 1, "column": "a/b", "path": "/1/a~1b", "size": size, "type": kind}
    assert json.loads(at(agent, token, cut)) == value


@pytest.mark.parametrize("lead", range(14))
@pytest.mark.parametrize("piece", ["\\ud83d\\ude00", "\\u00e9", "\\n", "\\\\", "é", "😀", '\\"'])
def test_the_preview_ends_between_characters(agent, piece, lead):
    """This holds wherever the decoded bytes end."""
    text = "a" * lead + piece * 2_000
    page = page_of(agent, f'{{"t":"{text}"}}'.encode())
    whole = json.loads(f'"{text}"')
    assert page["rows"] == [{"t": whole[:200]}]


def test_half_a_surrogate_pair_is_shown_as_it_is(agent):
    page = page_of(agent, b'{"t":"' + b"\\ud800x" * 900 + b'"}')
    assert page["rows"] == [{"t": "\ud800x" * 100}]


def test_cells_up_to_2000_bytes_are_whole(agent):
    rows = [{"t": "x" * size} for size in (1_998, 1_999)]
    page = page_of(agent, *map(encoded, rows))
    assert page["rows"][0] == rows[0]
    assert [cut["row"] for cut in page["cut"]] == [1]


def test_rows_that_are_no_objects_are_cut_as_a_whole(agent):
    token = token_of(agent, encoded([[1] * 2_000, "y" * 3_000, 5]))
    page = browse(agent, token)
    assert page["rows"] == [("[" + "1," * 200)[:200], "y" * 200, 5]
    assert [(cut["row"], cut["column"]) for cut in page["cut"]] == [(0, None), (1, None)]
    assert json.loads(at(agent, token, page["cut"][0])) == [1] * 2_000


def test_of_a_large_dict_the_large_cells_are_cut(agent):
    row = {"id": 1, "in": {"a": 5, "b": {"c": "x" * 3_000, "n": 2**60}, "d": "y"}}
    token = token_of(agent, encoded([row]))
    page = browse(agent, token)
    assert page["rows"] == [{"id": 1, "in": {"a": 5, "b": {"c": "x" * 200, "n": 2**60}, "d": "y"}}]
    [cut] = page["cut"]
    assert (cut["column"], cut["steps"], cut["path"]) == ("in", ["in", "b", "c"], "/0/in/b/c")
    assert json.loads(at(agent, token, cut)) == "x" * 3_000
    [exact] = page["exact"]
    assert (exact["steps"], exact["text"]) == (["in", "b", "n"], str(2**60))


def test_of_a_long_list_the_large_cells_are_cut(agent):
    token = token_of(agent, encoded([[1, "x" * 3_000, 2**60]]))
    page = browse(agent, token)
    assert page["rows"] == [[1, "x" * 200, 2**60]]
    [cut] = page["cut"]
    assert (cut["column"], cut["steps"]) == (None, [1])
    assert json.loads(at(agent, token, cut)) == "x" * 3_000
    assert [exact["steps"] for exact in page["exact"]] == [[2]]


def test_only_the_nested_columns_that_are_asked_for_are_sent(agent):
    row = {"id": 1, "in": {"a": 1, "b": {"c": 2, "d": 3}}, "x": {"y": 4}}
    given = [["in", "b", "d"], "x", ["nowhere", "z"]]
    page = page_of(agent, encoded(row), PAD, columns=given)
    assert page["rows"] == [{"in": {"b": {"d": 3}}, "x": {"y": 4}}, {}]


def test_only_the_columns_that_are_sent_are_cut(agent):
    row = {"id": 1, "a": "x" * 3_000, "b": "y" * 3_000}
    page = page_of(agent, encoded(row), columns=["id", "b"])
    assert page["rows"] == [{"id": 1, "b": "y" * 200}]
    assert [cut["column"] for cut in page["cut"]] == ["b"]


def test_cut_cells_of_rows_in_another_order_lead_to_their_rows(agent):
    rows = [{"id": n, "body": f"{n}" * 3_000} for n in range(5)]
    token = token_of(agent, encoded(rows))
    page = browse(agent, token, sort={"column": "id", "descending": True}, count=2)
    assert page["numbers"] == [4, 3]
    assert [cut["path"] for cut in page["cut"]] == ["/4/body", "/3/body"]
    assert [cut["row"] for cut in page["cut"]] == [0, 1]


def test_an_entry_that_is_too_large(agent):
    value = {"small": 1, "text": "t" * 3_000, "map": {"in": "m" * 3_000, "n": 5}}
    token = token_of(agent, encoded(value))
    page = browse(agent, token)
    assert [row["key"] for row in page["rows"]] == list(value)
    assert page["rows"][2] == {"key": "map", "value": {"in": "m" * 200, "n": 5}}
    cuts = [(cut["row"], cut["column"], cut["path"]) for cut in page["cut"]]
    assert cuts == [(1, None, "/~#1/value"), (2, "in", "/~#2/value/in")]
    assert [json.loads(at(agent, token, cut)) for cut in page["cut"]] == ["t" * 3_000, "m" * 3_000]


def test_entries_with_a_column_that_is_called_key(agent):
    """The path of such a column is not that of the entry's own key."""
    value = {"k" * 2_500: {"key": "c" * 3_000}, "other": {"key": 1}}
    token = token_of(agent, encoded(value))
    page = browse(agent, token)
    cuts = [(cut["column"], cut["path"]) for cut in page["cut"]]
    assert cuts == [("key", "/~#0/key"), ("key", "/~#0/value/key")]
    assert [json.loads(at(agent, token, cut)) for cut in page["cut"]] == ["k" * 2_500, "c" * 3_000]


def test_a_key_that_is_too_long_is_cut_and_can_be_read(agent):
    keys = ["k" * 3_000, "é" * 1_500 + "x", "short"]
    token = token_of(agent, encoded({key: number for number, key in enumerate(keys)}))
    page = browse(agent, token)
    assert page["rows"] == [{"key": key[:200], "value": number} for number, key in enumerate(keys)]
    assert [cut["column"] for cut in page["cut"]] == ["key", "key"]
    assert [json.loads(at(agent, token, cut)) for cut in page["cut"]] == keys[:2]


def test_an_entry_that_fits_no_reply_keeps_its_key(open_agent):
    agent = open_agent(call={"essence": {}}, ceiling="1kB")
    value = {"name": {f"column {n}": n for n in range(300)}, "other": 1}
    page = browse(agent, token_of(agent, encoded(value)))
    assert page["rows"][0]["key"] == "name"
    assert page["cut"][0]["path"] == "/~#0/value"


def test_names_of_javascript_s_own(agent):
    rows = [b'{"__proto__":{"polluted":1},"constructor":"c","toString":null}', PAD]
    page = page_of(agent, *rows, start=0)
    assert page["rows"][0] == {
        "__proto__": {"polluted": 1},
        "constructor": "c",
        "toString": None,
    }
    long = b'{"__proto__":"' + b"x" * 3_000 + b'"}'
    assert page_of(agent, long)["cut"][0]["path"] == "/0/__proto__"


# -- exact --------------------------------------------------------------------------------------

ROUNDED = [
    "9007199254740993", "-9007199254740993", "123456789012345678901234567890", "1" * 400,
    "0.1000000000000000055511151231257827", "1.00000000000000000001", "1e400", "-1E+999", "1e-400",
    "123456789.123456789123", "1e99999999999999999999",
]  # fmt: skip
ORDINARY = [
    "0", "-0", "1.0", "1.10", "1e5", "2.5E-3", "9007199254740992", "-9007199254740992", "0.1",
    "1234567890123456", "-1234567890123456", "0.1234567890123456", "1e22", "1.7976931348623157e308",
    "100000000000.125", "0.30000000000000004", "5e-324",
]  # fmt: skip


@pytest.mark.parametrize("number", ROUNDED)
def test_numbers_that_would_be_rounded_are_told(agent, number):
    page = page_of(agent, PAD, b'{"a":1,"n":' + number.encode() + b"}")
    assert page["exact"] == [{"row": 1, "column": "n", "text": number}]


@pytest.mark.parametrize("number", ORDINARY)
def test_ordinary_numbers_are_not(agent, number):
    page = page_of(agent, PAD, b'{"a":1,"n":' + number.encode() + b"}")
    assert "exact" not in page


def test_numbers_inside_a_cell_and_beside_texts_of_digits(agent):
    digits = "123456789012345678901234567890"
    nested = f'[{{"k":{digits}}},"{digits}"]'
    page = page_of(agent, f'{{"t":"{digits}","l":{nested},"s":"1e400"}}'.encode(), PAD)
    assert page["exact"] == [{"row": 0, "column": "l", "text": nested}]


def test_numbers_that_are_rows_or_entries(agent):
    digits = "1" * 40
    assert page_of(agent, digits.encode(), PAD)["exact"] == [
        {"row": 0, "column": None, "text": digits}
    ]
    document = f'{{"a":{digits},"b":{{"c":{digits}}},"p":"{"p" * 200}"}}'.encode()
    assert browse(agent, token_of(agent, document))["exact"] == [
        {"row": 0, "column": None, "text": digits},
        {"row": 1, "column": "c", "text": digits},
    ]


def test_a_row_with_such_a_number_keeps_its_bytes(agent):
    row = b'{"d":1,"d":2,"n":%s,"e":"\\u00e9"}' % (b"7" * 30)
    token = token_of(agent, b"[" + b",".join([row] * 9) + b"]")
    call = replace(agent.template, arguments={"continuation_token": token})
    assert b'"rows":[' + b",".join([row] * 9) + b"]" in agent.gate.browse(call).wire()


def test_a_number_of_thousands_of_digits_is_cut(agent):
    digits = "7" * 5_000
    token = token_of(agent, b'[{"n":' + digits.encode() + b"}]")
    page = browse(agent, token)
    assert page["rows"] == [{"n": "7" * 200}]
    assert page["cut"][0]["type"] == "int"
    assert at(agent, token, page["cut"][0]) == digits
