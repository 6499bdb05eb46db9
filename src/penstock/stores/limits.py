"""The two limits of a store that evicts, and the one refusal they lead to."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.core.model.store import DEFAULT_CAPACITY, DEFAULT_QUOTA
from penstock.errors import InvalidSetting, StoreFull


@dataclass(frozen=True, slots=True)
class StoreLimits:
    """Bytes in all, and bytes of one owner. A quota above the capacity never comes to bear."""

    capacity: int = DEFAULT_CAPACITY
    quota: int = DEFAULT_QUOTA

    def __post_init__(self) -> None:
        for name, value in (("capacity", self.capacity), ("quota", self.quota)):
            if value < 1:
                raise InvalidSetting(f"store {name}", value, "it must be at least one byte.")

    def refuse_oversized(self, size: int) -> None:
        """No eviction can make room for a record that is larger than a limit by itself."""
        if size > self.quota:
            raise StoreFull(f"A result of {size:,} bytes is over the quota of {self.quota:,}.")
        if size > self.capacity:
            raise StoreFull(
                f"A result of {size:,} bytes is over the capacity of {self.capacity:,}."
            )
