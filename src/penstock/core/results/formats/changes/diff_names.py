"""The names in a diff: which file changed, and how. Each tool writes them in its own way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from penstock.core.json import rawjson

NOTHING: Final = b"/dev/null"
# Git puts one of these letters before a name: for the old and new file, the index, the work tree.
_PREFIXED: Final = re.compile(rb"[abciow12]/")
_QUOTED: Final = re.compile(rb'"(?:[^"\\\n]|\\[^\n])*+"')
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|[^\n])")
_CONTROLS: Final = {
    b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"
}  # fmt: skip
_EXTENDED: Final = re.compile(
    rb"^((?:old|new|deleted file|new file) mode|(?:rename|copy) (?:from|to)) ([^\n]*)$",
    re.MULTILINE,
)
# A file that is missing has one of these in place of its time.
_MISSING: Final = re.compile(
    rb"(?:1970-01-01 00:00:00|1969-12-31 \d\d:00:00|\(nonexistent\)|\(revision 0\))"
)


def names_of(
    head: Mapping[str, bytes | None], lines: Mapping[str, bytes], *, is_binary: bool
) -> dict[str, Any]:
    """Return the names and the status of a file, from the first line of its head and from the lines
    `--- old` and `+++ new`."""
    if head.get("bare") is not None:
        return {"file": None, "status": "modified"}
    written = (head["extended"] or b"") + (head["of_merge"] or b"")
    extended = {key: value.rstrip(b"\r") for key, value in _EXTENDED.findall(written)}
    old, new = _names(head, lines, extended)
    status = _status(extended, lines)
    fields: dict[str, Any] = {"file": text_of(old if status == "deleted" else new)}
    if old != new and status not in ("added", "deleted"):
        fields["old_file"] = text_of(old)
    fields["status"] = status
    if is_binary:
        fields["binary"] = True
    for key in (b"old mode", b"new mode", b"deleted file mode", b"new file mode"):
        if key in extended:
            name = key.decode().replace("deleted file", "old").replace(" file", "")
            fields[name.replace(" ", "_")] = text_of(extended[key])
    return fields


def text_of(name: bytes) -> str:
    """Return a name as text. Bytes that are no UTF-8 become replacement characters."""
    try:
        return rawjson.text(name)
    except UnicodeDecodeError:
        return name.decode("utf-8", "replace")


def _status(extended: Mapping[bytes, bytes], lines: Mapping[str, bytes]) -> str:
    if b"new file mode" in extended or _is_missing(lines.get("old", b"")):
        return "added"
    if b"deleted file mode" in extended or _is_missing(lines.get("new", b"")):
        return "deleted"
    if b"rename to" in extended:
        return "renamed"
    return "copied" if b"copy to" in extended else "modified"


def _is_missing(line: bytes) -> bool:
    name, _, time = line.partition(b"\t")
    return name.rstrip(b"\r") == NOTHING or _MISSING.match(time) is not None


def _names(
    head: Mapping[str, bytes | None], lines: Mapping[str, bytes], extended: Mapping[bytes, bytes]
) -> tuple[bytes, bytes]:
    """Return the old and the new name. Those of a file that was added or deleted are the same."""
    for change in (b"rename", b"copy"):
        if change + b" to" in extended:
            return unquoted(extended[change + b" from"]), unquoted(extended[change + b" to"])
    sole = head["combined"] or head["index"]
    if sole is not None:
        name = unquoted(sole.rstrip(b"\r"))
        return name, name
    twice = _same_twice((head["git"] or b"").rstrip(b"\r"))
    if twice is not None:
        return twice, twice
    old, new = (_name_in_line(lines.get(key, NOTHING)) for key in ("old", "new"))
    if all(name == NOTHING or name[:2] == prefix for name, prefix in ((old, b"a/"), (new, b"b/"))):
        old, new = (name if name == NOTHING else name[2:] for name in (old, new))
    return (new if old == NOTHING else old), (old if new == NOTHING else new)


def _same_twice(names: bytes) -> bytes | None:
    """Return the name in `a/name b/name`, in which blanks may be in names, too."""
    quoted = _QUOTED.findall(names)
    if len(quoted) > 1:
        old, new = unquoted(quoted[0]), unquoted(quoted[1])
    elif quoted:  # one has a letter with an escape before it, and the other has not
        return None
    else:
        middle = len(names) // 2
        old, new = names[:middle], names[middle + 1 :]
        if names[middle : middle + 1] != b" ":
            return None
    if old == new:
        return new
    has_prefixes = _PREFIXED.match(old) and _PREFIXED.match(new) and old[2:] == new[2:]
    return new[2:] if has_prefixes else None


def _name_in_line(line: bytes) -> bytes:
    """Return the name in a line after `---`. Most tools write a tab and a time after it."""
    return unquoted(line.partition(b"\t")[0].rstrip(b"\r"))


def unquoted(name: bytes) -> bytes:
    """Return a name without quotes and escapes, which git writes around odd bytes."""
    if not _QUOTED.fullmatch(name):
        return name
    return _ESCAPE.sub(_unescaped, name[1:-1])


def _unescaped(escape: re.Match[bytes]) -> bytes:
    if escape[1].isdigit():
        return bytes([int(escape[1], 8) & 255])
    return _CONTROLS.get(escape[1], escape[1])
