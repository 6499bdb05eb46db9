"""The explorer gets rows, entries, lines and windows of a result, exactly and without gaps."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest

from penstock import Result
from penstock.stores.memory import MemoryStore

ROWS = [
    {"id": n, "name": f"name {n}", "at": "2026-01-01T00:00:00Z", "in": {"x": [n]}}
    for n in range(450)
]
MAP = {f"key {n}": {"n": n, "t": "x" * (n % 30)} for n in range(300)}
LOG = "\n".join(f"line {n} " + "y" * (n % 50) for n in range(2_000))


@pytest.fixture
def agent(open_agent):
    return open_agent(call={"essence": {}})


def token_of(agent, value):
    return agent.offer(value).value["continuation_token"]


def raw(document):
    return Result(structured=msgspec.Raw(document))


def browse(agent, token, **arguments):
    call = replace(agent.template, arguments={"continuation_token": token, **arguments})
    reply = agent.gate.browse(call, **agent.hooks)
    assert not reply.is_error, reply.text
    assert reply.content == []
    return reply.structured_content


def walked(agent, token, **arguments):
    """Return every row: ask for more where the last reply ended."""
    rows, total = [], 1
    while len(rows) < total:
        page = browse(agent, token, start=len(rows), **arguments)
        assert page["start"] == len(rows)
        assert page["rows"]
        rows, total = rows + page["rows"], page["total"]
    return rows


def joined(agent, token, **arguments):
    """Return a text, put together from its windows."""
    text, window = "", {"to": 0, "of": 1}
    while window["to"] < window["of"]:
        page = browse(agent, token, offset=window["to"], **arguments)
        assert page["shape"] == "text"
        assert page["window"]["from"] == len(text)
        window = page["window"]
        text += page["rows"][0]
        assert window["to"] == len(text)
    assert window["of"] == len(text)
    return text


# -- rows ---------------------------------------------------------------------------------------


def test_the_first_page(agent):
    assert browse(agent, token_of(agent, ROWS)) == {
        "shape": "rows",
        "path": "",
        "total": 450,
        "start": 0,
        "rows": ROWS[:100],
        "columns": [
            {"name": "id", "type": "int"},
            {"name": "name", "type": "str"},
            {"name": "at", "type": "date"},
            {"name": "in.x", "type": "list", "path": ["in", "x"]},
        ],
    }


def test_start_and_count(agent):
    page = browse(agent, token_of(agent, ROWS), start=440, count=1_000)
    assert (page["start"], page["total"], page["rows"]) == (440, 450, ROWS[440:])
    assert "columns" not in page


@pytest.mark.parametrize("start", [450, 451, 2**53])
def test_past_the_end_there_is_nothing(agent, start):
    page = browse(agent, token_of(agent, ROWS), start=start)
    assert (page["rows"], page["start"], page["total"]) == ([], start, 450)


def test_chosen_columns(agent):
    token = token_of(agent, ROWS)
    page = browse(agent, token, start=7, count=2, columns=["in", "id", "no such"])
    assert page["rows"] == [{"id": n, "in": {"x": [n]}} for n in (7, 8)]
    assert browse(agent, token, count=1, columns=[])["rows"] == [{}]


@pytest.mark.parametrize("count", [1, 7, 1_000])
def test_walking_sees_every_row_once(open_agent, count):
    agent = open_agent(ceiling="4kB")
    assert walked(agent, token_of(agent, ROWS), count=count) == ROWS


def test_rows_are_sent_with_the_bytes_they_came_with(agent):
    rows = b'{"a":1.10,"b":"\\u00e9\\/","c":[ ],"a2":-0,"__proto__":{"x":1},"d":1,"d":2}'
    document = b"[" + b",".join([rows.replace(b" ", b"")] * 5) + b"]"
    token = token_of(agent, raw(document))
    call = replace(agent.template, arguments={"continuation_token": token})
    assert b'"rows":' + document in agent.gate.browse(call).wire()


def test_rows_that_are_no_objects(agent):
    values = [1, "two", None, True, [3], {"four": 4}, 5.5] * 20
    page = browse(agent, token_of(agent, values), count=1_000)
    assert page["rows"] == values
    assert page["columns"] == [{"name": "four", "type": "int"}]


def test_types_of_columns(agent):
    rows = [{"a": 1, "b": None, "c": "x", "d": "2026-01-01", "e": [1]}] * 20
    rows += [{"a": 1.5, "b": None, "c": None, "d": "2026-01-01 10:00:00.5+01:00", "f": True}] * 20
    page = browse(agent, token_of(agent, rows))
    types = {column["name"]: column["type"] for column in page["columns"]}
    assert types == {
        "a": "int|float",
        "b": "null",
        "c": "str",
        "d": "date",
        "e": "list",
        "f": "bool",
    }


def test_columns_that_come_later_are_told_with_the_first_page(agent):
    rows = [{"a": n} for n in range(300)] + [{"a": 1, "late": 1}]
    names = [column["name"] for column in browse(agent, token_of(agent, rows), count=2)["columns"]]
    assert names[0] == "a"


def test_what_stands_beside_one_list(agent):
    token = token_of(agent, {"title": "all", "items": ROWS, "took": 5})
    page = browse(agent, token)
    assert page["envelope"] == {"title": "all", "took": 5}
    assert page["rows"] == ROWS[:100]
    assert "envelope" not in browse(agent, token, start=100)
    assert browse(agent, token, path="/items/7")["rows"][0] == {"key": "id", "value": 7}
    assert browse(agent, token, path="/title")["rows"] == ["all"]


# -- entries, lines, texts ----------------------------------------------------------------------


def test_entries(agent):
    token = token_of(agent, MAP)
    page = browse(agent, token, count=2)
    assert page["shape"] == "members"
    assert page["rows"] == [{"key": key, "value": MAP[key]} for key in list(MAP)[:2]]
    assert [column["name"] for column in page["columns"]] == ["n", "t"]
    assert walked(agent, token) == [{"key": key, "value": value} for key, value in MAP.items()]
    chosen = browse(agent, token, columns=["n"], start=5, count=1)["rows"]
    assert chosen == [{"key": "key 5", "value": {"n": 5}}]


def test_entries_of_which_two_have_one_key(agent):
    long = [letter * 3_000 for letter in "ab"]
    document = (
        json.dumps({"x": long[0], "y": 1, "z": long[1]}).replace('"z"', '"x"').replace(" ", "")
    )
    token = token_of(agent, raw(document.encode()))
    page = browse(agent, token)
    assert [row["key"] for row in page["rows"]] == ["x", "y", "x"]
    assert [joined(agent, token, path=cut["path"]) for cut in page["cut"]] == long


def test_a_page_of_entries_reads_no_other_entries(open_agent):
    """This holds even if one entry was cut and the reply has to give its path."""

    class Watched(MemoryStore):
        asked: tuple[int, ...] = ()

        def read(self, key, numbers):
            self.asked += tuple(numbers)
            return super().read(key, numbers)

    store = Watched()
    agent = open_agent(store=store, call={"essence": {}})
    value = {f"k{n}": n for n in range(19_500)} | {"long": "x" * 3_000}
    token = token_of(agent, value)
    store.asked = ()
    page = browse(agent, token, start=19_450)
    assert page["rows"][-1] == {"key": "long", "value": "x" * 200}
    assert len(store.asked) == 1
    store.asked = ()
    [cut] = page["cut"]
    assert joined(agent, token, path=cut["path"]) == value["long"]
    assert len(set(store.asked)) == 1


def test_lines(agent):
    token = token_of(agent, LOG)
    page = browse(agent, token, start=3, count=2)
    assert (page["shape"], page["total"]) == ("lines", 2_000)
    assert page["rows"] == LOG.split("\n")[3:5]
    assert walked(agent, token, count=1_000) == LOG.split("\n")


def test_a_long_line_is_cut_and_can_be_opened(agent):
    line = "é😀" * 2_000
    token = token_of(agent, f"short\n{line}\n")
    page = browse(agent, token)
    assert page["rows"] == ["short", line[:200], ""]
    [cut] = page["cut"]
    assert (cut["row"], cut["column"], cut["type"]) == (1, None, "str")
    assert joined(agent, token, path=cut["path"]) == line


@pytest.mark.parametrize(
    "text", ["x" * 5_000, "é漢😀" * 900, '"\\\t\u0001' * 700, "a\ud800" * 500], ids=range(4)
)
def test_one_long_text_comes_in_windows(open_agent, text):
    agent = open_agent(call={"essence": {}}, ceiling="2kB")
    assert joined(agent, token_of(agent, text)) == text


@pytest.mark.parametrize("literal", ["1234567890" * 300, "-1." + "5" * 400 + "e-7"])
def test_a_single_number_comes_as_its_json(open_agent, literal):
    agent = open_agent(call={"essence": {}}, ceiling="1kB")
    token = token_of(agent, raw(literal.encode()))
    assert joined(agent, token) == literal
    assert joined(agent, token, raw=True) == literal


def test_an_offset_past_the_end_is_empty(agent):
    page = browse(agent, token_of(agent, "x" * 5_000), offset=10**9)
    assert (page["rows"], page["window"]) == ([""], {"from": 5_000, "to": 5_000, "of": 5_000})


# -- parts --------------------------------------------------------------------------------------

TREE = {
    "list": [[1, 2], {"a": {"b": ["deep", 1.50]}}],
    "map": {"a/b": 1, "m~n": {"": [7]}},
    "text": "one\ntwo\nthree",
    "number": 12345678901234567890,
    "nothing": None,
    "pad": "p" * 300,
}


@pytest.mark.parametrize(
    ("path", "shape", "rows"),
    [
        ("/list", "rows", [[1, 2], {"a": {"b": ["deep", 1.5]}}]),
        ("/list/1/a", "rows", ["deep", 1.5]),
        ("/map/m~0n", "rows", [7]),
        ("/map", "members", [{"key": "a/b", "value": 1}, {"key": "m~n", "value": {"": [7]}}]),
        ("/map/a~1b", "text", ["1"]),
        ("/text", "lines", ["one", "two", "three"]),
        ("/text/1", "text", ["two"]),
        ("/number", "text", ["12345678901234567890"]),
        ("/nothing", "text", ["null"]),
        ("/~#1/key", "text", ["map"]),
        ("/", "rows", TREE["list"]),
    ],
)
def test_paths(agent, path, shape, rows):
    page = browse(agent, token_of(agent, TREE), path=path)
    assert (page["shape"], page["rows"], page["path"]) == (shape, rows, path)


def test_a_part_that_was_named_is_the_root_of_its_paths(open_agent):
    """A part with a long path gets an alias, and its tokens count paths from there."""
    agent = open_agent(budget="1kB", call={"essence": {}})
    name = "long name " * 5
    token = token_of(agent, {name: {name: [ROWS[:50], 1]}, "b": 2})
    first = agent.look(token, path=f"/{name}/{name}")
    named = first["continuation_token"]
    assert browse(agent, named, path="/0", count=3)["rows"] == ROWS[:3]
    assert browse(agent, named, path="/0", count=3, find="name 7")["numbers"] == [7]


# -- the JSON itself ----------------------------------------------------------------------------

EXACT = (
    b'{"n":[1.10,-0,1E5,123456789012345678901234567890,{"k":"\\u00e9\\ud800\\/"}],'
    b'"t":"a\\nb","u":"\xf0\x9f\x98\x80\xc3\xa9","n2":[],"o":{},"x":{"d":1,"d":2},"z":null,"p":"'
    + b"p" * 3_000
    + b'"}'
)


@pytest.mark.parametrize("ceiling", ["1kB", "500tok", "150kch"])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", EXACT),
        ("/n", b'[1.10,-0,1E5,123456789012345678901234567890,{"k":"\\u00e9\\ud800\\/"}]'),
        ("/n/4", b'{"k":"\\u00e9\\ud800\\/"}'),
        ("/n/3", b"123456789012345678901234567890"),
        ("/t", b'"a\\nb"'),
        ("/u", '"😀é"'.encode()),
        ("/n2", b"[]"),
        ("/o", b"{}"),
        ("/x", b'{"d":1,"d":2}'),
        ("/z", b"null"),
    ],
)
def test_raw_windows_are_the_json(open_agent, ceiling, path, expected):
    agent = open_agent(call={"essence": {}}, ceiling=ceiling)
    token = token_of(agent, raw(EXACT))
    assert joined(agent, token, path=path, raw=True).encode() == expected


@pytest.mark.parametrize(
    "document",
    [
        b"[" + b",".join(b'{"id":%d,"f":%d.50}' % (n, n) for n in range(900)) + b"]",
        b'{"a":1,"rows":[' + b",".join(b"%d" % n for n in range(3_000)) + b'],"b":[1.0e2]}',
        b'{"a":1,"rows":[' + b",".join(b"%d.0" % n for n in range(3_000)) + b'],"b":"z"}',
    ],
    ids=["rows", "two lists", "one list"],
)
def test_raw_windows_of_many_rows_are_the_json(open_agent, document):
    agent = open_agent(ceiling="8kB", budget="1kB")
    assert joined(agent, token_of(agent, raw(document)), raw=True).encode() == document


def test_raw_of_a_text_is_a_json_string(agent):
    token = token_of(agent, LOG)
    assert json.loads(joined(agent, token, raw=True)) == LOG
    assert json.loads(joined(agent, token, raw=True, path="/5")) == LOG.split("\n")[5]
