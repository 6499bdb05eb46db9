"""The outline of a document: the path, heading and size of each section.

{"total": 3, "characters": 4210, "omitted": 0,
 "outline": {"/0": "# Handbook (210 chars)", "/1": "## Limits (3,400 chars, 2 tables)", …}}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from penstock.core.budget.fitting import ReplyScale, clip
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.effects import Steps
from penstock.core.model.reply import Reply
from penstock.core.views.focus import SPAN, Focus

_TITLE_CHARS: Final = 100
_UNTITLED: Final = "(before the first heading)"


class SectionRead(NamedTuple):
    """A section of a document."""

    level: int
    title: str  # with marks for its level; empty before the first heading
    text: str
    tables: int
    code: int


class OutlineEntry(NamedTuple):
    """A section, as the outline shows it."""

    number: int
    level: int
    path: str
    told: str


def read_section(row: bytes) -> SectionRead:
    """Read a row of a document."""
    fields = rawjson.fields(row)
    level = int(fields["level"])
    title = f"{'#' * level} {rawjson.decode(fields['heading'])}".strip()
    tables = sum(1 for _ in rawjson.members(fields.get("tables", b"{}")))
    code = sum(1 for _ in rawjson.elements(fields.get("code", b"[]")))
    return SectionRead(level, title, str(rawjson.decode(fields["text"])), tables, code)


def outline_of_sections(focus: Focus, scale: ReplyScale, extra: Mapping[str, Any]) -> Steps[Reply]:
    """Return the outline. If not all sections fit, the deepest levels are left out first, and
    counted."""
    entries: list[OutlineEntry] = []
    characters = 0
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN)
        for number, row in enumerate(rows, start):
            section = read_section(row)
            characters += len(section.text)
            entries.append(_entry(number, section, focus.row_path(number, row)))
    told = {"total": focus.count, "characters": characters}
    return _fitted(entries, scale, told, extra)


def _entry(number: int, section: SectionRead, path: str) -> OutlineEntry:
    sizes = [
        *(_counted(len(section.text), "char") or ["0 chars"]),
        *_counted(section.tables, "table"),
        *_counted(section.code, "code block"),
    ]
    title = clip(section.title or _UNTITLED, _TITLE_CHARS)
    return OutlineEntry(number, section.level, path, f"{title} ({', '.join(sizes)})")


def _counted(number: int, name: str) -> list[str]:
    return [f"{number:,} {name}{'s' if number > 1 else ''}"] if number else []


def _fitted(
    entries: Sequence[OutlineEntry],
    scale: ReplyScale,
    told: Mapping[str, Any],
    extra: Mapping[str, Any],
) -> Reply:
    ranked = sorted(entries, key=lambda entry: entry.level)  # in their order on each level

    def build(count: int) -> dict[str, Any]:
        shown = sorted(ranked[:count])
        hidden = Counter(entry.level for entry in ranked[count:])
        levels = {f"level {level}": number for level, number in sorted(hidden.items())}
        return {
            **told,
            "omitted": len(ranked) - count,
            **({"omitted_levels": levels} if levels else {}),
            "outline": {entry.path: entry.told for entry in shown},
            **extra,
        }

    sizes = (len(encode({entry.path: entry.told})) for entry in ranked)
    return scale.most(sizes, build) or scale.reply(build(0))
