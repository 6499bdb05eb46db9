"""Texts, read as a gate reads them: the format, the parts as they are kept, and the rows."""

from __future__ import annotations

import json
from dataclasses import dataclass

from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text, read_text_with_data


@dataclass
class ReadText:
    """A text in its format."""

    format: str  # empty if the rows are lines
    rows: list
    contents: dict
    notices: tuple[str, ...]
    before: str
    after: str


def read(text):
    """Return a text as its format shows it. The parts must be the text, to the byte."""
    try:
        document = read_text_with_data(text)
    except rawjson.TooDeep:  # as `first_reply` does
        document = read_text(text)
    parts = [row for block in document.blocks for row in block]
    joined = document.prefix + document.joint.join(parts) + document.suffix
    assert rawjson.text(joined) == text
    is_lines = document.shape == "lines"
    return ReadText(
        document.format,
        [] if is_lines else [json.loads(row) for row in decoded(document, parts)],
        json.loads(document.contents[0]) if document.contents else {},
        document.notices,
        rawjson.text(document.frame.text_before),
        rawjson.text(document.frame.text_after),
    )
