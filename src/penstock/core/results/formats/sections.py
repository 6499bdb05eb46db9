"""Sections: the rows of a document. Each is a heading with the text up to the next heading.

    {"level": 2, "heading": "Limits", "text": "Each plan …", "tables": {"limits": [{"plan": "free", …}, …]},
     "code": [{"language": "sh", "text": "make test"}]}

A text before the first heading is a section of level 0. `tables` and `code` are there if the section
has some. SQL reads each table under its name, which `unique_names` makes unique.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.model.questions import table_names, unique_names
from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of

_LONGEST_NAME: Final = 40
_NOT_IN_NAMES: Final = re.compile(r"[\W_]+")
_NAMED_COLUMNS: Final = 6
_SHARE_OF_TABLES: Final = 0.5  # beside the headings, which lead to the tables too


class SectionTable(msgspec.Struct, frozen=True):
    """A table of a section: its columns, and how many rows it has."""

    name: str  # unique in the section
    columns: Sequence[str]
    count: int


class Section(msgspec.Struct, frozen=True):
    """A section, as the contents of its document list it."""

    level: int
    heading: str
    tables: Sequence[SectionTable] = ()


def section_row(
    level: int,
    heading: str,
    text: str,
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    code: Sequence[Mapping[str, str]],
) -> bytes:
    """Return a section as compact JSON."""
    row: dict[str, Any] = {"level": level, "heading": heading, "text": text}
    if tables:
        row["tables"] = tables
    if code:
        row["code"] = code
    return encode(row)


def table_name(heading: str, used: Iterable[str] = ()) -> str:
    """Return the name of a table under a heading, a plain word that no other table of the section has."""
    word = _NOT_IN_NAMES.sub("_", heading.lower())[:_LONGEST_NAME].strip("_")
    name = word if word[:1].isalpha() and table_names([word]) else f"table_{word}".rstrip("_")
    return unique_names([*used, name])[-1]


def contents_of_sections(sections: Sequence[Section]) -> tuple[bytes, ...]:
    """Return the table of contents, with a path to each section, and the tables with their names."""
    headings = [
        ContentsEntry(
            f"/{number}", f"{'#' * section.level} {section.heading}".strip(), section.level
        )
        for number, section in enumerate(sections)
        if section.heading
    ]
    places = [
        (number, table) for number, section in enumerate(sections) for table in section.tables
    ]
    names = unique_names(table.name for _, table in places)
    tables = [
        ContentsEntry(name, f"{_shape(table)} at /{number}/tables/{table.name}")
        for name, (number, table) in zip(names, places, strict=True)
    ]
    return contents_of(
        ContentsList("contents", headings), ContentsList("tables", tables, share=_SHARE_OF_TABLES)
    )


def _shape(table: SectionTable) -> str:
    names = ", ".join(table.columns[:_NAMED_COLUMNS])
    more = ", …" if len(table.columns) > _NAMED_COLUMNS else ""
    return f"[{table.count} × {{{names}{more}}}]"
