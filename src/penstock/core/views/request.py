"""The request for a view: the fields of a second call, checked, with defaults from the token."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.core.json.surrogates import has_half_pair
from penstock.core.model.continuation import Position
from penstock.core.model.questions import jq_installed
from penstock.core.model.values import Mode, Refusal, RowForm
from penstock.core.views.joined_tables import JoinedTable, read_tables
from penstock.settings.policy import Policy

TOKEN_FIELD = "continuation_token"  # noqa: S105 (the name of a field)
FIELDS = (TOKEN_FIELD, "mode", "page", "page_size", "filter_keys", "path", "query")
READER_FIELDS = (
    *FIELDS,
    "row_form",
    "tables",
)  # tools do not get the fields that only the reader has
_LONGEST_PATH = 10_000
_MOST_KEYS = 200
_SHOWN = 60
_QUERY_HELP = {
    Mode.SQL: "Give query as one SELECT over the table result, "
    "for instance SELECT count(*) AS n FROM result.",
    Mode.QUERY: "Give query as a jq program, for instance map(select(.id > 5)) | length.",
    Mode.SEARCH: "Give query as the text to look for.",
}
# The modes whose answers are results of their own.
ANSWERING = frozenset(_QUERY_HELP)


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """The view that a call asks for."""

    mode: Mode = Mode.PAGINATED
    page: int | None = None
    page_size: int = 20  # 0: store the answer and show no row of it
    row: int = 0  # the start of the page, if `page` is None
    offset: int = 0  # the first character to show of that row
    filter_keys: tuple[str, ...] = ()
    path: str = ""
    query: str = ""
    tables: tuple[JoinedTable, ...] = ()  # other results that the statement joins
    row_form: RowForm = RowForm.OBJECTS
    kept_form: str = ""  # the form that `next` carries, if the settings would give another

    @property
    def start(self) -> int:
        """The first row of the page."""
        return self.row if self.page is None else (self.page - 1) * self.page_size

    @property
    def stop(self) -> int:
        """The row after the last of a full page."""
        return self.start + self.page_size


class _Wrong(Exception):
    def __init__(self, error: str, next_step: str) -> None:
        self.refusal = Refusal(error, next_step)
        super().__init__(error)


def is_absent(value: Any) -> bool:
    """Return whether a value is empty or null: models fill in fields that they do not need."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def read_request(
    arguments: Mapping[str, Any],
    position: Position,
    policy: Policy,
    fields: Sequence[str] = FIELDS,
) -> ViewRequest | Refusal:
    """Check the fields of a call. Take those that it leaves out from the position, or a default."""
    given = {name: arguments[name] for name in fields if not is_absent(arguments.get(name))}
    try:
        return _checked(given, position, policy)
    except _Wrong as wrong:
        return wrong.refusal


def _checked(given: Mapping[str, Any], position: Position, policy: Policy) -> ViewRequest:
    page = _whole_number(given, "page")
    mode = _mode(given, position, policy)
    size = _page_size(given, mode, position, policy)
    query = _text(given, "query", "")
    keys = _filter_keys(given) or (position.filter_keys if mode is Mode.FILTERED else ())
    tables = _tables(given)
    _check_combination(mode, query, keys, page, tables)
    if size == 0 and page not in (None, 1):
        raise _Wrong(
            "page_size 0 shows no page.", "Leave page out, or give page_size as 1 or more."
        )
    path = _text(given, "path", position.path)
    # The position's row belongs to the token's own view. Any other view starts at its first row.
    same = (mode.value, path, keys) == (position.mode, position.path, position.filter_keys)
    stays = same and page is None
    row_form = _row_form(given, mode, position.row_form if same else "", policy)
    return ViewRequest(
        mode=mode,
        page=page,
        page_size=size,
        row=position.row if stays else 0,
        offset=position.offset if stays else 0,
        filter_keys=keys,
        path=path,
        query=query,
        tables=tables,
        row_form=row_form,
        kept_form="" if row_form is _form_of_pages(policy) else row_form.value,
    )


def _check_combination(
    mode: Mode,
    query: str,
    keys: tuple[str, ...],
    page: int | None,
    tables: tuple[JoinedTable, ...],
) -> None:
    """Refuse a call without a field that its mode needs, or with one that its mode does not use."""
    if mode in _QUERY_HELP and not query:
        raise _Wrong(f"mode {mode} needs query.", _QUERY_HELP[mode])
    if mode is Mode.FILTERED and not keys:
        raise _Wrong(
            "mode filtered needs filter_keys.",
            'Give filter_keys as a list of keys, for instance ["id", "name"].',
        )
    useless = {
        "query": bool(query) and mode not in ANSWERING,
        "filter_keys": bool(keys) and mode is not Mode.FILTERED,
        "tables": bool(tables) and mode is not Mode.SQL,
        "page": page not in (None, 1) and mode in (Mode.SUMMARY, Mode.FULL),
    }
    for name in (name for name, given in useless.items() if given):
        raise _Wrong(f"mode {mode} does not use {name}.", f"Leave {name} out, or change mode.")


