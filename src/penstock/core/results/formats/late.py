"""Formats whose modules are loaded for the first text that may have the format. Most servers never
send such a text, and no start should wait for its parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Final

from penstock.core.results.formats.cut import NearMiss, TextCut, TextFormat, ValueFrame

_SEEN: Final = 16_000  # the first bytes, in which a text of the format has its sign


class Late:
    """A format that is the `FORMAT` of a module beside this one. Texts without its `sign` near their
    start are not of it."""

    def __init__(self, module: str, sign: bytes) -> None:
        self._module = module
        self._sign = sign

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        # Patterns are compiled at their first use, and `re` keeps them.
        if not re.compile(self._sign).search(text, 0, _SEEN):
            return None
        return self._format.recognise(text)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        return self._format.decode(rows, reading)

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        return self._format.frame(prefix, suffix, reading)

    @property
    def has_free_cells(self) -> bool:
        return self._format.has_free_cells

    @property
    def is_one_value(self) -> bool:
        return self._format.is_one_value

    @property
    def has_sections(self) -> bool:
        return self._format.has_sections

    @cached_property
    def _format(self) -> TextFormat:
        format_: TextFormat = import_module(f"{__package__}.{self._module}").FORMAT
        return format_
