"""The translation of Python literals to JSON, text by text and in a few steps for all between them."""

from __future__ import annotations

import math
import re
from typing import Final

from penstock.core.json import rawjson
from penstock.core.results.formats.values import python_calls
from penstock.core.results.formats.values.json_text import CUT_OFF

GAP: Final = rb"[ \t\r\n]*+"
# A text in quotes. If it is not closed, it does not match.
TEXT: Final = (
    rb"""(?:'[^'\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^'\\\x00-\x1f]*+)*+'"""
    rb"""|"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+")"""
)
# A quote that is not closed takes all that follows: otherwise each would be searched to the end.
_TEXTS: Final = re.compile(rb"(" + TEXT + rb"|['\"].*+)", re.DOTALL)
_PLACE: Final = b"\0"  # stands for a text
_CALL: Final = re.compile(python_calls.PLACE)
# The patterns begin with single bytes, so that the search is fast.
_NAME: Final = re.compile(rb"[A-Za-z_](?<![\w.][A-Za-z_])[\w.]*+(?!" + GAP + rb":)")
_MINUS: Final = re.compile(rb"-(?<![\w.]-)(?=inf\b(?!" + GAP + rb":))")
_KEY: Final = re.compile(rb"([^\[\](){},:\0 \t\r\n]++)(" + GAP + rb":)")
_LARGE: Final = re.compile(rb"[eE](?<=[0-9.][eE])\+?[0-9]{3}")
_LARGE_NUMBER: Final = re.compile(rb"[0-9][0-9.]*+[eE]\+?[0-9]{3,}+")
_LAST_COMMA: Final = re.compile(rb"," + GAP + rb"(?=[\])}])")
_NO_ELEMENT: Final = re.compile(rb"[\[({]" + GAP + rb",")
_AS_LISTS: Final = bytes.maketrans(b"()", b"[]")
_NOT_FINITE: Final = (b"nan", b"inf", b"-inf")
_NAMES: Final = {
    b"None": b"null", b"True": b"true", b"False": b"false", **dict.fromkeys(_NOT_FINITE, b"null"),
}  # fmt: skip
# Quotes, and the escapes that `repr` writes. JSON knows some of them.
_ESCAPE: Final = re.compile(
    rb"""\\(?:[nrt\\'"]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|\"|\\"""
)
_PAIR: Final = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]")


def translated(value: bytes) -> bytes:
    """Return a literal as JSON, or bytes that are no JSON if it is none. Raise `NotJson` for what JSON
    would take as something else. Texts are apart, so that a few steps translate all between them."""
    if _PLACE in value or python_calls.PLACE in value:
        raise rawjson.NotJson("it has a NUL or a similar character")
    pieces = _TEXTS.split(value)
    if not pieces[-1]:
        raise rawjson.NotJson(CUT_OFF)
    calls = python_calls.taken_out(pieces) if python_calls.may_have_calls(value) else []
    between = _PLACE.join(pieces[::2])
    if _NO_ELEMENT.search(between):
        raise rawjson.NotJson("a comma has nothing before it")
    if _LARGE.search(between) and any(map(_is_infinite, _LARGE_NUMBER.findall(between))):
        raise rawjson.NotJson("it has a number that `repr` does not write")
    between = _NAME.sub(_constant, _MINUS.sub(b"", between))
    if between.count(b":") != between.count(_PLACE + b":"):
        between = _KEY.sub(_key, between)
    between = _LAST_COMMA.sub(b"", between).translate(_AS_LISTS)
    if calls:
        values = iter(calls)
        between = _CALL.sub(lambda _: next(values), between)
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
    except (ValueError, OverflowError) as error:  # also for half a pair
        raise rawjson.NotJson("it has an escape that `repr` does not write") from error
    return rawjson.string(character)[1:-1]
