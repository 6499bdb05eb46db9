"""`summary`: the shape of a result and some examples, in at most 2,000 tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from penstock.core.budget.fitting import SUMMARY_TOKENS, ReplyScale, clip
from penstock.core.json import rawjson
from penstock.core.model.effects import Steps
from penstock.core.model.reply import Reply
from penstock.core.results.outline import alike, outline
from penstock.core.views.focus import SPAN, Focus
from penstock.core.views.notable import LINE_CHARS, Notable
from penstock.core.views.outline_of_sections import outline_of_sections
from penstock.core.views.pages import brief, cut_text, line_text, words_around
from penstock.core.views.profile import TableProfile

ITEMS = 5
KEYS = 10
_ENDS = 5
_MOST_NOTABLE = 40
_MOST_LEVELS = 20
_NAME_CHARS = 100


def summarise(focus: Focus, scale: ReplyScale, extra: Mapping[str, Any]) -> Steps[Reply]:
    scale = scale.capped(tokens=SUMMARY_TOKENS)
    extra = {**words_around(focus, scale), **extra}
    if focus.has_sections:
        return (yield from outline_of_sections(focus, scale, extra))
    if focus.shape == "lines":
        return _text(scale, extra, *(yield from _read_lines(focus)))
    if focus.shape == "literal":
        (row,) = yield from focus.read(0, 1)
        return _fitted(scale, ({"value": brief(row), "total": 1, "omitted": 0, **extra},))
    if focus.shape == "members":
        return (yield from _dict(focus, scale, extra))
    if focus.is_log:
        return (yield from _log(focus, scale, extra))
    profile = TableProfile()
    for start in focus.spans():
        profile.add((yield from focus.read(start, start + SPAN)))
    first = yield from focus.read(0, ITEMS)
    return _fitted(scale, _row_candidates(focus, profile, first, extra))


def _row_candidates(
    focus: Focus, profile: TableProfile, first: list[bytes], extra: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the first items and the profile of the columns, in less and less detail."""
    columns = profile.describe()
    for items, keys, named in _detail(len(columns)):
        shown = [_brief_row(row, keys) for row in first[:items]]
        kept = {clip(name, _NAME_CHARS): columns[name] for name in islice(columns, named)}
        hidden = len(columns) - len(kept) + len(profile.left_out)
        yield {
            "total": focus.count,
            "omitted": focus.count - len(shown),
            "items": shown,
            "columns": kept,
            **({"columns_omitted": hidden} if hidden else {}),
            **extra,
        }


def _detail(columns: int) -> Iterator[tuple[int, int, int]]:
    """Yield how many items, keys of an item, and columns to try."""
    named = columns
    for items in (ITEMS, 3, 1):
        yield items, KEYS, columns
    while named:
        named = named * 2 // 3
        for items, keys in ((ITEMS, KEYS), (2, 5), (0, 0)):
            yield items, keys, named


def _brief_row(row: bytes, keys: int) -> Any:
    if row[:1] != b"{":
        return brief(row)
    cells = rawjson.fields(row)
    shown = {clip(name, _NAME_CHARS): brief(cells[name]) for name in islice(cells, keys)}
    more = len(cells) - len(shown)
    return {**shown, "…": f"{more} more keys"} if more else shown


def _dict(focus: Focus, scale: ReplyScale, extra: Mapping[str, Any]) -> Steps[Reply]:
    """Summarise a dict: its first members and, if all are alike, the profile of their columns."""
    rows = yield from focus.read(0, SPAN)
    members = [rawjson.split_member(row) for row in rows]
    profile = TableProfile()
    if len(members) > KEYS and alike([member.value for member in members[:100]]):
        for start in focus.spans():
            span = yield from focus.read(start, start + SPAN)
            profile.add([rawjson.split_member(row).value for row in span])
    return _fitted(scale, _dict_candidates(focus, profile, members, extra))


