"""JSON inside a text: after a sentence, in a code fence, between tags. Several values are rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import TextCut, ValueFrame, grouped
from penstock.core.results.formats.json_text import JsonText, cut_json

# JSON stands at the start of a line, or after a tag, a fence, or a word with a colon. Inside JSON that
# is cut off, nothing does.
_START: Final = re.compile(rb"(?:\A|(?<=\n)|(?<=\w:)[ \t]*+|(?<=[>`])[ \t]*+)([\[{])")
_MOST_TRIES: Final = 8  # bounds the time: each may go through the rest of the text
# Of the text that is JSON. Text between several values is not among the rows.
_LEAST_SHARE: Final = 0.8
_JSON: Final = JsonText()

_Span = tuple[int, int]


class _EmbeddedReading(msgspec.Struct, frozen=True):
    before: int = 0  # the bytes of text before the value
    after: int = 0
    is_several: bool = False


class EmbeddedJson:
    """Text that holds JSON, at least for the most part."""

    has_free_cells = False
    is_one_value = True

    def recognise(self, text: bytes) -> TextCut | None:
        if b"[" not in text and b"{" not in text:
            return None
        spans = [*_spans(text)]
        if sum(stop - start for start, stop in spans) < _LEAST_SHARE * len(text):
            return None
        if len(spans) > 1:
            return _cut_several(text, spans)
        return _cut_one(text, *spans[0]) if spans else None

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        if not _read(reading).is_several:
            return _JSON.decode(rows, b"")
        return [rawjson.compact(row[: rawjson.value_end(row, 0)]) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        told = _read(reading)
        before, after = prefix[: told.before], suffix[len(suffix) - told.after :]
        if told.is_several:
            return ValueFrame(text_before=before, text_after=after)
        inner, end = prefix[told.before :], suffix[: len(suffix) - told.after]
        found = _JSON.frame(inner, end, b"")
        return found._replace(text_before=before, text_after=after)


def _spans(text: bytes) -> Iterator[_Span]:
    """Yield the places of lists and dicts that are not empty."""
    position = tries = 0
    while tries < _MOST_TRIES:
        found = _START.search(text, position)
        if found is None:
            return
        start = found.start(1)
        stop = _end_of_value(text, start)
        if stop is None:
            tries += 1
            position = start + 1
        else:
            yield start, stop
            position = stop


def _end_of_value(text: bytes, start: int) -> int | None:
    try:
        stop = rawjson.value_end(text, start)
        compacted = rawjson.compact(text[start:stop])
    except rawjson.NotJson:
        return None
    return stop if len(compacted) > len("[]") else None


def _cut_one(text: bytes, start: int, stop: int) -> TextCut:
    inner = cut_json(text[start:stop])
    return msgspec.structs.replace(
        inner,
        prefix=text[:start] + inner.prefix,
        suffix=inner.suffix + text[stop:],
        reading=msgspec.json.encode(_EmbeddedReading(start, len(text) - stop)),
    )


def _cut_several(text: bytes, spans: Sequence[_Span]) -> TextCut:
    """Cut before each value. A row holds a value, and the text up to the next."""
    first, last = spans[0][0], spans[-1][1]
    stops = [*(start for start, _ in spans[1:]), last]
    rows = (text[start:stop] for (start, _), stop in zip(spans, stops, strict=True))
    reading = msgspec.json.encode(_EmbeddedReading(first, len(text) - last, is_several=True))
    return TextCut("rows", grouped(rows), text[:first], text[last:], reading=reading)


def _read(reading: bytes) -> _EmbeddedReading:
    return msgspec.json.decode(reading, type=_EmbeddedReading)
