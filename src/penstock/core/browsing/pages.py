"""Replies to the explorer: as many rows, or as much of a long text, as the host takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from penstock.core.browsing.app_scale import AppScale
from penstock.core.browsing.cells import (
    PREVIEW_CHARS,
    RowSource,
    ShownRow,
    as_cut,
    kept_columns,
    shown,
)
from penstock.core.browsing.columns import columns_of
from penstock.core.browsing.part import Part
from penstock.core.browsing.request import BrowseRequest
from penstock.core.budget.fitting import largest
from penstock.core.json import rawjson
from penstock.core.model.effects import Steps
from penstock.core.model.reply import Reply
from penstock.core.model.stored import Live
from penstock.core.model.values import Refusal
from penstock.core.results.outline import alike
from penstock.core.views.focus import Focus
from penstock.core.views.pages import beside

_SAMPLE: Final = 100
_SPREAD: Final = 50
# Lengths of the beginning of a row that is over the ceiling. The first that fits is shown.
_BEGINNINGS: Final = (PREVIEW_CHARS, 60, 10, 0)
NO_ROOM: Final = Refusal(
    "The path to this takes more room than the host allows for a reply.",
    "Look at its parent, with raw.",
)

# Puts further fields around a page.
Wrap = Callable[[dict[str, Any]], Any]


def page(part: Part, request: BrowseRequest, scale: AppScale, wrap: Wrap) -> Steps[Reply | Refusal]:
    if request.raw or (part.order is None and _is_one_text(part.focus)):
        return (yield from _window(part, request, scale, wrap))
    return (yield from _rows(part, request, scale, wrap))


def _is_one_text(focus: Focus) -> bool:
    """Return whether this is a single line or value, which is read by character and not by row."""
    return focus.count == 1 and focus.shape in ("lines", "literal")


def _rows(
    part: Part, request: BrowseRequest, scale: AppScale, wrap: Wrap
) -> Steps[Reply | Refusal]:
    numbers, rows = yield from part.rows(request.start, request.count)
    sources = [
        RowSource(part.focus, row, number, place)
        for place, (number, row) in enumerate(zip(numbers, rows, strict=True))
    ]
    keep = kept_columns(request.columns)
    items = [shown(source, keep) for source in sources]
    about = yield from _about(part, request, rows, scale)

    def build(told: dict[str, Any], items: Sequence[ShownRow]) -> Any:
        return wrap(_envelope(part, request, items, numbers[: len(items)], told))

    def first(told: dict[str, Any], count: int) -> Any:
        return build(told, items[:count])

    for told in (about, {}):
        reply = scale.most([item.size for item in items], partial(first, told))
        if reply is not None:
            return reply
    # There are no rows, or the first alone is over the ceiling: show its beginning and its path.
    least = [[as_cut(sources[0], chars)] for chars in _BEGINNINGS] if sources else [[]]
    forms = (build(told, begun) for begun in least for told in (about, {}))
    return scale.first_fit(forms) or NO_ROOM


def _envelope(
    part: Part,
    request: BrowseRequest,
    items: Sequence[ShownRow],
    numbers: Sequence[int],
    about: dict[str, Any],
) -> dict[str, Any]:
    said: dict[str, Any] = {
        "shape": part.focus.shape if part.focus.shape != "literal" else "text",
        "path": request.path,
        "total": part.total,
        "start": request.start,
        "rows": [item.item for item in items],
        **about,
    }
    if part.order is not None:
        said |= {"unfiltered": part.focus.count, "numbers": numbers}
        said |= {"order": part.order.token} if part.order.is_kept else {}
    cut = [cut for item in items for cut in item.cuts]
    exact = [exact for item in items for exact in item.exact]
    said |= {"cut": cut} if cut else {}
    said |= {"exact": exact} if exact else {}
    said |= {"notice": part.notice} if part.notice else {}
    return said | ({"changed": True} if part.has_changed else {})


def _about(
    part: Part, request: BrowseRequest, rows: Sequence[bytes], scale: AppScale
) -> Steps[dict[str, Any]]:
    """Return the fields that describe the rows. Only the first page has them, in the rows' own order:
    other rows come first after a filter, and two columns of the same name might change places."""
    if request.start or part.order is not None:
        return {}
    focus = part.focus
    told = dict(beside(focus, scale))
    known = part.entry.head.columns if not part.path else {}
    if focus.shape == "rows" and rows and focus.list_path:
        told["rows_at"] = focus.row_path(0, rows[0]).removesuffix("/0")
    if focus.shape in ("rows", "members"):
        sample = [*rows[:_SAMPLE], *(yield from _from_everywhere(part))]
        values = [_value(focus, row) for row in sample]
        # The entries of a dict are a table only if they are alike; else each is a value to open.
        is_table = focus.shape == "rows" or alike(values)
        is_member = focus.shape == "members"
        columns = columns_of(values, known, part.names, is_member=is_member) if is_table else []
        told |= {"columns": columns} if columns else {}
    return told


def _from_everywhere(part: Part) -> Steps[list[bytes]]:
    """Return rows spread over all of the part: columns may be null or missing in the first rows, such
    as the day on which a ticket was closed. A live list is not read again for this."""
    focus = part.focus
    if focus.entry is not None and isinstance(focus.entry.head.source, Live):
        return []
    every = max(1, focus.count // _SPREAD)
    return (yield from focus.pick(range(every - 1, focus.count, every)))


def _value(focus: Focus, row: bytes) -> bytes:
    return rawjson.split_member(row).value if focus.shape == "members" else row


def _window(
    part: Part, request: BrowseRequest, scale: AppScale, wrap: Wrap
) -> Steps[Reply | Refusal]:
    """Return a range of characters: of a text, or with `raw` of the JSON of any value.

    Each window reads the whole value: the index of an entry finds rows, not characters."""
    focus = part.focus
    text = rawjson.text((yield from (focus.text() if focus.is_text else focus.whole())))
    if request.raw and focus.is_text and not focus.is_json_text:
        text = rawjson.text(rawjson.string(text))
    start = min(request.offset, len(text))

    def build(count: int) -> Any:
        end = start + count
        return wrap(
            {
                "shape": "text",
                "path": request.path,
                "total": 1,
                "start": 0,
                "rows": [text[start:end]],
                "window": {"from": start, "to": end, "of": len(text)},
                **({"notice": part.notice} if part.notice else {}),
            }
        )

    rest = len(text) - start
    upper = largest(rest, scale.budget.may_admit)
    return scale.fullest(upper, build) or scale.first_fit([build(min(rest, 1))]) or NO_ROOM
