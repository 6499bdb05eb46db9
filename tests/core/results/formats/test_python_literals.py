"""Python literals: whenever one is recognised, `ast.literal_eval` reads the same."""

from __future__ import annotations

import ast
import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.json import rawjson
from penstock.core.results import formats
from penstock.core.results.formats import NearMiss, TextCut
from penstock.core.results.formats.values.python_literal import LARGEST

KEYS = st.text() | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
    ),
    max_leaves=20,
)  # fmt: skip
CONTAINERS = st.lists(VALUES) | st.lists(VALUES).map(tuple) | st.dictionaries(KEYS, VALUES)


def recognised(text):
    """Return the cut of a Python literal, or None."""
    found = formats.recognise(rawjson.utf8(text))
    return (
        found.cut if found and found.name == "python" and isinstance(found.cut, TextCut) else None
    )


def near_miss(text):
    found = formats.recognise(rawjson.utf8(text))
    assert found is not None
    assert isinstance(found.cut, NearMiss)
    return found.name, found.cut.reason


def value_of(cut):
    """Return the value that the rows show."""
    rows = [row for block in cut.blocks for row in block]
    frame = formats.frame_of("python", cut.prefix, cut.suffix, cut.reading)
    decoded = formats.decoded("python", rows, cut.reading)
    assert len(decoded) == len(rows)
    return json.loads(rawjson.text(frame.prefix + b",".join(decoded) + frame.suffix))


def in_json(value):
    """Return the value as JSON has it."""
    match value:
        case dict():
            return {key_in_json(key): in_json(item) for key, item in value.items()}
        case list() | tuple():
            return [in_json(item) for item in value]
        case float() if not math.isfinite(value):
            return None
    return value


def key_in_json(key):
    return key if isinstance(key, str) else {None: "null", True: "true", False: "false"}.get(key, str(key)) if key is None or isinstance(key, bool) else str(key)  # fmt: skip


def has_equal_keys(text):
    """Return whether Python takes two keys as one that are not the same text, such as True and 1."""
    dicts = [
        node
        for node in ast.walk(ast.parse(text.strip(), mode="eval"))
        if isinstance(node, ast.Dict)
    ]
    for node in dicts:
        keys = {ast.unparse(key) for key in node.keys}
        if len({ast.literal_eval(NamedNumbers().visit(key)) for key in node.keys}) < len(keys):
            return True
    return False


class NamedNumbers(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.Constant(float(node.id)) if node.id in ("nan", "inf") else node


def evaluated(text):
    return ast.literal_eval(NamedNumbers().visit(ast.parse(text.strip(), mode="eval")))


@given(CONTAINERS)
@example([(), (1,), ((),), {"a": {}}])
@example({float("-inf"): 1, float("inf"): -2, 1e16: "a", -1.5: "b", 10**30: "c"})
@example({1: {None: {True: {2.5: "x"}}}})
@example(["it's", 'a "quote"', "both ' and \"", "\x00\x7f\x85\u2028\U0001f600\ud800", "\\'\\n"])
@example([1.7976931348623157e308, -1e308, "1e999"])
@example([float("nan"), {"a": float("-inf")}, "nan", "inf"])
def test_the_repr_of_a_value_is_the_value(value):
    cut = recognised(repr(value))
    if cut is not None:
        assert value_of(cut) == in_json(value)
        return
    text = repr(value)
    has_pair = "\\ud" in text
    assert (
        has_pair or not value or _is_json(text) or isinstance(value, list | tuple | dict) is False
    )


def _is_json(text):
    found = formats.recognise(rawjson.utf8(text))
    return found is not None and found.name == "json"


def test_a_character_that_does_not_exist_is_no_literal():
    assert recognised("['\\U00110000']") is None
    assert recognised("['\\Ue0001eeb']") is None


BITS = [*"[](){},:'\"\\ \n\t-+.eE019xubfN_#j", "None", "True", "nan", "inf", "null", "\\x", "\\N", "()", "1 2", "''", ",)", "b'", "é", "\ud800", "/*"]  # fmt: skip


@given(
    CONTAINERS.map(repr),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3), st.sampled_from(BITS)), max_size=4),
)
def test_a_damaged_repr_is_read_as_python_reads_it_or_not_at_all(text, damages):
    for place, without, put_in in damages:
        at = place % (len(text) + 1)
        text = text[:at] + put_in + text[at + without :]
    cut = recognised(text)
    if cut is not None and not has_equal_keys(text):
        assert value_of(cut) == in_json(evaluated(text))


