import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json.nesting import is_deeper

VALUES = st.recursive(
    st.none() | st.text(st.sampled_from('[]{}"\\a,')),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text('[{\\"', max_size=3), inner, max_size=4)
    ),
    max_leaves=40,
)


def depth(value):
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(depth, inner), default=0) if isinstance(value, dict | list) else 0


@given(VALUES)
def test_the_depth_is_that_of_the_value(value):
    document, levels = json.dumps(value).encode(), depth(value)
    assert not is_deeper(document, levels)
    assert not levels or is_deeper(document, levels - 1)


@pytest.mark.parametrize("count", [1, 100_000])
def test_depth_is_counted_across_blocks(count):
    flat = b"[" + b"[],{}," * count + b"%b]"
    assert not is_deeper(flat % (b"[" * 9 + b"]" * 9), 10)
    assert is_deeper(flat % (b"[" * 10 + b"]" * 10), 10)
