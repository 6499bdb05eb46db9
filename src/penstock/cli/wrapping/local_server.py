"""Wrapping a server that the host starts, and the undoing of that.

Undoing needs only the arguments that wrapping puts before the server's own. It could not tell
whether the entry had no `args` or empty ones. So without `args`, wrapping puts new ones directly
before `command`, where people do not write them; they stay there even if the host rewrites the
file. Empty `args` that were already in that place get a space before their closing bracket.
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
    """Make Penstock the command of the entry, and the old command an argument."""
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
    """Restore the entry. `server` is the index of its own command in the arguments."""
    edit = replace(entry.command.value, source.raw(entry.elements[server]))
    return [edit, *_without_lead(source, entry, server + 1)]


def _without_lead(source: ConfigText, entry: Local, count: int) -> list[Splice]:
    """Remove the first `count` arguments. If none are left, restore missing or empty `args`."""
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
