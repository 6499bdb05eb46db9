"""One step towards JSON with a value of a class that the encoder does not know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from penstock.core.json import frames, records, unboxing


@records.cached_by_class
def opener_of(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that takes values of this class one step towards JSON, if any."""
    if issubclass(kind, bytes | bytearray | memoryview):
        return unboxing.step_of(kind)  # also sequences, but not to be shown as lists of numbers
    known = unboxing.step_of(kind) or frames.reader_of(kind) or records.reader_of(kind)
    is_listed = issubclass(kind, Sequence | AbstractSet | frames.DataRows)
    return known or (list if is_listed else None)
