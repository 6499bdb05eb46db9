"""A server that the host starts: put behind Penstock, and taken out again.

What is put in front of the server's own arguments is all that undoing needs. One thing would be
lost: whether there were no arguments, or an empty list of them. Where there were none, the new
`args` stand directly before `command`, where nobody writes them; and that lasts, also when the host
writes the file anew. For an empty list that did stand there, a space before its closing bracket
says so.
"""

from __future__ import annotations

from penstock.cli.wrapping.entries import Local
from penstock.cli.wrapping.invocation import Launcher
from penstock.cli.wrapping.literals import array
from penstock.cli.wrapping.text_edits import (
    ConfigText,
    Splice,
    cut,
    insert_before,
    insert_elements,
    replace,
)

_EMPTY_LIST_MARK = " "


def wrap(source: ConfigText, entry: Local, launcher: Launcher, host: str | None) -> list[Splice]:
    """The entry with Penstock for its command, and its own command among the arguments."""
    string = source.dialect.string
    lead = [*map(string, launcher.arguments(host, "--")), source.raw(entry.command.value)]
    edit = replace(entry.command.value, string(launcher.command))
    if entry.args is None:
        return [edit, insert_before(source, entry.table, entry.command, "args", array(lead))]
    if entry.elements:
        return [edit, insert_elements(source, entry.args, entry.elements[0], lead)]
    mark = _EMPTY_LIST_MARK if entry.table.follows(entry.args, entry.command) else ""
    inside = entry.args.value.start + 1
    return [edit, Splice(inside, inside, ", ".join(lead) + mark)]


def unwrap(source: ConfigText, entry: Local, server: int) -> list[Splice]:
    """The entry as it was; `server` is the position of its own command among the arguments."""
    edit = replace(entry.command.value, source.raw(entry.elements[server]))
    return [edit, *_without_lead(source, entry, server + 1)]


def _without_lead(source: ConfigText, entry: Local, count: int) -> list[Splice]:
    """The arguments without the first ones; if no others are left, as they were before."""
    start, end = entry.elements[0].start, source.after_comma(entry.elements[-1].end)
    if entry.elements[count:]:
        return [Splice(start, entry.elements[count].start, "")]
    if entry.args is None or not entry.table.follows(entry.args, entry.command):
        return [Splice(start, end, "")]
    if source.text.startswith(_EMPTY_LIST_MARK, end):
        return [Splice(start, end + len(_EMPTY_LIST_MARK), "")]
    if source.is_clear(entry.args.end, entry.command.start):
        return [Splice(entry.args.start, entry.command.start, "")]
    return cut(source, entry.table, ["args"])
