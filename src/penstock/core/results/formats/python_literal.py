"""Python literals: the repr of lists, tuples and dicts, as some servers send their rows.

A literal is translated to JSON, and the JSON parser then proves that it is one. Nothing is evaluated,
and the time is linear. A text with anything else in it, such as a call, a set or bytes, is not a
literal here. Nor are forms that `repr` does not write, such as 0x10, 1_000 or texts side by side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.model.stored import Shape
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.json_text import CUT_OFF

# Translating this takes about a second, less than `ast.literal_eval` takes.
LARGEST: Final = 10_000_000
_GAP: Final = rb"[ \t\r\n]*+"
_BETWEEN: Final = rawjson.WHITE + b","
# A text in quotes. If it is not closed, it does not match.
_TEXT: Final = (
    rb"""(?:'[^'\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^'\\\x00-\x1f]*+)*+'"""
    rb"""|"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+")"""
)
# A quote that is not closed takes all that follows: otherwise each would be searched to the end.
_TEXTS: Final = re.compile(rb"(" + _TEXT + rb"|['\"].*+)", re.DOTALL)
_PLACE: Final = b"\0"  # stands for a text
# The patterns begin with single bytes, so that the search is fast.
_NAME: Final = re.compile(rb"[A-Za-z_](?<![\w.][A-Za-z_])[\w.]*+(?!" + _GAP + rb":)")
_MINUS: Final = re.compile(rb"-(?<![\w.]-)(?=inf\b(?!" + _GAP + rb":))")
_KEY: Final = re.compile(rb"([^\[\](){},:\0 \t\r\n]++)(" + _GAP + rb":)")
_LARGE: Final = re.compile(rb"[eE](?<=[0-9.][eE])\+?[0-9]{3}")
_LARGE_NUMBER: Final = re.compile(rb"[0-9][0-9.]*+[eE]\+?[0-9]{3,}+")
_LAST_COMMA: Final = re.compile(rb"," + _GAP + rb"(?=[\])}])")
_NO_ELEMENT: Final = re.compile(rb"[\[({]" + _GAP + rb",")
_AS_LISTS: Final = bytes.maketrans(b"()", b"[]")
_NOT_FINITE: Final = (b"nan", b"inf", b"-inf")
_NAMES: Final = {
    b"None": b"null", b"True": b"true", b"False": b"false", **dict.fromkeys(_NOT_FINITE, b"null"),
}  # fmt: skip
_LOST: Final = re.compile(_TEXT + rb"|\b(nan|inf)\b(?!" + _GAP + rb":)")
# Quotes, and the escapes that `repr` writes. JSON knows some of them.
_ESCAPE: Final = re.compile(
    rb"""\\(?:[nrt\\'"]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|\"|\\"""
)
_PAIR: Final = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]")
_CLOSING: Final = {ord("["): ord("]"), ord("("): ord(")"), ord("{"): ord("}")}
_COMMA: Final = ord(",")
_TUPLE_END: Final = ord(")")
# All but brackets and commas. An empty tuple goes too: it needs no comma.
_NO_MARKS: Final = re.compile(_TEXT + rb"|\(" + _GAP + rb"\)|[^\[\](){},'\"]++")
_KINDS: Final = (b"[]", b"()", b"{}")
_DICT: Final = b"{}"
# A dict with a key in single quotes, or a list of tuples: prose and other code do not begin so.
_PLAIN_START: Final = re.compile(
    rb"[ \t\r\n\[(]*+(?:\{" + _GAP + rb"'[^'\\\n]*+'" + _GAP + rb":|(?<=\[\())"
)
_ORDINARY_DEPTH: Final = 6


