"""Changes of a text in a few places, in the manner of what stands around them.

Every function returns splices against the text as it was read; `spliced` makes them all at once.
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
    """What stands from start to end gives way to a text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ConfigText:
    """A text and the language it is in."""

    text: str
    dialect: Dialect

    def raw(self, node: Node) -> str:
        return self.text[node.start : node.end]

    def is_clear(self, start: int, end: int) -> bool:
        """Whether there is no comment, nor anything else, between two neighbours."""
        return not self.text[start:end].strip(_BLANK + ",")

    def after_comma(self, position: int) -> int:
        """Past the comma that comes next, if one does."""
        found = _COMMA.match(self.text, position)
        return found.end() if found else position

    @property
    def newline(self) -> str:
        """As the first line ends, so do those that are added."""
        first_line = self.text[: self.text.find("\n") + 1]
        return "\r\n" if first_line.endswith("\r\n") else "\n"

    def line_break(self, position: int) -> str:
        """The line's end and the indentation before a position; nothing if text stands there."""
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
    """Others in its place: names, with values as they are spelled."""
    return Splice(member.start, member.end, _written(source, table, member, members))


def insert_before(
    source: ConfigText, table: TreeTable, member: TreeMember, name: str, value: str
) -> Splice:
    text = _written(source, table, member, [(name, value)]) + _separator(source, table, member)
    return Splice(member.start, member.start, text)


def insert_elements(
    source: ConfigText, items: TreeMember, first: Node, elements: Iterable[str]
) -> Splice:
    """More elements of a list before its first, each on a line of its own if that one is."""
    separator = "," + (source.line_break(first.start) or _space(source, items))
    return Splice(first.start, first.start, "".join(element + separator for element in elements))


def refill(
    source: ConfigText,
    member: TreeMember,
    table: TreeTable,
    name: str,
    members: Sequence[tuple[str, str]],
) -> list[Splice]:
    """A table under another name and with other members, where it stood."""
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
    """The table without these members; a comment between them and what stays is kept."""
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
    """Members that follow each other, and what stays on either side of them."""
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
    """A statement of TOML with its line, unless a comment is left there."""
    newline = text.find("\n", member.end)
    end = len(text) if newline < 0 else newline + 1
    if text[member.end : end].strip():
        return Splice(member.start, member.end, "")
    return Splice(len(text[: member.start].rstrip(" \t")), end, "")


def _written(
    source: ConfigText, table: TreeTable, model: TreeMember, members: Iterable[tuple[str, str]]
) -> str:
    """Members as the model is written: with its dotted prefix, and its space around the colon."""
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
