"""The outputs of jq programs, and what they cannot do. test_workers.py tests the limits."""

from __future__ import annotations

import pytest

from penstock.core.model.questions import Failure, Limits, WorkerAnswer, jq_installed
from penstock.worker.sandbox.jq import NO_MODULES, UNREADABLE_TEXT, JqDocument

pytest.importorskip("jq")
DIGITS = b"123456789012345678901234567890"


def outputs(program, document=b"null"):
    outcome = JqDocument(document).answer(program, Limits())
    assert isinstance(outcome, WorkerAnswer), outcome
    return list(outcome.rows)


def refusal(program, document=b"null"):
    outcome = JqDocument(document).answer(program, Limits())
    assert isinstance(outcome, Failure), outcome
    assert outcome.next_step
    return outcome


def test_jq_is_installed():
    assert jq_installed()


@pytest.mark.parametrize(
    ("program", "rows"),
    [
        (".", [b'{"a":[1,2]}']),
        (".a[]", [b"1", b"2"]),
        (".a|length", [b"2"]),
        ("empty", []),
        (". # a comment", [b'{"a":[1,2]}']),
        ("# a comment\n.a[0]", [b"1"]),
        ("def f: 7; f", [b"7"]),
        ("def tojson: 5; .a[0]", [b"1"]),
        ('"emit", "emit_"', [b'"emit"', b'"emit_"']),
        ('"import"', [b'"import"']),
        ("1, 2 | . + 1", [b"2", b"3"]),
        (". as {a: [$x]} | $x", [b"1"]),
        ("try error(1) catch .", [b"1"]),
        ('"é\\u0000"', ['"é\\u0000"'.encode()]),
        ("nan, infinite", [b"null", b"1.7976931348623157e+308"]),
    ],
)
def test_outputs_are_compact_json(program, rows):
    assert outputs(program, b'{"a":[1,2]}') == rows


@pytest.mark.parametrize("program", [".[0]", ".[]", "first", "map(select(. > 1))[0]", "max"])
def test_large_numbers_keep_their_digits(program):
    assert outputs(program, b"[" + DIGITS + b"]") == [DIGITS]


def test_decimals_keep_their_digits():
    document = b"[1.10,0.1234567890123456789012345,1.0]"
    assert outputs(".", document) == [document]


def test_stops_at_the_limit_and_says_so():
    null = JqDocument(b"null")
    assert null.answer("range(3)", Limits(rows=3)) == WorkerAnswer(
        (b"0", b"1", b"2"), single=False, truncated=False
    )
    assert null.answer("range(1e12)", Limits(rows=2)) == WorkerAnswer(
        (b"0", b"1"), single=False, truncated=True
    )


def test_stops_at_the_bytes_and_says_so():
    null = JqDocument(b"null")
    told = null.answer('repeat("12345678")', Limits(answer_bytes=25))
    assert told == WorkerAnswer((b'"12345678"',) * 2, single=False, truncated=True)
    told = null.answer('"12345678", 1', Limits(answer_bytes=10))
    assert told == WorkerAnswer((b'"12345678"',), single=False, truncated=True)


def test_one_output_beyond_the_bytes_is_refused():
    told = JqDocument(b"null").answer('"12345678"', Limits(answer_bytes=9))
    assert isinstance(told, Failure)
    assert "The first row or value" in told.error


def test_one_output_is_single_unless_it_was_cut():
    null = JqDocument(b"null")
    assert null.answer("7", Limits(rows=1)) == WorkerAnswer((b"7",), single=True, truncated=False)
    assert null.answer("7, 8", Limits(rows=1)) == WorkerAnswer(
        (b"7",), single=False, truncated=True
    )


@pytest.mark.parametrize(
    ("program", "rows"),
    [
        ("[inputs]", [b"[]"]),
        ("halt", []),
        ("1 | debug | stderr", [b"1"]),
        ("input_filename", [b"null"]),
        ("get_search_list", [b"[]"]),
    ],
)
def test_harmless(program, rows):
    assert outputs(program) == rows


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (".[", "syntax error"),
        ("", "compile"),
        ("# only a comment", "compile"),
        ("nope", "nope/0 is not defined"),
        ("1),(2", "syntax error"),
        ("1) as $x | def tojson: 5; (2", "syntax error"),
        ("def f: 1;", "compile"),
        ('"\\(1', "compile"),
        ('"/etc/passwd" | modulemeta', "module not found"),
        ("error", "null"),
        ('error("x")', "failed: x"),
        ("error({a: 1})", '"a"'),
        ('"x" | halt_error', "failed: x"),
        ('{"a": 1} | halt_error(3)', '"a"'),
        ("input", "no other input"),
        (".a.b", "Cannot index"),
        ('"ab" * 1e10', "too long"),
        ("1, 2, error(3)", "3"),
        ("reduce range(20000) as $i (1; [.])", "nested too deep"),
    ],
)
def test_errors_are_values(program, said):
    assert said in refusal(program, b'{"a":"x"}' if program == ".a.b" else b"null").error


@pytest.mark.parametrize(
    "program",
    [
        'import "a" as a; .',
        'import "a" as $a; $a',
        'include "a"; .',
        '# x\n include "a" {search: "/"}; .',
        'module {}; import "a" as $a; .',
    ],
)
def test_no_modules(program):
    assert refusal(program) == NO_MODULES


def test_messages_are_bounded():
    assert len(refusal('error("x" * 10000)').error) < 600


@pytest.mark.parametrize(
    "text", [rb'"\ud800"', rb'["\ude00"]', rb'{"\\\udc00":1}', rb'"\ud800\ud800"']
)
def test_lone_surrogates(text):
    assert refusal(".", text) == UNREADABLE_TEXT


@pytest.mark.parametrize("text", [rb'"\ud83d\ude00"', rb'"\\ud800"', rb'"\\\\ude00"'])
def test_what_only_looks_like_a_lone_surrogate(text):
    assert outputs("length", text)


def test_a_text_that_looks_like_jqs_mark():
    assert outputs(".", b'"<skipped: too deep>"') == [b'"<skipped: too deep>"']
