"""The scan of a log: where its entries start, and what they say together.

A line that matches one of the forms starts an entry. Any other line continues the entry before it. A
continuation is marked if it is indented, empty, or a known line of a stack trace. Others are plain, and
a log has few of them.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from penstock.core.results.formats.cut import line_blocks
from penstock.core.results.formats.logs.levels import UPPER
from penstock.core.results.formats.logs.lines import FORMS, LOGFMT
from penstock.core.results.formats.logs.pairs import PairColumns

MARKED: Final = re.compile(
    rb"[ \t\r\n]|\Z|[\])}]|Traceback \(|Caused by:|Suppressed:|During handling of|The above exception"
    rb"|\.\.\. [0-9]++ |at [\w$.<]|goroutine [0-9]++ \[|created by |panic: |exit status |#[0-9]++ "
    rb"|[Ss]tack (?:back)?trace:|note: run with|--- End of"
    rb"|(?:\w++\.)*+\w*(?:Error|Exception|Interrupt|Exit|Throwable|Timeout)\b"
    rb"|(?:[a-z_]\w*+\.)++[A-Z]\w*+(?::|\r?$)|[\w./*]++\([^\n]*+\)\r?$",
    re.MULTILINE,
)
_TRACE: Final = b"Traceback ("
_INDENTS: Final = (b" ", b"\t")
_EXCEPTION: Final = re.compile(rb"(?:\w++\.)*+[A-Z]\w*+(?::|\r?$)", re.MULTILINE)
_OBJECT: Final = re.compile(rb'\{ *+"[^"\n]*+" *+:')
# Lines without this start no entry. It spares a try of each form.
_LIKELY: Final = re.compile(
    rb"[^\n]{0,90}?[0-9]:[0-5][0-9]:[0-5][0-9]|\[?+(?:" + UPPER + rb"|(?i:info|debug|warn|error)\b)"
    rb"|[\w.@/:-]++=|(?:<[0-9]++>)?+\[ *+[0-9]++\.[0-9]{6}\]|[A-Z]/|<[0-9]++>1 |--|[a-z]{4}: |[A-Z]{4}\["
)
_GROUP: Final = re.compile(rb"\(\?P<(\w++)>")
_COMMON: Final = tuple(number for number, form in enumerate(FORMS) if not form.is_uniform)
_COUNTED: Final = (b"time", b"seconds", b"level", b"priority", b"status")
_MOST_FORMS: Final = 8
_MOST_TRIED: Final = 2_000  # plain lines for which all other forms are tried
_LONGEST_START: Final = 10_000  # bytes of a line that are tried
_LONGEST_TRACE: Final = 10_000  # bytes before the line of an exception
_MOST_WITHOUT: Final = 1_000  # plain lines, after which a text with few entries is given up
_FEW: Final = 3  # times as many plain lines as entries


def form_of(text: bytes, position: int, end: int, numbers: Sequence[int]) -> int | None:
    """Return the number of the first of some forms that a line has."""
    end = min(end, position + _LONGEST_START)
    if not _LIKELY.match(text, position, end):
        return None
    return next((one for one in numbers if FORMS[one].pattern.match(text, position, end)), None)


class PlainLines:
    """The plain lines of a log."""

    def __init__(self) -> None:
        self.count = 0
        self.first = -1  # the position of the first
        self.longest = 0  # how many are in one entry
        self.longest_at = -1
        self.objects = array("Q")  # the positions of those that look like JSON objects
        self.weak: dict[int, int] = {}  # the weak forms that they have, and how many have each
        self._run = 0
        self._run_at = -1

    def add(self, position: int) -> None:
        self.first = self.first if self.count else position
        self._run_at = self._run_at if self._run else position
        self.count += 1
        self._run += 1
        if self._run > self.longest:
            self.longest, self.longest_at = self._run, self._run_at

    def end_run(self) -> None:
        """Note that another entry starts."""
        self._run = 0


class EntryScan:
    """A scan of entries, of some forms and of others that come up."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers = numbers  # of the forms, in the order of the table
        self.starts = array("Q")
        self.used: Counter[int] = Counter()  # how many entries each form has
        self.levels: Counter[tuple[int, bytes]] = Counter()  # entries by form and level
        self.statuses: Counter[bytes] = Counter()  # by their first digit
        self.first_time = b""
        self.last_time = b""
        self.pairs = PairColumns()
        self.plain = PlainLines()

    def run(self, text: bytes, position: int, end: int) -> None:
        """Scan a text from its first entry on."""
        for start, stop in line_blocks(text, position, end):
            # The start of an entry may have two lines, of which one was in the block before.
            position = max(position, start)
            if not (position == start and self._are_all_entries(text, start, stop)):
                position = self._lines(text, position, stop, end)
            if self.plain.count > _MOST_WITHOUT and self.plain.count > _FEW * len(self.starts):
                return

    def _are_all_entries(self, text: bytes, start: int, stop: int) -> bool:
        """Return whether each line of a block is an entry, and note them all at once."""
        lines = text[start:stop].split(b"\n")
        entries = _starts(self.numbers).line.findall(text, start, stop)
        if len(entries) != len(lines):
            return False
        self.starts.extend(accumulate(map((1).__add__, map(len, lines[:-1])), initial=start))
        self.plain.end_run()
        self._note(entries)
        return True

    def _lines(self, text: bytes, position: int, stop: int, end: int) -> int:
        """Note lines up to the end of a block, some of which continue entries. Return the position
        after them."""
        match = _starts(self.numbers).line.match
        entries: list[tuple[bytes, ...]] = []
        while position < stop:
            entry = match(text, position, end)
            if entry is not None:
                self.starts.append(position)
                entries.append(entry.groups(b""))
                self.plain.end_run()
                position = entry.end()
                continue
            if not MARKED.match(text, position, end):
                other = self._other_form(text, position, end)
                if other is not None:
                    self._note(entries)  # the groups of more forms have other places
                    self.numbers = tuple(sorted((*self.numbers, other)))
                    entries, match = [], _starts(self.numbers).line.match
                    continue
                self._add_plain(text, position, end)
            after = text.find(b"\n", position, end)
            position = after + 1 if after >= 0 else end
        self._note(entries)
        return position

    def _add_plain(self, text: bytes, position: int, end: int) -> None:
        """Note a plain line. The exception that ends a trace may have any name: it is not plain."""
        if self._ends_trace(text, position, end):
            return
        self.plain.add(position)
        if _OBJECT.match(text, position, end):
            after = text.find(b"\n", position, end)
            if text[position : after if after >= 0 else end].rstrip().endswith(b"}"):
                self.plain.objects.append(position)

    def _ends_trace(self, text: bytes, position: int, end: int) -> bool:
        """Return whether a line names an exception, below the indented lines of a trace."""
        if not _EXCEPTION.match(text, position, end):
            return False
        line_before = text.rfind(b"\n", 0, position - 1) + 1
        if not text.startswith(_INDENTS, line_before):
            return False
        entry = max(self.starts[-1], position - _LONGEST_TRACE)
        return text.find(b"\n" + _TRACE, entry, position) >= 0

    def _other_form(self, text: bytes, position: int, end: int) -> int | None:
        """Return the form of a plain line that starts an entry, if it is not yet among ours. Weak forms
        are only counted."""
        if self.plain.count > _MOST_TRIED or len(self.numbers) >= _MOST_FORMS:
            return None
        other = form_of(text, position, end, _COMMON)
        if other is None or other in self.numbers:
            return None
        if FORMS[other].is_weak:
            self.plain.weak[other] = self.plain.weak.get(other, 0) + 1
            return None
        return other

    def _note(self, entries: Sequence[tuple[bytes, ...]]) -> None:
        """Note the fields of entries, column by column. A column is empty for entries of other forms."""
        if not entries:
            return
        columns = [*zip(*entries, strict=True)]
        forms = _starts(self.numbers).forms
        for form in forms:
            count = len(entries) - columns[form.mark].count(b"")
            if count:
                self.used[form.number] += count
                self._note_form(form, columns)
        times = [form.time for form in forms if form.time is not None]
        self.first_time = self.first_time or _first_filled(entries, times)
        self.last_time = _first_filled(reversed(entries), times) or self.last_time

    def _note_form(self, form: _Counted, columns: Sequence[Sequence[bytes]]) -> None:
        if form.level is not None:
            for level, count in Counter(columns[form.level]).items():
                if level:
                    self.levels[form.number, level] += count
        if form.status is not None:
            for status, count in Counter(columns[form.status]).items():
                if status:
                    self.statuses[status[:1]] += count
        if form.pairs is not None:
            self.pairs.note([*filter(None, columns[form.pairs])])


