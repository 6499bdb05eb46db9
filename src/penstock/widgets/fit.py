"""Rows for a widget, inside the host's cap.

A host replaces a result that is too large by a text that is not JSON, and the widget gets that. So
`fit_rows` fits rows before they are sent. It takes the first of these payloads that fits, and
measures the payload that would be sent:

1. all rows, whole;
2. all rows, with only the columns that the spec refers to or that `keep` names;
3. as many of these rows as fit (see `penstock.widgets.row_choice`), and a count of the rest.

A row is encoded only if the answer depends on it: of 100,000 rows, most are never read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from penstock.core.budget.budget import Budget
from penstock.core.json import rawjson
from penstock.errors import InvalidSetting, PenstockError
from penstock.widgets.fields import Fields, referenced_fields
from penstock.widgets.fit_caps import Cap, size_of
from penstock.widgets.fit_lines import Lines
from penstock.widgets.row_choice import (
    Choice,
    check_choice,
    check_column,
    chosen,
    there_are,
)
from penstock.widgets.rows import RowTable, read_table


@dataclass(frozen=True)
class Fitted:
    """The payload that fits, and what it leaves out.

    Send `json` as it is to avoid a second encoding. A host that encodes it again writes 1e20 in 21
    digits, and stays under the cap too: each number counts with the longer of both spellings.
    """

    json: bytes = field(repr=False)  # the payload as it was measured
    columns: tuple[str, ...]
    dropped: tuple[str, ...]  # columns that were left out
    missing: tuple[str, ...]  # names in `keep` that no row has
    truncated: int  # how many rows were left out
    skipped: tuple[int, ...]  # those of them that are each too large, by their place in `rows`
    total: int
    size: int  # the length of `json` in JavaScript, with each number in its longer spelling
    note: str  # a sentence about what was left out; empty if nothing was

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The decoded payload: always `{"rows": [...], "truncated": N, "columns_dropped": M}`."""
        try:
            payload: dict[str, Any] = rawjson.decode(self.json)
        except RecursionError:
            why = "The rows nest too deep for Python's decoder."
            raise PenstockError(why, next_step="Send `json` as it is.") from None
        return payload

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the payload, with JSON's values."""
        rows: list[dict[str, Any]] = self.payload["rows"]
        return rows


def fit_rows(
    rows: Any,
    budget: int | str | Budget = 130_000,
    spec: Any = None,
    keep: Iterable[str] | None = None,
    *,
    choose: Literal["first", "spread", "largest", "smallest"] = "first",
    by: str | None = None,
) -> Fitted:
    """Return as many rows as fit, with as many columns as fit.

    - `rows`: dicts, dataclasses, named tuples, sqlite3 rows, pydantic, attrs or msgspec objects, or
      a pandas or polars frame.
    - `budget`: characters as JavaScript counts them, a `Budget` or its text, or a host's name.
    - `spec`: the Vega-Lite or Vega spec that shows the rows. `keep`: columns to keep besides those
      of the spec. Without both, or if no column would be left, no column is dropped.
    - `choose`: the rows to keep: the first, evenly spaced ones, or those with the largest or
      smallest values in the column `by`, which need not be kept.
    """
    cap = Cap.of(budget)
    fields = None if spec is None else referenced_fields(spec)
    wanted = _column_names(keep)
    check_choice(choose, by)
    table = read_table(rows)
    check_column(by, table.columns)
    kept = _kept(table.columns, fields, wanted)
    missing = tuple(name for name in wanted if name not in table.columns)
    lines = Lines(table, table.columns, cap)
    if lines.all_fit():
        return _fitted(table, lines, Choice(range(lines.total)), missing, cap)
    if len(kept) < len(table.columns):
        lines = Lines(table, kept, cap)
        if lines.all_fit():
            return _fitted(table, lines, Choice(range(lines.total)), missing, cap)
    return _fitted(table, lines, chosen(lines, table, choose, by), missing, cap)


def _column_names(keep: Any) -> tuple[str, ...]:
    names = () if keep is None else keep
    if not isinstance(names, str) and isinstance(names, Iterable):
        names = tuple(names)
        if all(isinstance(name, str) for name in names):
            return tuple(dict.fromkeys(names))
    advice = 'Give a list of names: keep=["id", "name"].'
    raise InvalidSetting("keep", keep, "not a list of column names.", next_step=advice)


def _kept(columns: tuple[str, ...], fields: Fields | None, wanted: Sequence[str]) -> Sequence[str]:
    """Return the columns to keep. A spec may name a field that no row has, because it computes the
    field. But if no row has any name in `keep`, a name is misspelt."""
    if fields is None and not wanted:
        return columns
    asked = frozenset(wanted)
    kept = [name for name in columns if name in asked or (fields is not None and name in fields)]
    if not kept and wanted and columns:
        why = "no row has any of these columns."
        raise InvalidSetting("keep", list(wanted), why, next_step=there_are(columns))
    return kept or columns


def _fitted(
    table: RowTable, lines: Lines, choice: Choice, missing: tuple[str, ...], cap: Cap
) -> Fitted:
    json = lines.payload(choice.kept)
    names = frozenset(lines.names)
    return Fitted(
        json=json,
        columns=lines.names,
        dropped=tuple(name for name in table.columns if name not in names),
        missing=missing,
        truncated=lines.total - len(choice.kept),
        skipped=tuple(choice.skipped),
        total=lines.total,
        size=size_of(json),
        note=_note(table, lines, choice, cap),
    )


def _note(table: RowTable, lines: Lines, choice: Choice, cap: Cap) -> str:
    shown = len(choice.kept)
    if lines.total and not shown:
        smallest = min(lines.refused.values())
        return f"0 of {lines.total:,} rows: the smallest alone {_over(smallest, cap)}."
    counts = {"rows": (shown, lines.total), "columns": (len(lines.names), len(table.columns))}
    parts = [f"{some:,} of {all_:,} {what}" for what, (some, all_) in counts.items() if some < all_]
    told = f"{' and '.join(parts)}." if parts else ""
    return f"{told} {_skipped(lines, choice.skipped, cap)}" if choice.skipped else told


def _skipped(lines: Lines, skipped: Sequence[int], cap: Cap) -> str:
    smallest = _over(min(map(lines.refused.__getitem__, skipped)), cap)
    if len(skipped) == 1:
        return f"rows[{skipped[0]}] was skipped: it alone {smallest}."
    first = f"{len(skipped):,} rows, the first of them rows[{skipped[0]}], were skipped"
    return f"{first}: the smallest alone {smallest}."


def _over(size: int, cap: Cap) -> str:
    return f"takes {size:,} characters, and the budget is {cap}"
