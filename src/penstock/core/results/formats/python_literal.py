"""Python literals: the repr of lists, tuples and dicts, as some servers send their rows.

A literal is translated to JSON token by token. Nothing is evaluated, and the time is linear. A text
with anything else in it, such as a call, is not a literal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from penstock.core.json import rawjson
from penstock.core.model.stored import Shape
from penstock.core.results.formats.cut import TextCut, ValueFrame, grouped

# Translating takes about a second for four megabytes.
LARGEST: Final = 4_000_000
_WHITE: Final = b" \t\r\n"
_TEXT: Final = rb"""'[^'\\\n]*+(?:\\[^\n][^'\\\n]*+)*+'|"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+\""""
_TOKEN: Final = re.compile(
    rb"(?P<text>" + _TEXT + rb")"
    rb"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)(?![\w.])"
    rb"|(?P<name>None|True|False|nan|inf|-inf)(?!\w)"
    rb"|(?P<mark>[\[\](){},:])"
    rb"|(?P<white>[ \t\r\n]++)"
)
_NAMES: Final = {
    b"None": b"null", b"True": b"true", b"False": b"false",
    b"nan": b"null", b"inf": b"null", b"-inf": b"null",
}  # fmt: skip
_WHITES: Final = re.compile(rb"[ \t\r\n]*+")
# Quotes, and the escapes that `repr` writes. JSON knows some of them.
_OTHER_IN_JSON: Final = re.compile(
    rb"""\\(?:[nrt\\'"]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})|\"|\\"""
)
_DICT: Final = b"{}"
_OPENING: Final = {b"[": b"[", b"(": b"[", b"{": b"{"}
_CLOSING: Final = {b"]": b"]", b")": b"]", b"}": b"}"}


class PythonLiteral:
    """The repr of a list, a tuple or a dict."""

    has_free_cells = False
    is_one_value = True

    def recognise(self, text: bytes) -> TextCut | None:
        inside = text.strip(_WHITE)
        kind = inside[:1] + inside[-1:]
        if kind not in (b"[]", b"()", b"{}") or len(text) > LARGEST:
            return None
        start = text.index(inside[:1]) + 1
        end = start + len(inside) - 2
        try:
            stops = [stop for stop, row in _translated(text, start, end) if _is_value(row, kind)]
        except (rawjson.NotJson, rawjson.TooDeep):
            return None
        if not stops:
            return None
        starts = [start, *stops[:-1]]
        rows = (text[at:stop] for at, stop in zip(starts, stops, strict=True))
        shape: Shape = "members" if kind == _DICT else "rows"
        return TextCut(
            shape, grouped(rows), text[:start], text[end:], reading=rawjson.string(kind.decode())
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        del reading
        return [json for row in rows for _, json in _translated(row, 0, len(row))]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del prefix, suffix
        return ValueFrame(b"{", b"}") if _DICT in reading else ValueFrame()


def _is_value(row: bytes, kind: bytes) -> bool:
    """Return true, or raise `NotJson` or `TooDeep` for an element or member that JSON does not have."""
    rawjson.require_shallow(rawjson.compact(b"{" + row + b"}" if kind == _DICT else row))
    return True


def _translated(text: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield each element or member between `start` and `end`: where it ends, comma and white space
    included, and its JSON."""
    pieces: list[bytes] = []
    depth, position = 0, start
    while position < end:
        found = _TOKEN.match(text, position, end)
        if found is None:
            raise rawjson.NotJson(f"no literal at byte {position}")
        token, position = found.group(), found.end()
        match found.lastgroup:
            case "white":
                continue
            case "text":
                pieces.append(_string(token))
            case "number":
                pieces.append(token)
            case "name":
                pieces.append(_NAMES[token])
            case _:
                if token == b"," and not depth:
                    white = _WHITES.match(text, position, end)
                    position = white.end() if white is not None else position
                    yield position, b"".join(pieces)
                    pieces = []
                    continue
                depth += (token in _OPENING) - (token in _CLOSING)
                _add_mark(pieces, token)
    if pieces:
        yield end, b"".join(pieces)


def _add_mark(pieces: list[bytes], token: bytes) -> None:
    """Add a bracket, a comma or a colon. JSON has no comma before a bracket, and only texts as keys."""
    if token in _CLOSING and pieces and pieces[-1] == b",":
        pieces.pop()
    if token == b":" and pieces and not pieces[-1].startswith(b'"'):
        pieces[-1] = rawjson.string(pieces[-1].decode())
    pieces.append(_OPENING.get(token) or _CLOSING.get(token) or token)


def _string(token: bytes) -> bytes:
    """Return a text in JSON. What `repr` escapes, JSON escapes in the same way, but for a few."""
    inside = token[1:-1]
    if b"\\" in inside or b'"' in inside:
        inside = _OTHER_IN_JSON.sub(_as_in_json, inside)
    return b'"' + inside + b'"'


def _as_in_json(found: re.Match[bytes]) -> bytes:
    token = found.group()
    kind = token[1:2]
    if token == b'"':
        return b'\\"'
    if kind in b"nrt\\u":
        return token
    if kind in b"'\"":
        return token if kind == b'"' else b"'"
    if kind == b"x":
        return b"\\u00" + token[2:]
    digits = token[2:]
    return json.dumps(chr(int(digits, 16)))[1:-1].encode()
