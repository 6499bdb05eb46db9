"""Warnings about a store that fails: each says once what was lost."""

from __future__ import annotations

from typing import Final

from penstock.core.model.effects import Effect, LoadHead, Put, ReadChunks, Touch
from penstock.errors import StoreError
from penstock.log import logger

_NOT_STORED: Final = (
    "%s of the tool %s was not stored (%s bytes): the agent has only the part in its reply. %s"
)


def warn_of_loss(effect: Effect, error: StoreError) -> None:
    """Log what the failure of a store has cost. Neither a key nor a token is named."""
    match effect:
        case Put():
            size = f"{effect.record.size:,}"
            logger().warning(_NOT_STORED, effect.what, effect.tool, size, error)
        case LoadHead():
            logger().warning("a stored result could not be opened: %s", error)
        case ReadChunks():
            head = effect.entry.head
            told = "a stored result of the tool %s could not be read (%s bytes): %s"
            logger().warning(told, head.tool, f"{head.size:,}", error)
        case Touch():
            logger().warning("a stored result was read, but its life not extended: %s", error)
        case _:
            return  # the failure of a list that is read from its source, which is no store
