"""The tables of a document whose rows are sections, see `core.results.formats.sections`.

The sections are one table. Its column `tables` has the names of each section's own tables as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from penstock.core.model.questions import MOST_SECTION_TABLES, unique_names
from penstock.worker.sandbox.cells import mended

TABLES = "tables"
_SECTION = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TABLES = msgspec.json.Decoder(dict[str, list[msgspec.Raw]])


class SectionTables(NamedTuple):
    """A document as tables."""

    sections: list[bytes]
    tables: dict[str, list[msgspec.Raw]]  # the rows of each, by its name in SQL


def read_sections(rows: Iterable[bytes]) -> SectionTables:
    split = [_split(mended(row)) for row in rows]
    found = [table for _, tables in split for table in tables.items()]
    names = unique_names(name for name, _ in found)
    left = iter(names)
    sections = [_named(section, [next(left) for _ in tables]) for section, tables in split]
    named = zip(names, (elements for _, elements in found), strict=True)
    return SectionTables(sections, dict([*named][:MOST_SECTION_TABLES]))


def _split(row: bytes) -> tuple[dict[str, msgspec.Raw], dict[str, list[msgspec.Raw]]]:
    """Return a section, and its tables."""
    section = _SECTION.decode(row)
    return section, _TABLES.decode(section[TABLES]) if TABLES in section else {}


def _named(section: dict[str, msgspec.Raw], names: list[str]) -> bytes:
    if not names:
        return msgspec.json.encode(section)
    return msgspec.json.encode({**section, TABLES: names})
