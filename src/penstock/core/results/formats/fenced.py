"""Texts in one code fence, with a few words around it: another format, inside the fence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

import msgspec
from msgspec.structs import replace

from penstock.core.results.formats.cut import NearMiss, TextCut, TextFormat, ValueFrame

_LEAST_SHARE: Final = 0.8  # of the text that is in the fence
# A value of one row says more as lines: the tree of a page, for instance, as browsers describe it.
_FEWEST: Final = 2
_OPENING: Final = re.compile(rb"^(`{3,}+|~{3,}+)[\w+.-]*+[ \t]*+\r?\n", re.MULTILINE)


class _FenceReading(msgspec.Struct, frozen=True):
    before: int  # the bytes up to the end of the opening fence
    after: int
    inner: str  # the reading of the text in the fence


class Fenced:
    """A format inside a code fence."""

    def __init__(self, inner: TextFormat) -> None:
        self._inner = inner

    @property
    def has_free_cells(self) -> bool:
        return self._inner.has_free_cells

    @property
    def is_one_value(self) -> bool:
        return self._inner.is_one_value

    @property
    def has_sections(self) -> bool:
        return self._inner.has_sections

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        span = _inside(text)
        cut = None if span is None else self._inner.recognise(text[slice(*span)])
        if span is None or not isinstance(cut, TextCut):
            return cut
        first = next(cut.blocks, [])
        if self._inner.is_one_value and len(first) < _FEWEST:
            return None
        start, stop = span
        reading = _FenceReading(start, len(text) - stop, cut.reading.decode())
        return replace(
            cut,
            blocks=chain([first], cut.blocks),
            prefix=text[:start] + cut.prefix,
            suffix=cut.suffix + text[stop:],
            reading=msgspec.json.encode(reading),
            is_compact=False,
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        return self._inner.decode(rows, _read(reading).inner.encode())

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        told = _read(reading)
        end = len(suffix) - told.after
        found = self._inner.frame(prefix[told.before :], suffix[:end], told.inner.encode())
        return found._replace(
            text_before=prefix[: told.before] + found.text_before,
            text_after=found.text_after + suffix[end:],
        )


def _inside(text: bytes) -> tuple[int, int] | None:
    """Return where the one fence of a text starts and ends inside, if that is most of the text."""
    opening = (
        _OPENING.search(text, 0, len(text) // 4 + 100) if b"```" in text or b"~~~" in text else None
    )
    if opening is None:
        return None
    closing = text.find(b"\n" + opening[1], opening.end())
    stop = len(text) if closing < 0 else closing + 1
    is_most = stop - opening.end() >= _LEAST_SHARE * len(text)
    if closing < 0 or not is_most or _OPENING.search(text, stop + len(opening[1])):
        return None
    return opening.end(), stop


def _read(reading: bytes) -> _FenceReading:
    return msgspec.json.decode(reading, type=_FenceReading)
