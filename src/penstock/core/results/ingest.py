"""Reading a document to its end: packed for the store, glanced at for the probe, and, where it
may be small enough to pass whole, at hand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.json import rawjson
from penstock.core.model.reply import Reply
from penstock.core.model.values import Frame
from penstock.core.results.document import Document
from penstock.core.results.packing import Packed, pack, quoted_size
from penstock.core.results.sample import Sample


class Ingested(msgspec.Struct, frozen=True, dict=True):
    """A document that was read to its end: packed already, or at hand in `rows` if it may pass
    whole, and then packed only if it does not."""

    document: Document
    sample: Sample
    rows: list[bytes] | None
    packed_already: Packed | None = None

    @cached_property
    def packed(self) -> Packed:
        return self.packed_already or pack([self.rows or []], lines=self.is_text)

    @property
    def size(self) -> int:
        return len(self.document.prefix) + self.packed.size + len(self.document.suffix)

    @property
    def quoted(self) -> int:
        """The bytes of the value inside a JSON string."""
        around = quoted_size(self.document.prefix) + quoted_size(self.document.suffix)
        return around + self.packed.quoted

    @property
    def is_text(self) -> bool:
        return self.document.shape == "lines"

    def value(self) -> bytes | None:
        """The whole, if it is at hand."""
        if self.rows is None:
            return None
        document = self.document
        return document.prefix + document.separator.join(self.rows) + document.suffix

    def wire_size(self, frame: Frame, *, is_error: bool = False, meta: bytes = b"") -> int:
        """What `full` would put on the wire, without putting it together."""
        size = len(Reply(frame=frame, is_error=is_error).wire()) + self.quoted
        size += len(b',"_meta":' + meta) if meta else 0
        if frame.structured:
            as_text = self.is_text or self.document.wrapped == "text"
            value = self.quoted + len('""') if as_text else self.size
            size += len(b',"structuredContent":') + value
            size += 0 if self._is_object else len(b"{:}" + rawjson.string(self.document.wrapper))
        return size

    @property
    def _is_object(self) -> bool:
        return self.document.prefix[:1] == b"{" and not self.document.wrapped


def ingest(document: Document, inline: Budget) -> Ingested:
    """Keep the rows at hand; pack them, these and all that follow, once they cannot be within
    `inline`."""
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
    """The blocks, each let go as it is taken, so that they are not kept twice."""
    while blocks:
        yield blocks.pop(0)
