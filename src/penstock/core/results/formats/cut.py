"""The protocol of a format: how a text is cut into rows, and how a row is decoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from penstock.core.model.stored import Shape

BLOCK_ROWS: Final = 1_000
BLOCK_BYTES: Final = 64_000
LARGEST_SCANNED: Final = 10_000_000  # bytes of a text that is read line by line


class TextCut(msgspec.Struct, frozen=True):
    """A text in rows. The prefix, the rows with `joint` between them, and the suffix are the text, to
    the byte."""

    shape: Shape
    blocks: Iterator[list[bytes]]  # can be read once
    prefix: bytes = b""
    suffix: bytes = b""
    joint: bytes = b""  # the bytes between two rows: a newline if the rows are lines
    list_path: str = ""  # the pointer to the one list of a dict, if its elements are the rows
    reading: bytes = b""  # all that decoding needs to know about the text, as JSON
    notices: tuple[str, ...] = ()  # what the rows do not show, in whole sentences
    # The contents of the whole text for the probe, such as its headings: JSON objects, from long to short.
    contents: tuple[bytes, ...] = ()
    # JSON without white space: the text and its value are the same bytes. Read it as a value, whose
    # depth is checked as its rows are cut: a check of its own would cost as much as recognition.
    is_compact: bool = False


class NearMiss(msgspec.Struct, frozen=True):
    """A text that looks like a format, but is not of it. It stays lines, and the agent is told why."""

    reason: str  # the first place that breaks the format: "record 12 has 2 fields, not 3"
    is_sure: bool = False  # no other format is meant, so no time is spent on others


def too_large(text: bytes, largest: int = LARGEST_SCANNED) -> NearMiss | None:
    """Refuse a text that would take seconds to read."""
    if len(text) <= largest:
        return None
    return NearMiss(f"it has {len(text):,} bytes, and at most {largest:,} are read", is_sure=True)


class ValueFrame(NamedTuple):
    """The value of a text in compact JSON, without its rows, and the text around the value."""

    prefix: bytes = b"["
    suffix: bytes = b"]"
    text_before: bytes = b""
    text_after: bytes = b""


class TextFormat(Protocol):
    """A format that texts have."""

    @property
    def has_free_cells(self) -> bool:
        """Whether the probe shows a value of each column, because the form of its cells is not known."""

    @property
    def is_one_value(self) -> bool:
        """Whether a text is one value, so that several texts can be rows."""

    @property
    def has_sections(self) -> bool:
        """Whether the rows are sections of a document, as in `sections`."""

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        """Cut a text of this format. Return no cut unless all of the text is certainly of it, and a
        near miss if most of it is."""

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        """Return rows as compact JSON."""

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        """Return what is around the rows."""


def grouped(rows: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield rows in blocks."""
    block: list[bytes] = []
    size = 0
    for row in rows:
        block.append(row)
        size += len(row)
        if size >= BLOCK_BYTES or len(block) >= BLOCK_ROWS:
            yield block
            block, size = [], 0
    if block:
        yield block


def line_blocks(text: bytes, position: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where blocks of lines start and end, without the newline between two blocks. After the
    last newline there is one more line, which may be empty."""
    while end - position > BLOCK_BYTES:
        stop = text.rfind(b"\n", position, position + BLOCK_BYTES)
        stop = stop if stop >= 0 else text.find(b"\n", position + BLOCK_BYTES, end)
        if stop < 0:
            break
        yield position, stop
        position = stop + 1
    yield position, end
