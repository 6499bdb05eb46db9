"""Servers of JSON configs. Their whole table moves as it is written, with its comments.

A server that stays in the config leaves a stub in the table that has moved. So the table knows the
place of each server, and undoing puts it back to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from penstock.cli.together.places import CannotMove, PlacedServer, ServerTable
from penstock.cli.wrapping.jsonc import scan
from penstock.cli.wrapping.literals import JSON
from penstock.cli.wrapping.text_edits import ConfigText, Splice, cut, replace, spliced
from penstock.cli.wrapping.tree import TreeMember, TreeTable, plain

STUB: Final = {"disabled": True, "note": "This server stays in the config of the host."}
_STUB_TEXT: Final = JSON.table(
    (("disabled", "true"), ("note", JSON.string("This server stays in the config of the host.")))
)
_COMMENT: Final = re.compile(r"//[^\r\n]*|/\*(?s:.*?)\*/")
_USUAL_INDENT: Final = "  "


def is_stub(value: Any) -> bool:
    """Return whether an entry only stands for a server of the host's config."""
    return bool(value == STUB)


def take(
    config: ConfigText,
    places: Sequence[ServerTable],
    taken: Collection[PlacedServer],
    name: str,
    entry: Sequence[tuple[str, str]],
) -> tuple[str, str]:
    """Move servers out of a config. Return the config, with the one entry, and the servers."""
    moving = [place for place in places if any(one.place is place for one in taken)]
    edits, pieces = [], []
    for place in moving:
        going = {one.member for one in taken if one.place is place}
        staying = [member for member in place.table.members if member not in going]
        own = [_entry_text(config, place.table, name, entry)] if place is moving[0] else []
        raw = [config.text[member.start : member.end] for member in staying]
        edits.append(replace(place.table, _table_text(config, place.table, [*own, *raw])))
        stubs = [replace(member.value, _STUB_TEXT) for member in staying]
        pieces.append((place, _edited(config, place.table, stubs)))
    return spliced(config.text, edits), _servers_text(config, pieces)


def add(
    config: ConfigText,
    servers: ConfigText,
    kept: Sequence[ServerTable],
    taken: Sequence[PlacedServer],
) -> tuple[str, str]:
    """Move further servers of a config to those that are in the file of servers already."""
    edits, here = [], {one.place.way: one.place for one in taken}
    for way, place in here.items():
        names = {one.name for one in taken if one.place.way == way}
        edits += cut(config, place.table, names)
    text = servers.text
    for one in taken:
        place = next(place for place in _again(text, kept) if place.way == one.place.way)
        source = ConfigText(text, JSON)
        known = place.table.get(one.name)
        raw = config.text[one.member.start : one.member.end]
        if known is None:
            text = spliced(text, [replace(place.table, _longer(source.raw(place.table), [raw]))])
        elif is_stub(plain(known.value)):
            text = spliced(text, [replace(known.value, config.raw(one.member.value))])
    return spliced(config.text, edits), text


def give_back(
    config: ConfigText,
    servers: ConfigText,
    places: Sequence[ServerTable],
    kept: Sequence[ServerTable],
    one: PlacedServer,
) -> str:
    """Return the config with its servers in place of the one entry."""
    here = {place.way: place.table for place in places}
    edits = []
    for place in kept:
        table = here.pop(place.way, None)
        if table is None:
            raise CannotMove(f"it has no `{'.'.join(place.way)}`, as the file of servers has")
        gone = one.member if one.place.way == place.way else None
        edits.append(replace(table, _put_together(config, table, servers, place.table, gone)))
    if one.place.way in here:
        edits += cut(config, one.place.table, {one.name})
    return spliced(config.text, edits)


def _put_together(
    config: ConfigText,
    table: TreeTable,
    servers: ConfigText,
    moved: TreeTable,
    gone: TreeMember | None,
) -> str:
    """Return the table of servers that has moved, with those that are in the host's config."""
    here: dict[str, list[TreeMember]] = {}
    for member in table.members:
        if member != gone:
            here.setdefault(member.name, []).append(member)
    edits, stubs, missing = [], set(), set()
    for member in moved.members:
        if not is_stub(plain(member.value)):
            _check_alike(member, here.pop(member.name, []))
            continue
        stubs.add(member.name)
        found = here.get(member.name)
        if found is None:
            missing.add(member.name)
            continue
        edits.append(replace(member.value, config.raw(found[0].value)))
        if len(found) > 1:
            del found[0]
    edits += cut(servers, moved, missing)
    new = [one for name, members in here.items() if name not in stubs for one in members]
    raw = [config.text[member.start : member.end] for member in new]
    return _longer(_edited(servers, moved, edits), raw, _comments_between(config, table))


