"""The whole of a stored result, or of a part of it, as a file: text, JSON or CSV.

Each writer yields pieces as it reads chunks, so that a large result takes little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from penstock.cli.stored.csv_rows import csv_pieces
from penstock.cli.stored.part import json_blocks, kept_blocks
from penstock.core.json import rawjson
from penstock.core.model.values import Refusal
from penstock.core.views.focus import Focus
from penstock.gate.gate import Gate

_NO_TEXT: Final = Refusal("The result is no text, but a value.", "Use --format json.")


def text_pieces(gate: Gate, focus: Focus) -> Iterator[bytes] | Refusal:
    """Return the exact text, in pieces."""
    if not focus.is_text:
        return _NO_TEXT
    if focus.in_text is None:
        return _joined(kept_blocks(gate, focus), b"\n")
    text = focus.in_text
    return _joined(kept_blocks(gate, focus), text.joint, text.prefix, text.suffix)


def json_pieces(gate: Gate, focus: Focus) -> Iterator[bytes]:
    """Return the value in JSON, in pieces: of a text with data the data, of another text a string."""
    if focus.shape == "lines":
        lines = ([rawjson.string(rawjson.text(row))[1:-1] for row in block]
                 for block in kept_blocks(gate, focus))  # fmt: skip
        return _joined(lines, b"\\n", b'"', b'"\n')
    return _joined(json_blocks(gate, focus), b",", focus.prefix, focus.suffix + b"\n")


def _joined(
    blocks: Iterable[list[bytes]], joint: bytes, prefix: bytes = b"", suffix: bytes = b""
) -> Iterator[bytes]:
    before = prefix
    for block in blocks:
        yield before + joint.join(block)
        before = joint
    yield suffix if before is joint else prefix + suffix


WRITERS: Final[dict[str, Callable[[Gate, Focus], Iterator[bytes] | Refusal]]] = {
    "csv": csv_pieces,
    "json": json_pieces,
    "text": text_pieces,
}
