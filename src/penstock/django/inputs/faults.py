"""Exceptions of a site's own code while it is inspected: logged once, and never passed on."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeVar

from penstock.log import logger

Found = TypeVar("Found")

_MOST_TOLD: Final = 4_096


def attempt(what: str, look: Callable[[], Found], otherwise: Found) -> Found:
    """Return what `look` finds; if it raises, log a warning and return `otherwise`."""
    try:
        return look()
    except Exception as fault:  # noqa: BLE001 (it is the site's code: it may raise anything)
        tell(what, fault)
        return otherwise


def quietly(look: Callable[[], Found]) -> Found | None:
    """Return what `look` finds; None if it raises, without a warning: nothing may be there."""
    try:
        return look()
    except Exception:  # noqa: BLE001 (it is the site's code: it may raise anything)
        return None


def tell(what: str, fault: Exception) -> None:
    _tell_once(what, f"{type(fault).__name__}: {fault}")


@lru_cache(_MOST_TOLD)
def _tell_once(what: str, why: str) -> None:
    logger().warning(
        "%s could not be inspected (%s). Its tool stays callable, with a schema that is open there.",
        what,
        why,
    )