def _mode(given: Mapping[str, Any], position: Position, policy: Policy) -> Mode:
    if "mode" not in given:
        return _implied_mode(given, position, policy)
    named, offered = given["mode"], offered_modes(policy)
    if not isinstance(named, str) or named not in {*offered, Mode.QUERY.value}:
        raise _Wrong(f"There is no mode {shown(named)}.", f"Use one of: {', '.join(offered)}.")
    return Mode(named)


def _implied_mode(given: Mapping[str, Any], position: Position, policy: Policy) -> Mode:
    if "query" in given:
        asking = [mode for mode in offered_modes(policy) if mode in ANSWERING]
        use = f"Add one of these modes: {', '.join(asking)}." if asking else "Leave query out."
        raise _Wrong("query was given without a mode.", use)
    if "filter_keys" in given:
        return Mode.FILTERED
    mode = Mode(position.mode)
    return mode if mode in policy.modes else policy.modes[-1]


def offered_modes(policy: Policy) -> list[str]:
    """Return the modes that the policy allows and whose libraries are installed. Schemas list all
    of these, because only a result shows which of them apply to it."""
    return [mode.value for mode in policy.modes if mode is not Mode.QUERY or jq_installed()]


def _whole_number(given: Mapping[str, Any], name: str, least: int = 1) -> int | None:
    """Return a number, which models may give as text. Refuse a bad one; never clamp it."""
    if name not in given:
        return None
    value = given[name]
    if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise _Wrong(
            f"{name} {shown(given[name])} is not a whole number from {least} up.",
            f"Give {name} as {least} or more.",
        )
    return value


def _page_size(given: Mapping[str, Any], mode: Mode, position: Position, policy: Policy) -> int:
    # An answer can be stored to be handed on, without a look at its rows.
    size = _whole_number(given, "page_size", least=0 if mode in ANSWERING else 1)
    if size is None:
        size = position.page_size or policy.page_size
    if size > policy.max_page_size:
        raise _Wrong(
            f"page_size {shown(size)} is above the maximum, {policy.max_page_size}.",
            f"Give page_size as 1 to {policy.max_page_size}.",
        )
    return size


def _row_form(given: Mapping[str, Any], mode: Mode, kept: str, policy: Policy) -> RowForm:
    """Return the form of the rows. `kept` is the form that the token carries.

    In the form `auto`, pages are objects, except those that continue an answer.
    """
    named = given.get("row_form", kept or policy.row_form)
    if not isinstance(named, str) or named not in {*RowForm}:
        raise _Wrong(f"There is no row_form {shown(named)}.", f"Use one of: {', '.join(RowForm)}.")
    is_answer = mode in ANSWERING or kept == RowForm.AUTO
    return RowForm.OBJECTS if named == RowForm.AUTO and not is_answer else RowForm(named)


def _form_of_pages(policy: Policy) -> RowForm:
    """Return the form of a page whose call and token name none."""
    return RowForm.TABLE if policy.row_form == RowForm.TABLE else RowForm.OBJECTS


def _filter_keys(given: Mapping[str, Any]) -> tuple[str, ...]:
    keys = _unquoted(given.get("filter_keys", []))
    if not isinstance(keys, list | tuple):
        example = keys if isinstance(keys, str) and keys.isidentifier() else "id"
        raise _Wrong(
            f"filter_keys {shown(keys)} is not a list of keys.",
            f'Give a list, for instance ["{example[:_SHOWN]}"].',
        )
    if not all(isinstance(key, str) and key and not has_half_pair(key) for key in keys):
        raise _Wrong("Some filter_keys are no key names.", "Give non-empty texts.")
    if len(keys) > _MOST_KEYS:
        raise _Wrong(
            f"filter_keys has too many keys ({len(keys)}).",
            f"Give at most {_MOST_KEYS}, or use mode paginated to see all.",
        )
    return tuple(dict.fromkeys(keys))


def _unquoted(keys: Any) -> Any:
    """Return the list in a text of JSON, as models sometimes write it."""
    if isinstance(keys, str) and keys.lstrip().startswith("["):
        try:
            return json.loads(keys)
        except ValueError:
            return keys
    return keys


def _tables(given: Mapping[str, Any]) -> tuple[JoinedTable, ...]:
    tables = read_tables(given.get("tables", {}))
    if isinstance(tables, Refusal):
        raise _Wrong(tables.error, tables.next_step)
    return tables


def _text(given: Mapping[str, Any], name: str, default: str) -> str:
    value = given.get(name, default)
    if not isinstance(value, str):
        raise _Wrong(f"{name} {shown(value)} is not text.", f"Give {name} as text.")
    if len(value) > _LONGEST_PATH:
        raise _Wrong(
            f"{name} is too long ({len(value):,} characters).",
            f"Give at most {_LONGEST_PATH:,} characters.",
        )
    if has_half_pair(value):
        raise _Wrong(
            f"{name} holds half of a surrogate pair.",
            "Give whole characters; a member of a dict with such a key is at /~#N/value, N being its "
            "position from 0.",
        )
    return value


def shown(value: Any) -> str:
    """Return an argument as an error can repeat it: bounded, on one line."""
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**18 else "of that size"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
