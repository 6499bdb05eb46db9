"""Several tables in one text, such as the output of `kubectl get all`, or of several queries. Each
table is a section, with the line before it as its heading.

A text with headings or code blocks of Markdown is a document, and not of this format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import (
    LARGEST_SCANNED,
    NearMiss,
    TextCut,
    ValueFrame,
    grouped,
)
from penstock.core.results.formats.drawn.format import MOST_AROUND, count_lines, next_table
from penstock.core.results.formats.drawn.found_table import FoundTable
from penstock.core.results.formats.drawn.table_cells import row_reader
from penstock.core.results.formats.sections import (
    Section,
    SectionTable,
    contents_of_sections,
    section_row,
    table_name,
)

_FEWEST: Final = 2
_MOST: Final = 500  # tables
_LONGEST_HEADING: Final = 100  # characters
_TEXT_OF_TABLE: Final = 2  # lines that may be around each table, beside as many as there are rows
_DOCUMENT: Final = re.compile(rb"^ {0,3}(?:#{1,6}[ \t]|`{3}|~{3})", re.MULTILINE)
_LETTER: Final = re.compile(r"[^\W_]")
_EMPTY: Final = re.compile(rb"\n(?:[ \t\r]*+\n)++")


class TextTables:
    """Several tables in a text."""

    has_free_cells = False
    is_one_value = False
    has_sections = True

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        if len(text) > LARGEST_SCANNED:
            return None
        starts: list[int] = []
        position = 0
        while isinstance(table := next_table(text, position), FoundTable):
            starts.append(position)
            position = _end_of_section(text, table)
            if len(starts) > _MOST:
                return NearMiss(f"it has more than {_MOST} tables")
        if table is not None:
            return table if starts else None
        if len(starts) < _FEWEST or count_lines(text[position:]) > MOST_AROUND:
            return None
        sections = [_section(text[start:end]) for start, end in pairwise((*starts, len(text)))]
        if not _is_all_of(sections):
            return None
        contents = [section.described for section in sections if section is not None]
        rows = (text[start:end] for start, end in pairwise((*starts, len(text))))
        return TextCut("rows", grouped(rows), contents=contents_of_sections(contents))

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        del reading
        return [_encoded(row) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del prefix, suffix, reading
        return ValueFrame()


class _Section(NamedTuple):
    """A table, and the text around it."""

    table: FoundTable
    heading: str
    text: str  # without the heading

    @property
    def name(self) -> str:
        return table_name(self.heading)

    @property
    def described(self) -> Section:
        table = SectionTable(self.name, self.table.layout.columns, self.table.count)
        return Section(1 if self.heading else 0, self.heading, [table])


def _section(text: bytes) -> _Section | None:
    """Return the one table of a section, and the lines around it."""
    table = next_table(text, 0)
    if not isinstance(table, FoundTable):
        return None
    lines = [line.strip() for line in rawjson.text(text[: table.start]).split("\n")]
    # A heading may be underlined.
    at = max((at for at, line in enumerate(lines) if _LETTER.search(line)), default=0)
    heading = lines.pop(at) if len(lines[at]) <= _LONGEST_HEADING else ""
    parts = ("\n".join(lines).strip(), rawjson.text(text[table.end :]).strip())
    return _Section(table, heading, "\n".join(filter(None, parts)))


def _is_all_of(sections: Sequence[_Section | None]) -> bool:
    """Return whether tables are most of a text, which is no document."""
    found = [section for section in sections if section is not None]
    texts = [f"{section.text}\n{section.heading}" for section in found]
    lines = sum(len(text.split("\n")) - 1 for text in texts)
    rows = sum(section.table.count for section in found)
    is_document = any(_DOCUMENT.search(rawjson.utf8(text)) for text in texts)
    is_most = lines <= rows + _TEXT_OF_TABLE * len(found)
    return len(found) == len(sections) and not is_document and is_most


def _end_of_section(text: bytes, table: FoundTable) -> int:
    """Return where the next section starts: after an empty line, or after the table if another table
    follows at once."""
    empty = _EMPTY.search(text, table.end)
    end = len(text) if empty is None else empty.end()
    after = min(table.end + 1, len(text))
    if empty is not None and empty.start() == table.end:
        return end
    other = next_table(text, after)
    return after if isinstance(other, FoundTable) and other.start < end else end


def _encoded(section: bytes) -> bytes:
    found = _section(section)
    if found is None:
        return section_row(0, "", rawjson.text(section), {}, [])
    reader = row_reader(found.table.layout)
    rows = [msgspec.Raw(reader.encoded(row)) for row in found.table.rows(section)]
    level = 1 if found.heading else 0
    # Rows stay as they are encoded, so that numbers keep their digits.
    return section_row(level, found.heading, found.text, {found.name: cast(Any, rows)}, [])


FORMAT: Final = TextTables()
