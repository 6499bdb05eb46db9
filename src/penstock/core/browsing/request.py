"""The requests of the explorer, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from penstock.core.model.questions import (
    Arrangement,
    Axes,
    ColumnRef,
    Condition,
    Drawing,
    Sort,
    Value,
    ValuesOf,
)
from penstock.core.model.values import Refusal

MOST_ROWS: Final = 1_000
_ROWS: Final = 100
_MOST_CONDITIONS: Final = 50
_MOST_COLUMNS: Final = 2_000
_LONGEST_TEXT: Final = 10_000
# Up to here, JavaScript keeps every whole number exactly.
_FAR: Final = 2**53
_LARGEST_VALUE: Final = 10**300
_WITHOUT_VALUE: Final = ("is_null", "not_null", "equals", "not_equals")
_SEVERAL: Final = ("between", "one_of")
_MOST_VALUES: Final = 1_000
_ENDS: Final = 2

Number = Annotated[int, msgspec.Meta(ge=0, le=_FAR)]
Text = Annotated[str, msgspec.Meta(max_length=_LONGEST_TEXT)]


class BrowseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request of the explorer."""

    continuation_token: str
    path: Text = ""
    start: Number = 0
    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)] = _ROWS
    columns: Annotated[tuple[ColumnRef, ...], msgspec.Meta(max_length=_MOST_COLUMNS)] | None = None
    sort: Sort | None = None
    where: Annotated[tuple[Condition, ...], msgspec.Meta(max_length=_MOST_CONDITIONS)] = ()
    find: Text = ""
    order: str = ""  # the token of an order, from an earlier reply
    offset: Number = 0
    raw: bool = False
    chart: Axes | None = None
    values: ValuesOf | None = None
    all_columns: bool = False  # asks for the columns as all rows have them

    @property
    def arrangement(self) -> Arrangement | None:
        """The filter and sort, or None if the rows are shown as they are."""
        asked = Arrangement(self.sort, self.where, self.find)
        return None if asked == Arrangement() else asked

    @property
    def is_about_all_rows(self) -> bool:
        """Whether the reply is about the table, and has no rows."""
        return self.all_columns or self.chart is not None or self.values is not None

    def drawing(self, names: tuple[str, ...]) -> Drawing | None:
        if self.chart is None:
            return None
        return Drawing(self.chart, Arrangement(where=self.where, find=self.find), names)


def read_browse(arguments: Mapping[str, Any]) -> BrowseRequest | Refusal:
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        request = msgspec.convert(given, BrowseRequest)
    except msgspec.ValidationError as error:
        if len(str(given.get("find", ""))) > _LONGEST_TEXT:
            return Refusal(
                f"The text to find has more than {_LONGEST_TEXT:,} characters.", "Shorten it."
            )
        known = ", ".join(BrowseRequest.__struct_fields__)
        return Refusal(f"{error}.", f"Give some of: {known}.")
    wrong = next(filter(None, map(_wrong_with, request.where)), "")
    return Refusal(wrong, "Give a text or an ordinary number.") if wrong else request


def _wrong_with(condition: Condition) -> str:
    """Return an error that the types do not catch, or "" if there is none."""
    op, values = condition.op, condition.values
    if len(condition.texts) > _MOST_VALUES:
        return f"At most {_MOST_VALUES:,} texts can be asked for."
    if op in _SEVERAL:
        if not values or len(values) > _MOST_VALUES or None in values:
            return f"{op} needs values, at most {_MOST_VALUES:,} of them."
        if op == "between" and len(values) != _ENDS:
            return "between needs two values."
    elif condition.value is None and op not in _WITHOUT_VALUE:
        return f"{op} needs a value."
    if any(map(_is_too_long, (condition.value, *values))):
        return "The value of a condition has too many digits."
    return ""


def _is_too_long(value: Value) -> bool:
    return isinstance(value, int) and not -_LARGEST_VALUE < value < _LARGEST_VALUE


INPUT_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "continuation_token": {"type": "string"},
        "path": {"type": "string"},
        "start": {"type": "integer", "minimum": 0},
        "count": {"type": "integer", "minimum": 1, "maximum": MOST_ROWS},
        "columns": {"type": "array"},
        "sort": {"type": "object"},
        "where": {"type": "array", "items": {"type": "object"}},
        "find": {"type": "string"},
        "order": {"type": "string"},
        "offset": {"type": "integer", "minimum": 0},
        "raw": {"type": "boolean"},
        "chart": {"type": "object"},
        "values": {"type": "object"},
        "all_columns": {"type": "boolean"},
    },
    "required": ["continuation_token"],
    "additionalProperties": False,
}
