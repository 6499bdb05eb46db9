"""`filtered`: some keys of a dict, or of each row. Values stay unchanged.

A dotted key reaches into a nested object, and into each object of a list on the way. A key that
itself contains a dot takes precedence over a path of the same spelling.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from penstock.core.budget.fitting import ReplyScale, clip, largest
from penstock.core.json import rawjson
from penstock.core.model.effects import Steps
from penstock.core.model.reply import Reply
from penstock.core.model.values import Refusal
from penstock.core.views.focus import SPAN, Focus
from penstock.core.views.pages import (
    Bookmark,
    Page,
    beside,
    ended,
    first_row,
    names_beside,
    paginate,
    show,
)
from penstock.core.views.request import ViewRequest

_NAME_CHARS = 60
_NAMES = 20


@dataclass(frozen=True, slots=True)
class Projection:
    """The keys to keep, and those of them that were found."""

    keys: tuple[str, ...]
    met: set[str] = field(default_factory=set)

    def of(self, raw: bytes) -> bytes:
        """Return the part of a value that the keys name, or `{}`."""
        return self._of(raw, self.keys, "") or b"{}"

    def _of(self, raw: bytes, keys: Sequence[str], prefix: str) -> bytes | None:
        if raw[:1] == b"[":
            return self._of_list(raw, keys, prefix)
        if raw[:1] != b"{":
            return None
        kept = []
        for name, value in rawjson.fields(raw).items():
            part = self._of_member(name, value, keys, prefix)
            if part is not None:
                kept.append(rawjson.string(name) + b":" + part)
        return b"{" + b",".join(kept) + b"}" if kept else None

    def _of_list(self, raw: bytes, keys: Sequence[str], prefix: str) -> bytes | None:
        parts = [self._of(item, keys, prefix) for item in rawjson.elements(raw)]
        kept = [part for part in parts if part is not None]
        return b"[" + b",".join(kept) + b"]" if kept else None

    def _of_member(self, name: str, value: bytes, keys: Sequence[str], prefix: str) -> bytes | None:
        step = name + "."
        below = [key[len(step) :] for key in keys if key.startswith(step)]
        part = self._of(value, below, prefix + step) if below else None
        if name not in keys:
            return part
        self.met.add(prefix + name)
        return value

    def missing(self, known: Collection[str], scale: ReplyScale) -> dict[str, Any]:
        """Return the keys that were not found: as many names as fit, and a count if some do not."""
        names = [key for key in self.keys if key not in self.met and key not in known]
        shown = [clip(name, _NAME_CHARS) for name in names]
        shown = shown[: largest(len(shown), lambda count: scale.takes_little(shown[:count]))]
        more = {"missing_count": len(names)} if len(shown) < len(names) else {}
        return {"missing_keys": shown, **more}


def filter_keys(
    focus: Focus,
    request: ViewRequest,
    scale: ReplyScale,
    bookmark: Bookmark,
    known: Collection[str],
    extra: Mapping[str, Any],
) -> Steps[Reply | Refusal]:
    """Show only the keys in `filter_keys`, of the dict or of each row. Use pages if necessary."""
    projection = Projection(request.filter_keys)
    if focus.shape == "members":
        focus = yield from _filtered_dict(focus, projection)
        told = {**projection.missing(known, scale), **extra}
        whole = {"value": msgspec.Raw((yield from focus.whole())), **told}
        if request.page is None and not request.row and scale.holds(whole):
            return scale.reply(whole)
        return (yield from paginate(focus, request, scale, bookmark, told))
    return (yield from _filtered_rows(focus, request, scale, bookmark, known, extra))


def _filtered_rows(
    focus: Focus,
    request: ViewRequest,
    scale: ReplyScale,
    bookmark: Bookmark,
    known: Collection[str],
    extra: Mapping[str, Any],
) -> Steps[Reply | Refusal]:
    start = first_row(focus, request)
    if isinstance(start, Refusal):
        return start
    rows = yield from focus.read(start, request.stop)
    focus = ended(focus, request, len(rows))
    projection = Projection(request.filter_keys)
    kept = [projection.of(row) for row in rows]
    told = projection.missing({*known, *names_beside(focus)}, scale)
    if not projection.met:
        told |= _names_there(rows, known, scale)
    around = beside(focus, scale, keep=request.filter_keys, is_first=not start)
    told = {**around, **told, **extra}
    return (yield from show(Page(focus, request, start, kept, bookmark, told), scale))


def _names_there(
    rows: Sequence[bytes], known: Collection[str], scale: ReplyScale
) -> dict[str, Any]:
    """Return some keys that do exist, for a call none of whose keys was found."""
    names = list(known or (rawjson.fields(rows[0]) if rows and rows[0][:1] == b"{" else ()))
    shown = [clip(name, _NAME_CHARS) for name in names[:_NAMES]]
    return {"keys_there": shown} if shown and scale.takes_little(shown) else {}


def _filtered_dict(focus: Focus, projection: Projection) -> Steps[Focus]:
    """Return the focus on the requested members of a dict, each with its number in the whole."""
    kept: list[bytes] = []
    ordinals: list[int] = []
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN)
        for number, row in enumerate(rows, start):
            part = projection.of(b"{" + row + b"}")
            if part != b"{}":
                kept.append(part[1:-1])
                ordinals.append(number)
    return focus.only(kept, ordinals)
