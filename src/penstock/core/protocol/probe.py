"""The first reply about a large result: what it is, how large it is, and how to read it.

There are three forms. A probe describes the result. A list may answer with its first page instead;
a live list (a queryset, for instance) always does. A lean reply holds only the essence of a result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from penstock.core.budget.fitting import PROBE_BYTES, ReplyScale, clip
from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.model.questions import jq_installed, table_names
from penstock.core.model.reply import Reply
from penstock.core.model.stored import Head, Live
from penstock.core.model.values import Mode
from penstock.core.results import formats
from penstock.core.results.columns import described_columns
from penstock.core.views.pages import Bookmark, cut_text
from penstock.core.views.request import TOKEN_FIELD
from penstock.settings.policy import Policy

_PREVIEWS = (200, 120, 60, 20, 0)
_COLUMNS = (40, 15, 5, 0)
# Columns and characters of a preview beside the contents of a text, which tell more than its first words.
_BESIDE_CONTENTS = ((40, 120), (15, 60), (5, 20), (0, 0))
# The columns of sections are always the same, so that more contents are better.
_BESIDE_SECTIONS = ((5, 60), (0, 0))
_NAME_CHARS = 60
_AFTER_CHARS = 120


def available_modes(
    shape: str,
    policy: Policy,
    *,
    keyed: bool = False,
    uniform: bool = False,
    has_tables: bool = False,
) -> list[str]:
    """Return the modes that apply to a value of this shape, in the order of the policy.

    `keyed`: the rows are objects. `uniform`: the value is a dict whose entries are alike.
    `has_tables`: the value is a dict with lists that SQL can read.
    """
    fitting = {
        Mode.SQL: shape in ("rows", "lines") or (uniform or has_tables),
        Mode.QUERY: shape in ("rows", "members") and jq_installed(),
        Mode.SEARCH: shape != "literal",
        Mode.FILTERED: shape == "members" or (shape == "rows" and keyed),
    }
    return [mode.value for mode in policy.modes if fitting.get(mode, True)]


def modes_of(head: Head, policy: Policy) -> list[str]:
    return available_modes(
        head.shape,
        policy,
        keyed=bool(head.columns),
        uniform=head.uniform,
        has_tables=head.has_tables,
    )


def probe(
    head: Head,
    token: str,
    expires_in: int,
    scale: ReplyScale,
    policy: Policy,
    notices: Sequence[str],
    reader: str = "",
    *,
    is_part: bool = False,
) -> Reply:
    """Return a probe: preview, size, modes and token, and more as far as two kilobytes allow.
    `is_part`: state no count, which would pass for the count of the whole."""
    scale = scale.capped(bytes=PROBE_BYTES)
    ending: dict[str, Any] = {"expires_in": expires_in}
    if notices:
        ending["notices"] = list(notices)
    steps = _next_steps(reader, head, policy)
    candidates = (
        {**told, "next_step": step}
        for told in _probes(head, token, ending, policy, is_part=is_part)
        for step in steps
    )
    return scale.first_fit(candidates) or scale.reply(_essence(head, token, policy, ""))


def _probes(
    head: Head, token: str, ending: dict[str, Any], policy: Policy, *, is_part: bool
) -> Iterator[dict[str, Any]]:
    lengths = [length for length in _PREVIEWS if length <= policy.preview] or [0]
    lengths[0] = max(lengths[0], min(policy.preview, len(head.preview)))
    for columns, length, contents in _rooms_of_contents(head):
        described = _details_with(head, columns, rawjson.decode(contents), is_part=is_part)
        shown = head.preview[: min(length, policy.preview)]
        yield {**_essence(head, token, policy, shown), **described, **ending}
    for columns in _COLUMNS:
        for length in lengths[: 2 if columns else None]:
            for details in _details(head, columns, is_part=is_part):
                yield {**_essence(head, token, policy, head.preview[:length]), **details, **ending}
    yield {**_essence(head, token, policy, ""), **ending}


def _rooms_of_contents(head: Head) -> Iterator[tuple[int, int, bytes]]:
    """Yield how many columns and characters of the preview to show beside which contents."""
    if head.format and formats.has_sections(head.format):
        for contents in head.contents:
            yield from ((*room, contents) for room in _BESIDE_SECTIONS)
    else:
        for room in _BESIDE_CONTENTS:
            yield from ((*room, contents) for contents in head.contents)


def lean(head: Head, token: str, essence: Mapping[str, Any], scale: ReplyScale) -> Reply | None:
    """Return the essence of a result with its token, or None if they do not fit. The modes are left
    out, to save room."""
    told = {**essence, "data_size": head.size, TOKEN_FIELD: token}
    return scale.reply(told) if scale.holds(told) else None


def _next_steps(reader: str, head: Head, policy: Policy) -> list[str]:
    """Return how to go on, first with hints. The reader's entry in the list has no room for them,
    and most conversations never need them."""
    tool = reader or "this tool again"
    step = f"Call {tool} with {TOKEN_FIELD} and a mode; it reads the stored result."
    hints = [hint for hint in _hints(head, modes_of(head, policy)) if reader]
    return [" ".join([step, *hints]), step] if hints else [step]


def _hints(head: Head, modes: Sequence[str]) -> Iterator[str]:
    if Mode.SQL in modes:
        yield "sql: dots reach inside; tables {name: token} joins results; page_size 0 only stores."
    if head.format:
        yield "path /~text is the exact text."
    if head.shape == "members":
        yield "@result:<token>#/path hands on a part."


def _essence(head: Head, token: str, policy: Policy, preview: str) -> dict[str, Any]:
    return {
        "preview": preview,
        "total_size": head.wire_size,
        "available_modes": modes_of(head, policy),
        TOKEN_FIELD: token,
    }


def _details(head: Head, columns: int, *, is_part: bool) -> Iterator[dict[str, Any]]:
    """Yield the details that suit the shape, the most first."""
    if head.shape == "lines":
        yield {"lines": head.count}
        return
    counted = _counted(head, is_part=is_part)
    named = _column_types(head, columns)
    at = {"rows_at": head.list_path} if head.list_path else {}
    if head.outline != b"null" and columns:
        tables = _tables(head)
        yield {**counted, **tables, **named, **at, "outline": msgspec.Raw(head.outline)}
        if tables:
            yield {**counted, **tables}
    yield {**counted, **named, **at}


def _details_with(
    head: Head, columns: int, contents: Mapping[str, Any], *, is_part: bool
) -> dict[str, Any]:
    """Return the details of a text with its contents."""
    at = {"rows_at": head.list_path} if head.list_path else {}
    counted = _counted(head, is_part=is_part)
    return {**counted, **contents, **_column_types(head, columns), **at}


def _counted(head: Head, *, is_part: bool) -> dict[str, Any]:
    is_of_text = head.format and not head.is_said_twice
    named_format = {"format": head.format} if is_of_text else {}
    is_counted = head.shape != "literal" and not is_part
    return named_format | ({"count": head.count} if is_counted else {}) | _text_after(head)


def _tables(head: Head) -> dict[str, dict[str, str]]:
    """Return the tables that SQL has: the rows and columns of each, as in the outline."""
    shapes = rawjson.decode(head.outline) if head.has_tables and not head.uniform else None
    if not isinstance(shapes, dict):
        return {}
    lists = [name for name, shape in shapes.items() if str(shape).startswith("[")]
    return {"tables": {name: shapes[name] for name in table_names(lists)}}


def _text_after(head: Head) -> dict[str, str]:
    """Return the text after data, which may say that the data is not all. The preview shows the text
    before it."""
    if not head.format:
        return {}
    after = formats.frame_of(head.format, head.prefix, head.suffix, head.reading).text_after
    text = rawjson.text(after).strip()
    return {"text_after": cut_text(text, _AFTER_CHARS)} if text else {}


def _column_types(head: Head, columns: int) -> dict[str, Any]:
    """Return the types of the first columns, and the number of those that are left out."""
    described = described_columns(head.columns, head.samples)
    shown: dict[str, str] = {}
    hidden = head.further_columns
    for entry in described:
        name = clip(entry.name, _NAME_CHARS)
        if len(shown) < columns and name not in shown:
            shown[name] = entry.told
        else:  # beyond the limit, or not to be told from another
            hidden += entry.columns
    named = {"columns": shown} if shown else {}
    return {**named, "columns_omitted": hidden} if hidden else named


def without_rows(
    head: Head, told: Mapping[str, Any], scale: ReplyScale, *, is_single: bool
) -> Reply:
    """Return the count and the columns of an answer that is stored to be handed on. `told`: further
    fields. `is_single`: the answer is one value, and has no columns."""
    if is_single:
        return scale.reply({"total": 1, **told})
    forms = [{"total": head.count, **_column_types(head, columns), **told} for columns in _COLUMNS]
    return scale.first_fit(forms) or scale.reply(forms[-1])


def first_page(
    head: Head,
    rows: Sequence[bytes],
    token: str | None,
    bookmark: Bookmark,
    scale: ReplyScale,
    policy: Policy,
    told: Mapping[str, Any] | None = None,
    reader: str = "",
) -> Reply:
    """Return the first page of a list, with the field names of a REST framework's page. `told`:
    further fields. `reader`: the tool that reads the next pages, if it is another one."""
    live = head.source if isinstance(head.source, Live) else None

    def build(count: int) -> dict[str, Any]:
        return {
            "count": head.count,
            "data_size": head.size if live is None else live.data_size,
            **({"data_size_is": "estimated"} if live is not None and live.estimated else {}),
            "next": bookmark(count, 0) if count < head.count else None,
            "previous": None,
            "results": [msgspec.Raw(row) for row in rows[:count]],
            **({"truncated": len(rows) - count} if count < len(rows) else {}),
            **({TOKEN_FIELD: token} if token else {"stored": False}),
            "available_modes": modes_of(head, policy) if token else [],
            **({"live": True} if live is not None else {}),
            **(told or {}),
            **({"next_step": reading} if token and count < head.count else {}),
        }

    reading = (
        f"Call {reader or 'again'} with next as {TOKEN_FIELD}, or with {TOKEN_FIELD} and a mode."
    )
    reply = scale.most(map(len, rows), build)
    if reply is not None:
        return reply
    if not rows:
        return scale.reply(build(0))
    stub = {**build(1), "results": [{"$path": pointer(0), "$size": len(rows[0])}]}
    # Leave out optional fields until the reply fits.
    brief = {name: it for name, it in stub.items() if name != "next_step"}
    least = {name: it for name, it in brief.items() if name not in (told or {})}
    return scale.first_fit([stub, brief]) or scale.reply(least)
