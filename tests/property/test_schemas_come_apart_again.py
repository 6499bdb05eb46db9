"""After negotiation fields are merged in and stripped out, the tool gets its own arguments."""

from hypothesis import given
from hypothesis import strategies as st
from strategies import TWICE

from penstock.core.protocol.schema import (
    merge_input_schema,
    owned_fields,
    required_arguments,
    strip_arguments,
)
from penstock.core.views.request import FIELDS, TOKEN_FIELD

names = st.one_of(st.sampled_from((*FIELDS, "id", "name", "$ref", "")), st.text(max_size=8))
properties = st.dictionaries(names, st.just({"type": "string"}), max_size=6)
values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.lists(st.integers())
)


@st.composite
def schemas(draw):
    own = draw(properties)
    schema = {"type": "object", "properties": own}
    schema |= draw(
        st.sampled_from(({}, {"additionalProperties": False}, {"$defs": {"X": {"type": "null"}}}))
    )
    if draw(st.booleans()):
        schema["required"] = (
            draw(st.lists(st.sampled_from(sorted(own)), unique=True)) if own else []
        )
    if draw(st.booleans()):
        schema = {"$ref": "#/$defs/Arguments", "$defs": {"Arguments": schema}}
    return draw(st.sampled_from((schema, schema, schema, None)))


def _own(schema) -> dict:
    inner = schema["$defs"]["Arguments"] if schema and "$ref" in schema else schema or {}
    return inner.get("properties", {})


@given(schemas(), st.dictionaries(names, values), st.dictionaries(st.sampled_from(FIELDS), values))
@TWICE
def test_strip_undoes_what_merge_allows(schema, arguments, negotiation):
    # Without a schema, all fields but the token count as the tool's.
    own = _own(schema) if schema is not None else set(FIELDS) - {TOKEN_FIELD}
    mine = {name: value for name, value in arguments.items() if name in own or name not in FIELDS}
    theirs = {name: value for name, value in negotiation.items() if name not in own}
    kept, vain = strip_arguments({**mine, **theirs}, schema)
    assert kept == mine
    assert set(vain) <= set(theirs)
    assert {name for name, value in theirs.items() if value not in (None, "", [])} == set(vain)


@given(schemas())
@TWICE
def test_merge_keeps_what_is_the_tools_own(schema):
    before = repr(schema)
    merged = merge_input_schema(schema)
    assert repr(schema) == before
    own = _own(schema)
    if TOKEN_FIELD in own:
        assert merged == schema
        return
    assert "required" not in merged
    assert {name: merged["properties"][name] for name in own} == own
    assert set(merged["properties"]) == {*own, *FIELDS}
    assert owned_fields(schema) == {name for name in FIELDS if name in own}
    assert set(required_arguments(schema)) <= set(own)
