"""The reading of a document to its end. Rows are sampled for the probe, and packed for the store
unless they may be small enough to pass whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import chain

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.json import rawjson
from penstock.core.model.reply import Reply
from penstock.core.results import formats
from penstock.core.results.decoding import decoded
from penstock.core.results.document import Document
from penstock.core.results.packing import Packed, pack, quoted_size, quoted_text_size
from penstock.core.results.sample import Sample


class Ingested(msgspec.Struct, frozen=True, dict=True):
    """A document that was read to its end."""

    document: Document
    sample: Sample
    rows: list[bytes] | None  # all rows, if the value may be small enough to pass whole
    packed_early: Packed | None = None  # set if `rows` is None

    @cached_property
    def packed(self) -> Packed:
        """The packed rows. Those of a small value are packed when first needed."""
        return self.packed_early or pack([self.rows or []], self.document.joint)

    @property
    def size(self) -> int:
        if self.document.has_text_blocks:
            return self.document.value_size
        return len(self.document.prefix) + self.packed.size + len(self.document.suffix)

    @property
    def quoted(self) -> int:
        """The number of bytes that the value takes inside a JSON string."""
        if self.document.has_text_blocks:
            return self.document.value_quoted
        around = self.document.prefix, self.document.suffix
        quote = quoted_text_size if self.document.format else quoted_size
        return sum(map(quote, around)) + self.packed.quoted

    @property
    def is_text(self) -> bool:
        return self.document.is_text

    def value(self) -> bytes | None:
        """Return the whole value if its rows are in memory, else None."""
        if self.rows is None:
            return None
        document = self.document
        return document.prefix + document.joint.join(self.rows) + document.suffix

    def wire_size(self, empty: Reply) -> int:
        """Compute how many bytes the view `full` would send, without building the reply. `empty` is
        this reply without the value."""
        size = len(empty.wire()) + self.quoted
        if empty.frame.structured:
            size += len(b',"structuredContent":') + self._structured_size
        return size

    @property
    def _structured_size(self) -> int:
        document = self.document
        is_string = (self.is_text and not document.is_said_twice) or document.wrapped == "text"
        value = self.quoted + len('""') if is_string else document.value_size or self.size
        is_object = document.envelope[:1] == b"{" and not (is_string or document.wrapped)
        return value + (0 if is_object else len(b"{:}" + rawjson.string(document.wrapper)))


def ingest(document: Document, inline: Budget) -> Ingested:
    """Read a document. Keep its rows while they may be within `inline`, otherwise pack them."""
    is_kept_otherwise = document.format or document.has_text_blocks
    sample = Sample(
        is_text=document.shape == "lines",
        decode=partial(decoded, document) if is_kept_otherwise else None,
        has_free_cells=formats.has_free_cells(document.format),
    )
    blocks = sample.watch(document.blocks)
    gathered: list[list[bytes]] = []
    size = 0
    for block in blocks:
        gathered.append(block)
        size += sum(map(len, block)) + len(block)
        if not inline.may_admit(size):
            packed = pack(chain(_handed_over(gathered), blocks), document.joint)
            return Ingested(document, sample, None, packed)
    return Ingested(document, sample, [row for block in gathered for row in block])


def _handed_over(blocks: list[list[bytes]]) -> Iterator[list[bytes]]:
    """Yield and release one block at a time, so that no row is held both unpacked and packed."""
    while blocks:
        yield blocks.pop(0)
