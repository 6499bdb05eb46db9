"""The part of a result that the explorer looks at, with its rows in the order they are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from penstock.core.browsing.named_rows import with_names
from penstock.core.browsing.order import Order, arrange, open_order, source_of
from penstock.core.browsing.request import BrowseRequest
from penstock.core.model.continuation import parse
from penstock.core.model.effects import Entry, ReadWindow, Steps
from penstock.core.model.stored import Live
from penstock.core.model.values import Call, LiveWindow, Mode, Refusal
from penstock.core.protocol.entries import Context, Opened
from penstock.core.protocol.live_copy import copied
from penstock.core.protocol.parts import start_of
from penstock.core.views.focus import Ahead, Focus
from penstock.core.views.paths import resolve

NO_QUESTIONS: Final = Refusal(
    "Filters, orders and charts are switched off for this result.", "Look at its rows as they are."
)
_COPIED: Final = "A live list of {total} rows: the first {read} were read for this."
_UNKEPT: Final = "These rows could not be kept in this order: each page of them is sorted again."


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of an entry at a path."""

    entry: Entry
    path: str
    focus: Focus
    order: Order | None = None  # None: the rows are shown in their own order
    notice: str = ""  # a remark about the rows, for the user
    names: tuple[str, ...] = ()  # of columns, if the result names them apart from the rows
    has_changed: bool = False  # a live list has another length than at the first read

    @property
    def total(self) -> int:
        return self.focus.count if self.order is None else self.order.count

    def rows(self, start: int, count: int) -> Steps[tuple[list[int], list[bytes]]]:
        """Return the numbers of some rows in the whole, and the rows."""
        stop = min(start + count, self.total)
        if self.order is None:
            rows = yield from self.focus.read(start, stop)
            return [*range(start, start + len(rows))], rows
        numbers = yield from self.order.numbers(start, stop, self.focus.count)
        return numbers, (yield from self.focus.pick(numbers))


def open_part(
    call: Call, context: Context, opened: Opened, request: BrowseRequest
) -> Steps[Part | Refusal]:
    """Return the part that the request names, filtered and sorted."""
    path = opened.root + request.path
    asks = request.arrangement is not None or request.is_about_all_rows
    if (asks or request.order) and Mode.SQL not in context.policy.modes:
        return NO_QUESTIONS
    ahead = (request.start, request.start + request.count)
    if request.order:
        order = yield from open_order(
            call, context, opened.entry, path, parse(request.order), ahead
        )
        if isinstance(order, Refusal):
            return order
        entry = yield from source_of(order, opened, context)
        if isinstance(entry, Refusal):
            return entry
        part = yield from _found(entry, opened, request)
        return part if isinstance(part, Refusal) else replace(part, order=order)
    is_all = not (opened.root or request.path)
    if not asks and not (request.raw and is_all):
        return (yield from _as_it_is(opened, request))
    part = yield from _for_questions(call, context, opened, request)
    arrangement = request.arrangement
    if isinstance(part, Refusal) or request.is_about_all_rows or arrangement is None:
        return part
    made = yield from arrange(call, context, part.entry, path, part.focus, arrangement, ahead)
    if isinstance(made, Refusal):
        return made
    notice = part.notice if made.is_kept else f"{part.notice} {_UNKEPT}".lstrip()
    return replace(part, order=made, notice=notice)


def _found(entry: Entry, opened: Opened, request: BrowseRequest) -> Steps[Part | Refusal]:
    is_page = not (opened.root or request.path)
    start = yield from start_of(Opened(entry, opened.position, opened.root), is_counted=not is_page)
    if isinstance(start, Refusal):
        return start
    focus = yield from resolve(start, request.path)
    if isinstance(focus, Refusal):
        return focus
    path = opened.root + request.path
    if request.raw:
        return Part(entry, path, focus)
    focus, names = yield from with_names(focus)
    return Part(entry, path, focus, names=names)


def _for_questions(
    call: Call, context: Context, opened: Opened, request: BrowseRequest
) -> Steps[Part | Refusal]:
    """Return the part. Read a live list from a copy: a question needs every row, and all windows of
    the JSON must come from the same rows."""
    if not isinstance(opened.entry.head.source, Live):
        return (yield from _found(opened.entry, opened, request))
    copy = yield from copied(call, context, opened.entry)
    if isinstance(copy, Refusal):
        return copy
    part = yield from _found(copy.entry, opened, request)
    left_out = copy.told.get("rows_not_read", 0)
    if isinstance(part, Refusal) or not left_out:
        return part
    read = copy.entry.head.count
    return replace(part, notice=_COPIED.format(total=f"{read + left_out:,}", read=f"{read:,}"))


def _as_it_is(opened: Opened, request: BrowseRequest) -> Steps[Part | Refusal]:
    part = yield from _found(opened.entry, opened, request)
    is_live = isinstance(opened.entry.head.source, Live)
    if isinstance(part, Refusal) or not is_live or part.focus.entry is None:
        return part
    start, stop = request.start, request.start + request.count
    window: LiveWindow = yield ReadWindow(opened.entry, start, stop)
    was = opened.entry.head.count
    count = was if window.count is None else window.count
    if len(window.rows) < min(stop, count) - start:
        count = start + len(window.rows)  # a page that is not full ends the list
    focus = replace(part.focus, count=count, ahead=Ahead(start, stop, tuple(window.rows)))
    return replace(part, focus=focus, has_changed=count != was)
