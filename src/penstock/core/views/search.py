"""`search`: every row, line or nested value that contains a text, in any case, with its path.

A row, a short line and a short string are one match each, and are shown whole if they are not too
large. In a long line or string each occurrence is a match, shown with its surroundings and its place.
The text around data is searched too. A document is searched by lines, and each hit names its section.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Any, NamedTuple

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.pointers import unescaped
from penstock.core.model.effects import Steps
from penstock.core.views.focus import SPAN, Focus, by_ordinal, member_step
from penstock.core.views.outline_of_sections import read_section
from penstock.core.views.pages import cut_text, line_text
from penstock.core.views.paths import TEXT_STEP

_AROUND = 80
_SHORT = 200
_SHOWN_ROW = 600
_PLACES = 3
_LONGEST_PATH = 200
_CONTEXT_CHARS = 120


@dataclass(slots=True)
class Hits:
    """The hits of a search."""

    most: int
    found: list[bytes] = field(default_factory=list)  # the first `most` hits, as JSON
    total: int = 0
    # The number of each searched member of a dict, and the index in `found` of its first hit.
    _members: list[tuple[int, int]] = field(default_factory=list)

    @property
    def room(self) -> int:
        """The number of hits that can still be kept."""
        return self.most - len(self.found)

    def add(self, hit: dict[str, Any]) -> None:
        self.total += 1
        if len(self.found) < self.most:
            self.found.append(encode(hit))

    def begin_member(self, number: int) -> None:
        """Note that the hits added from now on were found in this member of a dict."""
        self._members.append((number, len(self.found)))

    def tell_twins_apart(self, focus: Focus, last: dict[str, int]) -> None:
        """Correct the paths into members whose key occurs again: a path with the key leads to the
        last one, so the others need their number."""
        end = len(self.found)
        for number, first in reversed(self._members):
            for at in range(first, end):
                self.found[at] = _by_number(self.found[at], focus.path, number, last)
            end = first


class _Match(NamedTuple):
    """A leaf or a key that contains the text."""

    path: str
    text: str  # the leaf, or an excerpt of the value under the key
    is_long: bool = False


def search(focus: Focus, text: str, most: int) -> Steps[Hits]:
    hits = Hits(most)
    needle = text.casefold()
    if focus.is_section:
        _section_hits(hits, (yield from focus.whole()), focus.path, needle)
        return hits
    previous: bytes | None = None
    last: dict[str, int] = {}  # the number of the last member with each key
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN + 1)  # one more, to show the row after
        for number, row in enumerate(rows[:SPAN], start):
            if focus.shape == "members":
                last[rawjson.split_member(row).name] = focus.ordinal(number)
            if _may_contain(row, needle):
                after = rows[number - start + 1] if number - start + 1 < len(rows) else None
                _look(hits, focus, number, row, needle, (previous, after))
            previous = row
    hits.tell_twins_apart(focus, last)
    for path, member in _beside(focus):
        _member_hits(hits, member, path, needle)
    for line in _lines_around(focus):
        if needle in line_text(line).casefold():
            _occurrence_or_line(hits, {"path": focus.path + TEXT_STEP}, line_text(line), needle)
    return hits


def _lines_around(focus: Focus) -> list[bytes]:
    """Return the lines of text before and after data."""
    around = () if focus.in_text is None else (focus.in_text.before, focus.in_text.after)
    return [line for text in around if text for line in text.split(b"\n")]


def _by_number(hit: bytes, base: str, number: int, last: dict[str, int]) -> bytes:
    members = {member.name: msgspec.Raw(member.value) for member in rawjson.members(hit)}
    path = str(rawjson.decode(members["path"]))
    step, slash, rest = path.removeprefix(base)[1:].partition("/")
    name = unescaped(step)
    if last.get(name, number) == number:
        return hit
    members["path"] = msgspec.Raw(rawjson.string(base + by_ordinal(number) + slash + rest))
    return encode(members)


def _may_contain(row: bytes, needle: str) -> bool:
    """Return quickly whether a row may match. False is certain; an escape may hide a match."""
    return b"\\" in row or needle in rawjson.text(row).casefold()


def _look(
    hits: Hits,
    focus: Focus,
    number: int,
    row: bytes,
    needle: str,
    around: tuple[bytes | None, bytes | None],
) -> None:
    path = focus.row_path(number, row)
    if focus.shape == "lines":
        _line_hits(hits, number, path, line_text(row), needle, around)
    elif focus.shape == "members":
        hits.begin_member(focus.ordinal(number))
        _member_hits(hits, rawjson.split_member(row), path, needle)
    elif focus.has_sections:
        _section_hits(hits, row, path, needle)
    else:
        _row_hits(hits, row, path, needle)


def _section_hits(hits: Hits, row: bytes, path: str, needle: str) -> None:
    """Add a hit for the heading of a section, and for each line of its text, with the heading. Tables
    and code are parts of the text."""
    section = read_section(row)
    if section.title and needle in section.title.casefold():
        _occurrence_or_line(hits, {"path": path}, section.title, needle)
    lines = section.text.split("\n")
    for number, line in enumerate(lines):
        if needle in line.casefold():
            place = {"path": f"{path}/text", "line": number + 1, "section": section.title}
            _occurrence_or_line(hits, place, line.removesuffix("\r"), needle)


def _line_hits(
    hits: Hits,
    number: int,
    path: str,
    line: str,
    needle: str,
    around: tuple[bytes | None, bytes | None],
) -> None:
    if needle not in line.casefold():
        return
    place = {"line": number + 1, "path": path}
    context = {
        name: cut_text(line_text(beside), _CONTEXT_CHARS)
        for name, beside in zip(("before", "after"), around, strict=True)
        if beside is not None
    }
    _occurrence_or_line(hits, place, line, needle, context)


def _occurrence_or_line(
    hits: Hits,
    place: dict[str, Any],
    line: str,
    needle: str,
    context: dict[str, Any] | None = None,
) -> None:
    """Add a hit for a short line that contains the text, or for each occurrence in a long one."""
    if len(line) <= _SHORT:
        hits.add({**place, "text": line, **(context or {})})
    else:
        _occurrence_hits(hits, place, "text", line, needle, context)


def _row_hits(hits: Hits, row: bytes, path: str, needle: str) -> None:
    matches = list(_matches(row, "", needle))
    is_small = len(row) <= _SHOWN_ROW
    told = [match for match in matches if is_small or not match.is_long]
    if told:
        _row_hit(hits, path, told, msgspec.Raw(row) if is_small else told[0].text)
    for match in matches:
        if match.is_long and not is_small:
            place = {"path": clip_path(path + match.path)}
            _occurrence_hits(hits, place, "value", match.text, needle)


def _row_hit(hits: Hits, path: str, matches: list[_Match], value: Any) -> None:
    hit: dict[str, Any] = {"path": path}
    inside = [clip_path(match.path) for match in matches[:_PLACES] if match.path]
    if inside:
        hit["in"] = inside
    hit["value"] = value
    hits.add({**hit, "matches": len(matches)} if len(matches) > _PLACES else hit)


def _member_hits(hits: Hits, member: rawjson.Member, path: str, needle: str) -> None:
    if needle in member.name.casefold():
        hits.add({"path": path, "in": "key", "value": _excerpt(member.value, needle)})
    _nested_hits(hits, member.value, path, needle)


def _nested_hits(hits: Hits, value: bytes, path: str, needle: str) -> None:
    for match in _matches(value, path, needle):
        place = {"path": clip_path(match.path)}
        if match.is_long:
            _occurrence_hits(hits, place, "value", match.text, needle)
        else:
            hits.add({**place, "value": match.text})


def _occurrence_hits(
    hits: Hits,
    place: dict[str, Any],
    name: str,
    text: str,
    needle: str,
    context: dict[str, Any] | None = None,
) -> None:
    """Add a hit for each occurrence in a long text: `at` is its character in its line. Only the first
    has the context, which is the same for all."""
    room, has_lines = hits.room, "\n" in text
    line, begin, seen = 1, 0, 0  # `begin`: the first character of the line
    for start, stop in islice(_occurrences(text, needle), room):
        if newlines := text.count("\n", seen, start):
            line, begin = line + newlines, text.rindex("\n", seen, start) + 1
        seen = start
        where = {**place, "line": line} if has_lines else place
        shown = {"at": start - begin, name: _surroundings(text, start, stop)}
        hits.add({**where, **shown, **(context or {})})
        context = None
    hits.total += max(0, text.casefold().count(needle) - room)


def _occurrences(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each occurrence, in any case."""
    folded = text.casefold()
    # "ß" folds to two characters. Without such characters, both texts have the same places.
    begins = None
    if len(folded) != len(text):
        begins = array("I", accumulate(map(len, map(str.casefold, text)), initial=0))
    start = folded.find(needle)
    while start >= 0:
        stop = start + len(needle)
        if begins is None:
            yield start, stop
        else:
            yield bisect_right(begins, start) - 1, bisect_left(begins, stop)
        start = folded.find(needle, stop)


