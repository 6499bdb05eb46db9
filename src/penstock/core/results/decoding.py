"""The reading of rows as they are kept: parts of a text with data, and texts of several blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.json import rawjson
from penstock.core.results import formats
from penstock.core.results.document import read_text_with_data

if TYPE_CHECKING:
    from penstock.core.model.stored import Head
    from penstock.core.results.document import Document

# Around the one value of a text block. Any other text there belongs to the value of the block.
_MARKS_ALONE: Final = re.compile(rb"\s*+(?:`{3,}+\w*+|<[^<>]*+>)?+\s*+")


class BlockValue(NamedTuple):
    """The value of one of several blocks, and what it does not show of the block."""

    value: bytes
    notices: tuple[str, ...] = ()


def decoded(about: Document | Head, rows: Sequence[bytes]) -> list[bytes]:
    """Return rows as JSON, and lines as they are."""
    if about.format:
        return formats.decoded(about.format, rows, about.reading)
    return [value_of_block(row).value for row in rows] if about.has_text_blocks else list(rows)


def value_of_block(row: bytes) -> BlockValue:
    """Return the value of one of several blocks. For a text, that is the one value in it, if it holds
    one and nothing else."""
    if row[:1] != b'"':
        return BlockValue(row)
    try:
        return _value_in_text(row) or BlockValue(row)
    except rawjson.TooDeep:
        return BlockValue(row)


def _value_in_text(row: bytes) -> BlockValue | None:
    document = read_text_with_data(str(rawjson.decode(row)))
    if not document.format or not formats.is_one_value(document.format):
        return None
    frame = document.frame
    if not all(map(_MARKS_ALONE.fullmatch, (frame.text_before, frame.text_after))):
        return None
    values = (row for rows in document.blocks for row in decoded(document, rows))
    value = frame.prefix + b",".join(values) + frame.suffix
    rawjson.require_shallow(value)
    return BlockValue(value, document.all_notices)
