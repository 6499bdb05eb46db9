"""How each setting may be written, and where it may stand.

A bad value is a `ValueError` that says what is wrong with it; `parsed` says of which setting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from penstock.core.budget.budget import Budget
from penstock.core.model.values import Mode
from penstock.errors import InvalidSetting

_SIZE = r"(?i)(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|KiB|MiB|GiB)?"
_SIZE_UNITS = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip
_TIME = r"(?i)(\d+(?:\.\d+)?)\s*(s|m|h)?"
_TIME_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


# Less than this does not hold what Penstock itself has to list.
_LEAST_LIST = {"tokens": 800, "bytes": 4_000, "chars": 4_000}
_LEAST_LIST_TOLD = "must be at least 800tok, 4kB or 4000ch: so much Penstock's own tools need"


def _budget(value: Any) -> Budget:
    return Budget.parse(value)


def _list_budget(value: Any) -> Budget:
    try:
        budget = Budget.parse(value)
    except InvalidSetting as error:
        if error.setting == "budget":  # it cannot be read; else one of its limits is too small
            raise
        raise ValueError(_LEAST_LIST_TOLD) from None
    limits = {"tokens": budget.token_allowance, "bytes": budget.bytes, "chars": budget.chars}
    if any(limit is not None and limit < _LEAST_LIST[unit] for unit, limit in limits.items()):
        raise ValueError(_LEAST_LIST_TOLD)
    return budget


def _choice(*choices: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"must be one of: {', '.join(choices)}")
        return str(value)

    return parse


def _size(value: Any) -> int:
    return int(_quantity(value, _SIZE, _SIZE_UNITS, "a size such as 64MB"))


def _seconds(value: Any) -> float:
    return _quantity(value, _TIME, _TIME_UNITS, "a time such as 300, 5m or 1h")


def _quantity(value: Any, pattern: str, units: Mapping[str, int], like: str) -> float:
    match = re.fullmatch(pattern, str(value).strip().replace("_", ""))
    if match is None or isinstance(value, bool):
        raise ValueError(f"not {like}")
    amount = float(match[1]) * units[(match[2] or "").lower()]
    if amount <= 0:
        raise ValueError("must be above zero")
    return amount


def _count(value: Any) -> int:
    if isinstance(value, bool) or not re.fullmatch(r"\d+", str(value).strip().replace("_", "")):
        raise ValueError("not a whole number")
    number = int(str(value).replace("_", ""))
    if number < 1:
        raise ValueError("must be at least 1")
    return number


def _flag(value: Any) -> bool:
    words = {"true": True, "1": True, "yes": True, "on": True}
    words |= {"false": False, "0": False, "no": False, "off": False}
    if str(value).lower() not in words:
        raise ValueError("neither true nor false, neither on nor off")
    return words[str(value).lower()]


def _modes(value: Any) -> tuple[Mode, ...]:
    names = value.replace(",", " ").split() if isinstance(value, str) else list(value)
    known = [mode.value for mode in Mode]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(f"modes are some of: {', '.join(known)}")
    return tuple(mode for mode in Mode if mode.value in names)


def _names(value: Any) -> tuple[str, ...]:
    names = value.replace(",", " ").split() if isinstance(value, str) else list(value)
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError("not a list of names")
    return tuple(names)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be text")
    return value


# What each setting is read with, wherever it comes from.
PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "budget": _budget,
    "inline": _budget,
    "ceiling": _budget,
    "heavy": _flag,
    "modes": _modes,
    "page_size": _count,
    "max_page_size": _count,
    "preview": _count,
    "ttl": _seconds,
    "max_ttl": _seconds,
    "bearer_ttl": _seconds,
    "store": _text,
    "capacity": _size,
    "quota": _size,
    "media_cap": _size,
    "query_seconds": _seconds,
    "query_memory": _size,
    "query_rows": _count,
    "only": _names,
    "except_": _names,
    "list_form": _choice("auto", "full", "brief", "index"),
    "list_budget": _list_budget,
    "always": _names,
    "app_only": _names,
    "explorer": _flag,
    "gate": _choice("off", "teach", "strict"),
    "descriptions": _text,
    "grant_ttl": _seconds,
}
# What stands for a setting that is not made.
UNSET: Mapping[str, Any] = {"inline": None, "descriptions": ""}
# Settings whose names Python has taken.
FIELD_NAMES = {"except": "except_", "list": "list_form"}
SETTING_NAMES = {field: name for name, field in FIELD_NAMES.items()}
# Settings that make sense for one tool: the store and its sizes are everybody's.
TOOL_SETTINGS = (
    "budget", "inline", "ceiling", "heavy", "modes", "page_size", "max_page_size", "preview",
    "ttl", "max_ttl", "bearer_ttl", "media_cap",
)  # fmt: skip
# Settings that make sense for one client: what it is shown.
CLIENT_SETTINGS = ("list", "list_budget", "always", "gate")
TABLES: Mapping[str, Sequence[str]] = {"tools": TOOL_SETTINGS, "clients": CLIENT_SETTINGS}


def parsed(name: str, value: Any, parse: Callable[[Any], Any]) -> Any:
    name = SETTING_NAMES.get(name, name)
    try:
        return parse(value)
    except InvalidSetting as error:
        raise InvalidSetting(name, value, error.why, next_step=error.next_step) from None
    except (ValueError, TypeError) as error:
        raise InvalidSetting(name, value, str(error)) from None
