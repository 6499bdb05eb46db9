"""The formats in which texts hold data. To add one, write a module with its `TextFormat`, and add it to
the table.

A format is a way to look at a text. The text itself is kept, to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from penstock.core.results.formats.cut import TextCut, TextFormat, ValueFrame
from penstock.core.results.formats.delimited import Delimited
from penstock.core.results.formats.embedded_json import EmbeddedJson
from penstock.core.results.formats.json_lines import JsonLines
from penstock.core.results.formats.json_text import JsonText
from penstock.core.results.formats.python_literal import PythonLiteral

# By the name that agents see, in the order in which they are tried.
FORMATS: Final[Mapping[str, TextFormat]] = {
    "json": JsonText(),
    "ndjson": JsonLines(),
    "python": PythonLiteral(),
    "csv": Delimited(),
    "json in text": EmbeddedJson(),
}


def recognise(text: bytes) -> tuple[str, TextCut] | None:
    """Return the format of a text, and the text cut into its rows; None for any other text."""
    for name, format_ in FORMATS.items():
        cut = format_.recognise(text)
        if cut is not None:
            return name, cut
    return None


def decoded(name: str, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
    """Return rows of a format as compact JSON."""
    return FORMATS[name].decode(rows, reading)


def frame_of(name: str, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
    return FORMATS[name].frame(prefix, suffix, reading)
