"""Paths: the part of a value that a JSON Pointer leads to.

There are two additions to JSON Pointers. `/~#3` is the fourth member of a dict, as {"key", "value"}.
It is for keys that occur twice, are too long for a reply, or are not printable. `/~text` is the exact
text, in lines, if the value is a text that holds data.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import Final

from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer, unescaped
from penstock.core.model.effects import Steps
from penstock.core.model.stored import Shape
from penstock.core.model.values import Refusal
from penstock.core.results.document import read_text
from penstock.core.views.focus import (
    LONGEST_KEY,
    SPAN,
    Focus,
    Place,
    list_place,
    of_document,
    of_section,
    of_text,
    of_value,
)

_NAMED = 10
_NO_PARTS = "The value there has no parts."
# At most 18 digits, so that the number fits 64 bits.
_ORDINAL = re.compile(r"~#([0-9]{1,18})")
_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")
_BAD_ESCAPE = re.compile(r"~(?![01])")

# The step from a text that holds data to the lines of the text. It is no key: `~t` is not a valid
# escape in a JSON Pointer.
_TEXT: Final = "~text"
TEXT_STEP: Final = "/" + _TEXT


class Ordinal(int):
    """A step to a member of a dict by its number."""


class ToText:
    """A step from data to the text that holds the data."""


Step = str | Ordinal | ToText


def parse_pointer(path: str) -> list[Step] | Refusal:
    """Return the steps of a pointer, unescaped."""
    if path in ("", "/"):
        return []
    steps = [_step(text) for text in path[1:].split("/")]
    known = [step for step in steps if step is not None]
    if not path.startswith("/") or len(known) < len(steps):
        return Refusal(
            f"path {_shown(path)} is not a JSON Pointer.",
            "Start it with /, separate keys and 0-based indexes with /, and write / in a key "
            f"as ~1 and ~ as ~0, for instance /items/0/name. {TEXT_STEP} leads to the exact text "
            "of data, and /~#0 to the first member of a dict.",
        )
    return known


def _step(text: str) -> Step | None:
    """Return a step, or None for a wrong escape."""
    if text == _TEXT:
        return ToText()
    if ordinal := _ORDINAL.fullmatch(text):
        return Ordinal(ordinal[1])
    return None if _BAD_ESCAPE.search(text) else unescaped(text)


def resolve(start: Focus, path: str) -> Steps[Focus | Refusal]:
    """Return the part of `start` that `path` points to."""
    steps = parse_pointer(path)
    if isinstance(steps, Refusal) or not steps:
        return steps if isinstance(steps, Refusal) else start
    return (yield from _follow(start, steps, start.path + path))


def _follow(start: Focus, steps: list[Step], path: str) -> Steps[Focus | Refusal]:
    """Return the part of a focus that steps lead to. `path`: of that part, for the reader."""
    if not steps:
        return replace(start, path=path)
    if isinstance(steps[0], ToText):
        text = yield from _text_of(start, path)
        return text if isinstance(text, Refusal) else (yield from _follow(text, steps[1:], path))
    place = list_place(start)
    if place is not None:
        rows = replace(start, prefix=b"[", suffix=b"]", list_path="", in_text=None)
        if steps == [Ordinal(place.number)]:
            return of_value(_pair(place.member.key, (yield from rows.whole())), path)
        below = _below_list(start, place, steps)
        if below is None:
            return (yield from _descend(start.envelope, steps, path, place))
        return (yield from _follow(rows, below, path))
    row = yield from _find_row(start, steps[0])
    if row is None:
        return _not_there(path, (yield from _parts_of(start)))
    if start.has_sections and not steps[1:]:
        return of_section(row, path)
    return (yield from _descend(row, steps[1:], path))


def _text_of(focus: Focus, path: str) -> Steps[Focus | Refusal]:
    """Return the lines of a text, also if it holds data."""
    if focus.shape == "lines":
        return focus
    if not focus.is_text:
        return Refusal(
            f"There is no text at path {_shown(path)}.",
            f"{TEXT_STEP} follows the path of a text; mode full returns any other value.",
        )
    return of_document(read_text(rawjson.text((yield from focus.text()))), path)


def _below_list(focus: Focus, place: Place, steps: list[Step]) -> list[Step] | None:
    """Return the steps after the one list, or None if the steps do not lead into it. If its key comes
    again, the key leads to the last member."""
    if steps[:1] == [place.member.name] and not focus.has_twin(place):
        return steps[1:]
    return steps[2:] if steps[:2] == [Ordinal(place.number), "value"] else None


def _find_row(focus: Focus, step: str | Ordinal) -> Steps[bytes | None]:
    """Return the row that a step names, as a JSON value."""
    if focus.shape == "members" and isinstance(step, str):
        return (yield from find_member(focus, step))
    is_entry = isinstance(step, Ordinal) and focus.shape == "members"
    if focus.shape == "literal" or not (is_entry or _is_index(step)):
        return None
    number = int(step)
    # A text block is entered as the text that it is, so that a path can lead to the exact text.
    read = focus.kept if focus.has_text_blocks else focus.read
    rows = yield from read(number, number + 1)
    return _as_value(focus.shape, rows[0]) if rows else None


def _is_index(step: Step) -> bool:
    return isinstance(step, str) and _INDEX.fullmatch(step) is not None


def _as_value(shape: Shape, row: bytes) -> bytes:
    if shape == "members":
        return _as_pair(row)
    return rawjson.string(rawjson.text(row)) if shape == "lines" else row


def _as_pair(row: bytes) -> bytes:
    return _pair(*rawjson.split_member(row))


def _pair(key: bytes, value: bytes) -> bytes:
    return b'{"key":' + key + b',"value":' + value + b"}"


def find_member(focus: Focus, name: str) -> Steps[bytes | None]:
    """Return the value of the member with this key, or None."""
    found = None
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN)
        for row in rows:
            member = rawjson.split_member(row)
            if member.name == name:
                found = member.value  # the last duplicate wins
    return found


def _descend(
    raw: bytes, steps: list[Step], path: str, place: Place | None = None
) -> Steps[Focus | Refusal]:
    """Return the part of a value that steps lead to. Below a text, these are steps into its data, or
    to one of its lines."""
    for number, step in enumerate(steps):
        if raw[:1] == b'"' and isinstance(step, ToText):
            return (yield from _follow(of_text(raw, path), steps[number + 1 :], path))
        if raw[:1] == b'"' or isinstance(step, ToText):
            return (yield from _follow(of_value(raw, path), steps[number:], path))
        child = _child(raw, step)
        if child is None:
            rows = f" Its rows are under {_shown(pointer(place.member.name))}." if place else ""
            return _not_there(path, _parts(raw) + rows)
        raw, place = child, None
    return of_value(raw, path)


def _child(raw: bytes, step: str | Ordinal) -> bytes | None:
    if raw[:1] == b"{":
        if isinstance(step, str):
            return rawjson.fields(raw).get(step)
        entry = next(islice(rawjson.members(raw), step, None), None)
        return None if entry is None else _pair(*entry)
    if raw[:1] == b"[" and _is_index(step):
        return next(islice(rawjson.elements(raw), int(step), None), None)
    return None


def _parts_of(focus: Focus) -> Steps[str]:
    """Describe the parts of a value in which a step was not found."""
    if focus.shape == "members":
        rows = yield from focus.read(0, _NAMED)
        return _names([rawjson.split_member(row).name for row in rows], focus.count)
    if focus.shape == "literal":
        return _NO_PARTS
    kind = "lines" if focus.shape == "lines" else "items"
    return f"There are {focus.count} {kind} there, the first at index 0."


def _parts(raw: bytes) -> str:
    if raw[:1] == b"{":
        names = [member.name for member in rawjson.members(raw)]
        return _names(names[:_NAMED], len(names))
    if raw[:1] == b"[":
        items = sum(1 for _ in rawjson.elements(raw))
        return f"There are {items} items there, the first at index 0."
    return _NO_PARTS


def _names(names: list[str], total: int) -> str:
    more = f" and {total - len(names)} more" if total > len(names) else ""
    return f"The keys there are {', '.join(map(_shown, names))}{more}." if names else "It is empty."


def _not_there(path: str, there: str) -> Refusal:
    return Refusal(
        f"Nothing at path {_shown(path)} of the stored result.",
        f"{there} Mode summary shows the shape.",
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= LONGEST_KEY else text[:LONGEST_KEY] + "…")
