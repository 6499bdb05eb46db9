"""Logs: access logs, syslog, logfmt, and entries that start with a time or a level.

The rows are entries with all of their lines, so a stack trace belongs to its entry. A text is a log if
its lines start entries of known forms, or plainly continue one. A log may have entries of several
forms. Codes for colours are no part of any field.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import sub
from typing import Final

import msgspec

from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.logs.entries import EntryDecoder, LogReading, contents_of_log
from penstock.core.results.formats.logs.lines import FORMS, STAMPED
from penstock.core.results.formats.logs.sample import (
    LogStart,
    is_doubtful,
    log_start,
    substantial,
    without_uniform,
)
from penstock.core.results.formats.logs.scan import MARKED, EntryScan
from penstock.core.results.formats.tables.numbers import notice_of_marks

_ESCAPE: Final = b"\x1b["
_CODES: Final = re.compile(rb"\x1b\[[0-9;?]*+[A-Za-z]")
_MOST_SCANS: Final = 3  # after the first
_MOST_AROUND: Final = 20  # lines before the first entry, and as many after the last
_MOST_BEFORE_WEAK: Final = 5
_SURE: Final = 20  # entries, after which a break is told
_PLAIN_SHARE: Final = 1 / 3  # of plain lines to entries
_PLAIN_SHARE_IF_WEAK: Final = 1 / 10
_MEANT_SHARE: Final = 2  # beyond which a text is not meant as a log
_FEW_OBJECTS: Final = 3  # JSON objects that may be bodies of messages
_OBJECT_SHARE: Final = 1 / 100  # of JSON objects to entries
_DATA: Final = (b"{", b"[", b"(", b"<")
_FENCE: Final = b"```"


class LogText:
    """Entries of a log."""

    has_free_cells = True
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        plain = without_codes(text)
        start = log_start(plain)
        if start is None:
            return None
        end = len(plain.rstrip(b"\r\n"))
        found = _scanned(plain, start, end)
        if not found.used:
            return None
        end = _end_of_entries(plain, found, end)
        doubt = _doubt(plain, found, end)
        if doubt is not None:
            return NearMiss(doubt) if doubt else None
        return _cut(text, plain, found, end)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        encoded = _decoder(reading).encoded
        return [encoded(without_codes(row)) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del reading
        return ValueFrame(text_before=prefix, text_after=suffix.lstrip(b"\r\n"))


FORMAT: Final = LogText()


@lru_cache(64)
def _decoder(reading: bytes) -> EntryDecoder:
    return EntryDecoder(msgspec.json.decode(reading, type=LogReading))


def without_codes(text: bytes) -> bytes:
    """Return a text without the codes that colour it in a terminal. None of them holds a newline."""
    return _CODES.sub(b"", text) if _ESCAPE in text else text


# -- certain or not ----------------------------------------------------------------------------


def _scanned(text: bytes, start: LogStart, end: int) -> EntryScan:
    """Scan a text for entries of the forms that it turns out to have."""
    found = EntryScan(start.forms)
    found.run(text, start.position, end)
    for _ in range(_MOST_SCANS):
        added = substantial(found.plain.weak, len(found.starts))
        is_settled = not is_doubtful(found.used)
        if is_settled and not added:
            break
        forms = found.numbers if is_settled else without_uniform(found.numbers)
        found = EntryScan(tuple(sorted((*forms, *added))))
        found.run(text, start.position, end)
    return found


def _is_weak(found: EntryScan) -> bool:
    """Return whether no form of the entries is certain. Then nearly every line must start one."""
    return all(FORMS[one].is_weak or FORMS[one].name == STAMPED[1] for one in found.used)


def _end_of_entries(text: bytes, found: EntryScan, end: int) -> int:
    """Return where the text after the last entry starts: at the end of a code fence, or at a few plain
    lines, which follow an empty one if the form of the entries is certain."""
    line_end = text.find(b"\n", found.starts[-1], end)
    if line_end < 0:
        return end
    tail = text[line_end:end]
    line_before = text[: found.starts[0]].rstrip().rpartition(b"\n")[2]
    if line_before.startswith(_FENCE) and tail.endswith(b"\n" + _FENCE):
        return end - len(b"\n" + _FENCE)
    below = tail.lstrip(b"\r\n")
    is_apart = tail[: len(tail) - len(below)].count(b"\n") > 1 or _is_weak(found)
    is_few = below.count(b"\n") < _MOST_AROUND
    return line_end if is_apart and is_few and not MARKED.match(below) else end


def _doubt(text: bytes, found: EntryScan, end: int) -> str | None:
    """Return why a text is no log, nothing if it is not even nearly one, and None if it is one."""
    used, count, start = found.used, len(found.starts), found.starts[0]
    fewest = min(FORMS[one].fewest for one in used if not FORMS[one].is_companion)
    if count < fewest or _is_mostly_data(text, found) or _has_only_pairs_of_another_kind(found):
        return ""
    is_weak = _is_weak(found)
    if is_weak and count <= len(found.levels) > 0:
        return ""  # a list of the levels that there are
    is_sure = count >= _SURE and not is_weak
    before = _count_lines(text[:start])
    if before > (_MOST_BEFORE_WEAK if is_weak else _MOST_AROUND):
        line = text.count(b"\n", 0, start) + 1
        reason = f"its first entry is in line {line}, after more than {_MOST_AROUND} other lines"
        return reason if is_sure else ""
    plain = found.plain.count - _count_plain(text, end)
    share = _PLAIN_SHARE_IF_WEAK if is_weak else _PLAIN_SHARE
    if plain <= share * count:
        return _break_by_objects(text, found, end)
    return _break_of(text, found) if is_sure and plain <= _MEANT_SHARE * count else ""


def _has_only_pairs_of_another_kind(found: EntryScan) -> bool:
    """Return whether entries are pairs without any key that logs have."""
    return found.pairs.entries > 0 and not found.pairs.is_log


def _is_mostly_data(text: bytes, found: EntryScan) -> bool:
    """Return whether more than half of a text is what looks like data after an entry."""
    starts = found.starts
    sizes = [*map(sub, starts[1:], starts), len(text) - starts[-1]]
    largest = max(sizes)
    if 2 * largest < len(text):
        return False
    start = starts[sizes.index(largest)]
    continued = text.find(b"\n", start, start + largest - 1)
    return continued >= 0 and text[continued : continued + 100].lstrip()[:1] in _DATA


def _count_lines(text: bytes) -> int:
    """Return the number of lines that are not empty."""
    return sum(1 for line in text.split(b"\n") if line.strip())


def _count_plain(text: bytes, start: int) -> int:
    """Return the number of plain lines in the text after the last entry."""
    return sum(1 for line in text[start:].split(b"\n")[1:] if not MARKED.match(line))


def _break_of(text: bytes, found: EntryScan) -> str:
    """Return a sentence with the line after which the text goes on in another form."""
    plain = found.plain
    is_one_run = 2 * plain.longest > plain.count
    line = text.count(b"\n", 0, plain.longest_at if is_one_run else plain.first) + 1
    others = f" ({plain.count} lines start none, {len(found.starts)} do)" if plain.count > 1 else ""
    return f"line {line} starts no entry of a known form{others}"


def _break_by_objects(text: bytes, found: EntryScan, end: int) -> str | None:
    """Return a sentence with the first of many JSON objects: they are entries, too, and no part of the
    entries above them. Return None if there are few."""
    objects = found.plain.objects
    count = bisect_left(objects, end)
    if count <= max(_FEW_OBJECTS, _OBJECT_SHARE * len(found.starts)):
        return None
    line = text.count(b"\n", 0, objects[0]) + 1
    return (
        f"line {line} looks like a JSON object, and starts no entry of a known form"
        f" ({count:,} such lines, {len(found.starts):,} entries)"
    )


def _notice_of_plain(text: bytes, found: EntryScan, end: int) -> tuple[str, ...]:
    """Say how many lines are in an entry though nothing marks them as a part of it."""
    count = found.plain.count - _count_plain(text, end)
    if count <= 0:
        return ()
    line, place = text.count(b"\n", 0, found.plain.first) + 1, _place(found)
    told = (
        f"Line {line} starts no entry of a known form, and is in the {place} of the entry above it."
    )
    if count > 1:
        told = (
            f"{count:,} lines start no entry of a known form, and are in the {place} of the entry above"
            f" them, first line {line}."
        )
    return (told,)


def _place(found: EntryScan) -> str:
    """Return the field that has the further lines of an entry."""
    has_message = {FORMS[one].has_message for one in found.used}
    if len(has_message) > 1:
        return "message or continuation"
    return "message" if True in has_message else "continuation"


# -- rows --------------------------------------------------------------------------------------


def _cut(text: bytes, plain: bytes, found: EntryScan, end: int) -> TextCut:
    """Cut a text into entries."""
    starts: Sequence[int] = found.starts
    notices = (*notice_of_marks(found.pairs.marks), *_notice_of_plain(plain, found, end))
    if plain is not text:
        starts, end = _in_coloured(text, plain, starts, end)
    names = tuple(FORMS[one].name for one in found.numbers if one in found.used)
    reading = LogReading(names, found.pairs.numbers)
    are_lines = text.count(b"\n", starts[0], end) + 1 == len(starts)
    joint = b"\n" if are_lines else b""  # a row with newlines in it keeps its own
    return TextCut(
        "rows",
        grouped(_rows(text, starts, end, joint)),
        text[: starts[0]],
        text[end:],
        joint=joint,
        reading=msgspec.json.encode(reading),
        notices=notices,
        contents=contents_of_log(found),
    )


def _rows(text: bytes, starts: Sequence[int], end: int, joint: bytes) -> Iterator[bytes]:
    for start, following in pairwise(starts):
        yield text[start : following - len(joint)]
    yield text[starts[-1] : end]


def _in_coloured(
    text: bytes, plain: bytes, starts: Sequence[int], end: int
) -> tuple[Sequence[int], int]:
    """Return where entries start in a text with codes, and where the last ends. Both texts have the
    same lines."""
    found = array("Q")
    at = before = 0
    for start in starts:
        at = _lines_further(text, at, plain.count(b"\n", before, start))
        before = start
        found.append(at)
    last = _lines_further(text, at, plain.count(b"\n", before, end))
    line_end = text.find(b"\n", last)
    line_end = line_end if line_end >= 0 else len(text)
    return found, line_end - (text[line_end - 1 : line_end] == b"\r")


def _lines_further(text: bytes, position: int, lines: int) -> int:
    for _ in range(lines):
        position = text.find(b"\n", position) + 1
    return position