@given(st.text(alphabet=st.sampled_from("[](){},:'\"\\ \n-.e01xuN") | st.characters(), max_size=60))
def test_any_text_in_brackets(text):
    for opening, closing in ("[]", "()", "{}"):
        cut = recognised(opening + text + closing)
        if cut is not None and not has_equal_keys(opening + text + closing):
            assert value_of(cut) == in_json(evaluated(opening + text + closing))


@pytest.mark.parametrize(
    "text",
    [
        "[1 2 3]", "['a' 'b']", "[(0, 10], (10, 20]]", "[(1, 2], (3, 4)]", "(1)", "('a')", "[(1), (2)]",
        "[([1])]", "[{1, 2}]", "{1, 2}", "['a', {'b'}]", "[b'a']", "['a', b'b']", "[u'a', 'b']", "[r'\\d', 'b']",
        "['a', 0x10]", "['a', 1_000]", "['a', 1j]", "['a', 1.]", "['a', .5]", "['a', +1]", "['a', - 1]",
        "['a', 01]", "['a', null]", "['a', true]", "['a', ...]", "['a', [...]]", "['a',, 'b']", "[, 'a']",
        "['a', (,)]", "['a', [ ,]]", "['a' ,,]", "{'a': 1, 'b'}", "{'a'}", "{'a': }", "{(1, 2): 'a'}",
        "['a', array([1, 2])]", "['a', np.float64(1.0)]", "['a', Timestamp('2020-01-01')]", "[<A object>, 'a']",
        "['a', f'{x}']", "['a', '''b''']", "['a', 'b]", "['a', '\\/']", "['a', '\\N{DASH}']", "['a', 'b\nc']",
        "['a', '\\ud83d\\ude00']", "['a' 1]", "['a', 1 if x else 2]", "[x for x in 'ab']", "['a'] + ['b']",
        "['a']['b']", "['a', -None]", "['a', 1None]", "['a', 1-inf]", "{'a': 1}{'b': 2}", "['a', 1:2]",
        "{1.50: 'a'}", "{-0: 'a'}", "{1E5: 'a'}", "{null: 'a'}", "{true: 'a'}", "{x: 'a'}", "{-None: 'a'}", "['\0']",
        "['a', --inf]", "['a', 1e400]", "['a', -1.8e+308]", "{'a'1: 2}", "{1 2: 'a'}",
        "['a', # one\n'b']", "['a', 'b\\\n']", "['a', 1e]", "{'a'= 1}", "['a', {'b': 1, , 'c': 2}]",
    ],
)  # fmt: skip
def test_a_text_that_repr_does_not_write_is_no_literal(text):
    assert recognised(text) is None


def test_white_space_and_a_last_comma_are_allowed_as_in_python():
    text = "\n [\n  {'a': (1,), 'b': [ ],},\n  ('x' ,\t2 ,) ,\n ]\n"
    assert value_of(recognised(text)) == [{"a": [1], "b": []}, ["x", 2]]


def test_numbers_that_are_not_finite_become_null_and_are_told():
    cut = recognised("[{'a': nan, 'nan': -inf}, {'a': 'inf', 'b': [inf]}]")
    assert cut.notices == ("3 NaN or infinite numbers are shown as null.",)
    assert value_of(cut) == [{"a": None, "nan": None}, {"a": "inf", "b": [None]}]
    assert recognised("['nan', \"it's inf\", 'x']").notices == ()


def test_rows_of_any_depth_up_to_the_limit():
    value = "x"
    for _ in range(100):
        value = [value, "y,(["]
    rows = [value, "a", (value,)]
    assert value_of(recognised(repr(rows))) == in_json(rows)
    deep = "{'a': " + "[" * 200 + "]" * 200 + "}"
    assert near_miss(deep) == ("python", "it is nested deeper than 128 levels")


def test_a_literal_that_holds_a_call_says_so():
    text = repr([{"at": 1, "price": "x"}] * 3)[:-1] + ", {'price': Money('1.5')}]"
    assert near_miss(text) == ("python", "Money is not a literal")


def test_a_literal_that_is_cut_off_or_too_large_says_so():
    name, reason = near_miss(repr([{"a": "b"}] * 100)[:-30])
    assert (name, reason) == ("python", "it is cut off: a bracket or a quote is not closed")
    size = LARGEST // len(repr({"a": "b" * 50})) + 1
    name, reason = near_miss(repr([{"a": "b" * 50}] * size))
    assert name == "python"
    assert reason.endswith(f"bytes, and at most {LARGEST:,} are read")
