"""YAML, as people and tools such as kubectl write it: one document or several.

The rows are those of a JSON value: the items of a list, the items of the one list in a dict, or the
members of a dict. Several documents are rows. A row starts where its line does, and reaches to the next
row, so that it can be read alone: with `---` before it, it is a document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.model.stored import Shape
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.values.json_text import LARGEST_ENVELOPE
from penstock.core.results.formats.yaml.doubts import (
    doubtful_comment,
    has_old_line_ends,
    template_line,
)
from penstock.core.results.formats.yaml.events import BrokenYaml, has_parser
from penstock.core.results.formats.yaml.outline import MAPPING, YamlOutline, YamlSurvey, surveyed
from penstock.core.results.formats.yaml.places import (
    in_bytes,
    in_characters,
    item_starts,
    line_starts,
)
from penstock.core.results.formats.yaml.signs import (
    SOME_LINES,
    comments,
    data_end,
    head_of,
    looks_like_yaml,
)
from penstock.core.results.formats.yaml.values import RefusedYaml, YamlValues
from penstock.errors import how_to_install

LARGEST: Final = 4_000_000  # bytes, which take about a second
LARGEST_ANCHORS: Final = 16_000  # bytes of values that rows take from other rows
_Kind = Literal["items", "flow", "members", "documents"]
_NOT_FINITE: Final = re.compile(rb"\.(?:inf|Inf|INF|nan|NaN|NAN)\b")
_INSTALL: Final = f"reading it needs a library ({how_to_install('texts')})"


class _YamlReading(msgspec.Struct, frozen=True, omit_defaults=True):
    kind: _Kind
    is_inside: bool = False  # the rows are the one list of a dict
    anchors: dict[str, msgspec.Raw] = {}

    @property
    def values(self) -> dict[str, bytes]:
        return {name: bytes(value) for name, value in self.anchors.items()}


class _Rows(msgspec.Struct, frozen=True):
    """The starts of all rows, and the end of the last."""

    kind: _Kind
    starts: Sequence[int]
    end: int
    is_inside: bool = False


class YamlText:
    """Lists and dicts in YAML."""

    has_free_cells = False
    is_one_value = True
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        head = head_of(text)
        if not looks_like_yaml(head):
            return None
        if not has_parser():
            return NearMiss(_INSTALL)
        survey = surveyed(head)
        if not survey.is_data:
            return None
        if len(text) > LARGEST:
            return NearMiss(f"it has {len(text):,} bytes, and at most {LARGEST:,} are read")
        if len(head) < len(text):
            survey = surveyed(text)
        if not survey.is_data or _is_early(survey.error, text):
            return None
        return _cut_of(text, survey)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        told = _read(reading)
        found: list[bytes] = []
        for stream in _streams(rows, told.kind):
            values = YamlValues(told.values).documents(stream)
            found += values if told.kind == "documents" else (value[1:-1] for value in values)
        return found

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        told = _read(reading)
        if not told.is_inside:
            before, after = (b"{", b"}") if told.kind == "members" else (b"[", b"]")
            return ValueFrame(before, after, comments(prefix), comments(suffix))
        is_flow = told.kind == "flow"
        values = YamlValues(told.values)
        (opened,) = values.documents(prefix + b"]" if is_flow else prefix)
        closed = b"".join(values.documents(suffix[1:] if is_flow else suffix))
        *members, last = rawjson.members(opened)
        parts = [*(key + b":" + value for key, value in members), last.key + b":["]
        after = b"]," + closed[1:] if closed else b"]}"
        return ValueFrame(b"{" + b",".join(parts), after, comments(prefix), comments(suffix))


FORMAT: Final = YamlText()


def _read(reading: bytes) -> _YamlReading:
    return msgspec.json.decode(reading, type=_YamlReading)


def _streams(rows: Sequence[bytes], kind: _Kind) -> Iterator[bytes]:
    """Yield documents that hold a row each, joined. Nothing may follow a row without a newline: with
    one, its last text might have a newline too many. Nothing may come before a row with a directive."""
    waiting: list[bytes] = []
    for row in rows:
        if row.startswith(b"%"):
            yield from _joined(waiting)
            waiting = []
        waiting.append(_document(row, kind))
        if not waiting[-1].endswith(b"\n"):
            yield from _joined(waiting)
            waiting = []
    yield from _joined(waiting)


def _joined(documents: list[bytes]) -> list[bytes]:
    return [b"".join(documents)] if documents else []


def _document(row: bytes, kind: _Kind) -> bytes:
    if kind == "flow":
        return b"--- [\n" + row + b"\n]\n"
    is_marked = kind == "documents" and row.startswith((b"---", b"%"))
    return row if is_marked else b"---\n" + row


def _is_early(error: BrokenYaml | None, text: bytes) -> bool:
    """Return whether so little of a text is YAML that it may be something else."""
    return error is not None and error.line <= min(SOME_LINES, text.count(b"\n") // 2)


# -- the cut ---------------------------------------------------------------------------------------


def _cut_of(text: bytes, survey: YamlSurvey) -> TextCut | NearMiss:
    if refused := _lack(text, survey):
        return NearMiss(refused)
    rows = _rows(text, survey)
    if rows is None:
        return NearMiss("a key or an item does not start its line")
    try:
        return _cut(text, rows, survey)
    except RefusedYaml as error:
        return NearMiss(str(error))


def _lack(text: bytes, survey: YamlSurvey) -> str:
    """Return why a text that is built like data is not read; nothing if it is."""
    if has_old_line_ends(text):
        return "it has characters that only some versions of YAML take for the ends of lines"
    if survey.error is not None:
        return str(survey.error)
    if survey.declares_tags:
        return "it declares tags"
    template = template_line(text)
    if template is not None:
        return f"line {template} has a part that a template engine replaces"
    if len(survey.starts) == 1 and survey.first is not None and survey.first.merges:
        return "it merges values into its top level (<<)"
    return doubtful_comment(text)


def _rows(text: bytes, survey: YamlSurvey) -> _Rows | None:
    """Return where the rows are; None if one does not start its line."""
    outline = survey.first
    assert outline is not None  # noqa: S101 (the survey has data, and no error)
    if len(survey.starts) > 1:
        starts = line_starts(text, in_bytes(text, survey.starts))
        return None if starts is None else _Rows("documents", starts, len(text))
    end = data_end(text)
    if outline.root != MAPPING:
        starts = item_starts(text, outline.at, outline.starts)
        return None if starts is None else _Rows("items", starts, end)
    starts = line_starts(text, in_bytes(text, outline.starts))
    if starts is None:
        return None
    inside = _rows_inside(text, outline, [*starts[outline.list_number + 1 :], end][0])
    return inside or _Rows("members", starts, end)


def _rows_inside(text: bytes, outline: YamlOutline, end: int) -> _Rows | None:
    """Return the items of the one list in a dict, if the rest of the dict is small."""
    if outline.lists != 1:
        return None
    if outline.list_is_flow:
        *starts, end = in_bytes(text, [*outline.list_starts, outline.list_end])
        found = _Rows("flow", starts, end, is_inside=True)
    else:
        lines = item_starts(text, outline.list_at, outline.list_starts)
        if lines is None:
            return None
        found = _Rows("items", lines, end, is_inside=True)
    first = found.starts[0] if found.starts else end
    return found if len(text) - (end - first) <= LARGEST_ENVELOPE else None


def _cut(text: bytes, rows: _Rows, survey: YamlSurvey) -> TextCut:
    first = rows.starts[0] if rows.starts else rows.end
    notices = _empty_told(survey)
    told = _YamlReading(rows.kind, rows.is_inside)
    if survey.has_marks or _NOT_FINITE.search(text):
        told, more = _checked(text, rows, told)
        notices += more
    reading = msgspec.json.encode(told)
    prefix, suffix = text[:first], text[rows.end :]
    shape: Shape = "members" if rows.kind == "members" else "rows"
    cut = TextCut(shape, iter(()), prefix, suffix, reading=reading, notices=notices)
    if rows.is_inside:
        envelope = b"".join(FORMAT.frame(prefix, suffix, reading)[:2])
        names = [one.name for one in rawjson.members(envelope) if one.value == b"[]"]
        cut = replace(cut, list_path=pointer(names[0]))
    bounds = pairwise([*rows.starts, rows.end])
    return replace(cut, blocks=grouped(text[start:stop] for start, stop in bounds))


def _empty_told(survey: YamlSurvey) -> tuple[str, ...]:
    if not survey.empty or len(survey.starts) == 1:
        return ()
    many = survey.empty > 1
    return (f"{survey.empty} empty document{'s are' if many else ' is'} not among the rows.",)


def _checked(text: bytes, rows: _Rows, told: _YamlReading) -> tuple[_YamlReading, tuple[str, ...]]:
    """Read all values once. Return the reading with the anchors that rows share, and notices. Raise
    `RefusedYaml`."""
    bounds = in_characters(text, [*rows.starts, rows.end])
    values = YamlValues(row_of=lambda at: bisect_right(bounds, at))
    for value in values.documents(text):
        rawjson.require_shallow(value)
    size = sum(len(value) for value in values.shared.values())
    if size > LARGEST_ANCHORS:
        raise RefusedYaml(
            f"its rows share values of {size:,} bytes, and at most {LARGEST_ANCHORS:,} are kept"
        )
    anchors = {name: msgspec.Raw(value) for name, value in values.shared.items()}
    return replace(told, anchors=anchors), values.notices
