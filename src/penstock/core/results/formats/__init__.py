"""The formats in which texts hold data. To add one, write a module with its `TextFormat`, and add it to
the table.

A format is a way to look at a text. The text itself is kept, to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss, TextCut, TextFormat, ValueFrame
from penstock.core.results.formats.delimited import Delimited
from penstock.core.results.formats.embedded import Embedded
from penstock.core.results.formats.json_lines import JsonLines
from penstock.core.results.formats.json_text import JsonText
from penstock.core.results.formats.late import Late
from penstock.core.results.formats.python_literal import PythonLiteral

JSON: Final = "json"  # the text is JSON, and nothing else
LOG: Final = "log"
# Near the start of one of the first lines: a level, a clock, a key of logfmt, or the seconds of a kernel.
_LOG_SIGN: Final = (
    rb"\A(?:[^\n]*+\n){0,40}?(?:(?:\x1b\[[0-9;]*+m)*+\[?+(?:INFO|ERRO|WARN|DEBU|[VDIWEF]/|[a-z]{4,7}[:\]])"
    rb"|[^\n]{0,100}?[:=\]](?:(?<=:)[0-5][0-9]:[0-6][0-9]|(?<=level=)|(?<=lvl=)|(?<=msg=)|(?<=[0-9]{6}\])))"
)
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# By the name that agents see, in the order in which they are tried.
FORMATS: Final[Mapping[str, TextFormat]] = {
    JSON: JsonText(),
    "ndjson": JsonLines(),
    "python": PythonLiteral(),
    "junit": Late("junit_text", rb"\A[ \t\r\n]*+(?:<\?xml[^<]*+)?+<testsuites?+[\s>]"),
    "xml": Late("xml_text", rb"\A[ \t\r\n]*+<(?:\?xml|[!A-Za-z_])"),
    "html": Late(
        "html_text",
        rb"(?i)<(?:!doctype|html|h[1-6]|p|div|table|[uod]l|section|article|body|head)[\s>]",
    ),
    "diff": Late(
        "diff", rb"\n(?:@@+ -[0-9]|diff --git |index [0-9a-f]|old mode |similarity index )"
    ),
    "git log": Late(
        "git_log", rb"commit (?:[-<>=+] )?[0-9a-f]{7,64}[^\n]*\n(?:Merge|Author|Reflog): "
    ),
    "tap": Late("tap", rb"\n *+(?:not ok|ok)(?: [0-9]| -)"),
    "pytest": Late(
        "pytest_output", rb"= (?:test session starts|FAILURES|ERRORS|short test summary info) ="
    ),
    "csv": Delimited(),
    LOG: Late("log_text", _LOG_SIGN),
    "records": Late(
        "keyed_records", rb"(?m)^[A-Za-z][^:\n]{0,60}:[ \t].*\n[A-Za-z][^:\n]{0,60}:[ \t\r\n]"
    ),
    # A text that begins with a key, an item or `---`, after comments.
    "yaml": Late(
        "yaml_text",
        rb"\A(?:[ \t]*+(?:#[^\n]*+)?+\r?\n)*+(?:---|%YAML|%TAG|-[ \r\n]|[^\s:#\[{`|]++[ \t]*+:(?:[ \t\r\n]|\Z))",
    ),
    "json in text": Embedded(JsonText()),
    "python in text": Embedded(PythonLiteral()),
    "markdown": Late("markdown_text", rb"\n(?:[#=`~|][=#`~ ]|--)"),
}


class Recognised(msgspec.Struct, frozen=True):
    """A text cut by its format, or a text that nearly has one."""

    name: str
    cut: TextCut | NearMiss


def recognise(text: bytes) -> Recognised | None:
    """Return the first format that a text has; else the first that it nearly has, or None. A byte
    order mark belongs to no format: it becomes part of the prefix."""
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
