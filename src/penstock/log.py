"""The logger, imported late: `logging` is slow to import, and most processes log nothing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger


@cache
def logger() -> Logger:
    import logging

    return logging.getLogger("penstock")
