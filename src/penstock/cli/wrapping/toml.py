"""A reader for TOML that returns a tree of values with their positions.

`tomllib` checks the text and decodes values, but does not tell positions. `tomlkit` keeps comments,
but changes the line ends and indentation of some lines, so a change could not be undone to the
byte. The reader here finds the positions, and may rely on valid text.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import NamedTuple

from penstock.cli.wrapping.failures import Unreadable
from penstock.cli.wrapping.jsonc import BYTE_ORDER_MARK
from penstock.cli.wrapping.tree import Items, Layout, Node, Scalar, TreeMember, TreeTable

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\r\n]*+)*+")
_SPACES = re.compile(r"[ \t]*+")
_KEY = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\]|\\.)*+"|'[^']*+'""")
_SCALAR = re.compile(
    r'''(?s)"""(?:[^\\]|\\.)*?"""(?:"{1,2})?'''
    r"|'''.*?'''(?:'{1,2})?"
    r'|"(?:[^"\\]|\\.)*+"'
    r"|'[^']*+'"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[^\s,\]}#]++"  # a date may have a space inside
    r"|[^\s,\]}#]++"
)


class _Key(NamedTuple):
    start: int
    end: int
    name: str


@dataclass
class _Part:
    """A member of a table that is still being read."""

    start: int
    key: _Key
    value: Node | _Draft


@dataclass
class _Draft:
    """A table that is still being read: TOML may add to it in several places."""

    start: int
    inside: int
    layout: Layout
    parts: dict[str, _Part] = field(default_factory=dict)


def scan(text: str) -> TreeTable:
    """Return the table in a text. Raise `Unreadable` if the text is not TOML."""
    try:
        tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
        return _finished(_TomlReader(text).document())
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Unreadable(str(error)) from error


class _TomlReader:
    """A text and a position in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0

    def document(self) -> _Draft:
        root = _Draft(self._at, self._at, Layout.SECTION)
        section = root
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._next_is("["):
                section = self._section(root)
            else:
                self._statement(section)
            self._skip(_BLANK)
        return root

    def _section(self, root: _Draft) -> _Draft:
        start = self._at
        brackets = 2 if self._next_is("[[") else 1
        self._at += brackets
        *way, last = self._keys()
        self._at += brackets
        table = _walk(root, start, way)
        found = table.parts.get(last.name)
        draft = _Draft(start, self._at, Layout.SECTION)
        if found and isinstance(found.value, _Draft) and brackets == 1:
            draft.parts = found.value.parts  # the members of an [a.b] before this [a]
        table.parts[last.name] = _Part(start, last, draft)
        return draft

    def _statement(self, section: _Draft) -> None:
        start = self._at
        *way, last = self._keys()
        self._at += len("=")
        self._skip(_SPACES)
        _walk(section, start, way).parts[last.name] = _Part(start, last, self._value())

    def _keys(self) -> list[_Key]:
        """Read a dotted key such as `a.b."c d"`, and the space after it."""
        keys = []
        while True:
            self._skip(_SPACES)
            start = self._at
            token = self._skip(_KEY)
            name = str(_decoded(token)) if token[:1] in ('"', "'") else token
            keys.append(_Key(start, self._at, name))
            self._skip(_SPACES)
            if not self._next_is("."):
                return keys
            self._at += len(".")

    def _value(self) -> Node:
        if self._next_is("["):
            return self._array()
        if self._next_is("{"):
            return self._inline_table()
        start = self._at
        token = self._skip(_SCALAR)
        return Scalar(start, self._at, _decoded(token))

    def _array(self) -> Items:
        start, elements = self._at, []
        self._step()
        while not self._next_is("]"):
            elements.append(self._value())
            self._skip(_BLANK)
            if self._next_is(","):
                self._step()
        self._at += 1
        return Items(start, self._at, tuple(elements))

    def _inline_table(self) -> TreeTable:
        start = self._at
        draft = _Draft(start, start + 1, Layout.BRACES)
        self._step()
        while not self._next_is("}"):
            self._statement(draft)
            self._skip(_BLANK)
            if self._next_is(","):
                self._step()
        self._at += 1
        return TreeTable(start, self._at, start + 1, _finished(draft).members)

    def _step(self) -> None:
        """Skip a bracket or a comma, and the blanks and comments after it."""
        self._at += 1
        self._skip(_BLANK)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        token = found.group() if found else ""
        self._at += len(token)
        return token

    def _next_is(self, token: str) -> bool:
        return self._text.startswith(token, self._at)


def _walk(table: _Draft, start: int, way: list[_Key]) -> _Draft:
    """Return the table at the end of some keys. A table that is missing is added as `DOTTED`."""
    for key in way:
        part = table.parts.setdefault(
            key.name, _Part(start, key, _Draft(start, start, Layout.DOTTED))
        )
        if not isinstance(part.value, _Draft):  # cannot happen: the text is valid
            raise Unreadable(f"{key.name} is not a table")
        table = part.value
    return table


def _finished(draft: _Draft) -> TreeTable:
    members = tuple(
        TreeMember(part.start, part.key.start, part.key.end, part.key.name, _node(part.value))
        for part in draft.parts.values()
    )
    own = [member.end for member in members if not _is_section(member)]
    return TreeTable(
        draft.start, max(own, default=draft.inside), draft.inside, members, draft.layout
    )


def _node(value: Node | _Draft) -> Node:
    return _finished(value) if isinstance(value, _Draft) else value


def _is_section(member: TreeMember) -> bool:
    return isinstance(member.value, TreeTable) and member.value.layout is Layout.SECTION


def _decoded(token: str) -> object:
    return tomllib.loads(f"value = {token}")["value"]
