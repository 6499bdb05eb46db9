import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json.hidden_escapes import hidden

PIECES = ["\\\\", "\\ud83d", "\\uDE00", "\\u00e9", "\\n", '\\"', "ud800", "a", "\uf8f0", "é"]


@given(st.lists(st.sampled_from(PIECES)))
def test_what_was_hidden_comes_back(pieces):
    document = f'"{"".join(pieces)}"'.encode()
    found = hidden(document)
    if found is None:
        msgspec.json.decode(document)  # There is nothing to hide.
        return
    text = msgspec.json.decode(found.document)
    assert found.shown(found.document) == document
    assert found.shown_text(text) == json.loads(document)


def test_a_document_with_every_mark_is_left_alone():
    marks = "".join(chr(code) for code in range(0xF8F0, 0xF900))
    assert hidden(f'"{marks}\\ud800"'.encode()) is None


@pytest.mark.parametrize("document", [b'"\\u00e9"', b"{}", b""])
def test_nothing_to_hide(document):
    assert hidden(document) is None