def _matches(raw: bytes, path: str, needle: str) -> Iterator[_Match]:
    """Yield each leaf or key that contains the text."""
    if raw[:1] == b"{":
        entries = list(rawjson.members(raw))
        last = {member.name: number for number, member in enumerate(entries)}
        for number, member in enumerate(entries):
            name = member.name
            # If a key occurs twice, a path with that key leads to the last one.
            step = member_step(number, member) if number == last[name] else by_ordinal(number)
            if needle in name.casefold():
                yield _Match(path + step, _excerpt(member.value, needle))
            yield from _matches(member.value, path + step, needle)
    elif raw[:1] == b"[":
        for number, item in enumerate(rawjson.elements(raw)):
            yield from _matches(item, f"{path}/{number}", needle)
    else:
        text = _leaf_text(raw)
        if needle in text.casefold():
            yield _Match(path, text, is_long=len(text) > _SHORT)


def _leaf_text(raw: bytes) -> str:
    return str(rawjson.decode(raw)) if raw[:1] == b'"' else rawjson.text(raw)


def _excerpt(raw: bytes, needle: str) -> str:
    """Return a value around the first occurrence, or else its beginning."""
    text = _leaf_text(raw)
    return _surroundings(text, *next(_occurrences(text, needle), (0, 0)))


def _surroundings(text: str, start: int, stop: int) -> str:
    """Return the text around an occurrence, with marks at the cuts."""
    first, last = max(0, start - _AROUND), stop + _AROUND
    return ("…" if first else "") + text[first:last] + ("…" if last < len(text) else "")


def clip_path(path: str) -> str:
    """Shorten a path that is too long to show: it leads to an ancestor, and ends in `/…`."""
    if len(path) <= _LONGEST_PATH:
        return path
    shortened = path[:_LONGEST_PATH].rsplit("/", 1)[0]
    return f"{shortened}/…"


def _beside(focus: Focus) -> Iterator[tuple[str, rawjson.Member]]:
    """Yield the members of a dict with one list. The list is empty here: its rows were searched."""
    if focus.list_path:
        for number, member in enumerate(rawjson.members(focus.envelope)):
            yield focus.path + member_step(number, member), member
