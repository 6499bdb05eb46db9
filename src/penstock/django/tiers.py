"""How much a tool may do, and so how much a request must be allowed."""

from __future__ import annotations

from enum import IntEnum

from penstock.errors import InvalidSetting


class Tier(IntEnum):
    """Each includes those before it."""

    READ = 1
    READ_WRITE = 2
    ADMIN = 3

    @property
    def label(self) -> str:
        """As it is written in settings."""
        return self.name.lower()

    @classmethod
    def parse(cls, value: object) -> Tier:
        """A tier or the name of one. A number is neither: it may come from anywhere."""
        if isinstance(value, cls):
            return value
        name = value.strip().upper() if isinstance(value, str) else ""
        if name not in cls.__members__:
            choices = ", ".join(tier.label for tier in cls)
            raise InvalidSetting("tier", value, f"must be one of: {choices}")
        return cls[name]
