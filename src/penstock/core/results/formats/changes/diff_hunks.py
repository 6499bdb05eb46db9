"""The hunks of a unified diff. Their lines are counted by their headers. So a removed line that looks
like a header (`--- a`) stays a line of its hunk, and a hunk that has wrong counts is found. Tools cut
long texts: the last hunk of a text may have fewer lines than its header counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from penstock.core.json import rawjson

MOST_HUNKS: Final = 50_000  # of a file, because all of them are in memory at once

_END: Final = rb"(?:\n|\Z)"
_RANGE: Final = rb"([0-9]{1,10}+)(?:,([0-9]{1,10}+))?+"
HUNK: Final = re.compile(
    rb"(?P<marks>@{2,9}+)(?P<old>(?: -[0-9]{1,10}+(?:,[0-9]{1,10}+)?+)++) \+" + _RANGE
    + rb" (?P=marks)(?P<section>[^\n]*+)" + _END
)  # fmt: skip
_OLD: Final = re.compile(rb" -" + _RANGE)
_END_OF_LINES: Final = re.compile(rb"\n[^ +\-\\]")  # before a line that no hunk has
_PLUS, _MINUS, _BLANK, _BACKSLASH, _NEWLINE = b"+- \\\n"
_FIRST: Final = (b"\n+", b"\n-", b"\n ")  # of added and removed lines, and of the others


class BrokenDiff(ValueError):
    """A place where a diff is no diff any more."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(position, reason)
        self.position = position
        self.reason = reason


class Hunk(NamedTuple):
    """A hunk: its ranges, and where its lines start and stop."""

    old: tuple[tuple[int, int], ...]  # the start and the number of lines, for each parent
    new: tuple[int, int]
    section: bytes
    start: int
    stop: int
    added: int
    removed: int
    is_cut: bool  # the text ends before the last of its lines


class _Lines(NamedTuple):
    """The lines of a hunk, as they are counted."""

    stop: int
    added: int
    removed: int
    is_cut: bool = False


def hunks_at(text: bytes, position: int, end: int, *, may_be_cut: bool) -> Iterator[Hunk]:
    """Yield the hunks that start there. Raise `BrokenDiff` where one is broken. If the text may be cut,
    the last hunk may be too, and a header that is not complete starts no hunk."""
    count = 0
    while text.startswith(b"@@", position):
        header = HUNK.match(text, position, end)
        if header is None:
            if may_be_cut and text.find(b"\n", position, end) < 0:
                return
            raise BrokenDiff(position, "is not the header of a hunk")
        count += 1
        if count > MOST_HUNKS:
            raise BrokenDiff(position, f"is in a file of more than {MOST_HUNKS:,} hunks")
        hunk = _hunk(text, header, end, may_be_cut=may_be_cut)
        yield hunk
        position = hunk.stop


def _hunk(text: bytes, header: re.Match[bytes], end: int, *, may_be_cut: bool) -> Hunk:
    old = tuple((int(start), _count(lines)) for start, lines in _OLD.findall(header["old"]))
    new = int(header[3]), _count(header[4])
    if len(old) != len(header["marks"]) - 1:
        raise BrokenDiff(header.start(), "is not the header of a hunk")
    counted = None
    if len(old) == 1:
        counted = _counted_at_once(text, header.end(), end, old[0][1], new[1])
    counted = counted or _counted(text, header, end, [lines for _, lines in old], new[1])
    if counted.is_cut and not may_be_cut:
        raise BrokenDiff(header.start(), "starts a hunk that is cut off")
    return Hunk(old, new, header["section"], header.end(), *counted)


def _count(lines: bytes | None) -> int:
    return int(lines) if lines else 1


def _counted_at_once(text: bytes, start: int, end: int, old: int, new: int) -> _Lines | None:
    """Return the lines of a hunk if it is all lines up to the first that belongs to no hunk. That is so
    unless a file without a command follows."""
    if text[start - 1] != _NEWLINE:
        return None
    found = _END_OF_LINES.search(text, start - 1, end)
    stop = found.start() + 1 if found else end
    added, removed, context = (text.count(mark, start - 1, stop) for mark in _FIRST)
    left = old - removed - context, new - added - context
    if left == (0, 0):
        return _Lines(stop, added, removed)
    is_cut = stop == end and min(left) >= 0
    return _Lines(stop, added, removed, is_cut=True) if is_cut else None


def _counted(text: bytes, header: re.Match[bytes], end: int, old: list[int], new: int) -> _Lines:
    """Return the lines of a hunk, counted line by line."""
    position, width, added, removed = header.end(), len(old), 0, 0
    while new > 0 or any(old):
        if position >= end:
            return _Lines(end, added, removed, is_cut=True)
        marks = text[position : position + width]
        if marks[0] == _BACKSLASH:  # "\ No newline at end of file"
            position = _next_line(text, position, end)
            continue
        if marks[:1] in (b"\n", b"\r"):  # a blank line, whose first blank a program has removed
            marks = b" " * width
        if len(marks) < width and not marks.strip(b" +-"):  # of a merge: a mark for each parent
            return _Lines(end, added, removed, is_cut=True)
        if marks.strip(b" +-"):
            raise BrokenDiff(position, f"is in the hunk of {_told(header)}, which is not complete")
        is_lost = b"-" in marks
        taken = _MINUS if is_lost else _BLANK
        old = [left - (mark == taken) for left, mark in zip(old, marks, strict=False)]
        new -= not is_lost
        added += _PLUS in marks
        removed += is_lost
        if new < 0 or min(old) < 0:
            raise BrokenDiff(position, f"is too much for the counts of {_told(header)}")
        position = _next_line(text, position, end)
    while position < end and text[position] == _BACKSLASH:
        position = _next_line(text, position, end)
    return _Lines(position, added, removed)


def _told(header: re.Match[bytes]) -> str:
    return rawjson.text(header.string[header.start() : header.start("section")])


def _next_line(text: bytes, position: int, end: int) -> int:
    found = text.find(b"\n", position, end)
    return end if found < 0 else found + 1


def hunk_fields(text: bytes, hunk: Hunk) -> dict[str, Any]:
    """Return a hunk as the fields of a row."""
    (old_start, old_lines), *others = hunk.old
    fields: dict[str, Any] = {
        "old_start": old_start,
        "old_lines": old_lines,
        "new_start": hunk.new[0],
        "new_lines": hunk.new[1],
        "section": rawjson.text(hunk.section).strip(),
        "text": rawjson.text(text[hunk.start : hunk.stop]),
    }
    if others:  # a merge
        fields["other_parents"] = [{"start": start, "lines": lines} for start, lines in others]
    return fields
