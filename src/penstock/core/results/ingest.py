"""The reading of a document to its end. Rows are sampled for the probe, and packed for the store
unless they may be small enough to pass whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.json import rawjson
from penstock.core.model.reply import Reply
from penstock.core.results.document import Document
from penstock.core.results.packing import Packed, pack, quoted_size
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
        return self.packed_early or pack([self.rows or []], lines=self.is_text)

    @property
    def size(self) -> int:
        return len(self.document.prefix) + self.packed.size + len(self.document.suffix)

    @property
    def quoted(self) -> int:
        """The number of bytes that the value takes inside a JSON string."""
        around = quoted_size(self.document.prefix) + quoted_size(self.document.suffix)
        return around + self.packed.quoted

    @property
    def is_text(self) -> bool:
        return self.document.shape == "lines"

    def value(self) -> bytes | None:
        """Return the whole value if its rows are in memory, else None."""
        if self.rows is None:
            return None
        document = self.document
        return document.prefix + document.separator.join(self.rows) + document.suffix

    def wire_size(self, empty: Reply) -> int:
        """Compute how many bytes the view `full` would send, without building the reply. `empty` is
        this reply without the value."""
        size = len(empty.wire()) + self.quoted
        if empty.frame.structured:
            as_text = self.is_text or self.document.wrapped == "text"
            value = self.quoted + len('""') if as_text else self.size
            size += len(b',"structuredContent":') + value
            size += 0 if self._is_object else len(b"{:}" + rawjson.string(self.document.wrapper))
        return size

    @property
    def _is_object(self) -> bool:
        return self.document.prefix[:1] == b"{" and not self.document.wrapped


def ingest(document: Document, inline: Budget) -> Ingested:
    """Read a document. Keep its rows while they may be within `inline`, otherwise pack them."""
    sample = Sample(is_text=document.shape == "lines")
    blocks = sample.watch(document.blocks)
    lines = document.shape == "lines"
    gathered: list[list[bytes]] = []
    size = 0
    for block in blocks:
        gathered.append(block)
        size += sum(map(len, block)) + len(block)
        if not inline.may_admit(size):
            packed = pack(chain(_handed_over(gathered), blocks), lines=lines)
            return Ingested(document, sample, None, packed)
    return Ingested(document, sample, [row for block in gathered for row in block])


def _handed_over(blocks: list[list[bytes]]) -> Iterator[list[bytes]]:
    """Yield and release one block at a time, so that no row is held both unpacked and packed."""
    while blocks:
        yield blocks.pop(0)
