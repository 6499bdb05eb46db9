"""Tools as functions of Python, for a model and for a type checker."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_checks import IMPORTS, objections
from real_lists import SERVERS, tools_of

from penstock.core.model.program import FUNCTIONS
from penstock.disclosure.schemas.python_names import IMPORTABLE, python_name
from penstock.disclosure.schemas.python_signature import (
    parameter_order,
    python_signature,
    python_stub,
)

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
READ = {
    "type": "object",
    "properties": {"head": WHOLE, "path": TEXT, "tail": WHOLE},
    "required": ["path"],
    "additionalProperties": False,
}
CIRCULAR = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/node"}},
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"label": TEXT, "left": {"$ref": "#/$defs/node"}},
            "required": ["label"],
        }
    },
}
DOUBLING = {
    "properties": {"a": {"$ref": "#/$defs/n0"}},
    "$defs": {
        f"n{n}": {"anyOf": [{"$ref": f"#/$defs/n{n + 1}"}, {"$ref": f"#/$defs/n{n + 1}"}]}
        for n in range(60)
    },
}


def deep(levels):
    schema = TEXT
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def of(schema):
    """Return the type that a model sees for a required parameter."""
    shown = python_signature("f", {"properties": {"a": schema}, "required": ["a"]})
    return shown.removeprefix("f(a: ").removesuffix(")")


# -- for a model -------------------------------------------------------------------------------


def test_required_parameters_come_first_and_the_others_have_a_default():
    assert python_signature("read", READ) == "read(path: str, head: int = ..., tail: int = ...)"
    assert parameter_order(READ) == ["path", "head", "tail"]


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (TEXT, "str"),
        (WHOLE, "int"),
        ({"type": "number"}, "float"),
        ({"type": "boolean"}, "bool"),
        ({"type": "null"}, "None"),
        ({"type": "array", "items": TEXT}, "list[str]"),
        ({"type": "array"}, "list"),
        ({"type": "array", "items": {"anyOf": [TEXT, WHOLE]}}, "list[str | int]"),
        ({"type": "object"}, "dict"),
        ({"type": "object", "additionalProperties": WHOLE}, "dict[str, int]"),
        ({"type": ["string", "null"]}, "str | None"),
        ({"type": "string", "nullable": True}, "str | None"),
        ({"anyOf": [WHOLE, {"type": "null"}]}, "int | None"),
        ({"oneOf": [TEXT, {"type": "array", "items": TEXT}]}, "str | list[str]"),
        ({"allOf": [WHOLE]}, "int"),
        ({"const": "fixed"}, 'Literal["fixed"]'),
        ({"enum": ["a", 1, True, None]}, 'Literal["a", 1, True] | None'),
        ({"anyOf": [{"const": "a"}, {"const": "b"}]}, 'Literal["a", "b"]'),
        ({"enum": [f"choice{n}" for n in range(13)]}, "str"),
        ({"enum": ["x" * 300]}, "str"),
        ({"enum": [{"a": 1}, [2]]}, "dict | list"),
        ({"enum": []}, "Any"),
        ({"$ref": "https://elsewhere.example/schema"}, "Any"),
        (True, "Any"),
        ("no schema", "Any"),
        ({"type": "file"}, "Any"),
        ({"properties": {"id": TEXT}, "required": ["id"]}, '{"id": str}'),
    ],
)
def test_types(schema, told):
    assert of(schema) == told


def test_objects_show_their_keys_if_that_is_short():
    edits = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"old": TEXT, "new": TEXT, "times": {"type": ["integer", "null"]}},
            "required": ["old", "new"],
        },
    }
    assert of(edits) == 'list[{"old": str, "new": str, "times"?: int}]'
    wide = {f"key_{n}": TEXT for n in range(100)}
    assert of({"type": "object", "properties": wide, "required": ["key_7"]}) == '{"key_7": str, …}'
    assert of({"type": "object", "properties": wide, "required": [*wide]}) == "{…}"


def test_short_defaults_are_shown():
    shown = python_signature(
        "f",
        {
            "properties": {
                "a": {"type": "integer", "default": 20},
                "b": {"type": "string", "default": "x"},
                "c": {"type": "boolean", "default": False},
                "d": {"type": "string", "default": "y" * 30},
                "e": {"type": "string", "default": None},
            }
        },
    )
    assert shown == ('f(a: int = 20, b: str = "x", c: bool = False, d: str = ..., e: str = ...)')


def test_other_parameters_are_shown_if_the_schema_says_something_about_them():
    assert python_signature("f", {"additionalProperties": True}) == "f()"
    assert python_signature("f", {"additionalProperties": TEXT}) == "f(**others)"


# -- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["read_text_file", "getIssue", "a1", "match", "search"])
def test_a_name_of_pythons_is_called_as_it_is(name):
    assert python_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("a-b", "a.b", "1st", "a b", "", "class", "print", "list", "open", "Any", "Literal"),
        *("_private", "größe", "ﬁle", 'a"b', "a\nb", *FUNCTIONS, *IMPORTABLE),
    ],
)
def test_any_other_name_needs_call(name):
    assert python_name(name) is None
    assert python_stub(name, READ) == ""
    assert python_signature(name, READ).startswith("call(")


def test_call_shows_the_arguments_as_a_dict():
    schema = {"properties": {"b": WHOLE, "a-b": TEXT}, "required": ["a-b"]}
    assert python_signature("odd-tool", schema) == 'call("odd-tool", {"a-b": str, "b"?: int})'


@pytest.mark.parametrize("name", ["a-b", "from", "__a", "ß", "1"])
def test_a_parameter_that_is_no_name_needs_call_too(name):
    schema = {"properties": {name: TEXT}, "required": [name]}
    assert python_signature("f", schema).startswith('call("f", {')
    assert python_stub("f", schema) == "async def f(*args: Any, **kwargs: Any) -> Any: ..."


# -- stubs -------------------------------------------------------------------------------------


def test_a_stub_declares_the_tool():
    assert python_stub("read", READ) == (
        "async def read(path: str, head: float = ..., tail: float = ...) -> Any: ..."
    )
    is_open = {**READ, "additionalProperties": True, "properties": {"kwargs": TEXT}}
    assert python_stub("read", is_open) == (
        "async def read(path: Any, kwargs: str = ..., **kwargs_: Any) -> Any: ..."
    )


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ('await read("a")', ""),
        ('await read("a", 1)', ""),
        ('await read(path="a", tail=4 / 2)', ""),
        ("await read()", "path"),
        ("await read(path=1)", "str"),
        ('await read(path="a", head="1")', "float"),
        ('await read(path="a", heads=1)', "heads"),
        ('await read("a", path="b")', "path"),
        ('await read("a", 1, 2, 3)', "positional"),
    ],
)
def test_a_wrong_call_is_seen_before_it_runs(call, wrong):
    found = objections(python_stub("read", READ), call)
    assert wrong in " ".join(found) if wrong else not found


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "items": TEXT}, '"a b".split()'),
        ({"type": "array", "items": {"type": "number"}}, "[1, 2]"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, '["a", "b"]'),
        ({"type": "array", "items": {"type": ["string", "null"]}}, '["a"]'),
        ({"type": "array", "items": TEXT}, '("a", "b")'),
        ({"enum": ["a", "b"]}, '["a", "b"][0]'),
        ({"enum": ["a", "b"]}, 'str("a")'),
        ({"type": "object"}, "dict.fromkeys('a b'.split(), 1)"),
        (WHOLE, "10 / 2"),
        ({"anyOf": [WHOLE, {"type": "array", "items": WHOLE}]}, "[1, 2]"),
    ],
)
def test_values_that_only_a_checker_would_refuse_pass(schema, value):
    stub = python_stub("f", {"properties": {"a": schema}, "required": ["a"]})
    assert not objections(stub, f"a = {value}", "await f(a=a)", "await f(a)")


def test_a_parameter_of_one_branch_may_be_anything_in_another():
    branches = [{"properties": {"a": TEXT}, "required": ["a"]}, {"required": ["b"]}]
    stub = python_stub("f", {"type": "object", "anyOf": branches})
    assert not objections(stub, "await f(a=1, b=2)", "await f(b=1)", 'await f(a="x")')


def test_hostile_schemas_are_read_without_following_them_for_ever():
    assert python_signature("f", CIRCULAR).startswith('f(tree: {"label": str, "left"?: dict')
    for schema in (CIRCULAR, DOUBLING, deep(900), {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}):
        compile(python_stub("f", schema), "stub", "exec")
        assert len(python_signature("f", schema)) < 2_000
    huge = {"properties": {f"p{n}": {"default": 10**5_000} for n in range(2_000)}}
    assert len(parameter_order(huge)) == 2_000
    compile(python_stub("f", huge), "stub", "exec")
    assert python_signature("f", huge)


# Any JSON, where a schema is expected.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "properties", "required", "anyOf", "allOf", "$ref", "enum", "const", "items",
             "additionalProperties", "default", "a", "a-b", "nullable"]
        )
        | st.text(max_size=3),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "anyOf", "$ref"]), JSON))
def test_every_stub_is_python(schema):
    tree = ast.parse(IMPORTS + python_stub("f", schema))
    assert isinstance(tree.body[-1], ast.AsyncFunctionDef)
    assert python_signature("f", schema)
    assert parameter_order(schema) == [*dict.fromkeys(parameter_order(schema))]


def _typed(kind, values):
    return st.tuples(st.just({"type": kind}), values)


def _choice(values):
    """Return schemas with choices, and one of the choices."""
    return st.lists(values, min_size=1, max_size=4).flatmap(
        lambda some: st.tuples(st.just({"enum": some}), st.sampled_from(some))
    )


def _any_of(pairs):
    return st.lists(pairs, min_size=1, max_size=3).flatmap(
        lambda some: st.tuples(
            st.sampled_from(["anyOf", "oneOf"]).map(lambda key: {key: [each[0] for each in some]}),
            st.sampled_from([each[1] for each in some]),
        )
    )


def _list_of(pairs):
    return pairs.map(lambda pair: ({"type": "array", "items": pair[0]}, [pair[1]] * 2))


def _object_of(pairs):
    return pairs.map(
        lambda pair: (
            {"type": "object", "properties": {"k": pair[0]}, "required": ["k"]},
            {"k": pair[1]},
        )
    )


def _nullable(pairs):
    return pairs.map(lambda pair: ({"anyOf": [pair[0], {"type": "null"}]}, None))


SHORT_TEXT = st.text("ab\"'\\\n€", max_size=3)
NUMBERS = st.integers(-5, 5) | st.floats(-5, 5, allow_nan=False)
SCALARS = st.one_of(
    _typed("string", SHORT_TEXT),
    _typed("integer", st.integers(-5, 5) | st.integers(-5, 5).map(float)),
    _typed("number", NUMBERS),
    _typed("boolean", st.booleans()),
    _typed("null", st.none()),
    _typed(["string", "integer"], SHORT_TEXT | st.integers(-5, 5)),
    _choice(SHORT_TEXT | NUMBERS | st.none()),
    st.tuples(st.just({}), SHORT_TEXT | NUMBERS),
)
# Schemas, each with a value that it admits.
ADMITTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(_any_of(inner), _list_of(inner), _object_of(inner), _nullable(inner)),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ADMITTED, min_size=1, max_size=6), st.data())
def test_a_call_that_the_schema_admits_passes_the_check(pairs, data):
    names = [f"p{n}" for n in range(len(pairs))]
    needed = data.draw(st.lists(st.sampled_from(names), unique=True))
    schema = {
        "type": "object",
        "properties": {name: pair[0] for name, pair in zip(names, pairs, strict=True)},
        "required": needed,
        "additionalProperties": data.draw(st.booleans()),
    }
    values = {name: repr(pair[1]) for name, pair in zip(names, pairs, strict=True)}
    named = ", ".join(f"{name}={value}" for name, value in values.items())
    placed = ", ".join(values[name] for name in parameter_order(schema))
    held = [f"{name} = {value}" for name, value in values.items()]
    through = ", ".join(f"{name}={name}" for name in names)
    assert not objections(
        python_stub("f", schema),
        f"await f({named})",
        f"await f({placed})",
        *held,
        f"await f({through})",
    )


# -- real servers ------------------------------------------------------------------------------


@pytest.mark.parametrize("server", SERVERS)
def test_every_real_tool_has_a_stub_that_the_checker_accepts(server):
    tools = tools_of(server)
    stubs = [python_stub(tool["name"], tool["inputSchema"]) for tool in tools]
    assert not objections("\n".join(stubs), "pass")
    assert [stub for stub in stubs if stub]


def test_the_tools_of_a_real_server_as_a_model_sees_them():
    shown = {
        tool["name"]: python_signature(tool["name"], tool["inputSchema"])
        for tool in tools_of("filesystem")
    }
    assert shown["read_text_file"] == (
        "read_text_file(path: str, tail: float = ..., head: float = ...)"
    )
    assert shown["edit_file"] == (
        'edit_file(path: str, edits: list[{"oldText": str, "newText": str}], dryRun: bool = False)'
    )
