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
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple
from xml.parsers import expat

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.json_text import LARGEST_ENVELOPE
from penstock.core.results.formats.xml_scan import XmlCells, XmlRefused, require_no_entities
from penstock.core.results.formats.xml_text import LARGEST
from penstock.core.results.formats.xml_values import (
    TEXT_KEY,
    ElementReader,
    XmlNode,
    XmlReading,
    new_parser,
    number_in,
)

_ROOTS: Final = ("testsuites", "testsuite")
_SUITE: Final = "testsuite"
_CASE: Final = "testcase"
# The outcome of a test case, by the child that tells it. Those that come first count first.
_OUTCOMES: Final = {"error": "error", "failure": "failed", "skipped": "skipped"}
_BAD: Final = ("failed", "error")
_OUTPUTS: Final = ("system-out", "system-err")
_NOT_RUN: Final = ("notrun", "disabled")  # as GoogleTest writes it, in `status`
_NAMES: Final = ("classname", "name")
_LARGEST_SUITES: Final = 3_000  # bytes of the suites that are told
_DEEPEST: Final = 20
_OUTPUT_NOTICE: Final = "The output of whole suites is not among the rows."
_COLUMNS: Final = ("class", "name", "time", "outcome", "message", "details")
_EACH: Final = XmlReading("", is_local=True)
LIST_PATH: Final = "/tests"


class _JunitReading(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to read test cases, and what to tell of their suites."""

    suites: tuple[dict[str, str], ...]
    numbers: tuple[str, ...] = ()  # attributes whose texts are all numbers
    suites_omitted: int = 0


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
        return _cut(text, report) if report.starts and not report.is_strange else None

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        told = _reading(reading)
        return [encode(_test(_case(row), told)) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del prefix, suffix
        told = _reading(reading)
        suites = [{name: _told(value) for name, value in suite.items()} for suite in told.suites]
        omitted = {"suites_omitted": told.suites_omitted} if told.suites_omitted else {}
        return ValueFrame(b'{"tests":[', b"]," + encode({"suites": suites, **omitted})[1:])


FORMAT: Final = JunitText()


@lru_cache(64)
def _reading(reading: bytes) -> _JunitReading:
    return msgspec.json.decode(reading, type=_JunitReading)


# -- the whole report --------------------------------------------------------------------------


class _Report:
    """What a pass through a report has learned."""

    def __init__(self) -> None:
        self.starts: list[int] = []  # of test cases
        self.end = 0  # of the suite with the last test case
        self.suites: list[dict[str, str]] = []
        self.has_outputs = False  # of whole suites
        self.is_strange = False  # the elements are not in one another as in a report
        self.cells: dict[str, XmlCells] = {}
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
        self.is_strange |= len(self._open) > _DEEPEST
        if name == _CASE:
            self.is_strange |= parent != _SUITE
            self.starts.append(self._parser.CurrentByteIndex)
            self._note(_pairs(attributes))
        elif name == _SUITE:
            self.is_strange |= parent not in ("", *_ROOTS)
            self.suites.append(_pairs(attributes))
        elif parent == _CASE:
            self.is_strange |= name in _COLUMNS
        elif name in _OUTPUTS and parent == _SUITE:
            self.has_outputs = True
        elif not parent:
            self.is_strange |= name not in _ROOTS

    def _note(self, attributes: Mapping[str, str]) -> None:
        for name, value in attributes.items():
            self.cells.setdefault(name, XmlCells()).add(value)

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == _SUITE and len(self.starts) > self._cases_at_end:
            self._cases_at_end = len(self.starts)
            self.end = self._parser.CurrentByteIndex


def _told(value: str) -> Any:
    cells = XmlCells()
    cells.add(value)
    return number_in(value) if cells.are_numbers(set()) else value


def _pairs(attributes: Sequence[str]) -> dict[str, str]:
    return dict(zip(attributes[::2], attributes[1::2], strict=True))


def _cut(text: bytes, report: _Report) -> TextCut | None:
    start, end = report.starts[0], report.end
    if start + len(text) - end > LARGEST_ENVELOPE:
        return None
    shown = _first_suites(report.suites)
    numbers = {name for name, cells in report.cells.items() if cells.are_numbers(set())}
    reading = _JunitReading(
        tuple(shown), tuple(sorted(numbers - {*_NAMES})), len(report.suites) - len(shown)
    )
    bounds = [*report.starts, end]
    return TextCut(
        "rows",
        grouped(text[first:last] for first, last in pairwise(bounds)),
        text[:start],
        text[end:],
        list_path=LIST_PATH,
        reading=msgspec.json.encode(reading),
        notices=(_OUTPUT_NOTICE,) if report.has_outputs else (),
        contents=_contents(text, bounds, reading),
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


def _contents(text: bytes, bounds: Sequence[int], reading: _JunitReading) -> tuple[bytes, ...]:
    """Return how many tests have each outcome, and the tests that failed."""
    outcomes: Counter[str] = Counter()
    entries: list[ContentsEntry] = []
    for number, (first, last) in enumerate(pairwise(bounds)):
        test = _test(_case(text[first:last]), reading)
        outcomes[test["outcome"]] += 1
        if test["outcome"] in _BAD:
            name = "::".join(str(part) for part in (test["class"], test["name"]) if part)
            told = f"{name}: {test['message']}" if test["message"] else name
            entries.append(ContentsEntry(f"{LIST_PATH}/{number}", told))
    return contents_of(ContentsList("failed", entries), told={"outcomes": dict(outcomes)})


# -- one test ----------------------------------------------------------------------------------


class _Found(Exception):
    """The test case is read. What follows it in its row is not part of it."""


class _CaseReader(ElementReader):
    """A reader of a test case, up to its end."""

    def end(self, name: str) -> None:
        if len(self.open) == len(("document", _CASE)):
            raise _Found
        super().end(name)


def _case(row: bytes) -> XmlNode:
    reader = _CaseReader(_EACH)
    with suppress(_Found):
        reader.read(row)
    return reader.open[1]


def _test(case: XmlNode, reading: _JunitReading) -> dict[str, Any]:
    """Return a test case as a row. Further attributes and children are as in any XML."""
    attributes = _pairs(case.attributes)
    children = dict(case.children)
    sign = next((name for name in _OUTCOMES if name in children), "")
    causes = [*map(_cause, children.pop(sign, []))]
    details = "\n\n".join(cause.text for cause in causes if cause.text)
    row = {
        "class": attributes.pop("classname", None),
        "name": attributes.pop("name", None),
        "time": _cell("time", attributes.pop("time", None), reading),
        "outcome": _OUTCOMES.get(sign) or _outcome_without_sign(attributes),
        "message": next((cause.message for cause in causes if cause.message), None),
    }
    row |= {"details": details} if details else {}
    row |= {f"@{name}": _cell(name, value, reading) for name, value in attributes.items()}
    return row | {name: case.child(name, values, _EACH) for name, values in children.items()}


def _outcome_without_sign(attributes: Mapping[str, str]) -> str:
    return "skipped" if attributes.get("status") in _NOT_RUN else "passed"


class _Cause(NamedTuple):
    """The cause of an outcome other than passed."""

    message: str
    text: str


def _cause(value: Any) -> _Cause:
    """Return the cause that an element tells. Without a message, it is the first line of the text."""
    parts = value if isinstance(value, dict) else {TEXT_KEY: value}
    text = parts.get(TEXT_KEY) or ""
    return _Cause(parts.get("@message") or text.partition("\n")[0], text)


def _cell(name: str, text: str | None, reading: _JunitReading) -> Any:
    return number_in(text) if text is not None and name in reading.numbers else text
