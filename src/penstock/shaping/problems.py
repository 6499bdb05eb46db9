"""Errors about a grid or a series, of bounded length.

A bad argument raises `InvalidSetting`, which names the argument. Data without the shape of a grid
or a series raises `InvalidShape`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from penstock.errors import InvalidResult, InvalidSetting

_MOST_NAMES = 20
_NAME_CHARS = 40


class InvalidShape(InvalidResult):
    """The cells or entries that a tool returned do not make a grid or a series."""


def listed(names: Iterable[object]) -> str:
    """Return names for a message, shortened if they are many or long."""
    found = [clipped(str(name), _NAME_CHARS) for name in islice(names, _MOST_NAMES + 1)]
    if len(found) > _MOST_NAMES:
        found[-1] = "..."
    return ", ".join(found) or "none"


def clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def kind_name(value: object) -> str:
    return type(value).__name__


def no_such_field(setting: str, name: str, fields: Iterable[object]) -> InvalidSetting:
    return InvalidSetting(
        setting,
        clipped(name, _NAME_CHARS),
        f"there is no such field. There are: {listed(fields)}",
        next_step="Name one of these; a dotted path reaches inside a field.",
    )


def not_a_number(setting: str, name: str, kind: str, place: str) -> InvalidSetting:
    return InvalidSetting(
        setting,
        clipped(name, _NAME_CHARS),
        f"must be a number, but {place} it is a {kind}",
        next_step="Name a field that holds int, float or Decimal; None and NaN mean no value.",
    )
