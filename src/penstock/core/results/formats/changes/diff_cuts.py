"""Diffs that are cut off before their end, as tools cut long texts: between two lines or inside one."""

from __future__ import annotations

import re
from typing import Final

IN_HUNK: Final = "a hunk"
IN_HEADER: Final = "the header of a file"

_DATA: Final = rb"(?:(?:(?:literal|delta) [0-9]*+|[A-Za-z]\S*+)(?:\n|\Z)|\n)*+"  # of a binary file
# The lines that may follow the first ones of a file, up to the end of the text.
_CUT_NAMES: Final = re.compile(
    rb"(?:-{1,3}+|--- [^\n]*+(?:\n(?:\+{1,3}+(?: [^\n]*+\n?+)?+)?+)?+|Binary files [^\n]*+"
    rb"|GIT binary patch\n" + _DATA + rb")\Z"
)
_WORDS: Final = (
    b"old mode ", b"new mode ", b"deleted file mode ", b"new file mode ", b"copy from ", b"copy to ", b"rename from ",
    b"rename to ", b"similarity index ", b"dissimilarity index ", b"index ", b"Binary files ", b"GIT binary patch\n",
)  # fmt: skip
# Git writes more lines after these. After an index there are hunks, unless the file is empty.
_NOT_LAST: Final = re.compile(
    rb"similarity |dissimilarity |rename from |copy from |old mode |(?:new|deleted) file mode "
    rb"|new mode [0-7]{0,5}\Z|index (?![^\n]*(?:e69de29|473a0f4))"
)
_NEW_NAME: Final = re.compile(rb"(?:rename|copy) to ")
_FIRST_WORDS: Final = (b"@@ -", b"@@@ -", b"diff -", b"Index: ")


def is_cut_head(text: bytes, head: re.Match[bytes], end: int) -> bool:
    """Return whether the text ends in the lines of a file before its first hunk."""
    position = head.end()
    if _CUT_NAMES.match(text, position, end):
        return True
    if not _is_of_git(head):
        return False
    if position < end:
        rest = text[position : min(end, position + 40)]
        return position + 40 > end and any(word.startswith(rest) for word in _WORDS)
    last = _last_line(head)
    return _NOT_LAST.match(last) is not None or is_unknown(head)


def is_unknown(head: re.Match[bytes]) -> bool:
    """Return whether the text ends before the name and the status of a file are known."""
    if not _is_of_git(head):
        return False
    last = _last_line(head)
    renamed = _NEW_NAME.match(last)
    if renamed is None or head.group().endswith(b"\n"):
        return not last
    # The command has the name, too. A tool may remove the newline after a name that is complete.
    name = last[renamed.end() :].removeprefix(b'"')
    written = head["git"] or b""
    return not name or not written.endswith((b"/" + name, b" " + name, b'"' + name))


def _is_of_git(head: re.Match[bytes]) -> bool:
    return (head["git"] or head["combined"]) is not None


def _last_line(head: re.Match[bytes]) -> bytes:
    return (head["extended"] or head["of_merge"] or b"").rstrip(b"\r\n").rpartition(b"\n")[2]


def cut_first_line(text: bytes, position: int, end: int) -> str:
    """Return what starts there if the text ends in its first line: a hunk or a file."""
    line = text[position : min(end, position + 8)]
    is_start = any(line.startswith(word) or word.startswith(line) for word in _FIRST_WORDS)
    if not line or not is_start or text.find(b"\n", position, end) >= 0:
        return ""
    return IN_HUNK if line.startswith(b"@") else IN_HEADER


def cut_notice(text: bytes, place: str, unit: str = "file") -> str:
    """Return the sentence that tells of a text which ends too early."""
    line = text.count(b"\n", 0, max(0, len(text) - 1)) + 1
    return f"The text ends inside {place} (line {line}): the last {unit} is not complete."
