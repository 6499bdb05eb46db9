"""The size of a text in each unit, and which meter counts its tokens."""

import importlib.util
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.budget import measure as module
from penstock.core.budget.estimate import EstimateMeter
from penstock.core.budget.measure import (
    O200kMeter,
    Size,
    char_count,
    default_meter,
    line_count,
    lines_exceed,
    measure,
)

EXACT = O200kMeter()


def compact(value):
    return json.dumps(value, separators=(",", ":"))


@given(st.lists(st.text(st.sampled_from('\\n"u\n\ta\u00e9'), max_size=12)))
def test_lines_are_the_newlines_of_the_decoded_text(parts):
    wire = compact(parts).encode()

    assert line_count(wire) == 1 + sum(part.count("\n") for part in parts)


@given(st.text(st.sampled_from('\\n"a\n'), max_size=30), st.integers(1, 6), st.integers(-1, 9))
def test_lines_are_the_same_however_the_wire_is_cut(text, size, limit):
    wire = compact(text).encode()
    parts = list(module._whole_escapes(wire, size))

    assert b"".join(parts) == wire
    assert sum(map(module._newline_escapes, parts)) == line_count(wire) - 1
    assert lines_exceed(wire, limit) == (line_count(wire) > limit)


@pytest.mark.parametrize(
    ("wire", "lines"),
    [
        (b"", 1),
        (rb'"one"', 1),
        (rb'"one\ntwo"', 2),
        (rb'"C:\\new"', 1),
        (rb'"C:\\\new"', 2),
        (rb'"\\\\n\n\\n"', 2),
    ],
)
def test_line_count(wire, lines):
    assert line_count(wire) == lines


@given(st.text())
def test_chars_are_code_points(text):
    assert char_count(text.encode()) == len(text)


def test_measure():
    text = '"\u00e9\\n"'

    assert measure(text.encode(), EXACT) == Size(
        bytes=6, chars=5, tokens=EXACT.count(text), lines=2
    )


def test_the_default_is_exact_where_the_vocabulary_is_installed():
    default_meter.cache_clear()

    assert isinstance(default_meter(), O200kMeter)
    assert default_meter() is default_meter()


def test_the_default_is_the_estimate_elsewhere(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    default_meter.cache_clear()

    assert isinstance(default_meter(), EstimateMeter)
    default_meter.cache_clear()


def test_importing_loads_no_vocabulary():
    assert importlib.util.find_spec("rs_bpe")
    code = "import sys, penstock.core.budget.measure; sys.exit('rs_bpe' in sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True)
