"""The Test Anything Protocol, versions 12 to 14: each test is a row, also each subtest.

    {"number": 3, "name": "adds", "outcome": "failed", "depth": 0, "diagnostics": "error: '1 == 2'"}

A subtest comes before the test that holds it, and is deeper. `directive` is the rest of a line after
`# SKIP` or `# TODO`. Lines that the protocol does not know are the `output` of the test before them,
but only if the tests are those of the plan: otherwise the text may be something else.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.reports.tap_lines import TapLine, directive_of, tap_lines

_FEWEST_ALONE: Final = 3  # tests without a plan that are surely meant as tests
_MOST_FAILED: Final = 50_000  # because the contents list them all
_PLAN: Final = re.compile(rb"1\.\.(?P<last>[0-9]{1,9})")


class TapOutput:
    """Results of tests."""

    has_free_cells = False
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        run = _Run(text)
        near = run.read()
        if near is not None or not run.count:
            return near
        doubt = run.doubt()
        if doubt is not None:
            return NearMiss(doubt) if run.is_plain else None
        return TextCut(
            "rows",
            grouped(run.rows()),
            text[: run.start],
            text[run.end :],
            contents=run.contents(),
            notices=run.notices(),
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        del reading
        return [encode(_fields(row)) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del reading
        return ValueFrame(text_before=prefix, text_after=suffix)


class _Run:
    """All tests of a text: where each starts, and what the contents tell."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = array("q")
        self._outcomes: Counter[str] = Counter()
        self._failed: list[ContentsEntry] = []
        self._top = 0  # tests that are no subtests
        self._plan: int | None = None
        self._has_version = self._has_subtests = False
        self._bail_out = b""
        self._first_other = self._first_disordered = -1
        self.end = len(text)

    def read(self) -> NearMiss | None:
        """Read all lines. Return where the text is cut off."""
        is_tail = False
        for line in tap_lines(self._text):
            if line.kind == "test":
                self._note_test(line)
                is_tail = False
            elif line.kind == "cut off":
                return NearMiss(f"the diagnostics in line {self._number(line.start)} are cut off")
            else:
                self._note(line)
                is_end = not line.indent and line.kind in ("plan", "bail", "empty", "summary")
                if is_end and not is_tail:
                    self.end, is_tail = line.start, True
            if len(self._failed) > _MOST_FAILED:
                return NearMiss(f"it has more than {_MOST_FAILED:,} tests that failed")
        self.end = self.end if is_tail else len(self._text)
        return None

    def _note_test(self, line: TapLine) -> None:
        outcome = _outcome(line)
        if outcome == "failed":
            name = rawjson.text(directive_of(line.name)[0]) or f"test {line.number}"
            self._failed.append(ContentsEntry(f"/{self.count}", name, line.depth))
        self._outcomes[outcome] += 1
        self._starts.append(line.start)
        self._has_subtests = self._has_subtests or line.depth > 0
        if not line.depth:
            self._top += 1
            if line.number not in (None, self._top) and self._first_disordered < 0:
                self._first_disordered = line.start

    def _note(self, line: TapLine) -> None:
        if line.kind == "plan" and not line.indent:
            found = _PLAN.match(self._text, line.start)
            self._plan = int(found["last"]) if found else None
        elif line.kind == "version":
            self._has_version = True
        elif line.kind == "bail":
            self._bail_out = self._text[line.start : line.stop].strip()
        elif line.kind == "other" and self._first_other < 0:
            self._first_other = line.start

    def _number(self, position: int) -> int:
        return self._text.count(b"\n", 0, position) + 1

    @property
    def count(self) -> int:
        return len(self._starts)

    @property
    def start(self) -> int:
        return self._starts[0]

    @property
    def is_plain(self) -> bool:
        """Whether tests are meant, although something is wrong."""
        is_all = self._first_other < 0 and self.count >= _FEWEST_ALONE
        return is_all or self._has_version

    def doubt(self) -> str | None:
        """Return why these may be no tests."""
        if self._plan is None and not self._has_version:
            return "it has no plan, such as 1..3"
        is_as_planned = self._plan == self._top and self._first_disordered < 0
        if self._first_other >= 0 and not is_as_planned:
            return f"line {self._number(self._first_other)} is not TAP, and the tests are not those of a plan"
        return None

    def rows(self) -> Iterator[bytes]:
        stops = [*self._starts[1:], self.end]
        return (self._text[start:stop] for start, stop in zip(self._starts, stops, strict=True))

    def contents(self) -> tuple[bytes, ...]:
        told = {"outcomes": dict(self._outcomes)}
        return contents_of(ContentsList("failed", self._failed), told=told)

    def notices(self) -> tuple[str, ...]:
        found = []
        if self._plan is None:
            found.append("There is no plan, so tests may be missing.")
        elif self._plan != self._top:
            found.append(f"The plan is {self._plan:,} tests, and {self._top:,} are there.")
        if self._first_disordered >= 0:
            line = self._number(self._first_disordered)
            found.append(f"The numbers of the tests are not in order, first in line {line}.")
        if self._bail_out:
            found.append(f"The run was ended early: {rawjson.text(self._bail_out)[:200]}")
        if self._has_subtests:
            found.append(
                "Subtests are rows before the test that holds them, with a depth of 1 or more."
            )
        return tuple(found)


def _outcome(line: TapLine) -> str:
    _, kind, _ = directive_of(line.name)
    if kind == b"todo" and line.is_not:
        return "todo"
    if line.is_not:
        return "failed"
    return "skipped" if kind == b"skip" else "passed"


def _fields(row: bytes) -> dict[str, Any]:
    """Return the fields of a test."""
    first, *others = tap_lines(row)
    name, kind, reason = directive_of(first.name)
    fields: dict[str, Any] = {
        "number": first.number,
        "name": rawjson.text(name),
        "outcome": _outcome(first),
        "depth": first.depth,
    }
    if kind:
        fields["directive"] = rawjson.text(kind.upper() + b" " + reason).strip()
    told = [_plain(row, line) for line in others if line.kind in ("comment", "yaml", "summary")]
    output = [_plain(row, line) for line in others if line.kind == "other"]
    if told:
        fields["diagnostics"] = "\n".join(told)
    if output:
        fields["output"] = "\n".join(output)
    return fields


def _plain(row: bytes, line: TapLine) -> str:
    """Return a line without its indent, or YAML without its indent and its marks."""
    lines = rawjson.text(row[line.start : line.stop]).replace("\r\n", "\n").rstrip("\n").split("\n")
    if line.kind == "yaml":
        lines = lines[1:-1]
    blanks = " " * line.indent
    return "\n".join(one.removeprefix(blanks) for one in lines)


FORMAT: Final = TapOutput()
