"""JUnit XML, the report of a test run: the rows are its test cases.

    {"class": "tests.test_weir", "name": "test_gate", "time": 0.01, "outcome": "failed",
     "message": "assert 1 == 2", "details": "def test_gate(): …"}

Suites may be in one another, and have other elements between their test cases. A row is a test case
with all that follows it up to the next. Only the test case is decoded. `suites` has the attributes
of the suites.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final
from xml.parsers import expat

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.reports.junit_cases import (
    COLUMNS,
    NOT_RUN,
    OUTCOMES,
    JunitReading,
    decoded_test,
    pairs,
)
from penstock.core.results.formats.xml.cells import XmlCells
from penstock.core.results.formats.xml.format import LARGEST
from penstock.core.results.formats.xml.scan import XmlRefused, require_no_entities
from penstock.core.results.formats.xml.values import new_parser, number_in

_ROOTS: Final = ("testsuites", "testsuite")
_SUITE: Final = "testsuite"
_CASE: Final = "testcase"
_BY_WEIGHT: Final = (*OUTCOMES.values(),)
_BAD: Final = ("failed", "error")
_OF_SUITES: Final = ("properties", "system-out", "system-err")
_NAMES: Final = ("classname", "name")
_LARGEST_SUITES: Final = 3_000  # bytes of the suites that are told
_MOST_SUITES: Final = 100
_MOST_ATTRIBUTES: Final = 100  # of test cases, with different names
_MOST_FAILED: Final = 100  # that are told by name
_DEEPEST: Final = 20
_NOT_SHOWN: Final = "The properties and the output of whole suites are not among the rows."
# The bytes around the test cases. The pages show only the attributes of suites.
_LARGEST_AROUND: Final = 50_000
LIST_PATH: Final = "/tests"


class JunitText:
    """The report of a test run."""

    has_free_cells = True
    is_one_value = True
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        if len(text) > LARGEST:
            return None
        report = _Report()
        try:
            report.read(text)
        except (XmlRefused, expat.ExpatError):
            return None  # the format "xml" tells why
        return _cut(text, report) if report.starts else None

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        told = _reading(reading)
        return [encode(decoded_test(row, told)) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del prefix, suffix
        told = _reading(reading)
        suites = [{name: _told(value) for name, value in suite.items()} for suite in told.suites]
        omitted = {"suites_omitted": told.suites_omitted} if told.suites_omitted else {}
        return ValueFrame(b'{"tests":[', b"]," + encode({"suites": suites, **omitted})[1:])


FORMAT: Final = JunitText()


@lru_cache(64)
def _reading(reading: bytes) -> JunitReading:
    return msgspec.json.decode(reading, type=JunitReading)


# -- the whole report --------------------------------------------------------------------------


class _Report:
    """The findings of a pass through a report."""

    def __init__(self) -> None:
        self.starts: list[int] = []  # of test cases
        self.end = 0  # of the suite with the last test case
        self.suites: list[dict[str, str]] = []  # the first of them
        self.suite_count = 0
        self.has_more = False  # properties or output of whole suites
        self.cells: dict[str, XmlCells] = {}
        self.outcomes: dict[int, str] = {}  # of test cases that did not pass, by their numbers
        self._open: list[str] = []
        self._cases_at_end = 0
        self._parser: Any = None

    def read(self, text: bytes) -> None:
        require_no_entities(text)
        self._parser = parser = new_parser()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.Parse(text, True)

    def _start(self, name: str, attributes: list[str]) -> None:
        parent = self._open[-1] if self._open else ""
        self._open.append(name)
        _require(len(self._open) <= _DEEPEST)
        if name == _CASE:
            _require(parent == _SUITE)
            self.starts.append(self._parser.CurrentByteIndex)
            self._note_case(pairs(attributes))
        elif name == _SUITE:
            _require(parent in ("", *_ROOTS))
            self._note_suite(pairs(attributes))
        elif parent in OUTCOMES:
            _require(self._open[-3] != _CASE)
        elif parent == _CASE:
            _require(name not in COLUMNS)
            self._note_outcome(name)
        elif name in _OF_SUITES and parent == _SUITE:
            self.has_more = True
        elif not parent:
            _require(name in _ROOTS)

    def _note_case(self, attributes: Mapping[str, str]) -> None:
        if attributes.get("status") in NOT_RUN:
            self.outcomes[len(self.starts) - 1] = "skipped"
        for name, value in attributes.items():
            self.cells.setdefault(name, XmlCells()).add(value)
        _require(len(self.cells) <= _MOST_ATTRIBUTES)

    def _note_suite(self, attributes: dict[str, str]) -> None:
        self.suite_count += 1
        if len(self.suites) < _MOST_SUITES:
            self.suites.append(attributes)

    def _note_outcome(self, child: str) -> None:
        outcome = OUTCOMES.get(child)
        if outcome is not None:
            number = len(self.starts) - 1
            known = self.outcomes.get(number, outcome)
            self.outcomes[number] = min(known, outcome, key=_BY_WEIGHT.index)

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == _SUITE and len(self.starts) > self._cases_at_end:
            self._cases_at_end = len(self.starts)
            self.end = self._parser.CurrentByteIndex


def _require(is_so: bool) -> None:
    """Stop if the elements are not in one another as in a report. The text is then any XML."""
    if not is_so:
        raise XmlRefused


def _told(value: str) -> Any:
    cells = XmlCells()
    cells.add(value)
    return number_in(value) if cells.are_numbers(set()) else value


def _cut(text: bytes, report: _Report) -> TextCut | None:
    start, end = report.starts[0], report.end
    if start + len(text) - end > _LARGEST_AROUND:
        return None
    shown = _first_suites(report.suites)
    numbers = {name for name, cells in report.cells.items() if cells.are_numbers(set())}
    reading = JunitReading(
        tuple(shown), tuple(sorted(numbers - {*_NAMES})), report.suite_count - len(shown)
    )
    bounds = [*report.starts, end]
    return TextCut(
        "rows",
        grouped(text[first:last] for first, last in pairwise(bounds)),
        text[:start],
        text[end:],
        list_path=LIST_PATH,
        reading=msgspec.json.encode(reading),
        notices=(_NOT_SHOWN,) if report.has_more else (),
        contents=_contents(text, bounds, report, reading),
    )


def _first_suites(suites: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return as many suites as may be kept with the text."""
    shown: list[dict[str, str]] = []
    size = 0
    for suite in suites:
        size += len(encode(suite))
        if size > _LARGEST_SUITES:
            break
        shown.append(suite)
    return shown


def _contents(
    text: bytes, bounds: Sequence[int], report: _Report, reading: JunitReading
) -> tuple[bytes, ...]:
    """Return how many tests have each outcome, and the tests that failed."""
    counts = Counter({"passed": len(report.starts) - len(report.outcomes)})
    counts.update(report.outcomes.values())
    bad = [number for number, outcome in report.outcomes.items() if outcome in _BAD]
    entries = [
        ContentsEntry(f"{LIST_PATH}/{number}", _headline(text, bounds, number, reading))
        if place < _MOST_FAILED
        else ContentsEntry("", "")  # only counted
        for place, number in enumerate(bad)
    ]
    told = {"outcomes": {name: count for name, count in counts.items() if count}}
    return contents_of(ContentsList("failed", entries), told=told)


def _headline(text: bytes, bounds: Sequence[int], number: int, reading: JunitReading) -> str:
    """Return the name of a test and why it failed."""
    test = decoded_test(text[bounds[number] : bounds[number + 1]], reading)
    name = "::".join(part for part in (test["class"], test["name"]) if part)
    return f"{name}: {test['message']}" if test["message"] else name
