"""The tests of a run of pytest whose output is between its lines, as `-s` and live logs write it.

    test_door.py::test_opens the door is open
    PASSED                                                                   [ 50%]

A test is all from its name up to the next name. A test prints what it likes, even names and outcomes: so
the tests count only if the last line of the run counts as many of each outcome.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from penstock.core.results.formats.reports.pytest_rows import (
    WORDS,
    VerboseTest,
    outcome_of,
    test_fields,
    verbose_test,
    without_progress,
)

_OF_WORKER: Final = re.compile(rb"^\[gw[0-9]+\] \[ *[0-9]+%\] ", re.MULTILINE)
_NAME: Final = re.compile(rb"[^\s:]++(?<=\.py)::[^\s\[]++(?=[\[\s]|\Z)")
_BRACKET: Final = re.compile(rb"[\[\]]")
_ALONE: Final = re.compile(rb"(?P<outcome>" + WORDS + rb")(?: \((?P<reason>.*)\))?", re.DOTALL)
# A fixture that prints as it ends writes right after the outcome. A level of a live log has a space.
_BEFORE_OUTPUT: Final = re.compile(rb"(?P<outcome>" + WORDS + rb")(?=[^\s:])")
_AFTER_OUTPUT: Final = re.compile(rb"(?P<outcome>" + WORDS + rb")\Z")
_LONGEST_WORD: Final = 10
_EXACT: Final = ("passed", "failed", "xfailed", "xpassed")
_AT_MOST: Final = {"skipped": "skipped", "error": "errors"}  # others are modules, without a line


class VerboseLines(NamedTuple):
    """The lines of tests."""

    starts: Sequence[int]  # where the name of each test is
    stop: int  # the end of the last test
    is_mixed: bool  # with other output between them


class _Mixed(NamedTuple):
    """A test, and what it wrote."""

    test: VerboseTest
    output: bytes


def verbose_lines(text: bytes, start: int, stop: int) -> VerboseLines:
    """Return where the names of tests are. Output is between them if some name has no outcome beside it."""
    starts: list[int] = []
    lacking: list[int] = []
    has_alone = False
    position = start
    for line in text[start:stop].split(b"\n"):
        name = _name(line)
        if name is not None:
            starts.append(position)
            if verbose_test(line) is None:
                lacking.append(position)
        has_alone = has_alone or _ALONE.fullmatch(_bare(line)) is not None
        position += len(line) + 1
    # A run that was cut off or interrupted ends with the name of a test.
    ended_early = lacking == starts[-1:] and not has_alone
    is_mixed = (bool(lacking) and not ended_early) or (bool(starts) and has_alone)
    is_of_workers = _OF_WORKER.search(text, start, stop) is not None
    return VerboseLines(starts, stop, is_mixed and not is_of_workers)


def counted_tests(
    text: bytes, lines: VerboseLines, counts: Mapping[str, int]
) -> list[VerboseTest] | None:
    """Return the tests of a run with output between them; None if they are not those that it counts."""
    stops = [*lines.starts[1:], lines.stop]
    found: list[VerboseTest] = []
    for start, stop in zip(lines.starts, stops, strict=True):
        mixed = _mixed(text[start:stop])
        if mixed is None:
            return None
        found.append(mixed.test)
    outcomes = Counter(outcome_of(test.outcome) for test in found)
    are_exact = all(outcomes[one] == counts.get(one, 0) for one in _EXACT)
    are_few = all(outcomes[one] <= counts.get(name, 0) for one, name in _AT_MOST.items())
    return found if are_exact and are_few else None


def mixed_fields(row: bytes) -> dict[str, Any]:
    """Return the fields of a test with output before or after its outcome."""
    mixed = _mixed(row)
    assert mixed is not None  # noqa: S101 (each row was recognised)
    return test_fields(mixed.test, mixed.output)


def _mixed(row: bytes) -> _Mixed | None:
    """Return the test of a row; None if it has no outcome. Of several words for one, the last is the
    outcome: the output of a test comes before it."""
    line, _, below = row.partition(b"\n")
    name = _name(line)
    if name is None:
        return None
    lines = [line[len(name) :].lstrip(b" "), *below.split(b"\n")]
    for outcome_in in (_alone, _before_output, _after_output):
        for number in reversed(range(len(lines))):
            bare = _bare(lines[number])
            found = outcome_in(bare)
            if found is not None:
                rest = bare[: found.start()] + bare[found.end() :]
                lines[number : number + 1] = [rest] if rest else []
                reason = found.groupdict().get("reason") or b""
                return _Mixed(VerboseTest(name, found["outcome"], reason), _joined(lines))
    return None


def _joined(lines: Sequence[bytes]) -> bytes:
    return b"\n".join(line.removesuffix(b"\r") for line in lines)


def _bare(line: bytes) -> bytes:
    return without_progress(line.rstrip())


def _alone(line: bytes) -> re.Match[bytes] | None:
    return _ALONE.fullmatch(line)


def _before_output(line: bytes) -> re.Match[bytes] | None:
    return _BEFORE_OUTPUT.match(line)


def _after_output(line: bytes) -> re.Match[bytes] | None:
    return _AFTER_OUTPUT.search(line, max(0, len(line) - _LONGEST_WORD))


def _name(line: bytes) -> bytes | None:
    """Return the name of a test at the start of a line. The brackets of its values must be in pairs, or
    its outcome beside it."""
    found = _NAME.match(line)
    depth = 0
    if found is not None and line[found.end() : found.end() + 1] != b"[":
        return found[0]
    for bracket in _BRACKET.finditer(line, found.end()) if found is not None else ():
        depth += 1 if bracket[0] == b"[" else -1
        if depth == 0 and line[bracket.end() : bracket.end() + 1].strip() == b"":
            return line[: bracket.end()]
    test = verbose_test(line)
    return test.test if test is not None else None
