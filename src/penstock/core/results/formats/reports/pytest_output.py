"""The output of pytest. Its parts are rows: lines of tests (with `-v`), reports of tests that failed,
lines of the summary, and other sections. `part` says which a row is.

    {"part": "report", "test": "test_door", "outcome": "failed", "file": "test_door.py", "line": 7,
     "message": "assert 1 == 2", "report": "    def test_door(): …"}

A test that prints the output of another run of pytest stays one report: such a run is skipped from its
first bar to its last.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.reports.pytest_bars import SUMMARY, Bar
from penstock.core.results.formats.reports.pytest_between import (
    VerboseLines,
    counted_tests,
    mixed_fields,
    verbose_lines,
)
from penstock.core.results.formats.reports.pytest_layout import RunLayout, SectionOfRun, layout_of
from penstock.core.results.formats.reports.pytest_rows import (
    SUMMARY_LINE,
    VerboseTest,
    outcome_of,
    row_fields,
    verbose_fields,
    verbose_test,
)

_MOST_FAILED: Final = 20_000  # because the contents list them all
_COUNTS: Final = re.compile(r"(\d+) ((?:subtests )?[a-z]+)")
_PLURALS: Final = {"error": "errors", "warning": "warnings"}
_MIXED: Final = b"true"  # the reading of a run with output between its tests
_UNCERTAIN: Final = "output between the lines of tests leaves their outcomes uncertain"
_WITHOUT_TESTS: Final = f"Lines of tests are not among the rows: {_UNCERTAIN}."
_SEVERAL: Final = "A test can be in several rows: part says whether a row is a test, its report, or a line of the summary."


class PytestOutput:
    """Tests, reports, and the lines of the summary."""

    has_free_cells = False
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        layout = layout_of(text)
        if layout is None or isinstance(layout, NearMiss):
            return layout
        parts = _Parts(text, layout)
        if not parts.starts:
            return NearMiss(_UNCERTAIN) if parts.is_mixed else None
        if len(parts.failed) > _MOST_FAILED:
            return NearMiss(f"it has more than {_MOST_FAILED:,} tests that failed")
        return TextCut(
            "rows",
            grouped(parts.rows()),
            text[: parts.starts[0]],
            text[layout.end :],
            reading=_MIXED if parts.is_mixed else b"",
            contents=parts.contents(),
            notices=parts.notices(),
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        fields_of_test = mixed_fields if reading == _MIXED else verbose_fields
        return [encode(row_fields(row, fields_of_test)) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del reading
        return ValueFrame(text_before=prefix, text_after=suffix)


class _Failed(NamedTuple):
    """A row that tells of a test that failed."""

    row: int
    part: str
    outcome: str
    told: str


class _Parts:
    """The rows of a run: where each starts, and what the contents tell."""

    def __init__(self, text: bytes, layout: RunLayout) -> None:
        self._text = text
        self._layout = layout
        self._kinds: set[str] = set()
        self.starts = array("q")
        self.failed: list[_Failed] = []
        self.is_mixed = False
        self._passed = 0  # rows of tests
        first, *stops = [*(section.bar.start for section in layout.sections), layout.end]
        self._add_tests(layout.start, first)
        for section, stop in zip(layout.sections, stops, strict=True):
            self._add_section(section, stop)

    def _add_tests(self, start: int, stop: int) -> None:
        lines = verbose_lines(self._text, start, stop)
        if lines.is_mixed:
            self.is_mixed = True
            self._add_mixed(lines)
            return
        for line, position in _lines(self._text, start, stop):
            found = verbose_test(line)
            if found is not None:
                self._add_test(position, found)

    def _add_mixed(self, lines: VerboseLines) -> None:
        tests = counted_tests(self._text, lines, self._outcomes())
        for start, found in zip(lines.starts, tests or (), strict=False):
            self._add_test(start, found)

    def _add_test(self, start: int, found: VerboseTest) -> None:
        outcome = outcome_of(found.outcome)
        self._passed += outcome == "passed"
        self._add(start, "test", outcome, found.test)

    def _add_section(self, section: SectionOfRun, stop: int) -> None:
        bar = section.bar
        if section.reports:
            self._add_reports(section)
        elif bar.title == SUMMARY and SUMMARY_LINE.match(self._text, bar.stop, stop):
            self._add_summary(bar, stop)
        else:
            self._add(bar.start, "section")

    def _add_summary(self, bar: Bar, stop: int) -> None:
        for line, position in _lines(self._text, bar.stop, stop):
            found = SUMMARY_LINE.match(line)
            if found is not None:
                start = (
                    bar.start if position == bar.stop else position
                )  # the bar is in the first row
                self._add(start, "summary", outcome_of(found["outcome"]), found["rest"].rstrip())

    def _add_reports(self, section: SectionOfRun) -> None:
        bar, first = section.bar, section.reports[0]
        if bar.stop != first.start:  # otherwise the bar is in the first row
            self._add(bar.start, "section")
        outcome = "error" if bar.title == "ERRORS" else "failed"
        for report in section.reports:
            start = bar.start if report.start == bar.stop else report.start
            self._add(start, "report", outcome, rawjson.utf8(report.title))

    def _add(self, start: int, part: str, outcome: str = "", told: bytes = b"") -> None:
        if outcome in ("failed", "error"):
            self.failed.append(_Failed(len(self.starts), part, outcome, rawjson.text(told)))
        self._kinds.add(part)
        self.starts.append(start)

    def rows(self) -> Iterator[bytes]:
        stops = [*self.starts[1:], self._layout.end]
        return (self._text[start:stop] for start, stop in zip(self.starts, stops, strict=True))

    def contents(self) -> tuple[bytes, ...]:
        told = {"outcomes": self._outcomes()} if self._layout.counts else {}
        lists = (("failed", "failed"), ("errors", "error"))
        return contents_of(
            *(ContentsList(name, self._listed(one)) for name, one in lists), told=told
        )

    def _outcomes(self) -> dict[str, int]:
        counts = _COUNTS.findall(self._layout.counts)
        return {_PLURALS.get(name, name): int(number) for number, name in counts}

    def _listed(self, outcome: str) -> list[ContentsEntry]:
        """Return the tests that failed, with the path to the report of each, if there is one. The summary
        has their names in full, in the same order."""
        by_part = {part: self._rows_of(part, outcome) for part in ("report", "summary", "test")}
        rows = by_part["report"] or by_part["summary"] or by_part["test"]
        names = by_part["summary"] if len(by_part["summary"]) == len(rows) else rows
        return [
            ContentsEntry(f"/{row.row}", name.told) for row, name in zip(rows, names, strict=True)
        ]

    def _rows_of(self, part: str, outcome: str) -> list[_Failed]:
        return [one for one in self.failed if (one.part, one.outcome) == (part, outcome)]

    def notices(self) -> tuple[str, ...]:
        found = []
        if not self._layout.counts:
            found.append(
                "The last line, with the counts, is missing: the run or its output was cut off."
            )
        reports = len(self._rows_of("report", "failed"))
        counted = self._outcomes().get("failed", 0)
        if reports and self._layout.counts and reports != counted:
            found.append(
                f"The last line counts {counted:,} tests that failed, and {reports:,} reports are there."
            )
        found += self._notices_of_tests()
        if len(self._kinds & {"test", "report", "summary"}) > 1:
            found.append(_SEVERAL)
        return tuple(found)

    def _notices_of_tests(self) -> list[str]:
        """Say which lines of tests are missing. A run without `-v` has none."""
        if "test" not in self._kinds:
            return [_WITHOUT_TESTS] if self.is_mixed else []
        counted = self._outcomes().get("passed", 0)
        if not self._layout.counts or self._passed == counted:
            return []
        return [
            f"The last line counts {counted:,} tests that passed, and {self._passed:,} rows are lines of such tests."
        ]


def _lines(text: bytes, start: int, stop: int) -> Iterator[tuple[bytes, int]]:
    """Yield lines, and where each starts."""
    while start < stop:
        end = text.find(b"\n", start, stop)
        end = stop if end < 0 else end
        yield text[start:end], start
        start = end + 1


FORMAT: Final = PytestOutput()
