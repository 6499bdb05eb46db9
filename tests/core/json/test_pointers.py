"""JSON Pointers, checked against the examples of RFC 6901 and jsonschema's resolver."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from referencing import Registry, Resource

from penstock.core.json.pointers import pointer, unescaped
from penstock.core.json.surrogates import has_half_pair, without_half_pairs

# The examples of RFC 6901, section 5, by the key that each pointer leads to.
OF_THE_RFC = {
    "/foo": "foo", "/": "", "/a~1b": "a/b", "/c%d": "c%d", "/e^f": "e^f", "/g|h": "g|h",
    "/i\\j": "i\\j", '/k"l': 'k"l', "/ ": " ", "/m~0n": "m~n",
}  # fmt: skip


@pytest.mark.parametrize(("text", "key"), OF_THE_RFC.items())
def test_the_examples_of_the_rfc(text, key):
    assert pointer(key) == text
    assert unescaped(text[1:]) == key


@given(st.lists(st.text() | st.integers(0, 10**6)))
def test_steps_come_back(steps):
    assert [*map(unescaped, pointer(*steps).split("/")[1:])] == [*map(str, steps)]


@given(st.lists(st.text("ab~/01"), min_size=1, max_size=4))
def test_another_reader_takes_the_same_way(steps):
    value = "found"
    for step in reversed(steps):
        value = {step: value}
    resource = Resource.opaque(value)
    assert resource.pointer(pointer(*steps), Registry().resolver()).contents == "found"


@given(st.text(st.characters(codec=None)))
def test_half_pairs(text):
    def encodes(text):
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
        return True

    assert has_half_pair(text) is not encodes(text)
    assert encodes(without_half_pairs(text))
    assert len(without_half_pairs(text)) == len(text)
