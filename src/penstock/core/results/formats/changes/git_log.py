"""The output of `git log`: each commit is a row.

    {"hash": "41a9018…", "author": "Ann", "email": "ann@example.com", "date": "2026-01-02T12:00:00+01:00",
     "message": "Mend the door\\n\\nIt squeaked.", "files": [{"file": "door.py", "changes": 3}],
     "files_changed": 1, "insertions": 2, "deletions": 1}

Only a line that starts with `commit` starts a commit: the lines of a message are indented. With `-p`,
the diff of a commit is the text `diff`. Counts and hunks are checked.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.results.formats.changes.diff_cuts import cut_notice
from penstock.core.results.formats.changes.diff_hunks import BrokenDiff
from penstock.core.results.formats.changes.git_dates import GitDate, git_date
from penstock.core.results.formats.changes.git_log_files import IN_LIST, FilesOfCommit
from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped

_MOST_BEFORE: Final = 10  # lines
_COMMIT: Final = rb"commit (?:[-<>=+] )?[0-9a-f]{7,64}(?=[ \r\n])"
_FIRST: Final = re.compile(_COMMIT)
_FURTHER: Final = re.compile(rb"\n" + _COMMIT)  # much faster than a search for starts of lines
_ENTRY: Final = re.compile(
    rb"commit (?:[-<>=+] )?(?P<hash>[0-9a-f]++)(?P<parents>(?: [0-9a-f]{7,64}+)*+)(?: \((?P<refs>[^\n]*?)\))?\r?\n"
    rb"(?P<head>(?:(?:Merge|Reflog|Reflog message): [^\n]*+\n)*+Author: ++(?P<author>[^\n<]*+)<[^\n<>]*+>\r?\n"
    rb"(?:(?:Author)?Date: ++(?P<date>[^\n]*+)\n|Commit(?:Date)?: [^\n]*+\n)*+)"
    rb"(?P<message>(?:(?: {4}[^\n]*+|[ \t\r]*+)(?:\n|\Z))*+)"
    rb"(?P<notes>(?:Notes[^\n]*:\r?\n(?:(?: {4}[^\n]*+|[ \t\r]*+)(?:\n|\Z))*+)*+)"
)
_PERSON: Final = re.compile(r"(?P<name>.*?) ?<(?P<email>[^<>]*)>")
_FENCE: Final = re.compile(rb"^[ \t]*(?:```|~~~)", re.MULTILINE)


class GitLog:
    """Commits, with their messages and files."""

    has_free_cells = False
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        first = next(_starts(text), None)
        if first is None or text.count(b"\n", 0, first) > _MOST_BEFORE:
            return None
        if _FENCE.search(text, 0, first):
            return None
        commits = _Commits(text)
        near = commits.read()
        if near is not None:
            return near if commits.count else None
        return TextCut(
            "rows",
            grouped(commits.rows()),
            text[:first],
            contents=commits.contents(),
            notices=commits.notices(),
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        del reading
        return [_row(row) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del suffix, reading
        return ValueFrame(text_before=prefix)


def _starts(text: bytes) -> Iterator[int]:
    """Yield where commits start."""
    if _FIRST.match(text):
        yield 0
    for found in _FURTHER.finditer(text):
        yield found.start() + 1


class _Commits:
    """All commits of a log: where each starts, and what the contents tell."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = array("q", _starts(text))
        self._starts.append(len(text))
        self._authors: Counter[bytes] = Counter()
        self._span: _Span | None = _Span()  # of time; None if a date is not known
        self._has_names = self._has_short_names = self._has_stats = False
        self._lacks_files = False  # the last commit, although it is no merge
        self._cut = ""  # the part in which the text ends, if the last commit is not complete
        self.count = 0

    def read(self) -> NearMiss | None:
        """Read all commits. Return where one is broken."""
        for start, stop in pairwise(self._starts):
            entry = _ENTRY.match(self._text, start, stop)
            if entry is None:
                return self._near_miss(start, "starts no commit of a log")
            self._lacks_files = entry.end() == stop and b"Merge: " not in entry["head"]
            near = self._read_files(entry.end(), stop) if entry.end() < stop else None
            if near is not None:
                return near
            self.count += 1
            self._authors[entry["author"]] += 1
            written = rawjson.text(entry["date"] or b"").strip()
            if self._span is not None and not self._span.note(git_date(written)):
                self._span = None
        return None

    def _read_files(self, start: int, stop: int) -> NearMiss | None:
        is_last = stop == len(self._text)
        try:
            files = FilesOfCommit(self._text, start, stop, may_be_cut=is_last)
        except BrokenDiff as error:
            return self._near_miss(error.position, error.reason)
        # After the last commit, other text could pass for names.
        is_doubtful = is_last and files.are_names and not (self._has_names and files.are_paths)
        self._has_stats = self._has_stats or files.has_stats
        is_doubtful = is_doubtful or (files.cut == IN_LIST and not self._has_stats)
        if files.end < stop or is_doubtful:
            return self._near_miss(start if is_doubtful else files.end, "belongs to no commit")
        if problem := files.problem():
            return self._near_miss(stop - 1, problem)
        self._cut = files.cut
        self._has_names = self._has_names or files.are_names
        self._has_short_names = self._has_short_names or files.has_short_names
        return None

    def _near_miss(self, position: int, reason: str) -> NearMiss:
        line = self._text.count(b"\n", 0, position) + 1
        return NearMiss(f"line {line} {reason}")

    def rows(self) -> Iterator[bytes]:
        return (self._text[start:stop] for start, stop in pairwise(self._starts))

    def contents(self) -> tuple[bytes, ...]:
        authors = [
            ContentsEntry(
                rawjson.text(name).strip(), f"{count} commit{'s' if count > 1 else ''}", -count
            )
            for name, count in self._authors.most_common()
        ]
        told = {} if self._span is None else {"time": self._span.told()}
        return contents_of(ContentsList("authors", authors), told=told)

    def notices(self) -> tuple[str, ...]:
        found = []
        if self._has_short_names:
            found.append("Names of files that start with ... are shortened, as git wrote them.")
        if self._cut:
            unit = "commit" if self._cut == IN_LIST else "file"
            found.append(cut_notice(self._text, self._cut, unit))
        elif self._has_stats and self._lacks_files:
            found.append("The last commit lists no files, so the text may be cut off.")
        return tuple(found)


