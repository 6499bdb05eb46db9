"""The files of a unified diff, as git, diff, svn and hg write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.results.formats.changes.diff_cuts import (
    IN_HEADER,
    IN_HUNK,
    cut_first_line,
    is_cut_head,
    is_unknown,
)
from penstock.core.results.formats.changes.diff_hunks import (
    HUNK,
    BrokenDiff,
    Hunk,
    hunk_fields,
    hunks_at,
)
from penstock.core.results.formats.changes.diff_names import NOTHING, names_of, text_of

_END: Final = rb"(?:\n|\Z)"
_LINE: Final = rb"[^\n]*+" + _END
_EXTENDED: Final = (
    rb"(?P<extended>(?:(?:old mode|new mode|mode|deleted file mode|new file mode|copy from|copy to|"
    rb"rename from|rename to|similarity index|dissimilarity index|index) " + _LINE + rb")*+)"
)
# The first lines of a file, of which each tool has its own.
_HEAD: Final = re.compile(
    rb"diff --git (?P<git>[^\n]++)" + _END + _EXTENDED
    + rb"|diff --(?:cc|combined) (?P<combined>[^\n]++)" + _END + _EXTENDED.replace(b"<extended>", b"<of_merge>")
    + rb"|Index: (?P<index>[^\n]++)\n={3,}+\r?+" + _END + rb"(?:diff " + _LINE + rb")?+"
    + rb"|diff -" + _LINE + rb"(?=---[ ])"
    + rb"|(?=---[ ][^\n]++\n\+\+\+[ ][^\n]++\n@@)"
    + rb"|(?P<bare>(?=@@[ ]-[0-9]))"
)  # fmt: skip
# A line that tells all of a file.
_NOTE: Final = re.compile(
    rb"Only in (?P<folder>[^\n]{1,4096}): (?P<only>[^\n:]++)" + _END
    + rb"|(?:diff -[^\n]*+\n)?+Binary files (?P<old>[^\n]{1,4096}) and (?P<new>[^\n]{1,4096}) differ\r?+" + _END
    + rb"|\* Unmerged path (?P<unmerged>[^\n]++)" + _END
    + rb"|Submodule (?P<submodule>[^\n]{1,4096}) (?:[0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}|contains )" + _LINE
    + rb"(?:  [<>] " + _LINE + rb")*+"
)  # fmt: skip
_START: Final = re.compile(
    rb"^(?:diff --git |diff --cc |diff --combined |Index: [^\n]++\n===|diff -[^\n]++\n(?:--- |Binary files )"
    rb"|Binary files [^\n]+ differ"
    rb"|--- [^\n]++\n\+\+\+ [^\n]++\n@@ -[0-9]|Only in [^\n]+: |\* Unmerged path |Submodule [^\n]+ "
    rb"(?:[0-9a-f]{7,64}\.\.|contains ))",
    re.MULTILINE,
)
_NAMES: Final = re.compile(rb"--- (?P<old>[^\n]*+)\n\+\+\+ (?P<new>[^\n]*+)" + _END)
_BINARY: Final = re.compile(
    rb"Binary files [^\n]+ differ\r?+" + _END
    + rb"|GIT binary patch\r?\n(?:(?:literal|delta) [0-9]++\r?\n(?:[A-Za-z][^\n]++\n)*+(?:\r?\n|\Z)){1,2}+"
    + rb"|Cannot display: file marked as a binary type\.\r?" + _END + rb"(?:svn:mime-type = " + _LINE + rb")?+"
)  # fmt: skip
_PROPERTIES: Final = re.compile(
    rb"(?:\r?\n)?+Property changes on: [^\n]++\n_{3,}+\r?+" + _END
    + rb"(?:(?:(?:Added|Modified|Deleted): |## |[ +\-\\])" + _LINE + rb"|\r?\n(?!Index: ))*+"
)  # fmt: skip
_EMPTY: Final = re.compile(rb"(?:[ \t]*+\r?\n)*+")


class DiffFile(NamedTuple):
    """A file of a diff."""

    names: Mapping[str, Any]  # the fields of its row before the counts
    header: bytes  # the lines before the hunks, without the data of a binary file
    hunks: list[Hunk]
    properties: bytes
    stop: int
    cut: str = ""  # the part in which the text ends, if the file is not complete

    @property
    def added(self) -> int:
        return sum(hunk.added for hunk in self.hunks)

    @property
    def removed(self) -> int:
        return sum(hunk.removed for hunk in self.hunks)


def first_file(text: bytes, position: int) -> int | None:
    """Return where the first file of a diff starts, after a position. A diff that starts with a hunk has
    one file without a name."""
    if HUNK.match(text):
        return 0
    found = _START.search(text, position)
    return None if found is None else found.start()


def files_of(text: bytes, position: int, end: int, *, may_be_cut: bool) -> Iterator[DiffFile]:
    """Yield the files of a diff, as long as one follows the other. Raise `BrokenDiff` where a file is
    broken. If the text may be cut, the last file may end early, unless its name or status is
    not known: `cut_rest` tells of such a file."""
    while position < end:
        if position and not _START.match(text, position, end):
            return
        if may_be_cut and _is_unknown_file(text, position, end):
            return
        file = file_at(text, position, end, may_be_cut=may_be_cut)
        yield file
        position = file.stop


def cut_rest(text: bytes, position: int, end: int) -> str:
    """Return what starts after the last file, if the text ends before it can be read."""
    is_file = _START.match(text, position, end) and _is_unknown_file(text, position, end)
    return IN_HEADER if is_file else cut_first_line(text, position, end)


def _is_unknown_file(text: bytes, position: int, end: int) -> bool:
    """Return whether the text ends before the name and the status of a file are known."""
    head = _HEAD.match(text, position, end)
    if head is None:
        return cut_first_line(text, position, end) == IN_HEADER
    if not is_cut_head(text, head, end):
        return False
    return is_unknown(head) or _names_of_cut(head)["file"] == rawjson.text(NOTHING)


def _names_of_cut(head: re.Match[bytes]) -> dict[str, Any]:
    return names_of(head.groupdict(), {}, is_binary=False)


def file_at(text: bytes, position: int, end: int, *, may_be_cut: bool) -> DiffFile:
    """Return the file that starts there. Raise `BrokenDiff` where it is broken."""
    note = _NOTE.match(text, position, end)
    if note:
        stop = _after_empty(text, note.end(), end)
        return DiffFile(_names_of_note(note), note.group(), [], b"", stop)
    head = _HEAD.match(text, position, end)
    if head is None:
        raise BrokenDiff(position, "starts no file")
    binary = _BINARY.match(text, head.end(), end)
    if may_be_cut and not binary and is_cut_head(text, head, end):
        return DiffFile(_names_of_cut(head), text[position:end], [], b"", end, IN_HEADER)
    names = None if binary else _NAMES.match(text, head.end(), end)
    stop = (binary or names or head).end()
    has_data = binary is not None and binary.group().startswith(b"GIT")
    header = text[position : head.end() if has_data else stop]
    has_hunks = names is not None or head["bare"] is not None
    hunks = [*hunks_at(text, stop, end, may_be_cut=may_be_cut)] if has_hunks else []
    if not hunks and names and not (may_be_cut and cut_first_line(text, stop, end) == IN_HUNK):
        raise BrokenDiff(stop, "should start a hunk")
    stop = hunks[-1].stop if hunks else stop
    properties = _PROPERTIES.match(text, stop, end)
    stop = properties.end() if properties else stop
    return DiffFile(
        names_of(
            head.groupdict(), names.groupdict() if names else {}, is_binary=binary is not None
        ),
        header,
        hunks,
        properties.group() if properties else b"",
        _after_empty(text, stop, end),
        IN_HUNK if hunks and hunks[-1].is_cut else "",
    )


def row_of(row: bytes) -> bytes:
    """Return a file as compact JSON."""
    file = file_at(row, 0, len(row), may_be_cut=True)
    fields = {
        **file.names,
        "added": file.added,
        "removed": file.removed,
        "header": rawjson.text(file.header).rstrip(),
        "hunks": [hunk_fields(row, hunk) for hunk in file.hunks],
    }
    if file.properties:
        fields["properties"] = rawjson.text(file.properties).strip()
    return encode(fields)


def _names_of_note(note: re.Match[bytes]) -> dict[str, Any]:
    if note["only"] is not None:
        only = note["folder"] + b"/" + note["only"].rstrip(b"\r")
        return {"file": rawjson.text(only), "status": "only in one folder"}
    if note["new"] is not None:
        old, new = text_of(note["old"]), text_of(note["new"])
        return {"file": new, "old_file": old, "status": "modified", "binary": True}
    if note["unmerged"] is not None:
        return {"file": rawjson.text(note["unmerged"].rstrip(b"\r")), "status": "unmerged"}
    return {"file": rawjson.text(note["submodule"]), "status": "submodule"}


def _after_empty(text: bytes, position: int, end: int) -> int:
    empty = _EMPTY.match(text, position, end)
    return empty.end() if empty else position
