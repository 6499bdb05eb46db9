"""The parts of which the forms of log entries are made, and the form of an entry."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import msgspec

from penstock.core.results.formats.logs import times as log_times
from penstock.core.results.formats.logs.levels import ANY_CASE, POSTGRES, UPPER

# A number that decoding can copy: no leading zeros, and no more digits than SQLite keeps.
_INTEGER: Final = rb"(?:0|[1-9][0-9]{0,17}+)(?![0-9])"
_QUOTED: Final = rb'(?:[^"\\\n]|\\[^\n])*+'
_NAME: Final = rb"[\w$][\w.$/@<>-]{0,200}+(?:::?[\w.$/@<>-]{1,200}+)*+"
KEY: Final = rb"[A-Za-z_@][\w.@/:-]*+"
VALUE: Final = rb'(?:"' + _QUOTED + rb'"(?=[ \r\n]|\Z)|[^\s"]*+(?!"))'
_PARTS: Final = {
    b"int": _INTEGER,
    b"full": rb"(?P<time>" + log_times.FULL + rb")",
    b"any": rb"(?P<time>" + log_times.ANY + rb")",
    b"iso": rb"(?P<time>" + log_times.ISO + rb")",
    b"day_first": rb"(?P<time>" + log_times.DAY_FIRST + rb")",
    b"c_time": rb"(?P<time>" + log_times.C_TIME + rb")",
    b"half_days": rb"(?P<time>" + log_times.HALF_DAYS + rb")",
    b"no_year": rb"(?P<time>" + log_times.WITHOUT_YEAR + rb")",
    b"clock": log_times.CLOCK,
    b"seconds": rb"[ ]*+(?P<seconds>(?:0|[1-9][0-9]{0,11}+)\.[0-9]{6})",
    b"level": rb"(?P<level>" + UPPER + rb")",
    b"upper": UPPER,
    b"words": ANY_CASE,
    b"postgres": POSTGRES,
    b"logger": rb"(?P<logger>" + _NAME + rb")",
    b"host": rb"(?P<host>(?!" + UPPER + rb")[\w.:-]{1,255}+)",
    b"process": rb"(?P<process>[\w./@()+-]{1,100}+)",
    b"pid": rb"(?:\[(?P<pid>" + _INTEGER + rb")\])",
    b"caller": (
        rb"(?:(?P<vhost>[\w.-]++:[0-9]{1,5}) )?+(?P<ip>[\w.:-]{2,255}+) (?:-|(?P<ident>\S++)) "
        rb'(?:-|(?P<user>[^\s\["]++)) \[(?P<time>' + log_times.DAY_FIRST + rb")\]"
    ),
    b"request": (
        rb'"(?:(?P<method>[A-Z]{3,16}) (?P<path>[^"\s\\]*+(?:\\[^\n][^"\s\\]*+)*+)'
        rb' (?P<protocol>HTTP/[0-9.]++)|(?P<request>' + _QUOTED + rb'))"'
    ),
    b"status": rb"(?P<status>[1-5][0-9]{2})",
    b"size": rb"(?:-|(?P<size>" + _INTEGER + rb"))",
    b"quoted": _QUOTED,
    b"end": rb"[ ]*+(?=\r?$)",
    b"pair": KEY + rb"=" + VALUE,
}  # fmt: skip
# Fields that few entries have. They are left out if an entry lacks them; all others are then null.
RARE: Final = frozenset(
    ("application", "caller", "client", "connection", "database", "extra", "ident", "logger", "process_id",
     "request", "thread", "user", "vhost", "zone")
)  # fmt: skip
NUMBERS: Final = frozenset(
    ("connection", "event", "facility", "line", "pid", "port", "size", "status", "tid")
)


class LineForm(msgspec.Struct, frozen=True):
    """A form of log entries. Its pattern matches the start of an entry, up to its message."""

    name: str
    source: bytes
    fewest: int  # entries that make a log
    has_message: bool = True
    # Other texts have such lines too, so nearly every line must be one.
    is_weak: bool = False
    # The fields are certain only if all entries have them that begin with a time.
    is_uniform: bool = False
    # No log is made of these alone.
    is_companion: bool = False

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """The compiled pattern. Forms that no text has are never compiled."""
        return _compiled(self.source)


@cache
def _compiled(source: bytes) -> re.Pattern[bytes]:
    return re.compile(source, re.MULTILINE)


def form(name: str, source: bytes, fewest: int = 3, **options: bool) -> LineForm:
    """Return a form whose source names parts, such as `%(level)b`."""
    return LineForm(name, source % _PARTS, fewest, **options)
