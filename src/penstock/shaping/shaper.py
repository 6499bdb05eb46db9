"""What has a short form and a whole one."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Shaper(Protocol):
    """Both forms are plain JSON values with the field `output`, and what the summary shows is in
    the full form. A summary costs at most `penstock.shaping.SUMMARY_TOKENS`."""

    def summary(self) -> dict[str, Any]: ...

    def full(self) -> dict[str, Any]: ...
