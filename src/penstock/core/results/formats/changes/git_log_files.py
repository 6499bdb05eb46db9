"""The files that `git log` lists after a message: with `--stat`, `--numstat`, `--name-status`, `--raw`,
`--name-only` and `-p`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.results.formats.changes.diff_files import cut_rest, files_of
from penstock.core.results.formats.changes.diff_names import text_of, unquoted

_END: Final = rb"\r?(?:\n|\Z)"
_LINE: Final = re.compile(
    rb" (?P<stat>[^\n]*[^\s]) +\| +(?:(?P<changes>[0-9]+)(?: [+-]+)?|Bin(?P<binary>[^\n]*?)|Unmerged)" + _END
    + rb"| (?P<changed>[0-9]+) files? changed(?:, (?P<insertions>[0-9]+) insertions?\(\+\))?"
    rb"(?:, (?P<deletions>[0-9]+) deletions?\(-\))?" + _END
    + rb"|(?P<added>[0-9]+|-)\t(?P<removed>[0-9]+|-)\t(?P<counted>[^\n]+?)" + _END
    + rb"|(?::+[0-9]{6} [0-9a-f. ]+ )?(?P<status>[ACDMRTUXB]{1,9}[0-9]{0,3})\t(?P<listed>[^\n\t]+?)(?:\t(?P<new>[^\n\t]+?))?" + _END
    + rb"| (?P<summary>(?:create|delete) mode |rename |copy |rewrite |mode change )[^\n]*(?:\n|\Z)"
    + rb"| (?P<more>\.\.\.)" + _END
    + rb"|(?P<rule>---)" + _END
    + rb"|(?P<empty>[ \t]*)\r?\n"
)  # fmt: skip
_NAME: Final = re.compile(rb"[^\s][^\n]*?" + _END)
_PATH: Final = re.compile(rb"[^\s]+|[^\n]*(?:/[^\n]*|\.\w{1,5})")  # a sentence is none
IN_LIST: Final = "a list of files"
_CUT_LINE: Final = re.compile(rb" [^\s][^\n]*+\Z| \Z")  # of `--stat`
_DIFF: Final = re.compile(rb"diff --|Submodule |\* Unmerged path ")


class FilesOfCommit:
    """The lines after the message of a commit. In the last commit of a text, they may be cut."""

    def __init__(self, text: bytes, start: int, stop: int, *, may_be_cut: bool) -> None:
        self._text = text
        self._stop = stop
        self._may_be_cut = may_be_cut
        self._files: list[dict[str, Any]] = []
        self._told: dict[str, Any] = {}
        self._diff = b""
        self._is_short = False  # `--stat-count` leaves files out
        self.are_names = False  # the names of files stand alone
        self.are_paths = True  # these can be nothing but names
        self.cut = ""  # the part in which the text ends, if the commit is not complete
        self.end = self._read(start)  # of the lines that are understood
        self._note_cut()

    def fields(self) -> dict[str, Any]:
        """Return the fields of the row."""
        files = {"files": self._files} if self._files else {}
        diff = {"diff": rawjson.text(self._diff).strip("\n")} if self._diff else {}
        return {**files, **self._told, **diff}

    def problem(self) -> str | None:
        """Return what is wrong with the counts of `--stat`."""
        stats = self._stats
        counted = self._told.get("files_changed")
        if self.cut == IN_LIST:
            return None
        if stats and counted is None:
            return "ends a list of files that is cut off"
        if stats and counted != stats and not self._is_short:
            return f"ends a list of {stats} files, of which {counted} are counted"
        return None

    @property
    def has_stats(self) -> bool:
        """Whether `--stat` lists the files."""
        return self._stats > 0

    @property
    def _stats(self) -> int:
        return sum("changes" in file for file in self._files)

    @property
    def has_short_names(self) -> bool:
        """Whether `--stat` has shortened the name of a file."""
        return any("changes" in file and file["file"].startswith("...") for file in self._files)

    def _read(self, position: int) -> int:
        """Read the lines, and return where the first is that is not understood. Raise `BrokenDiff`
        where a diff is broken."""
        for line in self._lines(position):
            self._note(line)
            position = line.end()
        if position < self._stop and _DIFF.match(self._text, position):
            start = position
            position = self._end_of_diff(position)
            self._diff = self._text[start:position]
        elif position < self._stop and not (self._files or self._told):
            position = self._read_names(position)
        return position

    def _end_of_diff(self, position: int) -> int:
        for file in files_of(self._text, position, self._stop, may_be_cut=self._may_be_cut):
            position, self.cut = file.stop, file.cut
        if self._may_be_cut and position < self._stop:
            self.cut = cut_rest(self._text, position, self._stop)
        return self._stop if self.cut else position

    def _note_cut(self) -> None:
        """Note that the text ends inside the list of `--stat`."""
        if not self._may_be_cut or self._diff:
            return
        if self.end < self._stop and _CUT_LINE.match(self._text, self.end, self._stop):
            self.cut, self.end = IN_LIST, self._stop
        elif self.end == self._stop and self._stats and not self._has_all_counts():
            self.cut, self._told = IN_LIST, {}

    def _has_all_counts(self) -> bool:
        """Return whether the last line of `--stat` is there. Its second count may be cut off."""
        if not self._told or self._text.endswith(b"\n", 0, self._stop):
            return bool(self._told)
        changes: int = sum(file.get("changes") or 0 for file in self._files)
        counted: int = self._told["insertions"] + self._told["deletions"]
        return changes <= counted

    def _lines(self, position: int) -> Iterator[re.Match[bytes]]:
        while position < self._stop and (line := _LINE.match(self._text, position, self._stop)):
            yield line
            position = line.end()

    def _read_names(self, position: int) -> int:
        while position < self._stop and (line := _NAME.match(self._text, position, self._stop)):
            name = line.group().rstrip()
            self._files.append({"file": _name(name)})
            self.are_paths = self.are_paths and _PATH.fullmatch(name) is not None
            position = line.end()
            self.are_names = True
        blank = self._text[position : self._stop]
        return self._stop if not blank.strip() else position

    def _note(self, line: re.Match[bytes]) -> None:
        parts = line.groupdict()
        if parts["stat"] is not None:
            is_cut = line.group()[-1:].isdigit()  # further digits may be missing
            changes = None if parts["changes"] is None or is_cut else int(parts["changes"])
            file = {"file": _name(parts["stat"].strip(b" ")), "changes": changes}
            if parts["binary"] is not None:
                file["binary"] = text_of(parts["binary"].strip())
            self._files.append(file)
        elif parts["changed"] is not None:
            names = ("files_changed", "changed"), ("insertions",) * 2, ("deletions",) * 2
            self._told = {name: int(parts[key] or 0) for name, key in names}
        elif parts["counted"] is not None:
            counts = {name: _number(parts[name]) for name in ("added", "removed")}
            self._files.append({"file": _name(parts["counted"]), **counts})
        elif parts["listed"] is not None:
            self._files.append(_with_status(parts))
        elif parts["more"] is not None:
            self._is_short = True


def _with_status(parts: Mapping[str, Any]) -> dict[str, Any]:
    status = {"status": text_of(parts["status"])}
    if parts["new"] is None:
        return {"file": _name(parts["listed"]), **status}
    return {"file": _name(parts["new"]), "old_file": _name(parts["listed"]), **status}


def _number(written: bytes) -> int | None:
    return None if written == b"-" else int(written)


def _name(written: bytes) -> str:
    return text_of(unquoted(written))
