"""The words of Vega's expression language, a part of JavaScript.

A word is read for what it is: `datum.x` inside a string or a regular expression is no word of its
own, and `'\\u0061'` is the string a. Vega knows no comments, no templates and no assignments; what
it would refuse is refused here too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple


class NotAnExpression(ValueError):
    """The text is not an expression that Vega would take."""


class Kind(Enum):
    NAME = auto()
    TEXT = auto()
    NUMBER = auto()
    PATTERN = auto()
    MARK = auto()
    END = auto()


class Token(NamedTuple):
    """`value` is a name, the text that a string stands for, a mark, or a number as JavaScript
    writes it in a key (empty for one that is hardly a key)."""

    kind: Kind
    value: str


_NUMBER = re.compile(r"(?a)0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_MARKS = (
    *(">>>", "===", "!=="),
    *("&&", "||", "==", "!=", "<=", ">=", "<<", ">>"),
    *"()[]{},.:?+-*/%<>!~&|^",
)
_BLANKS = frozenset(" \t\n\v\f\r\u00a0\u1680\u180e\u2028\u2029\u202f\u205f\u3000\ufeff").union(
    map(chr, range(0x2000, 0x200B))
)
_LINE_ENDS = frozenset("\n\r\u2028\u2029")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}
# Between these, JavaScript and Python write a number alike, and every whole one below the first.
_LARGEST_KEY = 2**53
_SMALLEST_KEY = 1e-4
_OPERATORS_IN_WORDS = frozenset(["in", "instanceof"])


def tokens(text: str) -> Iterator[Token]:
    """The words of an expression, the last one an END."""
    at = 0
    before = Token(Kind.MARK, "(")
    while True:
        while at < len(text) and text[at] in _BLANKS:
            at += 1
        if at == len(text):
            break
        before, at = _next(text, at, may_be_pattern=not _ends_operand(before))
        yield before
    yield Token(Kind.END, "")


def _ends_operand(token: Token) -> bool:
    """Whether a slash after this word divides; otherwise it opens a regular expression."""
    if token.kind is Kind.MARK:
        return token.value in (")", "]", "}")
    return token.kind is not Kind.NAME or token.value not in _OPERATORS_IN_WORDS


def _next(text: str, at: int, *, may_be_pattern: bool) -> tuple[Token, int]:
    char = text[at]
    if _starts_name(char) or char == "\\":
        return _name(text, at)
    if char in "\"'":
        return _string(text, at)
    if number := _NUMBER.match(text, at):
        return Token(Kind.NUMBER, _as_key(number[0])), number.end()
    if char == "/" and may_be_pattern:
        return _pattern(text, at)
    for mark in _MARKS:
        if text.startswith(mark, at):
            return Token(Kind.MARK, mark), at + len(mark)
    raise NotAnExpression(text)


def _as_key(number: str) -> str:
    """`datum[0x1]` and `datum[1.0]` are `datum["1"]`."""
    value = int(number, 16) if number[:2] in ("0x", "0X") else float(number)
    if value < _LARGEST_KEY and value == int(value):
        return str(int(value))
    return repr(value) if _SMALLEST_KEY < value < _LARGEST_KEY else ""


def _starts_name(char: str) -> bool:
    return char in "$_" or char.isidentifier()


def _goes_on(char: str) -> bool:
    return char in "$\u200c\u200d" or ("_" + char).isidentifier()


def _name(text: str, at: int) -> tuple[Token, int]:
    name = ""
    while at < len(text) and (text[at] == "\\" or _goes_on(text[at])):
        char, at = text[at], at + 1
        if char == "\\":
            if text[at : at + 1] != "u":
                raise NotAnExpression(text)
            char, at = _hexadecimal(text, at + 1, 4)
        name += char
    return Token(Kind.NAME, name), at


def _string(text: str, at: int) -> tuple[Token, int]:
    quote, at = text[at], at + 1
    parts: list[str] = []
    while at < len(text) and text[at] != quote:
        if text[at] in _LINE_ENDS:
            raise NotAnExpression(text)
        if text[at] == "\\":
            part, at = _escape(text, at + 1)
        else:
            part, at = text[at], at + 1
        parts.append(part)
    if at >= len(text):
        raise NotAnExpression(text)
    return Token(Kind.TEXT, _paired("".join(parts))), at + 1


def _escape(text: str, at: int) -> tuple[str, int]:
    """What the escape stands for whose letter is here, and where it ends."""
    char = text[at : at + 1]
    if char in ("u", "x"):
        if text[at + 1 : at + 2] == "{":
            return _code_point(text, at + 2)
        return _hexadecimal(text, at + 1, 4 if char == "u" else 2)
    if char == "0" and not text[at + 1 : at + 2].isdigit():
        return "\0", at + 1
    if char == "" or char in "01234567":
        raise NotAnExpression(text)
    if char in _LINE_ENDS:
        return "", at + (2 if text[at : at + 2] == "\r\n" else 1)
    return _ESCAPES.get(char, char), at + 1


def _hexadecimal(text: str, at: int, length: int) -> tuple[str, int]:
    digits = text[at : at + length]
    if len(digits) < length or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
        raise NotAnExpression(text)
    return chr(int(digits, 16)), at + length


def _code_point(text: str, at: int) -> tuple[str, int]:
    end = text.find("}", at)
    digits = text[at:end] if end > at else ""
    if not re.fullmatch("[0-9a-fA-F]{1,6}", digits) or int(digits, 16) > sys.maxunicode:
        raise NotAnExpression(text)
    return chr(int(digits, 16)), end + 1


def _paired(text: str) -> str:
    r"""JavaScript writes a character of the higher planes as two, which may be escaped apart."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return text


def _pattern(text: str, at: int) -> tuple[Token, int]:
    """A slash inside brackets does not end a regular expression."""
    start, at = at, at + 1
    in_class = False
    while at < len(text) and text[at] not in _LINE_ENDS:
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "/" and not in_class:
            break
        elif char in "[]":
            in_class = char == "["
        at += 1
    if at >= len(text) or text[at] != "/":
        raise NotAnExpression(text)
    at += 1
    while at < len(text) and _goes_on(text[at]):
        at += 1
    return Token(Kind.PATTERN, text[start:at]), at