class _Span:
    """The time from the earliest to the latest commit."""

    def __init__(self) -> None:
        self._times: tuple[datetime, datetime] | None = None
        self._first = self._last = ""

    def note(self, date: GitDate) -> bool:
        """Take a date. Return whether it can be compared with the dates so far."""
        time = date.moment
        if time is None:
            return False
        earliest, latest = self._times or (time, time)
        if (time.tzinfo is None) != (earliest.tzinfo is None):
            return False
        if self._times is None or time < earliest:
            earliest, self._first = time, date.text
        if self._times is None or time > latest:
            latest, self._last = time, date.text
        self._times = earliest, latest
        return True

    def told(self) -> dict[str, str]:
        return {"first": self._first, "last": self._last}


# -- one commit --------------------------------------------------------------------------------


def _row(row: bytes) -> bytes:
    """Return a commit as compact JSON."""
    entry = _ENTRY.match(row)
    assert entry is not None  # noqa: S101 (each row was recognised)
    fields = _head(entry)
    fields["message"] = _unindented(entry["message"])
    if entry["notes"]:
        fields["notes"] = _unindented(entry["notes"])
    return encode({**fields, **FilesOfCommit(row, entry.end(), len(row), may_be_cut=True).fields()})


def _head(entry: re.Match[bytes]) -> dict[str, Any]:
    """Return the fields of the lines before a message."""
    lines = rawjson.text(entry["head"]).splitlines()
    told = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    author = _person(told["Author"])
    fields: dict[str, Any] = {
        "hash": entry["hash"].decode(),
        "author": author[0],
        "email": author[1],
    }
    date = told.get("AuthorDate", told.get("Date"))
    if date is not None:
        fields["date"] = git_date(date).text
    fields["message"] = ""
    if "Commit" in told:
        fields["committer"], fields["committer_email"] = _person(told["Commit"])
    if "CommitDate" in told:
        fields["commit_date"] = git_date(told["CommitDate"]).text
    if entry["refs"] is not None:
        fields["refs"] = rawjson.text(entry["refs"]).split(", ")
    if "Merge" in told:
        fields["merge"] = told["Merge"].split()
    if entry["parents"]:
        fields["parents"] = entry["parents"].decode().split()
    reflog = {"reflog": "Reflog", "reflog_message": "Reflog message"}
    return fields | {name: told[key] for name, key in reflog.items() if key in told}


def _person(written: str) -> tuple[str, str]:
    found = _PERSON.fullmatch(written)
    return (found["name"], found["email"]) if found else (written, "")


def _unindented(lines: bytes) -> str:
    """Return lines without the four blanks that git puts before each."""
    text = rawjson.text(lines).replace("\r\n", "\n")
    return "\n".join(line.removeprefix("    ") for line in text.split("\n")).strip("\n")


FORMAT: Final = GitLog()