class PythonLiteral:
    """The repr of a list, a tuple or a dict."""

    has_free_cells = False
    is_one_value = True

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        inside = text.strip(rawjson.WHITE)
        if inside[:1] not in (b"[", b"(", b"{"):
            return None
        start = text.index(inside[:1])
        if inside[:1] + inside[-1:] not in _KINDS:
            is_cut_off = self.is_plain(text, start) and self.value_end(text, start) is None
            return NearMiss(CUT_OFF) if is_cut_off else None
        try:
            if len(self.compacted(inside)) == len("[]"):
                return None
        except rawjson.NotJson as error:
            return self._near_miss(text, start, error)
        found = self.cut(inside)
        after = text[start + len(inside) :]
        return replace(found, prefix=text[:start] + found.prefix, suffix=found.suffix + after)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        joined = b",".join(row.rstrip(_BETWEEN) for row in rows)
        if _DICT in reading:
            members = rawjson.members(rawjson.compact(_translated(b"{" + joined + b"}")))
            return [member.key + b":" + member.value for member in members]
        compact = rawjson.compact(_translated(b"[" + joined + b"]"))
        return [row for block in rawjson.row_blocks(compact) for row in block]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del prefix, suffix
        return ValueFrame(b"{", b"}") if _DICT in reading else ValueFrame()

    # -- the notation, also inside a text ----------------------------------------------------------

    def value_end(self, text: bytes, start: int) -> int | None:
        found = _container().match(text, start)
        return found.end() if found is not None else _deep_end(text, start)

    def compacted(self, value: bytes) -> bytes:
        if len(value) > LARGEST:
            raise rawjson.NotJson(f"it has {len(value):,} bytes, and at most {LARGEST:,} are read")
        translated = _translated(value)
        _require_brackets(value)
        done = rawjson.compact(translated)
        rawjson.require_shallow_rows(done)
        return done

    def cut(self, value: bytes) -> TextCut:
        kind = value[:1] + value[-1:]
        shape: Shape = "members" if kind == _DICT else "rows"
        inside = value[1:-1].lstrip(rawjson.WHITE)
        first = len(value) - 1 - len(inside)
        return TextCut(
            shape,
            grouped(_rows(value, first, len(value) - 1)),
            value[:first],
            value[-1:],
            reading=rawjson.string(kind.decode()),
            notices=self.notices(value),
        )

    def is_plain(self, text: bytes, start: int) -> bool:
        return _PLAIN_START.match(text, start) is not None

    def notices(self, value: bytes) -> tuple[str, ...]:
        if b"nan" not in value and b"inf" not in value:
            return ()
        count = sum(1 for found in _LOST.finditer(value) if found[1])
        return (f"{count} NaN or infinite numbers are shown as null.",) if count else ()

    def _near_miss(self, text: bytes, start: int, error: rawjson.NotJson) -> NearMiss | None:
        """Return why the text is no literal, if it is plainly meant as one."""
        is_ours = error.__cause__ is None  # the JSON parser speaks of the translation
        return NearMiss(str(error)) if is_ours and self.is_plain(text, start) else None


# -- brackets and rows ---------------------------------------------------------------------------


@cache
def _container() -> re.Pattern[bytes]:
    """Return the pattern of brackets of ordinary depth. It compiles slowly, so at its first use."""
    return re.compile(_nested(_ORDINARY_DEPTH))


@cache
def _row() -> re.Pattern[bytes]:
    """Return the pattern of an element or member, with the comma after it."""
    nested = _nested(_ORDINARY_DEPTH)
    return re.compile(
        rb"(?:[^'\"\[\](){},]++|" + _TEXT + rb"|" + nested + rb")++(?:," + _GAP + rb"|(?=[\])}]\Z))"
    )


def _nested(depth: int) -> bytes:
    plain = rb"[^'\"\[\](){}]++|" + _TEXT
    inside = plain
    for _ in range(depth):
        inside = plain + rb"|[\[({](?:" + inside + rb")*+[\])}]"
    return rb"[\[({](?:" + inside + rb")*+[\])}]"


@cache
def _mark() -> re.Pattern[bytes]:
    return re.compile(_TEXT + rb"|[\[\](){},'\"]")


def _deep_end(text: bytes, start: int) -> int | None:
    depth = 0
    for found in _mark().finditer(text, start):
        token = found.group()
        if token in (b"'", b'"'):
            return None  # a text is not closed
        depth += (token in (b"[", b"(", b"{")) - (token in (b"]", b")", b"}"))
        if depth == 0:
            return found.end()
    return None


def _rows(value: bytes, position: int, end: int) -> Iterator[bytes]:
    """Yield the elements or members of a valid literal, each up to the next."""
    while position < end:
        found = _row().match(value, position)
        stop = found.end() if found is not None else _deep_row_end(value, position, end)
        yield value[position:stop]
        position = stop


