"""The values of a config, each with its position in the text.

A config belongs to the user, with its comments, its indentation and the order of its keys. So
Penstock never rewrites it from its values. It edits only the places that have to change, and needs
the position of every value. JSON and TOML are read into the same tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias


class Layout(Enum):
    """How a table is written."""

    BRACES = auto()  # { ... }
    SECTION = auto()  # TOML: [name] on a line of its own, then a line for each key
    DOTTED = auto()  # TOML: no header, only keys such as name.key


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, number, truth value, date or null."""

    start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class Items:
    start: int
    end: int
    elements: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class TreeMember:
    """A key and its value."""

    start: int  # `key_start`, except for a dotted key or a section of TOML
    key_start: int
    key_end: int
    name: str
    value: Node

    @property
    def end(self) -> int:
        return self.value.end


@dataclass(frozen=True, slots=True)
class TreeTable:
    """An object of JSON or a table of TOML."""

    start: int
    end: int
    inside: int  # the first position for a member
    members: tuple[TreeMember, ...]
    layout: Layout = Layout.BRACES

    def get(self, name: str) -> TreeMember | None:
        """Return a member. If a key occurs twice, the last counts, as in every JSON parser."""
        found = [member for member in self.members if member.name == name]
        return found[-1] if found else None

    def follows(self, first: TreeMember, second: TreeMember) -> bool:
        """Return whether the second member comes directly after the first."""
        return self.members.index(second) == self.members.index(first) + 1


Node: TypeAlias = Scalar | Items | TreeTable


def plain(node: Node) -> Any:
    """Return the value without its positions."""
    match node:
        case Scalar():
            return node.value
        case Items():
            return [plain(element) for element in node.elements]
        case TreeTable():
            return {member.name: plain(member.value) for member in node.members}
