"""JSON in texts: alone, in lines, and between other text. Nothing is lost, and nothing is guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from texts_with_data import LINES, ROWS

from penstock.core.json import rawjson
from penstock.core.results import formats
from penstock.core.results.formats import NearMiss, TextCut

OBJECT = json.dumps(ROWS[0])
LIST = json.dumps(ROWS)


def recognised(text):
    found = formats.recognise(rawjson.utf8(text))
    return (found.name, found.cut) if found is not None else ("", None)


def reason(text):
    name, cut = recognised(text)
    assert isinstance(cut, NearMiss), (name, cut)
    return f"{name}: {cut.reason}"


def read(text):
    """Return the format, the decoded rows, and the text around them, after a check that the parts are
    the text."""
    name, cut = recognised(text)
    if not isinstance(cut, TextCut):
        return "", [], ("", "")
    rows = [row for block in cut.blocks for row in block]
    assert rawjson.text(cut.prefix + cut.joint.join(rows) + cut.suffix) == text
    frame = formats.frame_of(name, cut.prefix, cut.suffix, cut.reading)
    decoded = formats.decoded(name, rows, cut.reading)
    assert len(decoded) == len(rows)
    whole = rawjson.text(frame.prefix + b",".join(decoded) + frame.suffix)
    return (
        name,
        json.loads(whole),
        (rawjson.text(frame.text_before), rawjson.text(frame.text_after)),
    )


# -- lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [["[1", "[2]]", "[3],[4]"], ["[1],[2]", "[3]", "[4", "]"], ['{"a":1},{"b":2}', "{", "}"]],
)
def test_lines_that_are_values_only_when_joined_are_no_json_lines(lines):
    assert not rawjson.are_containers([line.encode() for line in lines])
    assert read("\n".join(["[0]", *lines]))[0] != "ndjson"


def test_half_a_surrogate_pair_in_a_line_is_json():
    text = LINES + '\n{"id": "\\ud800"}\n'
    assert read(text)[:2] == ("ndjson", [*ROWS, {"id": "\ud800"}])


def test_a_text_that_is_no_utf8_is_no_json():
    assert (
        reason('{"id": 1}\n{"id": "\ud800"}\n{"id": 2}')
        == "ndjson: line 2 is not a JSON object or list"
    )
    assert read('[{"id": "\ud800"}, 1]')[0] == ""


def test_broken_lines_are_told():
    lines = LINES.split("\n")
    lines[16] = lines[16][:-5]
    assert reason("\n".join(lines)) == "ndjson: line 17 is not a JSON object or list"
    lines[40] = "Traceback (most recent call last):\n  File x\n    boom()\nValueError: boom"
    text = "\n\n" + "\n\n".join(lines)
    assert reason(text) == "ndjson: line 35 is not a JSON object or list (5 lines are not, 118 are)"
    assert reason(LINES[:-10]) == f"ndjson: line {len(ROWS)} is not a JSON object or list"


def test_blank_lines_cost_no_more_than_others():
    text = '{"a":1}\n' + "\n" * 2_000_000 + '{"a":2}\n'
    assert read(text)[1] == [{"a": 1}, {"a": 2}]


# -- too deep --------------------------------------------------------------------------------------

DEEP = "[" * 200 + "]" * 200


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"[1, {DEEP}]", "json"),
        (f'{{"a": 1, "b": {DEEP}}}', "json"),
        (f'{{"a": [1, {DEEP}]}}', "json"),
        (f'{{"a": [1, {DEEP}], "b": []}}', "json"),
        (f"Here: [1,{DEEP}]", "json in text"),
        (f"[1]\n{DEEP}\n", "ndjson"),
        (f"Here: {DEEP}", "json in text"),
        ("[" * 100_000 + "]" * 100_000, "json"),
        (f'[{{"a": {"[{}, " * 200 + "1" + "]" * 200}}}]', "json"),
    ],
)
def test_rows_that_nest_too_deep_are_refused_before_they_are_stored(text, name):
    assert reason(text) == f"{name}: it is nested deeper than 128 levels"


def test_rows_of_the_greatest_depth_are_read():
    deep = "[" * 120 + "]" * 120
    text = f"[1, {deep}]"
    assert read(text)[:2] == ("json", json.loads(text))


# -- one value in a text ---------------------------------------------------------------------------


def test_a_footnote_is_not_a_second_value():
    text = f"As in [1]:\n{LIST}\n\n[1] see above\n[2]\n"
    assert read(text) == ("json in text", ROWS, ("As in [1]:\n", "\n\n[1] see above\n[2]\n"))


def test_a_small_list_beside_the_large_one_is_text():
    text = f"Rows: {LIST}\n\nPages: [1, 2]\n"
    assert read(text) == ("json in text", ROWS, ("Rows: ", "\n\nPages: [1, 2]\n"))


@pytest.mark.parametrize(
    "words",
    ["Found rows [100]: ", "[INFO] ", 'He said "ok": ', "set {x} ", "\x1b[32m", "Result: ", ""],
)
def test_the_first_value_is_a_row_also_after_other_words(words):
    text = "Some words.\n" + words + "\n".join(json.dumps(row) for row in ROWS)
    name, rows, _ = read(text)
    assert name == "json in text"
    assert rows == ROWS


def test_values_that_are_not_alike_are_no_rows():
    half = json.dumps(ROWS[:60])
    text = f"First:\n{half}\nSecond:\n{json.dumps({'n': ROWS[60:]})}"
    assert reason(text) == "json in text: its 2 values are not alike"
    text = "A:\n" + json.dumps({"a": LIST}) + "\nB:\n" + json.dumps({"b": LIST})
    assert reason(text) == "json in text: its 2 values are not alike"


def test_text_between_values_is_never_lost():
    text = "Start\n" + LINES.replace("\n", "\nValueError: boom\n", 1)
    assert reason(text) == "json in text: there is other text between its values, first in line 3"
    text = "Start\n" + LINES.replace("\n", "\n{}\n", 1)
    assert reason(text) == "json in text: there is other text between its values, first in line 3"


def test_only_the_same_label_may_be_between_values():
    """Rows would hide labels that differ."""
    cut = recognised(f"Ann: {OBJECT}\nBob: {OBJECT}\nEve: {OBJECT}\n")[1]
    assert cut == NearMiss("there is other text between its values, first in line 3")
    assert len(read(f"data: {OBJECT}\n\n" * 9)[1]) == 9
    assert len(read(f"<a>\n{OBJECT}\n</a>\n<a>\n{OBJECT}\n</a>")[1]) == 2


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{LIST[:-20]}\n```",
        f"Here:\n{json.dumps(ROWS, indent=2)[:-5]}",
        "Here:\n[\n" + ",\n".join(map(json.dumps, ROWS)),
        "Here:\n[\n" + ",\n".join(map(json.dumps, ROWS)) + "\n```",
    ],
)
def test_a_value_that_is_cut_off_is_never_a_shorter_list(text):
    number = 1 + ("Here" in text or "```" in text[:3])
    assert reason(text) == f"json in text: the value that starts in line {number} is cut off"


def test_an_example_in_a_document_is_not_taken_for_its_data():
    text = (
        'Write this:\n```json\n{"a": [1, 2, …}\n```\n' + "And read the rest of this guide.\n" * 20
    )
    assert recognised(text) == ("", None)


@pytest.mark.parametrize(
    "text",
    [
        ",\n".join(map(json.dumps, ROWS)) + "\n]",
        '"id": 7},\n' + ",\n".join(map(json.dumps, ROWS)) + "\n",
        "x = [\n" + ",\n".join(map(json.dumps, ROWS)) + "\n]\n",
        "[\n" + ",\n".join(json.dumps([*row.values()]) for row in ROWS),
    ],
)
def test_the_rest_of_a_value_is_no_list_of_rows(text):
    assert read(text)[0] == ""


def test_json_with_an_error_says_where():
    text = json.dumps(ROWS, indent=2).replace('"id": 7,', '"id": 7')
    assert reason(text) == "json: line 53 is not JSON (column 5)"
    assert reason(json.dumps(ROWS)[:-9]).startswith("json: it is cut off")


# -- byte order marks ------------------------------------------------------------------------------


def test_a_byte_order_mark_is_not_part_of_the_value():
    text = "\ufeff" + json.dumps({"n": 1, "rows": ROWS})
    assert read(text) == ("json", {"n": 1, "rows": ROWS}, ("", ""))
    assert read(f"\ufeffHere: {LIST}") == ("json in text", ROWS, ("Here: ", ""))
    assert not recognised("\ufeff[1,2]")[1].is_compact
    assert recognised("[1,2]")[1].is_compact


# -- any text --------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [OBJECT, LIST, LINES, repr(ROWS), "\ufeff", "```json\n", "\n```\n", "<a>", "</a>", "\n", "Here: ",
     "---\n", "[1]", "{}", "[", "]", "{", "}", '"', "'", "\\", ",", ":", " ", "\ud800", "\0", "[ x ]\n"]
) | st.text(max_size=5)  # fmt: skip


@given(st.lists(PIECES, max_size=8).map("".join))
@example("\n[" + '\\"' * 20)
def test_any_text_is_read_or_not(text):
    read(text)


@pytest.mark.parametrize(
    "unit",
    [
        "\n[ x\n",
        '[\\"',
        "\n[ x ]\n",
        "\n{ ",
        "\n[\n[",
        '\n["',
        "\n{'\\'",
        "('\\",
        "x:[(",
        "\n[1]\n x",
    ],
)
@pytest.mark.parametrize("end", ["", "]" * 30_000, "\n```"])
def test_brackets_again_and_again_take_linear_time(unit, end):
    """In time that is not linear, this would take hours."""
    formats.recognise(b"x\n[" + unit.encode() * 100_000 + end.encode())
    formats.recognise(b"[" + unit.encode() * 100_000 + end.encode())