def _dict_candidates(
    focus: Focus, profile: TableProfile, members: list[rawjson.Member], extra: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    columns = profile.describe()
    for keys, depth, named in ((KEYS, 1, 60), (KEYS, 1, 20), (KEYS, 0, 10), (5, 0, 3), (3, 0, 0),
                               (1, 0, 0), (0, 0, 0)):  # fmt: skip
        shown = {
            clip(member.name, _NAME_CHARS): _shape_or_value(member.value, depth)
            for member in members[:keys]
        }
        kept = {clip(name, _NAME_CHARS): columns[name] for name in islice(columns, named)}
        yield {
            "total": focus.count,
            "omitted": focus.count - len(shown),
            "summary": shown,
            **({"columns": kept} if kept else {}),
            **extra,
        }


def _shape_or_value(value: bytes, depth: int) -> Any:
    return outline(value, depth) if value[:1] in b"{[" and len(value) > KEYS else brief(value)


# -- logs --------------------------------------------------------------------------------------


def _log(focus: Focus, scale: ReplyScale, extra: Mapping[str, Any]) -> Steps[Reply]:
    """Summarise a log: the profile of its entries, and the notable lines of its text."""
    profile, notable = TableProfile(), Notable()
    before = focus.in_text.before if focus.in_text is not None else b""
    notable.add(before.split(b"\n")[:-1])
    for start in focus.spans():
        entries = yield from focus.kept(start, start + SPAN)
        notable.add(line for entry in entries for line in entry.removesuffix(b"\n").split(b"\n"))
        profile.add((yield from focus.read(start, start + SPAN)))
    first = yield from focus.read(0, ITEMS)
    return _fitted(scale, _log_candidates(focus, profile, notable, first, extra))


def _log_candidates(
    focus: Focus,
    profile: TableProfile,
    notable: Notable,
    first: list[bytes],
    extra: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """Yield the counts of levels, the columns and the notable lines, in less and less detail."""
    columns = profile.describe()
    for items, named, most, chars in ((ITEMS, 40, 20, LINE_CHARS), (3, 20, 20, LINE_CHARS), (2, 12, 10, 120),
                                      (1, 8, 5, 120), (0, 5, 5, 80), (0, 2, 3, 80), (0, 0, 2, 60),
                                      (0, 0, 1, 40), (0, 0, 0, 0)):  # fmt: skip
        shown = [_brief_row(row, KEYS) for row in first[:items]]
        kept = {clip(name, _NAME_CHARS): columns[name] for name in islice(columns, named)}
        hidden = len(columns) - len(kept) + len(profile.left_out)
        yield {
            "total": focus.count,
            "omitted": focus.count - len(shown),
            **_counts(profile, notable),
            "notable": notable.pick(most, chars),
            "items": shown,
            "columns": kept,
            **({"columns_omitted": hidden} if hidden else {}),
            **extra,
        }


def _counts(profile: TableProfile, notable: Notable) -> dict[str, dict[str, int]]:
    """Return how many entries have each level, or how many lines are grave if there are no levels."""
    column = profile.columns.get("level")
    levels = None if column is None else column.counts.get(str)
    if levels is None or len(levels) > _MOST_LEVELS:
        return {"counts": notable.counts} if notable.counts else {}
    return {"levels": dict(levels.most_common())}


# -- text --------------------------------------------------------------------------------------


def _read_lines(focus: Focus) -> Steps[tuple[Notable, list[bytes], list[bytes]]]:
    notable = Notable()
    for start in focus.spans():
        notable.add((yield from focus.read(start, start + SPAN)))
    head = yield from focus.read(0, _ENDS)
    tail = yield from focus.read(max(_ENDS, focus.count - _ENDS), focus.count)
    return notable, head, tail


def _text(
    scale: ReplyScale,
    extra: Mapping[str, Any],
    notable: Notable,
    head: list[bytes],
    tail: list[bytes],
) -> Reply:
    return _fitted(scale, _text_candidates(notable, head, tail, extra))


def _text_candidates(
    notable: Notable, head: list[bytes], tail: list[bytes], extra: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for most, ends, chars in ((_MOST_NOTABLE, _ENDS, LINE_CHARS), (20, _ENDS, LINE_CHARS),
                              (10, 3, 120), (5, 2, 80), (2, 1, 40), (1, 0, 40), (0, 0, 0)):  # fmt: skip
        first = [cut_text(line_text(line), chars) for line in head[:ends]]
        last = [cut_text(line_text(line), chars) for line in tail[-ends:]] if ends else []
        yield {
            "total": notable.lines,
            "omitted": notable.lines - len(first) - len(last),
            "head": first,
            "tail": last,
            "notable": notable.pick(most, chars),
            **({"counts": notable.counts} if notable.counts else {}),
            **extra,
        }


def _fitted(scale: ReplyScale, candidates: Any) -> Reply:
    found = scale.first_fit(candidates)
    return found or scale.reply({"notice": "No summary fits; use mode paginated."})
