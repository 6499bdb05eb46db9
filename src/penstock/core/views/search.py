"""`search`: every row, line or nested value that contains a text, in any case, with its path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.pointers import unescaped
from penstock.core.model.effects import Steps
from penstock.core.views.focus import SPAN, Focus, by_ordinal, member_step
from penstock.core.views.pages import cut_text

_AROUND = 80
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


def search(focus: Focus, text: str, most: int) -> Steps[Hits]:
    hits = Hits(most)
    needle = text.casefold()
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
    return hits


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
        _line_hit(hits, number, path, rawjson.text(row), needle, around)
    elif focus.shape == "members":
        hits.begin_member(focus.ordinal(number))
        _member_hits(hits, rawjson.split_member(row), path, needle)
    else:
        _row_hit(hits, row, path, needle)


def _line_hit(
    hits: Hits,
    number: int,
    path: str,
    line: str,
    needle: str,
    around: tuple[bytes | None, bytes | None],
) -> None:
    if needle not in line.casefold():
        return
    hit: dict[str, Any] = {"line": number + 1, "path": path, "text": excerpt(line, needle)}
    for name, beside in zip(("before", "after"), around, strict=True):
        if beside is not None:
            hit[name] = cut_text(rawjson.text(beside), _CONTEXT_CHARS)
    hits.add(hit)


def _row_hit(hits: Hits, row: bytes, path: str, needle: str) -> None:
    places = list(_matches(row, "", needle))
    if not places:
        return
    hit: dict[str, Any] = {"path": path}
    inside = [clip_path(place) for place, _ in places[:_PLACES] if place]
    if inside:
        hit["in"] = inside
    hit["value"] = msgspec.Raw(row) if len(row) <= _SHOWN_ROW else places[0][1]
    hits.add({**hit, "matches": len(places)} if len(places) > _PLACES else hit)


def _member_hits(hits: Hits, member: rawjson.Member, path: str, needle: str) -> None:
    if needle in member.name.casefold():
        hits.add({"path": path, "in": "key", "value": _excerpt_of(member.value, needle)})
    _nested_hits(hits, member.value, path, needle)


def _nested_hits(hits: Hits, value: bytes, path: str, needle: str) -> None:
    for place, found in _matches(value, path, needle):
        hits.add({"path": clip_path(place), "value": found})


def _matches(raw: bytes, path: str, needle: str) -> Iterator[tuple[str, str]]:
    """Yield the path and an excerpt of each leaf or key that contains the text."""
    if raw[:1] == b"{":
        entries = list(rawjson.members(raw))
        last = {member.name: number for number, member in enumerate(entries)}
        for number, member in enumerate(entries):
            name = member.name
            # If a key occurs twice, a path with that key leads to the last one.
            step = member_step(number, member) if number == last[name] else by_ordinal(number)
            if needle in name.casefold():
                yield path + step, _excerpt_of(member.value, needle)
            yield from _matches(member.value, path + step, needle)
    elif raw[:1] == b"[":
        for number, item in enumerate(rawjson.elements(raw)):
            yield from _matches(item, f"{path}/{number}", needle)
    else:
        text = _leaf_text(raw)
        if needle in text.casefold():
            yield path, excerpt(text, needle)


def _leaf_text(raw: bytes) -> str:
    return str(rawjson.decode(raw)) if raw[:1] == b'"' else rawjson.text(raw)


def _excerpt_of(raw: bytes, needle: str) -> str:
    return excerpt(_leaf_text(raw), needle)


def excerpt(text: str, needle: str) -> str:
    """Return the text around the first match, with marks at the cuts."""
    # casefold() can change the length ("ß"), so the match is located in lower(), if that does not.
    at = max(text.lower().find(needle), 0) if len(text.lower()) == len(text) else 0
    start = max(0, at - _AROUND)
    stop = at + len(needle) + _AROUND
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


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
