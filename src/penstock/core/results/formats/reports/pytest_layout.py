"""The layout of a run of pytest: where its sections and reports start, and where the run ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss
from penstock.core.results.formats.reports.pytest_bars import FINAL, REPORTS, START, Bar, bars_in

_MOST_AROUND: Final = 10  # lines before the run, and as many after it
_FENCE: Final = re.compile(rb"^[ \t]*(?:```|~~~)", re.MULTILINE)
_PROGRESS: Final = re.compile(rb"\[ *[0-9]+(?:%|/[0-9]+)\]\r?$", re.MULTILINE)
_LONGEST_END: Final = 4_000  # bytes, in which `-q` has its last line


class SectionOfRun(NamedTuple):
    """A section, and the reports of tests in it."""

    bar: Bar
    reports: list[Bar]


class RunLayout(NamedTuple):
    """The places of a run."""

    start: int  # of the lines of tests
    sections: Sequence[SectionOfRun]
    end: int  # of the last section
    counts: str  # of outcomes, in the last line; empty if the run has none


class _Outer(NamedTuple):
    """The bars that belong to the run itself, and not to a run that a test has printed."""

    sections: list[SectionOfRun]
    early_end: Bar | None  # a bar of exclamation marks
    final: Bar | None
    further: Bar | None  # the start of another run, after the end of this one


def layout_of(text: bytes) -> RunLayout | NearMiss | None:
    """Return the layout of a run; None if the text is none."""
    bars = [*bars_in(text)]
    if not bars or not _may_start(text, bars[0]):
        return None
    has_start = bars[0].title == START
    start = bars[0].stop if has_start else 0
    inner = bars[1:] if has_start else bars
    outer = _outer(inner, skips_inner=True)
    counts, final = _final(text, outer)
    if not counts:  # a run that a test printed may have no last line
        outer = _outer(inner, skips_inner=False)
        counts, final = _final(text, outer)
    if outer.further is not None:
        return NearMiss(f"line {_line(text, outer.further.start)} starts another run")
    if not counts and not has_start:
        return NearMiss("its last line, with the counts of tests, is missing")
    after = text[final:].strip().count(b"\n")
    if counts and after > _MOST_AROUND:
        return NearMiss(f"line {_line(text, final) + 1} is after the last line of the run")
    end = final if outer.early_end is None else outer.early_end.start
    return RunLayout(start, outer.sections, end, counts)


def _may_start(text: bytes, first: Bar) -> bool:
    """Return whether the text before the first bar leaves no doubt that a run follows."""
    before = text[: first.start]
    if _FENCE.search(before):
        return False
    if first.mark == "=" and first.title == START:
        return before.count(b"\n") <= _MOST_AROUND
    # With `-q`, a run starts with its progress.
    others = [line for line in before.split(b"\n") if line.strip() and not _PROGRESS.search(line)]
    return first.is_section and len(others) <= _MOST_AROUND


def _outer(bars: Sequence[Bar], *, skips_inner: bool) -> _Outer:
    sections: list[SectionOfRun] = []
    titles: set[str] = set()
    early_end = final = None
    is_inside = False
    for bar in bars:
        if is_inside:
            is_inside = not bar.is_final
        elif bar.mark == "=" and bar.title == START:
            if final is not None:
                return _Outer(sections, early_end, final, bar)
            is_inside = skips_inner
        elif final is not None:
            continue
        elif bar.is_final:
            final = bar
        elif _starts_section(bar, sections, titles):
            sections.append(SectionOfRun(bar, []))
            titles.add(bar.title)
            early_end = None
        elif bar.mark == "_" and sections and sections[-1].bar.title in REPORTS:
            sections[-1].reports.append(bar)
        elif bar.mark == "!":
            early_end = early_end or bar
    return _Outer(sections, early_end, final, None)


def _starts_section(bar: Bar, sections: Sequence[SectionOfRun], titles: set[str]) -> bool:
    """Return whether a section starts. Tests print bars, too: so a section comes once, and among reports
    only those of pytest itself are known."""
    if bar.mark != "=" or bar.title in titles:
        return False
    is_among_reports = not sections or sections[-1].bar.title in REPORTS
    return bar.is_section or not is_among_reports


def _final(text: bytes, outer: _Outer) -> tuple[str, int]:
    """Return the counts of the last line, and where that line starts; no counts and the end of the text
    if it is missing."""
    if outer.final is not None:
        found = FINAL.fullmatch(outer.final.title)
        return (found["counts"] if found else ""), outer.final.start
    start = max(0, len(text) - _LONGEST_END, outer.sections[-1].bar.stop if outer.sections else 0)
    position = len(text)
    for line in reversed(text[start:].split(b"\n")):
        position -= len(line) + 1
        found = FINAL.fullmatch(rawjson.text(line.strip())) if position >= start else None
        if found is not None:
            return found["counts"], position + 1
    return "", len(text)


def _line(text: bytes, position: int) -> int:
    return text.count(b"\n", 0, position) + 1
