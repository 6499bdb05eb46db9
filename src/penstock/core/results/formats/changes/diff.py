"""Unified diffs: `git diff`, `git show`, patches in mails, `diff -u`, `svn diff`. A row is a file.

    {"file": "src/a.py", "status": "modified", "added": 1, "removed": 2, "header": "diff --git …",
     "hunks": [{"old_start": 3, "old_lines": 9, "new_start": 3, "new_lines": 8, "section": "def f():",
                "text": "-    a\\n …"}]}

`old_file` is there if a file has another name now, `binary` if its lines are not shown. The text of
a hunk is exact. A commit message may be before the files, and the signature of a mail after them. If
the text ends inside a hunk, because a tool has cut it, a notice says so.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from penstock.core.results.formats.changes.diff_cuts import cut_notice
from penstock.core.results.formats.changes.diff_files import (
    DiffFile,
    cut_rest,
    files_of,
    first_file,
    row_of,
)
from penstock.core.results.formats.changes.diff_hunks import BrokenDiff
from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped

_MOST_FILES: Final = 50_000  # because the contents list them all
_MOST_BEFORE: Final = 10  # lines before the diff, other than a message and lines of `--stat`
# A text that starts so is a commit or a mail, and has its message before the diff.
_MESSAGE: Final = re.compile(
    rb"(?:commit [0-9a-f]{7,64}\b|From [0-9a-f]{40,64} |tag [^\n]++\nTagger: |# HG changeset patch"
    rb"|changeset: |(?:From|To|Subject|Date|Message-ID|Return-Path|Received): )"
)
_COMMIT: Final = re.compile(rb"^commit [0-9a-f]{7,64}\b", re.MULTILINE)
_MAIL: Final = re.compile(rb"From [0-9a-f]{40,64} ")
_STAT: Final = re.compile(
    rb"^(?: [^\n]+ \|\s+(?:[0-9]|Bin|Unmerged)[^\n]*| [0-9]+ files? changed[^\n]*"
    rb"| (?:create|delete) mode [^\n]*| (?:rename|copy|rewrite|mode change) [^\n]*|---|[ \t\r]*)$\n?",
    re.MULTILINE,
)
_FENCE: Final = re.compile(rb"^[ \t]*(?:```|~~~)", re.MULTILINE)
_SIGNATURE: Final = re.compile(rb"(?:-- ?\r?\n[^\n]{0,200}+\s*+)?+\Z")


class UnifiedDiff:
    """Files with their hunks."""

    has_free_cells = False
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        start = first_file(text, _end_of_mail(text))
        if start is None or not _may_be_before(text[:start]):
            return None
        files = _FilesOfDiff(text, start)
        try:
            end = files.read()
        except BrokenDiff as error:
            return _near_miss(text, error.position, error.reason)
        if not files.is_certain:
            return None
        cut = files.cut or cut_rest(text, end, len(text))
        if not cut and not _SIGNATURE.match(text, end):
            is_most = 2 * end > len(text)  # otherwise the diff may be an example in a document
            return _near_miss(text, end, "belongs to no file and no hunk") if is_most else None
        return TextCut(
            "rows",
            grouped(files.rows()),
            text[:start],
            text[end:],
            contents=files.contents(),
            notices=(cut_notice(text, cut),) if cut else (),
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        del reading
        return [row_of(row) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del reading
        return ValueFrame(text_before=prefix, text_after=suffix)


class _FilesOfDiff:
    """All files of a diff: where each starts, and what the contents tell of it."""

    def __init__(self, text: bytes, start: int) -> None:
        self._text = text
        self._starts = array("q", [start])  # and the end of the last
        self._entries: list[ContentsEntry] = []
        self._added = self._removed = 0
        self.cut = ""  # the part in which the text ends, if the last file is not complete
        self.is_certain = False  # a line says more than a text of another kind may by chance

    def read(self) -> int:
        """Read all files, and return where the last ends. Raise `BrokenDiff` where one is broken."""
        text, start = self._text, self._starts[0]
        for file in files_of(text, start, len(text), may_be_cut=True):
            if len(self._entries) == _MOST_FILES:
                raise BrokenDiff(self._starts[-1], f"is after {_MOST_FILES:,} files, the most")
            is_git = text.startswith(b"diff --", self._starts[-1])
            self.is_certain = self.is_certain or bool(file.hunks) or is_git
            self._note(file)
            self.cut = file.cut
        return self._starts[-1]

    def _note(self, file: DiffFile) -> None:
        added, removed = file.added, file.removed
        self._added += added
        self._removed += removed
        status = file.names["status"]
        how = "" if status == "modified" else f" {status}"
        how += " binary" if "binary" in file.names else f" +{added} -{removed}"
        path = f"/{len(self._entries)}"
        # The files that changed most are told first, if not all can be told.
        entry = ContentsEntry(path, f"{file.names['file']}{how}", -added - removed)
        self._entries.append(entry)
        self._starts.append(file.stop)

    def rows(self) -> Iterator[bytes]:
        return (self._text[start:stop] for start, stop in pairwise(self._starts))

    def contents(self) -> tuple[bytes, ...]:
        told = {"added": self._added, "removed": self._removed}
        return contents_of(ContentsList("files", self._entries), told=told)


def _end_of_mail(text: bytes) -> int:
    """Return where the message of a mail ends. A message may quote a diff, without an indent."""
    return max(0, text.find(b"\n---\n")) if _MAIL.match(text) else 0


def _may_be_before(before: bytes) -> bool:
    """Return whether a text before a diff leaves no doubt that the diff is what is sent."""
    if _MESSAGE.match(before):
        return len(_COMMIT.findall(before)) <= 1  # otherwise it is a log
    other = _STAT.sub(b"", before)
    return other.count(b"\n") <= _MOST_BEFORE and not _FENCE.search(before)


def _near_miss(text: bytes, position: int, reason: str) -> NearMiss:
    line = text.count(b"\n", 0, position) + 1
    return NearMiss(f"line {line} {reason}")


FORMAT: Final = UnifiedDiff()
