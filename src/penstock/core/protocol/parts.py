"""The part of an entry that a token stands for, and whether SQL can read a part."""

from __future__ import annotations

from dataclasses import replace

from penstock.core.json import rawjson
from penstock.core.model.effects import ReadWindow, Steps
from penstock.core.model.questions import Shape
from penstock.core.model.stored import Live
from penstock.core.model.values import LiveWindow, Refusal
from penstock.core.protocol.entries import Opened
from penstock.core.results.outline import alike, list_tables
from penstock.core.views.focus import Focus, root
from penstock.core.views.paths import resolve

_SAMPLE = 100


def start_of(opened: Opened, *, is_counted: bool = True) -> Steps[Focus | Refusal]:
    """Return all that the token stands for; paths start from here. `is_counted`: ask how long a live
    list is now. A caller that reads a page next learns that anyway."""
    start = root(opened.entry)
    if is_counted and isinstance(opened.entry.head.source, Live):
        window: LiveWindow = yield ReadWindow(opened.entry, 0, 1)
        start = replace(start, count=start.count if window.count is None else window.count)
    if not opened.root:
        return start
    focus = yield from resolve(start, opened.root)
    return focus if isinstance(focus, Refusal) else replace(focus, path="")


def read_by_sql(focus: Focus) -> Steps[Shape | None]:
    """Return the shape in which SQL reads a part, if it is another than the part's own."""
    if focus.shape == "members":
        return None if (yield from is_uniform(focus)) else "tables"
    return "sections" if focus.has_sections else None


def is_uniform(focus: Focus) -> Steps[bool]:
    """Return whether the entries of a dict are alike. The head of a stored dict says so."""
    if focus.entry is not None:
        return focus.entry.head.uniform
    sample = yield from focus.read(0, _SAMPLE)
    return alike([rawjson.split_member(row).value for row in sample])


def tables_in(focus: Focus) -> Steps[list[str]]:
    """Return the keys of the first lists of a dict that SQL can read as tables."""
    return list_tables((yield from focus.read(0, _SAMPLE)))


def has_tables(focus: Focus) -> Steps[bool]:
    """Return whether a dict has lists that SQL can read. The head of a stored dict says so."""
    if focus.entry is not None:
        return focus.entry.head.has_tables
    return bool((yield from tables_in(focus)))
