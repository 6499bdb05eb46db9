"""Edits of a text in a few places, in the style of the text around them.

The functions return splices of the original text. `spliced` applies all of them at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from penstock.cli.wrapping.literals import Dialect
from penstock.cli.wrapping.tree import Layout, Node, TreeMember, TreeTable

_BLANK = " \t\r\n"
_COMMA = re.compile(r"[ \t\r\n]*,")


class Splice(NamedTuple):
    """A replacement for the text between two positions."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ConfigText:
    """The text of a config and its language."""

    text: str
    dialect: Dialect

    def raw(self, node: Node) -> str:
        return self.text[node.start : node.end]

    def is_clear(self, start: int, end: int) -> bool:
        """Return whether only blanks and commas are between two neighbours: no comment."""
        return not self.text[start:end].strip(_BLANK + ",")

    def after_comma(self, position: int) -> int:
        """Return the position after the next comma, or the same position if none follows."""
        found = _COMMA.match(self.text, position)
        return found.end() if found else position

    @property
    def newline(self) -> str:
        """The end of the first line, which added lines get too."""
        first_line = self.text[: self.text.find("\n") + 1]
        return "\r\n" if first_line.endswith("\r\n") else "\n"

    def line_break(self, position: int) -> str:
        """Return the line end and the indentation before a position, or "" if text precedes it."""
        start = position
        while start and self.text[start - 1] in " \t":
            start -= 1
        first_in_line = start and self.text[start - 1] == "\n"
        return self.newline + self.text[start:position] if first_in_line else ""


def spliced(text: str, splices: Iterable[Splice]) -> str:
    parts, position = [], 0
    for splice in sorted(splices):
        parts += [text[position : splice.start], splice.text]
        position = splice.end
    return "".join((*parts, text[position:]))


def replace(node: Node, text: str) -> Splice:
    return Splice(node.start, node.end, text)


def replace_member(
    source: ConfigText, table: TreeTable, member: TreeMember, members: Iterable[tuple[str, str]]
) -> Splice:
    """Replace a member by others: names, and values that are already spelled."""
    return Splice(member.start, member.end, _written(source, table, member, members))


def insert_before(
    source: ConfigText, table: TreeTable, member: TreeMember, name: str, value: str
) -> Splice:
    text = _written(source, table, member, [(name, value)]) + _separator(source, table, member)
    return Splice(member.start, member.start, text)


def insert_elements(
    source: ConfigText, items: TreeMember, first: Node, elements: Iterable[str]
) -> Splice:
    """Insert elements before the first of a list, each on its own line if the first is."""
    separator = "," + (source.line_break(first.start) or _space(source, items))
    return Splice(first.start, first.start, "".join(element + separator for element in elements))


def refill(
    source: ConfigText,
    member: TreeMember,
    table: TreeTable,
    name: str,
    members: Sequence[tuple[str, str]],
) -> list[Splice]:
    """Give a table another name and other members, in the same place."""
    rename = Splice(member.key_start, member.key_end, source.dialect.key(name))
    if table.members and members:
        first, last = table.members[0], table.members[-1]
        return [rename, Splice(first.start, last.end, _written(source, table, first, members))]
    if table.layout is Layout.BRACES:
        return [rename, replace(table, source.dialect.table(members))]
    lines = [source.dialect.key(key) + source.dialect.joint + value for key, value in members]
    text = "".join(source.newline + line for line in lines)
    return [rename, Splice(table.inside, table.end, text)]


def cut(source: ConfigText, table: TreeTable, names: Collection[str]) -> list[Splice]:
    """Remove these members from a table. Keep a comment between them and the others."""
    splices: list[Splice] = []
    runs = [
        (goes, list(run)) for goes, run in groupby(table.members, lambda one: one.name in names)
    ]
    for place, (goes, run) in enumerate(runs):
        if goes:
            before = runs[place - 1][1][-1] if place else None
            after = runs[place + 1][1][0] if place + 1 < len(runs) else None
            splices += _cut_run(source, table, before, run, after)
    return splices


def _cut_run(
    source: ConfigText,
    table: TreeTable,
    before: TreeMember | None,
    run: list[TreeMember],
    after: TreeMember | None,
) -> list[Splice]:
    """Remove members that follow each other. `before` and `after` are the neighbours that stay."""
    neighbours = [*([before] if before else []), *run]
    if before and all(source.is_clear(one.end, two.start) for one, two in pairwise(neighbours)):
        return [Splice(before.end, run[-1].end, "")]
    if table.layout is not Layout.BRACES:
        return [_cut_lines(source.text, member) for member in run]
    start, end = run[0].start, run[-1].end
    if after and source.is_clear(end, after.start):
        return [Splice(start, after.start, "")]
    return [Splice(start, source.after_comma(end), "")]


def _cut_lines(text: str, member: TreeMember) -> Splice:
    """Remove a statement of TOML with its line, unless the line also has a comment."""
    newline = text.find("\n", member.end)
    end = len(text) if newline < 0 else newline + 1
    if text[member.end : end].strip():
        return Splice(member.start, member.end, "")
    return Splice(len(text[: member.start].rstrip(" \t")), end, "")


def _written(
    source: ConfigText, table: TreeTable, model: TreeMember, members: Iterable[tuple[str, str]]
) -> str:
    """Return members in the style of the model: its dotted prefix, and its space at the colon."""
    prefix = source.text[model.start : model.key_start]
    joint = _joint(source, model)
    written = (prefix + source.dialect.key(name) + joint + value for name, value in members)
    return _separator(source, table, model).join(written)


def _separator(source: ConfigText, table: TreeTable, model: TreeMember) -> str:
    line_break = source.line_break(model.start)
    if table.layout is Layout.BRACES:
        return "," + (line_break or _space(source, model))
    return line_break or source.newline


def _space(source: ConfigText, model: TreeMember) -> str:
    return " " if _joint(source, model).endswith(" ") else ""


def _joint(source: ConfigText, model: TreeMember) -> str:
    joint = source.text[model.key_end : model.value.start]
    ordinary = joint.strip(" ") == source.dialect.joint.strip()
    return joint if ordinary else source.dialect.joint