def _check_alike(moved: TreeMember, here: Iterable[TreeMember]) -> None:
    if any(plain(member.value) != plain(moved.value) for member in here):
        raise CannotMove(f"it has another server {moved.name!r} than the file of servers")


def _comments_between(config: ConfigText, table: TreeTable) -> list[str]:
    """Return the comments that the user has added between the servers of the config."""
    ends = [table.inside, *(member.end for member in table.members)]
    starts = [*(member.start for member in table.members), table.end - 1]
    gaps = (config.text[end:start] for end, start in zip(ends, starts, strict=True))
    return [comment for gap in gaps for comment in _COMMENT.findall(gap)]


def _again(text: str, places: Sequence[ServerTable]) -> list[ServerTable]:
    """Find the same places in a text that has changed."""
    found = []
    for place in places:
        table = scan(text)
        for step in place.way:
            member = table.get(step)
            table = member.value if member and isinstance(member.value, TreeTable) else table
        found.append(ServerTable(place.way, table))
    return found


def _longer(text: str, members: Sequence[str], comments: Sequence[str] = ()) -> str:
    """Return the text of a table with more members and comments at its end."""
    table = scan(text)
    source = ConfigText(text, JSON)
    if members and not table.members:
        text = "{" + text[1:-1] + ", ".join(members) + "}"
    elif members:
        last = table.members[-1].end
        gap = "," + (source.line_break(table.members[0].start) or " ")
        text = text[:last] + "".join(gap + member for member in members) + text[last:]
    return _with_comments(text, comments) if comments else text


def _with_comments(text: str, comments: Sequence[str]) -> str:
    """Return the text of a table with comments before its closing brace, each on its own line."""
    table = scan(text)
    source = ConfigText(text, JSON)
    closing = source.line_break(len(text) - 1)
    line = source.line_break(table.members[0].start) if table.members else ""
    inside = text[:-1].removesuffix(closing)
    told = "".join((line or source.newline) + comment for comment in comments)
    return inside + told + (closing or source.newline) + "}"


def _edited(source: ConfigText, table: TreeTable, edits: Iterable[Splice]) -> str:
    """Return the text of one table after edits inside it."""
    moved = (Splice(one.start - table.start, one.end - table.start, one.text) for one in edits)
    return spliced(source.raw(table), moved)


def _table_text(source: ConfigText, table: TreeTable, members: Sequence[str]) -> str:
    """Return a table of these members in the style of another."""
    if not members:
        return "{}"
    line = source.line_break(table.members[0].start)
    if not line:
        return "{" + ", ".join(members) + "}"
    return "{" + line + ("," + line).join(members) + source.line_break(table.end - 1) + "}"


def _entry_text(
    source: ConfigText, table: TreeTable, name: str, members: Sequence[tuple[str, str]]
) -> str:
    """Return the one entry, in lines if the first server is written so."""
    first = table.members[0]
    inside = first.value.members if isinstance(first.value, TreeTable) else ()
    line = source.line_break(inside[0].start) if inside else ""
    if not line:
        return JSON.key(name) + JSON.joint + JSON.table(members)
    lines = (line + JSON.key(key) + JSON.joint + value for key, value in members)
    closing = source.line_break(first.start) or source.newline
    return JSON.key(name) + JSON.joint + "{" + ",".join(lines) + closing + "}"


def _servers_text(source: ConfigText, pieces: Sequence[tuple[ServerTable, str]]) -> str:
    """Return the file of servers: their tables, under the keys of the host's config."""
    newline = source.newline
    indent = source.line_break(pieces[0][0].table.end - 1).removeprefix(newline) or _USUAL_INDENT
    members = []
    for place, text in pieces:
        *outer, last = place.way
        member = JSON.key(last) + JSON.joint + text
        for key in reversed(outer):
            member = JSON.key(key) + JSON.joint + "{" + member + "}"
        members.append(newline + indent + member)
    return "{" + ",".join(members) + newline + "}" + newline
