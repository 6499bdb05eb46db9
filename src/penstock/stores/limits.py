"""The two limits of a store that evicts."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.core.model.store import DEFAULT_CAPACITY, DEFAULT_QUOTA
from penstock.errors import InvalidSetting, StoreFull


@dataclass(frozen=True, slots=True)
class StoreLimits:
    """The most bytes that a store holds. A quota above the capacity has no effect."""

    capacity: int = DEFAULT_CAPACITY  # of all owners
    quota: int = DEFAULT_QUOTA  # of one owner

    def __post_init__(self) -> None:
        for name, value in (("capacity", self.capacity), ("quota", self.quota)):
            if value < 1:
                raise InvalidSetting(f"store {name}", value, "it must be at least one byte.")

    def refuse_oversized(self, size: int) -> None:
        """Refuse a record that alone is larger than a limit: no eviction can make room for it."""
        if size > self.quota:
            raise StoreFull(f"A result of {size:,} bytes is over the quota of {self.quota:,}.")
        if size > self.capacity:
            raise StoreFull(
                f"A result of {size:,} bytes is over the capacity of {self.capacity:,}."
            )
