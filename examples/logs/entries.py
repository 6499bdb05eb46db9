"""The entries of a log, made from its lines one by one. No files, no MCP."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from formats import RANKS, Said, level_of, moment, read

# The first line of a traceback, in Python, Java or Go.
_TRACE: Final = re.compile(
    r"Traceback \(most recent call last\)|(?:[\w$]+\.)*[\w$]*(?:Exception|Error|Throwable)\b"
    r"|Caused by: |During handling of |The above exception |panic: |goroutine \d"
)
_ZONE: Final = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")
_Trace = Literal["out", "head", "frames"]
MOST_LINES: Final = 1_000  # of one entry; further lines are entries of their own


class BadInput(ValueError):
    """A request that cannot be answered; the text says why."""


@dataclass
class Entry:
    """One entry of a log."""

    line: int  # the number of its first line, from 1
    said: Said
    more: list[str] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        said = self.said
        return {
            "line": self.line,
            "time": None if said.time is None else written(said.time),
            "level": said.level,
            "logger": said.logger,
            "message": "\n".join((said.message, *self.more)).rstrip("\n"),
        }


def entries_of(lines: Iterable[tuple[int, str]], newest: datetime) -> Iterator[Entry]:
    """Yield the entries of numbered lines. A line in no known format belongs to the entry above if
    it is indented or part of a traceback; else it is an entry of its own."""
    entry: Entry | None = None
    trace: _Trace = "out"
    for number, line in lines:
        said = read(line, newest)
        is_more, trace = (False, "out") if said else _is_more(line, trace, entry)
        if entry is not None and is_more and len(entry.more) < MOST_LINES:
            entry.more.append(line)
            continue
        if entry is not None:
            yield entry
        entry = Entry(number, said or Said(line)) if said or line.strip() else None
    if entry is not None:
        yield entry


def _is_more(line: str, trace: _Trace, above: Entry | None) -> tuple[bool, _Trace]:
    """Return whether a line belongs to the entry above, and where in a traceback the next line is.
    Below an entry with a time, a traceback lasts to the next entry; else it ends after its
    frames."""
    if _TRACE.match(line):
        return True, "head"
    if not line or line[0].isspace():
        return True, "out" if trace == "out" else "frames"
    if trace != "out" and above is not None and above.said.time is not None:
        return True, trace
    return trace == "frames", "out"


def written(time: datetime) -> str:
    """Return a time as text that sorts as times do: to the millisecond, in UTC if it has a zone."""
    is_finer = bool(time.microsecond % 1000)
    text = time.replace(tzinfo=None).isoformat(
        timespec="microseconds" if is_finer else "milliseconds"
    )
    return f"{text}Z" if time.tzinfo else text


# -- selection ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """A selection of entries."""

    since: datetime | None = None
    before: datetime | None = None
    least: int | None = None  # the rank of the least severe level

    @classmethod
    def asked(cls, since: str | None, until: str | None, level: str | None) -> "Wanted":
        return cls(_time("since", since), _end(until), _rank(level))

    def of(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Yield the selected entries. An entry without a time counts as old as the one before."""
        time: datetime | None = None
        for entry in entries:
            time = entry.said.time or time
            if self._is_grave(entry.said.level) and self._is_in_time(time):
                yield entry

    def _is_grave(self, level: str | None) -> bool:
        return self.least is None or (level is not None and RANKS[level] >= self.least)

    def _is_in_time(self, time: datetime | None) -> bool:
        if self.since is None and self.before is None:
            return True
        if time is None:
            return False
        at = _comparable(time)
        return (self.since is None or at >= self.since) and (
            self.before is None or at < self.before
        )


def _comparable(time: datetime) -> datetime:
    """Take a time without a zone for UTC."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _time(name: str, text: str | None) -> datetime | None:
    if not text:
        return None
    found = moment(text)
    if found is None:
        raise BadInput(f"{name} {text!r} is not a time. Write 2026-01-31 or 2026-01-31T18:00.")
    return _comparable(found)


def _end(text: str | None) -> datetime | None:
    """Return the end of the day, hour, minute or second that the text names."""
    found = _time("until", text)
    if found is None or text is None:
        return None
    try:
        return found + _length(_ZONE.sub("", text.strip())[len("2026-01-31") + 1 :])
    except OverflowError:
        return None


def _length(clock: str) -> timedelta:
    if not clock:
        return timedelta(days=1)
    if "." in clock:
        return timedelta(microseconds=1)
    return (timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))[clock.count(":")]


def _rank(text: str | None) -> int | None:
    if not text:
        return None
    level = level_of(text)
    if level is None:
        raise BadInput(f"There is no level {text!r}. Known: {', '.join(RANKS)}.")
    return RANKS[level]
