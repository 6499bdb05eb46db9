"""The rules that hold for every format, on texts of real servers and programs, also damaged ones."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from texts_with_data import TEXTS

from corpus import recordings
from penstock.core.json import rawjson
from penstock.core.results import formats
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data

_FIRST = 3_000  # characters of a text, up to the end of a line
SAMPLES = {
    "git log": "".join(
        f"commit {n:040x}\nAuthor: Ada Holm <ada@example.com>\nDate:   Mon Nov 16 10:00:0{n} 2026 +0100\n\n    Open gate {n}\n\n"
        for n in range(5)
    ),
    "junit": '<testsuite name="a" tests="2">'
    + "".join(f'<testcase classname="t" name="n{n}" time="0.1"/>\n' for n in range(9))
    + "</testsuite>",
    "tap": "TAP version 13\n" + "".join(f"ok {n} - gate {n}\n" for n in range(1, 9)) + "1..8\n",
    "pytest": "=" * 27 + " test session starts " + "=" * 32 + "\ncollected 2 items\n\ntest_a.py FF\n\n"
    + "=" * 35 + " FAILURES " + "=" * 35 + "\n" + "_" * 36 + " test_a " + "_" * 36
    + "\n\n    def test_a():\n>       assert 0\nE       assert 0\n\ntest_a.py:2: AssertionError\n"
    + "=" * 27 + " short test summary info " + "=" * 28
    + "\nFAILED test_a.py::test_a - assert 0\n" + "=" * 30 + " 1 failed in 0.01s " + "=" * 31 + "\n",
    "tables": "NAME   AGE\npod-1  1d\npod-2  2d\n\nNAME   PORT\nsvc-1  80\nsvc-2  443\n",
    "prose": "The keeper opens the gate: it is 10 o'clock.\n\nThen the keeper goes home.\n" * 4,
}  # fmt: skip


def _texts():
    yield from SAMPLES.values()
    yield from (text for text, _, _ in TEXTS.values())
    for recording in recordings():
        for block in recording.result["content"]:
            yield block.get("text", "")
            yield f"Here it is:\n```\n{block.get('text', '')}\n```"
    yield from (f"```\n{text}\n```" for text in SAMPLES.values())


def _start(text):
    return text if len(text) <= _FIRST else text[: text.rfind("\n", 0, _FIRST) + 1] or text[:_FIRST]


STARTS = sorted({_start(text) for text in _texts()})
BITS = ["\ud800", "\0", "\r", "\n", "\n\n", "  ", "\t", "|", "---\n", "- ", "#", "{", "]", '"', "<", ">", "&x;", "é", "漢", ": ", "a=1", "@@", "```\n"]  # fmt: skip


def check(text):
    document = read_text_with_data(text)
    rows = [row for block in document.blocks for row in block]
    whole = document.prefix + document.joint.join(rows) + document.suffix
    assert whole == rawjson.utf8(text)
    if not document.format:
        return
    values = decoded(document, rows)
    assert len(values) == len(rows)
    for row, value in zip(rows, values, strict=True):
        assert decoded(document, [row]) == [value]
    frame = document.frame
    assert json.loads(rawjson.text(frame.prefix + b",".join(values) + frame.suffix)) is not None


def test_a_sample_has_each_format():
    assert {*formats.FORMATS} <= {read_text_with_data(text).format for text in _texts()}


@given(
    st.sampled_from(STARTS),
    st.lists(
        st.tuples(st.integers(0, _FIRST), st.integers(0, 40), st.sampled_from(BITS) | st.none()),
        max_size=4,
    ),
)
@settings(max_examples=400)
def test_the_rows_are_the_text_and_each_can_be_read_alone(text, damages):
    for place, size, put_in in damages:
        at = place % (len(text) + 1)
        moved = text[at : at + size] * 2 if put_in is None else put_in
        text = text[:at] + moved + text[at + size :]
    check(text)
