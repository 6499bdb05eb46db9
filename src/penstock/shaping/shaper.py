"""The protocol of objects with a summary and a full form."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Shaper(Protocol):
    """An object with a summary and a full form, both plain JSON values with the field `output`. The
    full form holds every value of the summary, which costs at most `SUMMARY_TOKENS`."""

    def summary(self) -> dict[str, Any]: ...

    def full(self) -> dict[str, Any]: ...
