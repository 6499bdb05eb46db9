"""A reader for JSON with comments and trailing commas, as hosts' configs have them.

It returns a tree of values with their positions. No Python library does both.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from penstock.cli.wrapping.failures import Unreadable
from penstock.cli.wrapping.tree import Items, Node, Scalar, TreeMember, TreeTable

BYTE_ORDER_MARK: Final = "\ufeff"
# Far deeper than any config. The reader recurses once per level.
_MAX_DEPTH = 200

_BLANK = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?s:.*?)\*/)*+")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+"')
_WORD = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")


def scan(text: str) -> TreeTable:
    """Return the object in a text. Raise `Unreadable` if the text holds anything else."""
    reader = _JsoncReader(text)
    root = reader.value(depth=0)
    reader.finish()
    if not isinstance(root, TreeTable):
        raise Unreadable("it holds a value, but an object { ... } is expected")
    return root


class _JsoncReader:
    """A text and a position in it. Each method starts at a token and stops before the next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
        self._skip_blank()

    def value(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self._fault(f"nested deeper than {_MAX_DEPTH} levels")
        if self._next_is("{"):
            return self._object(depth)
        if self._next_is("["):
            return self._array(depth)
        return self._scalar()

    def finish(self) -> None:
        if self._at < len(self._text):
            raise self._fault("more text after the end")

    def _object(self, depth: int) -> TreeTable:
        start, members = self._at, []
        self._take("{")
        inside = start + 1
        while not self._next_is("}"):
            members.append(self._member(depth))
            self._comma_unless("}")
        return TreeTable(start, self._close(), inside, tuple(members))

    def _array(self, depth: int) -> Items:
        start, elements = self._at, []
        self._take("[")
        while not self._next_is("]"):
            elements.append(self.value(depth + 1))
            self._comma_unless("]")
        return Items(start, self._close(), tuple(elements))

    def _member(self, depth: int) -> TreeMember:
        if not self._next_is('"'):
            raise self._fault("a key in double quotes is expected")
        key = self._scalar()
        self._take(":")
        return TreeMember(key.start, key.start, key.end, key.value, self.value(depth + 1))

    def _scalar(self) -> Scalar:
        start = self._at
        found = _STRING.match(self._text, start) or _WORD.match(self._text, start)
        if found is None:
            raise self._fault("a value is expected" if self._here() else "the text ends too early")
        value = self._decoded(found.group())
        self._at = found.end()
        self._skip_blank()
        return Scalar(start, found.end(), value)

    def _decoded(self, token: str) -> Any:
        try:
            return json.loads(token)
        except ValueError as error:  # an escape that is not in JSON, or too many digits
            raise self._fault("not a JSON value") from error

    def _comma_unless(self, closing: str) -> None:
        if not self._next_is(closing):
            self._take(",")

    def _close(self) -> int:
        end = self._at + 1
        self._at = end
        self._skip_blank()
        return end

    def _take(self, token: str) -> None:
        if not self._next_is(token):
            raise self._fault(f"{token!r} is expected")
        self._at += len(token)
        self._skip_blank()

    def _skip_blank(self) -> None:
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _next_is(self, token: str) -> bool:
        return self._text.startswith(token, self._at)

    def _here(self) -> str:
        return self._text[self._at : self._at + 1]

    def _fault(self, what: str) -> Unreadable:
        before = self._text[: self._at]
        line, column = before.count("\n") + 1, self._at - (before.rfind("\n") + 1) + 1
        return Unreadable(f"line {line}, column {column}: {what}")
