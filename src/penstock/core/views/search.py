"""`search`: every row, line or nested value that contains a text, in any case, with its place."""

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
    """What was found: each hit as JSON, up to `most` of them, and how many there are."""

    most: int
    found: list[bytes] = field(default_factory=list)
    total: int = 0
    _entries: list[tuple[int, int]] = field(default_factory=list)

    def add(self, hit: dict[str, Any]) -> None:
        self.total += 1
        if len(self.found) < self.most:
            self.found.append(encode(hit))

    def begin_entry(self, number: int) -> None:
        """What is added from now on was found in this entry of a dict."""
        self._entries.append((number, len(self.found)))

    def tell_twins_apart(self, focus: Focus, last: dict[str, int]) -> None:
        """Of two entries with one key, a path by that key leads to the last: to the other one it has
        to go by number."""
        end = len(self.found)
        for number, first in reversed(self._entries):
            for at in range(first, end):
                self.found[at] = _by_number(self.found[at], focus.path, number, last)
            end = first


def search(focus: Focus, text: str, most: int) -> Steps[Hits]:
    hits = Hits(most)
    needle = text.casefold()
    previous: bytes | None = None
    last: dict[str, int] = {}  # of a dict's keys, where each stands
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN + 1)  # and the one after the last
        for number, row in enumerate(rows[:SPAN], start):
            if focus.shape == "members":
                last[rawjson.split_member(row).name] = focus.ordinal(number)
            if _may_contain(row, needle):
                after = rows[number - start + 1] if number - start + 1 < len(rows) else None
                _look(hits, focus, number, row, needle, (previous, after))
            previous = row
    hits.tell_twins_apart(focus, last)
    for path, member in _beside(focus):
        _entry_hits(hits, member, path, needle)
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
    """Quick and never wrongly no: an escape may hide a character of the text."""
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
        hits.begin_entry(focus.ordinal(number))
        _entry_hits(hits, rawjson.split_member(row), path, needle)
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


def _entry_hits(hits: Hits, member: rawjson.Member, path: str, needle: str) -> None:
    if needle in member.name.casefold():
        hits.add({"path": path, "in": "key", "value": _excerpt_of(member.value, needle)})
    _nested_hits(hits, member.value, path, needle)


def _nested_hits(hits: Hits, value: bytes, path: str, needle: str) -> None:
    for place, found in _matches(value, path, needle):
        hits.add({"path": clip_path(place), "value": found})


def _matches(raw: bytes, path: str, needle: str) -> Iterator[tuple[str, str]]:
    """The leaves that contain the text, and the entries whose key does."""
    if raw[:1] == b"{":
        entries = list(rawjson.members(raw))
        last = {member.name: number for number, member in enumerate(entries)}
        for number, member in enumerate(entries):
            name = member.name
            # Of two entries with one key, a path by that key leads to the last.
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
    """The text around the first match, with marks where it was cut."""
    # Folding can change lengths ("ß"), so the place is looked for in what lower() keeps in step.
    at = max(text.lower().find(needle), 0) if len(text.lower()) == len(text) else 0
    start = max(0, at - _AROUND)
    stop = at + len(needle) + _AROUND
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


def clip_path(path: str) -> str:
    """A path that is too long to be shown leads to an ancestor, and says so."""
    if len(path) <= _LONGEST_PATH:
        return path
    shortened = path[:_LONGEST_PATH].rsplit("/", 1)[0]
    return f"{shortened}/…"


def _beside(focus: Focus) -> Iterator[tuple[str, rawjson.Member]]:
    """The entries of a dict with one list, that list without its rows."""
    if focus.list_path:
        for number, member in enumerate(rawjson.members(focus.envelope)):
            yield focus.path + member_step(number, member), member
