"""What the second call asks for: the negotiation fields, checked, over the token's position."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock.model import Mode, Refusal
from penstock.policy import Policy
from penstock.tokens import Position

TOKEN_FIELD = "continuation_token"  # noqa: S105 (the name of a field)
FIELDS = (TOKEN_FIELD, "mode", "page", "page_size", "filter_keys", "path", "query")
_LONGEST_PATH = 10_000
_MOST_KEYS = 200
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Request:
    """One look at a result. `row` is where a page starts, if the token's position said so."""

    mode: Mode = Mode.PAGINATED
    page: int | None = None
    page_size: int = 20
    row: int = 0
    offset: int = 0
    filter_keys: tuple[str, ...] = ()
    path: str = ""
    query: str = ""


class _Wrong(Exception):
    def __init__(self, error: str, next_step: str) -> None:
        self.refusal = Refusal(error, next_step)
        super().__init__(error)


def is_absent(value: Any) -> bool:
    """Empty or null means absent: models fill in what they do not need."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def read_request(
    arguments: Mapping[str, Any], position: Position, policy: Policy
) -> Request | Refusal:
    """The fields of the call; what it leaves out is the position's, then the default."""
    given = {name: arguments[name] for name in FIELDS if not is_absent(arguments.get(name))}
    try:
        return _checked(given, position, policy)
    except _Wrong as wrong:
        return wrong.refusal


def _checked(given: Mapping[str, Any], position: Position, policy: Policy) -> Request:
    page = _whole_number(given, "page")
    mode = _mode(given, position, policy)
    query = _text(given, "query", "") if mode in (Mode.SQL, Mode.QUERY, Mode.SEARCH) else ""
    if mode in (Mode.SQL, Mode.QUERY, Mode.SEARCH) and not query:
        raise _Wrong(f"mode {mode} needs query.", _QUERY_HELP[mode])
    keys = _filter_keys(given) or position.filter_keys
    if mode is Mode.FILTERED and not keys:
        raise _Wrong(
            "mode filtered needs filter_keys.",
            'Give filter_keys as a list of keys, for instance ["id", "name"].',
        )
    path = _text(given, "path", position.path)
    # A place is one in what the token says; anything else that is asked for starts at its start.
    same = (mode.value, path, keys) == (position.mode, position.path, position.filter_keys)
    stays = same and page is None
    return Request(
        mode=mode,
        page=page,
        page_size=_page_size(given, position, policy),
        row=position.row if stays else 0,
        offset=position.offset if stays else 0,
        filter_keys=keys,
        path=path,
        query=query,
    )


_QUERY_HELP = {
    Mode.SQL: "Give query as one SELECT over the table result, "
    "for instance SELECT count(*) AS n FROM result.",
    Mode.QUERY: "Give query as a jq program, for instance map(select(.id > 5)) | length.",
    Mode.SEARCH: "Give query as the text to look for.",
}


def _mode(given: Mapping[str, Any], position: Position, policy: Policy) -> Mode:
    default = Mode.PAGINATED if "query" not in given else None
    named = given.get("mode", position.mode if "query" not in given else None)
    allowed = ", ".join(policy.modes)
    if named is None and default is None:
        raise _Wrong(
            "query was given without a mode.", "Say mode: sql, query (jq) or search with it."
        )
    if not isinstance(named, str) or named not in {mode.value for mode in policy.modes}:
        raise _Wrong(f"There is no mode {shown(named)}.", f"Use one of: {allowed}.")
    return Mode(named)


def _whole_number(given: Mapping[str, Any], name: str) -> int | None:
    """Numbers, also as text: models write "3". Nothing is clamped."""
    if name not in given:
        return None
    value = given[name]
    if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Wrong(
            f"{name} {shown(given[name])} is not a whole number from 1 up.",
            f"Give {name} as 1 or more.",
        )
    return value


def _page_size(given: Mapping[str, Any], position: Position, policy: Policy) -> int:
    size = _whole_number(given, "page_size") or position.page_size or policy.page_size
    if size > policy.max_page_size:
        raise _Wrong(
            f"page_size {shown(size)} is above the largest, {policy.max_page_size}.",
            f"Give page_size as 1 to {policy.max_page_size}.",
        )
    return size


def _filter_keys(given: Mapping[str, Any]) -> tuple[str, ...]:
    keys = given.get("filter_keys", [])
    if isinstance(keys, str) or not isinstance(keys, list | tuple):
        example = keys if isinstance(keys, str) and len(keys) <= _SHOWN else "id"
        raise _Wrong(
            f"filter_keys {shown(keys)} is not a list of keys.",
            f'Give a list, for instance ["{example}"].',
        )
    if not all(isinstance(key, str) and key and _is_unicode(key) for key in keys):
        raise _Wrong("filter_keys holds something that is no key.", "Give texts only.")
    if len(keys) > _MOST_KEYS:
        raise _Wrong(
            f"filter_keys has {len(keys)} keys.",
            f"Give at most {_MOST_KEYS}, or use mode paginated to see all.",
        )
    return tuple(dict.fromkeys(keys))


def _text(given: Mapping[str, Any], name: str, default: str) -> str:
    value = given.get(name, default)
    if not isinstance(value, str):
        raise _Wrong(f"{name} {shown(value)} is not text.", f"Give {name} as text.")
    if len(value) > _LONGEST_PATH:
        raise _Wrong(
            f"{name} has {len(value):,} characters.", f"Give at most {_LONGEST_PATH:,} characters."
        )
    if not _is_unicode(value):
        raise _Wrong(
            f"{name} holds half of a surrogate pair.",
            "Give whole characters; the entry of a dict with such a key is at /~#N/value, where "
            "N is its number from 0.",
        )
    return value


def _is_unicode(text: str) -> bool:
    """Half a surrogate pair can stand in JSON, but in no token."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def shown(value: Any) -> str:
    """An argument as it may be repeated in an error: bounded, on one line."""
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**18 else "that large"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
