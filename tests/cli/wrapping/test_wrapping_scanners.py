"""The two readers agree with the parsers of the standard library, and know every position."""

import json
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.cli.wrapping import jsonc, toml
from penstock.cli.wrapping.failures import Unreadable
from penstock.cli.wrapping.tree import Items, TreeTable, plain

FEWER = settings(max_examples=settings.default.max_examples // 20)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def leaves(node):
    match node:
        case TreeTable():
            for member in node.members:
                yield from leaves(member.value)
        case Items():
            for element in node.elements:
                yield from leaves(element)
        case _:
            yield node


@FEWER
@given(st.dictionaries(st.text(), values), st.sampled_from([None, 2, "\t"]), st.booleans())
def test_json(value, indent, escaped):
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    root = jsonc.scan(text)
    assert plain(root) == value
    assert text[root.start : root.end] == text
    assert all(json.loads(text[leaf.start : leaf.end]) == leaf.value for leaf in leaves(root))


def test_json_as_editors_write_it():
    text = '\ufeff// {\n{ "a" /*,*/ : [1, /* ] */ 2,], // }\n "b": {"//": "/* no */",},\r} /* end */ //'
    assert plain(jsonc.scan(text)) == {"a": [1, 2], "b": {"//": "/* no */"}}


def test_of_a_key_that_occurs_twice_the_last_counts():
    root = jsonc.scan('{"a": 1, "a": 2}')
    assert plain(root) == {"a": 2}
    assert plain(root.get("a").value) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{'a': 1}", "double quotes"),
        ("{a: 1}", "double quotes"),
        ('{"a" 1}', "':' is expected"),
        ('{"a": 1 "b": 2}', "',' is expected"),
        ('{"a": [1 2]}', "',' is expected"),
        ('{"a": ,}', "value is expected"),
        ('{"a": NaN}', "value is expected"),
        ('{"a": 01}', "',' is expected"),
        ('{"a": "\t"}', "value is expected"),
        ('{"a": "\\x"}', "not a JSON value"),
        ('{"a": 1', "line 1, column 8: ',' is expected"),
        ('{"a":', "ends too early"),
        ("{} {}", "more text"),
        ("{} /* open", "more text"),
        ('{"a": ' + "[" * 300 + "]" * 300 + "}", "deeper than 200"),
        ('{\n"a": 1,\r\n  x}', "line 3, column 3"),
    ],
)
def test_what_is_not_json(text, told):
    with pytest.raises(Unreadable, match=told):
        jsonc.scan(text)


TRICKY = '''\
title = """a " b "" c \\""" d""""" # "
literal = \'\'\'it''s \\ [x]\'\'\''
empty = [""" """, \'\'\'\'\'\', "", '']
"quoted.key".'other key'.bare-key_1 = { a.b = 1, "c d" = [ { e = "}" }, ], f = {} }
dates = [ 1979-05-27 07:32:00, 1979-05-27T07:32:00Z, 07:32:00, 1979-05-27 ] # ]
numbers = [ 0xff, 1_000, -inf, 6.02e23, +1, true,
  # ] "
  false, ]

[a.b]  # before [a]
x = "\\u00e9\\n\\"#"
[ a . "c" ]
y.z = 1
[a]
w = [[1, 2], ["]", '#']]
'''


@pytest.mark.parametrize("text", [TRICKY, TRICKY.replace("\n", "\r\n"), "\ufeff" + TRICKY])
def test_toml(text):
    root = toml.scan(text)
    assert plain(root) == tomllib.loads(text.removeprefix("\ufeff"))
    for leaf in leaves(root):
        again = tomllib.loads(f"value = {text[leaf.start : leaf.end]}")["value"]
        assert again == leaf.value


def test_tables_in_a_list_do_not_disturb_the_rest():
    text = '[[x]]\na = 1\n[x.y]\nb = 2\n[[x]]\n[x.y]\nc = 3\n[[x.z]]\n[mcp_servers.one]\ncommand = "d"\n'
    assert plain(toml.scan(text))["mcp_servers"] == tomllib.loads(text)["mcp_servers"]


@pytest.mark.parametrize("text", ["a = ", "[a", "a = 1\na = 2", "a = 'é\n'", "a = [1\n"])
def test_what_is_not_toml(text):
    with pytest.raises(Unreadable):
        toml.scan(text)
