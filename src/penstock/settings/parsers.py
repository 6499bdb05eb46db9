"""Parsers for each kind of setting.

A parser raises a `ValueError` that says what is wrong. `parsed` adds the name of the setting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from penstock.core.budget.budget import Budget
from penstock.core.model.values import Mode
from penstock.errors import InvalidSetting

if TYPE_CHECKING:
    from penstock.core.budget.hosts import HostProfile

WrittenBudget: TypeAlias = Budget | str | int
WrittenNumber: TypeAlias = int | str
WrittenTime: TypeAlias = float | str
WrittenNames: TypeAlias = str | Iterable[str]
WrittenFlag: TypeAlias = bool | str
Table: TypeAlias = Mapping[str, Mapping[str, Any]]

Written = TypeVar("Written")
Value = TypeVar("Value")

_SIZE = r"(?i)(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|KiB|MiB|GiB)?"
_SIZE_UNITS = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip
_TIME = r"(?i)(\d+(?:\.\d+)?)\s*(s|m|h)?"
_TIME_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
# SQLite and the system take no larger number, and waiting for longer is an error in Python.
_MOST_SIZE = (9 * 10**18, "9000000000GB")
_MOST_TIME = (9 * 10**8, "250000h")
_FLAGS = {
    "true": True, "1": True, "yes": True, "on": True,
    "false": False, "0": False, "no": False, "off": False,
}  # fmt: skip
# A smaller list has no room for Penstock's own tools.
_LEAST_LIST = {"tokens": 800, "bytes": 4_000, "chars": 4_000}
_LEAST_LIST_TOLD = "must be at least 800tok, 4kB or 4000ch: Penstock's own tools need that much"

_LEAST_MESSAGE = 10_000
_LEAST_MESSAGE_TOLD = "must be at least 10kB; write 4MB for four megabytes"


def parsed(place: str, value: Written, parse: Callable[[Written], Value]) -> Value:
    """Parse a value, or raise an `InvalidSetting` that names the place where it was written."""
    try:
        return parse(value)
    except InvalidSetting as error:
        raise InvalidSetting(place, value, error.why, next_step=error.next_step) from None
    except (ValueError, TypeError) as error:
        raise InvalidSetting(place, value, str(error)) from None


def optional_budget(value: WrittenBudget | None) -> Budget | None:
    return None if value is None else Budget.parse(value)


def list_budget(value: WrittenBudget) -> Budget:
    try:
        budget = Budget.parse(value)
    except InvalidSetting as error:
        if error.setting == "budget":  # unreadable; any other error means that a limit is too small
            raise
        raise ValueError(_LEAST_LIST_TOLD) from None
    limits = {"tokens": budget.token_allowance, "bytes": budget.bytes, "chars": budget.chars}
    if any(limit is not None and limit < _LEAST_LIST[unit] for unit, limit in limits.items()):
        raise ValueError(_LEAST_LIST_TOLD)
    return budget


def size(value: WrittenNumber) -> int:
    return int(_quantity(value, _SIZE, _SIZE_UNITS, "a size such as 64MB", _MOST_SIZE))


def message_size(value: WrittenNumber) -> int:
    """Return the size of the largest message. A smaller one would admit no message at all."""
    number = size(value)
    if number < _LEAST_MESSAGE:
        raise ValueError(_LEAST_MESSAGE_TOLD)
    return number


def seconds(value: WrittenTime) -> float:
    return _quantity(value, _TIME, _TIME_UNITS, "a time such as 300, 5m or 1h", _MOST_TIME)


def optional_seconds(value: WrittenTime | None) -> float | None:
    if value is None or str(value).strip().lower() == "off":
        return None
    try:
        return seconds(value)
    except ValueError as error:
        raise ValueError(f"{error}; off means no limit") from None


def _quantity(
    value: object, pattern: str, units: Mapping[str, int], like: str, most: tuple[int, str]
) -> float:
    match = re.fullmatch(pattern, str(value).strip().replace("_", ""))
    if match is None or isinstance(value, bool):
        raise ValueError(f"not {like}")
    amount = float(match[1]) * units[(match[2] or "").lower()]
    if amount <= 0:
        raise ValueError("must be above zero")
    if amount > most[0]:
        raise ValueError(f"must be at most {most[1]}")
    return amount


def count(value: WrittenNumber) -> int:
    if isinstance(value, bool) or not re.fullmatch(r"\d+", str(value).strip().replace("_", "")):
        raise ValueError("not a whole number")
    number = int(str(value).replace("_", ""))
    if number < 1:
        raise ValueError("must be at least 1")
    return number


def flag(value: WrittenFlag) -> bool:
    found = _FLAGS.get(str(value).lower())
    if found is None:
        raise ValueError("neither true nor false, neither on nor off")
    return found


def modes(value: WrittenNames) -> tuple[Mode, ...]:
    names = _split(value)
    known = [mode.value for mode in Mode]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(f"must be some of: {', '.join(known)}")
    return tuple(mode for mode in Mode if mode.value in names)


def names(value: WrittenNames) -> tuple[str, ...]:
    found = _split(value)
    if not all(isinstance(name, str) and name for name in found):
        raise ValueError("not a list of names")
    return tuple(found)


def _split(value: WrittenNames) -> list[Any]:
    return value.replace(",", " ").split() if isinstance(value, str) else list(value)


def choice(*choices: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in choices:
            raise ValueError(f"must be one of: {', '.join(choices)}")
        return str(value)

    return parse


def programs(value: str) -> str:
    """Return the setting `programs`. The words `only` and `write` may stand together."""
    both = "only,write"
    words = sorted(str(value).replace(",", " ").split())
    return choice("auto", "on", "only", "write", both, "off")(
        both if words == ["only", "write"] else value
    )


def text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be text")
    return value


def optional_text(value: str) -> str:
    return value if value == "" else text(value)


def profile(value: str) -> HostProfile:
    from penstock.core.budget import hosts  # loaded late: few users name a host

    return hosts.profile(str(value))


def table_of(kind: str) -> Callable[[Table], Table]:
    def parse(value: Table) -> Table:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table of {kind}")  # noqa: TRY004 (see `parsed`)
        return dict(value)

    return parse
