"""The rows of a run of pytest, each decoded by its first lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from penstock.core.json import rawjson
from penstock.core.results.formats.reports.pytest_bars import REPORTS, SUMMARY

_OUTCOMES: Final = {"xfail": "xfailed", "xpass": "xpassed"}
WORDS: Final = (
    rb"PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN|SUBPASS(?:ED)?|SUBFAIL(?:ED)?|SUBSKIP(?:PED)?"
)
_OF_WORKER: Final = re.compile(
    rb"\[gw[0-9]+\] \[ *[0-9]+%\] (?P<outcome>" + WORDS + rb") (?P<test>[^\n]+)"
)
_PROGRESS: Final = re.compile(rb" *[0-9]+(?:%|/[0-9]+)\]")
_REASON: Final = re.compile(rb" (?P<outcome>" + WORDS + rb") \(")
_WORD: Final = re.compile(WORDS)
_NO_NODE: Final = re.compile(rb"[ :]|[=_!-]+ ")
_BAR: Final = re.compile(r"[=_]+ ")
SUMMARY_LINE: Final = re.compile(
    rb"(?P<outcome>" + WORDS + rb")(?: \[(?P<count>[0-9]+)\])? (?P<rest>[^\n]*)"
)
_NODE: Final = re.compile(r"(?P<test>[^\[\n]*?(?:\[[^\n]*?\])?)(?: - (?P<message>.*))?", re.DOTALL)
_SKIPPED: Final = re.compile(r"(?P<test>.*?(?::\d+)?): (?P<message>.*)", re.DOTALL)
_ERROR: Final = re.compile(
    r"ERROR (?:at (?P<phase>setup|teardown) of|(?P<collecting>collecting)) (?P<test>.*)"
)
_PLACE: Final = re.compile(r"^(?P<file>[^\s:>][^\n:]*):(?P<line>\d{1,9}): ", re.MULTILINE)
_NATIVE: Final = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9})', re.MULTILINE)
_CAPTURED: Final = re.compile(r"^-+ (?:Captured|generated) [^\n]* -+\r?$", re.MULTILINE)
_MESSAGE: Final = re.compile(r"^E {3,}(?P<message>[^\n]*)(?:\nE[^\n]*)*", re.MULTILINE)


class VerboseTest(NamedTuple):
    """A test in the output of `-v`."""

    test: bytes
    outcome: bytes
    reason: bytes = b""


def verbose_test(line: bytes) -> VerboseTest | None:
    """Return the test of a line; None if it has none."""
    line = line.rstrip()
    of_worker = _OF_WORKER.fullmatch(line)
    if of_worker is not None:
        return VerboseTest(of_worker["test"], of_worker["outcome"])
    line = without_progress(line)
    name, _, word = line.rpartition(b" ")
    if _WORD.fullmatch(word):
        return VerboseTest(name, word) if _is_node(name) else None
    reason = _REASON.search(line) if line.endswith(b")") else None
    if reason is None or not _is_node(line[: reason.start()]):
        return None
    return VerboseTest(line[: reason.start()], reason["outcome"], line[reason.end() : -1])


def without_progress(line: bytes) -> bytes:
    """Return a line without the progress at its end, such as `[ 50%]`."""
    start, _, progress = line.rpartition(b" [")
    return start.rstrip(b" ") if start and _PROGRESS.fullmatch(progress) else line


def _is_node(name: bytes) -> bool:
    return b"::" in name and not _NO_NODE.match(name)


def verbose_fields(row: bytes) -> dict[str, Any]:
    """Return the fields of a test in a line."""
    line, _, output = row.partition(b"\n")
    found = verbose_test(line)
    assert found is not None  # noqa: S101 (each row was recognised)
    return test_fields(found, output)


def test_fields(found: VerboseTest, output: bytes) -> dict[str, Any]:
    """Return the fields of a test, and what was written after its line."""
    fields: dict[str, Any] = {
        "part": "test",
        "test": rawjson.text(found.test),
        "outcome": outcome_of(found.outcome),
    }
    if found.reason:
        fields["message"] = rawjson.text(found.reason)
    written = rawjson.text(output).strip("\r\n")
    return {**fields, "output": written} if written else fields


def row_fields(
    row: bytes, fields_of_test: Callable[[bytes], dict[str, Any]] = verbose_fields
) -> dict[str, Any]:
    """Return the fields of a row."""
    text = rawjson.text(row).replace("\r\n", "\n")
    if not _BAR.match(text):
        return _summary(row, text) or fields_of_test(row)
    bar, _, rest = text.partition("\n")
    if bar.startswith("_"):
        return _report(bar, rest)
    title = bar.strip("=").strip(" ")
    if title in REPORTS and _BAR.match(rest):
        bar, _, rest = rest.partition("\n")
        return _report(bar, rest)
    summary = _summary(rawjson.utf8(rest), rest) if title == SUMMARY else None
    return summary or {"part": "section", "title": title, "text": rest.strip("\n")}


def outcome_of(word: bytes) -> str:
    small = word.decode().lower()
    return _OUTCOMES.get(small, small)


def _summary(row: bytes, text: str) -> dict[str, Any] | None:
    found = SUMMARY_LINE.match(row)
    if found is None:
        return None
    rest = text[text.index(" ") + 1 :].rstrip("\n")
    fields: dict[str, Any] = {
        "part": "summary",
        "test": rest,
        "outcome": outcome_of(found["outcome"]),
    }
    if found["count"] is not None:  # tests that were skipped in one place
        rest = rest.partition("] ")[2]
        place = _SKIPPED.fullmatch(rest)
        fields |= place.groupdict() if place else {"test": rest}
        return {**fields, "count": int(found["count"])}
    node = _NODE.fullmatch(rest)
    if node is not None:
        fields |= {name: value for name, value in node.groupdict().items() if value is not None}
    return fields


def _report(bar: str, text: str) -> dict[str, Any]:
    """Return the report of a test that failed: its last place, its message, and all of it."""
    name = bar.strip("_").strip(" ")
    fields: dict[str, Any] = {"part": "report", "test": name, "outcome": "failed"}
    error = _ERROR.fullmatch(name)
    if error is not None:
        fields |= {
            "test": error["test"],
            "outcome": "error",
            "phase": error["phase"] or "collection",
        }
    captured = _CAPTURED.search(text)
    trace = text[: captured.start()] if captured else text
    places = [*_PLACE.finditer(trace)] or [*_NATIVE.finditer(trace)]
    if places:
        fields |= {"file": places[-1]["file"], "line": int(places[-1]["line"])}
    messages = [*_MESSAGE.finditer(trace)]
    if messages:
        fields["message"] = messages[-1]["message"]
    return {**fields, "report": text.strip("\n")}
