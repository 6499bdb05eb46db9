"""Formats of texts: certain or not at all, exact to the byte, in linear time."""

from __future__ import annotations

import json
import random

import pytest
from texts_with_data import PLAIN, ROWS, TEXTS, as_csv

from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text, read_text_with_data


def read(text):
    try:
        document = read_text_with_data(text)
    except rawjson.TooDeep:  # as `first_reply` does
        document = read_text(text)
    parts = [row for block in document.blocks for row in block]
    return document, parts


def exact(document, parts):
    return rawjson.text(document.prefix + document.joint.join(parts) + document.suffix)


def rows_in(text):
    document, parts = read(text)
    return (
        [json.loads(row) for row in decoded(document, parts)] if document.shape == "rows" else None
    )


@pytest.mark.parametrize("name", TEXTS)
def test_the_parts_are_the_text_and_the_rows_are_the_data(name):
    text, kind, rows = TEXTS[name]
    document, parts = read(text)
    assert document.format == kind
    assert exact(document, parts) == text
    found = [json.loads(row) for row in decoded(document, parts)]
    assert len(found) == len(rows or ROWS)
    if rows is not None:
        assert found == rows


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_text_is_never_misread(name, seed):
    """Nothing is raised, and the text comes back, with parts cut out and others put in."""
    chance = random.Random(f"{name}{seed}")
    text = TEXTS[name][0]
    for _ in range(3):
        at = chance.randrange(len(text))
        put_in = chance.choice(["", '"', "'", "\n", ",", "\t", "]", "{", "\0", "\r", "\ud800", "é"])
        text = text[:at] + put_in + text[at + chance.randrange(4) :]
    document, parts = read(text)
    assert exact(document, parts) == text
    decoded(document, parts)


# -- texts that only resemble a format -------------------------------------------------------------


NOT_DATA = {
    "prose": "Dear Ann, I came.\nDear Bob, I saw.\nDear Eve, I won.\n" * 30,
    "ragged csv": as_csv(PLAIN) + "1,2\n",
    "csv that ends otherwise": as_csv(PLAIN) + "\nThat was all, folks, for today.\n",
    "an open quote": as_csv(PLAIN) + '401,"never closed,1,2,3\n' * 3,
    "code": "int main(void) {\n    int a, b;\n    return a, b;\n}\n" * 20,
    "json that is cut off": json.dumps(ROWS, indent=2)[:-20],
    "a fence that is cut off": "```json\n" + json.dumps(ROWS)[:-20] + "\n```",
    "ndjson of numbers": "1\n2\n3\n" * 30,
    "python with a call": repr(ROWS)[:-1] + ", Money('1.5')]",
    "python with a set": "[{1, 2}, {3}]" * 1,
    "footnotes": "".join(f"[{n}] Smith, J.: Book {n}. Print, 1999.\n" for n in range(60)),
    "csv, then json": as_csv(PLAIN) + json.dumps(PLAIN[0]),
    "one column": "name\n" + "value\n" * 50,
    "paths": "".join(f"src/a/b{n}.py\n" for n in range(50)),
    "deep": "[" * 10_000 + "]" * 10_000,
    "nothing": "",
    "white": " \n\t\n ",
}


@pytest.mark.parametrize("name", NOT_DATA)
def test_a_text_that_only_resembles_data_stays_lines(name):
    document, parts = read(NOT_DATA[name])
    assert (document.shape, document.format) == ("lines", "")
    assert exact(document, parts) == NOT_DATA[name]


# -- tables ----------------------------------------------------------------------------------------


def test_columns_of_numbers_hold_numbers_and_codes_stay_texts():
    text = "id,price,zip,big,share,empty,mixed\n1,1.10,01234,12345678901234567890,5%,,1\n2,,12345,1,6%,,x\n"
    assert rows_in(text) == [
        {"id": 1, "price": 1.1, "zip": "01234", "big": "12345678901234567890", "share": "5%", "empty": None, "mixed": "1"},
        {"id": 2, "price": None, "zip": "12345", "big": "1", "share": "6%", "empty": None, "mixed": "x"},
    ]  # fmt: skip
    document, parts = read(text)
    assert b'"price":1.10,' in decoded(document, parts)[0]


def test_a_number_late_in_the_text_decides_the_type():
    text = "id,n\n" + "".join(f"{n},{n}\n" for n in range(3_000)) + "3000,none\n"
    rows = rows_in(text)
    assert (rows[0]["n"], rows[-1]["n"]) == ("0", "none")
    assert rows[-1]["id"] == 3_000


def test_two_columns_with_one_name_and_one_without():
    text = "a,a,,b\n1,2,3,4\n5,6,7,8\n"
    assert rows_in(text)[0] == {"a": 1, "a_2": 2, "c3": 3, "b": 4}


def test_a_table_without_names():
    assert rows_in("1,a,2.5\n2,b,3.5\n3,c,4.5\n")[1] == {"c1": 2, "c2": "b", "c3": 3.5}


def test_a_header_that_comes_again_is_a_row():
    text = as_csv(PLAIN[:3]) + as_csv(PLAIN[:3])
    assert rows_in(text)[3]["id"] == "id"


def test_ten_thousand_columns():
    names = ",".join(f"c{n}" for n in range(10_000))
    numbers = ",".join("7" * 10_000)
    rows = rows_in(f"{names}\n{numbers}\n{numbers}\n")
    assert (len(rows), len(rows[0])) == (2, 10_000)


# -- time ------------------------------------------------------------------------------------------


UNITS = (
    "[", "{", '{"a":', "(", "a,", ",", '"', "'", '",', "x\t", "[1]\n", "{}\n", "```json\n[", "<a>[",
    "x: [", "{'a': ", "a|b\n", '"a\n',
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_text_that_begins_like_a_format_again_and_again_ends(unit):
    """In time that is not linear, this would take hours."""
    text = unit * 300_000
    document, parts = read(text)
    assert exact(document, parts) == text
