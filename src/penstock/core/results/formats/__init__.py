"""The formats in which texts hold data. To add one, write a module with its `TextFormat`, and add it to
the table.

A format is a way to look at a text. The text itself is kept, to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.results.formats import signs
from penstock.core.results.formats.cut import NearMiss, TextCut, TextFormat, ValueFrame
from penstock.core.results.formats.fenced import Fenced
from penstock.core.results.formats.late import Late
from penstock.core.results.formats.tables.delimited import Delimited
from penstock.core.results.formats.values.embedded import Embedded
from penstock.core.results.formats.values.json_lines import JsonLines
from penstock.core.results.formats.values.json_text import JsonText
from penstock.core.results.formats.values.python_literal import PythonLiteral

JSON: Final = "json"  # the text is JSON, and nothing else
LOG: Final = "log"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# Formats that few servers send are loaded for the first text with their sign. These allow no fence
# around a text.
_ALONE: Final[Mapping[str, TextFormat]] = {
    "junit": Late("reports.junit_text", signs.JUNIT),
    "xml": Late("xml.format", signs.XML),
    "html": Late("html.format", signs.HTML),
    "diff": Late("changes.diff", signs.DIFF),
    "git log": Late("changes.git_log", signs.GIT_LOG),
    "pytest": Late("reports.pytest_output", signs.PYTEST),
}
_YAML: Final = Late("yaml.format", signs.YAML)
# By the name that agents see, in the order in which they are tried: the strict ones first, those with
# more freedom last.
FORMATS: Final[Mapping[str, TextFormat]] = {
    JSON: JsonText(),
    "ndjson": JsonLines(),
    "python": PythonLiteral(),
    **_ALONE,
    "tap": Late("reports.tap", signs.TAP),
    "csv": Delimited(),
    "table": Late("drawn.format", signs.TABLE),
    LOG: Late("logs.format", signs.LOG),
    "records": Late("tables.keyed_records", signs.RECORDS),
    "yaml": _YAML,
    "json in text": Embedded(JsonText()),
    "python in text": Embedded(PythonLiteral()),
    **{f"{name} in text": Fenced(format_) for name, format_ in {**_ALONE, "yaml": _YAML}.items()},
    "markdown": Late("markdown.format", signs.MARKDOWN),
    "tables": Late("drawn.sections", signs.TABLE),
}


class Recognised(msgspec.Struct, frozen=True):
    """A text cut by its format, or a text that nearly has one."""

    name: str
    cut: TextCut | NearMiss


# A line of words without a sign that any format needs. Most small results are such lines.
_FEW_WORDS: Final = re.compile(rb"[\w .!?-]{0,1000}+", re.ASCII)


def recognise(text: bytes) -> Recognised | None:
    """Return the first format that a text has; else the first that it nearly has, or None. A byte
    order mark belongs to no format: it becomes part of the prefix."""
    if _FEW_WORDS.fullmatch(text):
        return None
    if not text.startswith(_BYTE_ORDER_MARK):
        return _recognise(text)
    found = _recognise(text.removeprefix(_BYTE_ORDER_MARK))
    if found is None or isinstance(found.cut, NearMiss):
        return found
    prefix = _BYTE_ORDER_MARK + found.cut.prefix
    return Recognised(found.name, replace(found.cut, prefix=prefix, is_compact=False))


def _recognise(text: bytes) -> Recognised | None:
    near: Recognised | None = None
    for name, format_ in FORMATS.items():
        try:
            cut = format_.recognise(text)
        except rawjson.TooDeep as error:
            cut = NearMiss(f"it is {error}")
        if isinstance(cut, TextCut):
            return Recognised(name, cut)
        if cut is not None and near is None:
            near = Recognised(name, cut)
        if cut is not None and cut.is_sure:
            break
    return near


def has_free_cells(name: str) -> bool:
    return bool(name) and FORMATS[name].has_free_cells


def is_one_value(name: str) -> bool:
    return FORMATS[name].is_one_value


def has_sections(name: str) -> bool:
    return FORMATS[name].has_sections


def decoded(name: str, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
    """Return rows of a format as compact JSON."""
    return FORMATS[name].decode(rows, reading)


def frame_of(name: str, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
    """Return what is around the rows of a text, without its byte order mark."""
    return FORMATS[name].frame(prefix.removeprefix(_BYTE_ORDER_MARK), suffix, reading)
