"""Texts in a code fence, as servers send them for a model to read."""

from __future__ import annotations

import json

import pytest
from texts_with_data import TEXTS

from corpus import recordings
from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data

RECORDED = {one.name: one.result["content"][0].get("text", "") for one in recordings()}


def read(text):
    document = read_text_with_data(text)
    rows = [row for block in document.blocks for row in block]
    assert document.prefix + document.joint.join(rows) + document.suffix == rawjson.utf8(text)
    return document, [json.loads(row) for row in decoded(document, rows)] if document.format else []


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("filesystem/hosts", "yaml"),
        ("filesystem/books", "xml"),
        ("excel-negokaz/orders", "html"),
        ("git/diff", "diff"),
    ],
)
@pytest.mark.parametrize("end", ["\n```", "\n```\n", "\n```\n\nThat is all.\n"])
def test_a_recorded_text_in_a_fence_has_the_same_rows(name, language, end):
    text = RECORDED[name].rstrip("\n")
    _, rows = read(text + "\n")
    document, fenced = read(f"Here it is:\n\n```{language}\n{text}{end}")
    assert document.format == f"{language} in text"
    assert fenced == rows
    assert document.frame.text_before.startswith(b"Here it is:")
    assert b"```" in document.frame.text_after


@pytest.mark.parametrize(
    "text",
    [
        "```yaml\na:\n  b: 1\n  c: 2\n",  # the fence is open
        "```yaml\na:\n  b: 1\n  c: 2\n```\n" + "Many words after it. " * 20,
        "```yaml\na:\n  b: 1\n  c: 2\n```\n\n```yaml\na: 1\n```\n",
        "```\nsome words\nand more\n```\n",
    ],
)
def test_other_fences_are_text(text):
    assert not read(text)[0].format.endswith("in text")


def test_every_text_in_a_fence_comes_back():
    for text, _, _ in TEXTS.values():
        read(f"```\n{text}\n```\n")
