"""The tiers of tools and requests: how much a tool does, and how much a request may do."""

from __future__ import annotations

from enum import IntEnum

from penstock.errors import InvalidSetting


class Tier(IntEnum):
    """A tier, which includes those before it."""

    READ = 1
    READ_WRITE = 2
    ADMIN = 3

    @property
    def label(self) -> str:
        """The name that settings use."""
        return self.name.lower()

    @classmethod
    def parse(cls, value: object) -> Tier:
        """Read a tier or its name. Refuse a number, which may come from anywhere."""
        if isinstance(value, cls):
            return value
        name = value.strip().upper() if isinstance(value, str) else ""
        if name not in cls.__members__:
            choices = ", ".join(tier.label for tier in cls)
            raise InvalidSetting("tier", value, f"must be one of: {choices}")
        return cls[name]