def _first_filled(entries: Iterable[tuple[bytes, ...]], columns: Sequence[int]) -> bytes:
    filled = (entry[column] for entry in entries for column in columns if entry[column])
    return next(filled, b"") if columns else b""


class _Counted(NamedTuple):
    """A form, and the places of its fields among the groups of a pattern of several forms."""

    number: int
    mark: int  # a byte, if an entry is of this form
    time: int | None
    level: int | None
    status: int | None
    pairs: int | None  # the whole entry, if it is one of logfmt


class _Starts(NamedTuple):
    """The pattern of the first line of an entry, of several forms."""

    line: re.Pattern[bytes]
    forms: tuple[_Counted, ...]


@lru_cache(32)
def _starts(numbers: tuple[int, ...]) -> _Starts:
    # An empty group at the end, so that all matches are tuples.
    sources = b"|".join(map(_counted_only, numbers))
    pattern = re.compile(rb"^(?:" + sources + rb")()[^\n]*+\n?+", re.MULTILINE)
    places = {name: group - 1 for name, group in pattern.groupindex.items()}
    forms = tuple(
        _Counted(
            number,
            places[f"mark_{number}"],
            places.get(f"time_{number}", places.get(f"seconds_{number}")),
            places.get(f"level_{number}", places.get(f"priority_{number}")),
            places.get(f"status_{number}"),
            places.get(f"pairs_{number}"),
        )
        for number in numbers
    )
    return _Starts(pattern, forms)


def _counted_only(number: int) -> bytes:
    """Return the source of a form in which only the fields that are counted are groups."""

    def renamed(found: re.Match[bytes]) -> bytes:
        name = found[1]
        return b"(?P<%b_%d>" % (name, number) if name in _COUNTED else b"(?:"

    source = _GROUP.sub(renamed, FORMS[number].source)
    if FORMS[number].name == LOGFMT:
        source = b"(?P<pairs_%d>%b)" % (number, source)
    return b"(?=(?P<mark_%d>[^\\n]))%b" % (number, source)