def _deep_row_end(value: bytes, position: int, end: int) -> int:
    depth = 0
    for found in _mark().finditer(value, position, end):
        token = found.group()
        depth += (token in (b"[", b"(", b"{")) - (token in (b"]", b")", b"}"))
        if token == b"," and depth == 0:
            rest = value[found.end() : end]
            return end - len(rest.lstrip(rawjson.WHITE))
    return end


def _require_brackets(value: bytes) -> None:
    """Raise `NotJson` if a tuple is closed by another bracket, or has one element and no comma. In JSON
    lists and tuples are the same, so the parser does not see that."""
    if b"(" not in value:
        return
    expected: list[int] = []
    has_comma: list[bool] = [False]
    for mark in _NO_MARKS.sub(b"", value):
        if mark == _COMMA:
            has_comma[-1] = True
        elif mark in _CLOSING:
            expected.append(_CLOSING[mark])
            has_comma.append(False)
        elif not expected or expected.pop() != mark or (not has_comma.pop() and mark == _TUPLE_END):
            raise rawjson.NotJson("a bracket is not closed by its like")


# -- translation ---------------------------------------------------------------------------------


def _translated(value: bytes) -> bytes:
    """Return a literal as JSON, or bytes that are no JSON if it is none. Raise `NotJson` for what JSON
    would take as something else. Texts are apart, so that a few steps translate all between them."""
    if _PLACE in value:
        raise rawjson.NotJson("it has a NUL")
    pieces = _TEXTS.split(value)
    if not pieces[-1]:
        raise rawjson.NotJson(CUT_OFF)
    between = _PLACE.join(pieces[::2])
    if _NO_ELEMENT.search(between):
        raise rawjson.NotJson("a comma has nothing before it")
    if _LARGE.search(between) and any(map(_is_infinite, _LARGE_NUMBER.findall(between))):
        raise rawjson.NotJson("it has a number that `repr` does not write")
    between = _NAME.sub(_constant, _MINUS.sub(b"", between))
    if between.count(b":") != between.count(_PLACE + b":"):
        between = _KEY.sub(_key, between)
    between = _LAST_COMMA.sub(b"", between).translate(_AS_LISTS)
    pieces[::2] = between.split(_PLACE)
    pieces[1::2] = map(_string, pieces[1::2])
    return b"".join(pieces)


def _is_infinite(number: bytes) -> bool:
    try:
        return math.isinf(float(number))
    except ValueError:
        return False  # no number, as the parser will find


def _constant(found: re.Match[bytes]) -> bytes:
    name = found.group()
    if name not in _NAMES:
        raise rawjson.NotJson(f"{name.decode()[:60]} is not a literal")
    return _NAMES[name]


def _key(found: re.Match[bytes]) -> bytes:
    """Return a key that is not a text, as a text."""
    key, colon = found.groups()
    if key in _NOT_FINITE:
        return b'"' + key + b'"' + colon
    if key not in _NAMES and str(rawjson.decode(rawjson.compact(key))).encode() != key:
        raise rawjson.NotJson("it has a key that `repr` does not write")
    return b'"' + _NAMES.get(key, key) + b'"' + colon


def _string(token: bytes) -> bytes:
    """Return a text in JSON. What `repr` escapes, JSON escapes in the same way, but for a few."""
    inside = token[1:-1]
    if b"\\" in inside or b'"' in inside:
        if _PAIR.search(inside):
            raise rawjson.NotJson("two halves of a character are one character in JSON")
        inside = _ESCAPE.sub(_escape_in_json, inside)
    return b'"' + inside + b'"'


def _escape_in_json(found: re.Match[bytes]) -> bytes:
    token = found.group()
    kind = token[1:2]
    if token == b'"':
        return b'\\"'
    if kind == b"'":
        return b"'"
    if kind == b"x":
        return b"\\u00" + token[2:]
    if kind == b"U":
        return _character(token[2:])
    if not kind:
        raise rawjson.NotJson("it has an escape that `repr` does not write")
    return token


def _character(digits: bytes) -> bytes:
    try:
        character = chr(int(digits, 16)).encode().decode()
    except ValueError as error:  # also for half a pair
        raise rawjson.NotJson("it has an escape that `repr` does not write") from error
    return rawjson.string(character)[1:-1]
