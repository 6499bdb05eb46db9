"""Servers of TOML configs. Their sections move as they are written, with their comments.

Sections that follow each other are a run. The one entry takes the place of the first run, and a
comment that of each other run. The same comment is between the runs in the file of servers, so that
undoing puts each run back into its place, to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from penstock.cli.together.places import CannotMove
from penstock.cli.wrapping.jsonc import BYTE_ORDER_MARK
from penstock.cli.wrapping.literals import TOML
from penstock.cli.wrapping.text_edits import ConfigText, Splice, spliced
from penstock.cli.wrapping.tree import Layout, TreeMember, TreeTable

_MARK: Final = "# penstock: servers, place {}"
_MARKS: Final = re.compile(r"(?m)^# penstock: servers, place ([0-9]+)[ \t]*\r?$")


class _LineSpan(NamedTuple):
    """A part of the text, from the start of a line to the end of a line."""

    start: int
    end: int


def is_section(member: TreeMember) -> bool:
    """Return whether a server is written under a header such as [mcp_servers.name]."""
    return isinstance(member.value, TreeTable) and member.value.layout is Layout.SECTION


def take(
    config: ConfigText,
    root: TreeTable,
    taken: Collection[TreeMember],
    way: Sequence[str],
    name: str,
    entry: Sequence[tuple[str, str]],
) -> tuple[str, str]:
    """Move servers out of a config. Return the config, with the one entry, and the servers."""
    if _MARKS.search(config.text):
        raise CannotMove(f"it has a comment such as `{_MARK.format(2)}`; remove that")
    newline = config.newline
    runs = _with_comments_above(config.text, _runs(config.text, root, taken))
    lines = [f"[{'.'.join(map(TOML.key, (*way, name)))}]"]
    lines += [TOML.key(key) + TOML.joint + value for key, value in entry]
    texts = [newline.join(lines), *map(_MARK.format, range(2, len(runs) + 1))]
    edits = [Splice(*run, text) for run, text in zip(runs, texts, strict=True)]
    servers = config.text[slice(*runs[0])]
    for run, mark in zip(runs[1:], texts[1:], strict=True):
        servers += newline + mark + newline + config.text[slice(*run)]
    return spliced(config.text, edits), servers + newline


def add(
    config: ConfigText, root: TreeTable, taken: Collection[TreeMember], servers: ConfigText
) -> tuple[str, str]:
    """Move further servers of a config behind those that are in the file of servers already."""
    runs = _with_comments_above(config.text, _runs(config.text, root, taken))
    text = servers.text
    text += "" if text.endswith("\n") or not text else servers.newline
    text += "".join(config.text[slice(*run)] + servers.newline for run in runs)
    return without(config.text, runs), text


def give_back(config: ConfigText, root: TreeTable, one: TreeMember, servers: ConfigText) -> str:
    """Return the config with its servers in place of the one entry."""
    parts = _parts(servers.text)
    numbers = {number for number, _ in parts}
    marks = {int(mark[1]): mark for mark in _MARKS.finditer(config.text) if int(mark[1]) in numbers}
    first, *others = _runs(config.text, root, [one])
    whole = _joined(parts, marks, servers.newline)
    edits = [Splice(*first, whole[1])] if whole[1] else [_with_line_end(config.text, first)]
    edits += [_with_line_end(config.text, run) for run in others]
    edits += [
        Splice(mark.start(), _line_end(mark), whole[number]) for number, mark in marks.items()
    ]
    return spliced(config.text, edits)


def removed(config: ConfigText, root: TreeTable, gone: Collection[TreeMember]) -> str:
    """Return the config without the sections of these servers."""
    return without(config.text, _runs(config.text, root, gone))


def without(text: str, runs: Sequence[_LineSpan]) -> str:
    return spliced(text, [_with_line_end(text, run) for run in runs])


def _parts(text: str) -> list[tuple[int, str]]:
    """Return the runs in the file of servers, each with its number."""
    text = text.removeprefix(BYTE_ORDER_MARK).removesuffix("\n").removesuffix("\r")
    parts, start, number = [], 0, 1
    for mark in _MARKS.finditer(text):
        parts.append((number, text[start : mark.start()].removesuffix("\n").removesuffix("\r")))
        number, start = int(mark[1]), min(mark.end() + 1, len(text))
    return [*parts, (number, text[start:])]


def _joined(
    parts: Sequence[tuple[int, str]], marks: Collection[int], newline: str
) -> dict[int, str]:
    """Add a run whose place is gone to the run before it."""
    whole: dict[int, str] = {}
    place = 1
    for number, text in parts:
        place = number if number == 1 or number in marks else place
        whole[place] = whole[place] + newline + text if place in whole else text
    return whole


def _line_end(mark: re.Match[str]) -> int:
    return mark.end() - mark[0].endswith("\r")


def _runs(text: str, root: TreeTable, members: Collection[TreeMember]) -> list[_LineSpan]:
    """Return the lines of servers. Blank lines and comments between their lines are part of them."""
    own = [span for member in members for span in _member_spans(member)]
    every = [*_spans(root)]
    lines = list(_lines(text))
    first_last: list[list[int]] = []
    is_open = False
    for number, line in enumerate(lines):
        if _touches(line, own):
            if is_open:
                first_last[-1][1] = number
            else:
                first_last.append([number, number])
            is_open = True
        elif _touches(line, every) or not _is_free(text[slice(*line)]):
            is_open = False
    return [_LineSpan(lines[first].start, lines[last].end) for first, last in first_last]


def _with_comments_above(text: str, runs: Sequence[_LineSpan]) -> list[_LineSpan]:
    """Let the comments directly above a server move with it."""
    found, least = [], 0
    for run in runs:
        start = run.start
        while start > least:
            above = text.rfind("\n", 0, start - 1) + 1
            if above < least or not text[above:start].lstrip(" \t").startswith("#"):
                break
            start = above
        found.append(_LineSpan(start, run.end))
        least = run.end
    return found


def _spans(table: TreeTable) -> Iterator[_LineSpan]:
    """Return the parts of the text that are statements and headers."""
    for member in table.members:
        yield from _member_spans(member)


def _member_spans(member: TreeMember) -> Iterator[_LineSpan]:
    value = member.value
    if not isinstance(value, TreeTable) or value.layout is Layout.BRACES:
        yield _LineSpan(member.start, member.end)
        return
    if value.layout is Layout.SECTION:
        yield _LineSpan(value.start, value.inside)
    yield from _spans(value)


def _lines(text: str) -> Iterator[_LineSpan]:
    start = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    while start < len(text):
        newline = text.find("\n", start)
        after = len(text) if newline < 0 else newline + 1
        end = after if newline < 0 else newline - text.startswith("\r", newline - 1)
        yield _LineSpan(start, max(start, end))
        start = after


def _touches(line: _LineSpan, spans: Sequence[_LineSpan]) -> bool:
    return any(span.start <= line.end and line.start < span.end for span in spans)


def _is_free(line: str) -> bool:
    return not line.strip() or line.lstrip(" \t").startswith("#")


def _with_line_end(text: str, run: _LineSpan) -> Splice:
    newline = text.find("\n", run.end)
    return Splice(run.start, len(text) if newline < 0 else newline + 1, "")
