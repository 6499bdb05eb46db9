"""The logger. `logging` is slow to import, and most processes have nothing to tell."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger


@cache
def logger() -> Logger:
    """Return the logger of Penstock."""
    import logging

    return logging.getLogger("penstock")
