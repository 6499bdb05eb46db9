"""Reading tables in text: the text comes back to the byte, and the rows are decoded."""

from __future__ import annotations

import json

from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data


def read(text):
    """Return the document of a text, and its parts, which are the text to the byte."""
    document = read_text_with_data(text)
    parts = [row for block in document.blocks for row in block]
    joined = document.prefix + document.joint.join(parts) + document.suffix
    assert rawjson.text(joined) == text
    return document, parts


def rows_in(text, kind="table"):
    document, parts = read(text)
    assert document.format == kind, (document.format, document.notices)
    return [json.loads(row) for row in decoded(document, parts)]


def near_miss(text):
    """Return why a text is not a table."""
    document, _ = read(text)
    assert not document.format
    (notice,) = document.notices
    return notice


def aligned(*rows, gap=3, justify=str.ljust):
    """Return columns as Go's tabwriter writes them, or to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    cells = (
        [justify(cell, width) for cell, width in zip(row, widths, strict=True)] for row in rows
    )
    return "".join((" " * gap).join(line).rstrip() + "\n" for line in cells)
