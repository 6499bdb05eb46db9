"""The reading of logs in tests: each text is checked to come back to the byte."""

from __future__ import annotations

import json

from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data


def read(text):
    """Return the document of a text and its rows, after a check that the text comes back."""
    document = read_text_with_data(text)
    parts = [row for block in document.blocks for row in block]
    assert rawjson.text(document.prefix + document.joint.join(parts) + document.suffix) == text
    if document.format != "log":
        return document, None
    return document, [json.loads(row) for row in decoded(document, parts)]


def rows_of(text):
    document, rows = read(text)
    assert document.format == "log", document.notices
    return rows


def contents_of(text):
    return json.loads(read(text)[0].contents[0])
