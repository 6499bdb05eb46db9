"""Parsers of one line of a log, one for each known format. No files, no MCP."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

# From harmless to severe, with other names of each level.
LEVELS: Final[Mapping[str, tuple[str, ...]]] = {
    "TRACE": (),
    "DEBUG": (),
    "INFO": ("INFORMATION", "INFORMATIONAL"),
    "NOTICE": (),
    "WARNING": ("WARN",),
    "ERROR": ("ERR", "SEVERE"),
    "CRITICAL": ("CRIT", "FATAL", "ALERT", "EMERG", "EMERGENCY", "PANIC"),
}
RANKS: Final = {level: rank for rank, level in enumerate(LEVELS)}
_NAMED: Final = {name: level for level, names in LEVELS.items() for name in (level, *names)}

# Severities of syslog, 0 to 7, and the numbers that pino and bunyan write.
_SEVERITIES: Final = ("CRITICAL",) * 3 + ("ERROR", "WARNING", "NOTICE", "INFO", "DEBUG")
_NUMBERS: Final = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "CRITICAL"}

_TIMES: Final = ("time", "timestamp", "@timestamp", "ts", "asctime", "datetime", "date")
_LEVEL_KEYS: Final = ("level", "levelname", "severity", "log.level", "lvl")
_LOGGERS: Final = ("logger", "logger_name", "name", "component", "module")
_MESSAGES: Final = ("message", "msg", "event", "text")

_WORD: Final = "|".join(sorted(_NAMED, key=len, reverse=True))
_IN_BRACKETS: Final = rf"\[\s*(?P<boxed>(?i:{_WORD}))\s*\]"
_LEVEL: Final = rf"(?:{_IN_BRACKETS}|(?P<bare>{_WORD}))"
_NAME: Final = r"[A-Za-z_][\w.$/-]*"
_STAMP: Final = re.compile(
    r"\[?(?P<time>\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?"
    r"(?: ?(?:Z|[+-]\d\d:?\d\d))?)\]?[ \t]*(?:[-|][ \t]+)?(?P<rest>.*)"
)
# The text after a time; the first pattern that matches counts.
_AFTER: Final = tuple(
    map(
        re.compile,
        (
            rf"(?P<logger>{_NAME}) - (?P<bare>{_WORD}) - (?P<message>.*)",
            rf"{_LEVEL}:?[ \t]+(?:[-|][ \t]+)?\[(?P<logger>{_NAME})\]:?[ \t]*(?P<message>.*)",
            rf"{_LEVEL}:?[ \t]+(?:[-|][ \t]+)?(?P<logger>{_NAME})(?::| -)[ \t]+(?P<message>.*)",
            rf"\[(?P<logger>{_NAME})\][ \t]+{_LEVEL}:?[ \t]+(?P<message>.*)",
            rf"{_LEVEL}(?::|[ \t]+[-|])?(?:[ \t]+|$)(?P<message>.*)",
            # The form of rsyslog: host, program, process.
            rf"(?P<message>\S+ (?P<logger>{_NAME})(?:\[\d+\])?: .*)",
        ),
    )
)
_BASIC: Final = re.compile(rf"(?P<bare>{_WORD}):(?P<logger>{_NAME}):(?P<message>.*)")
_OLD_SYSLOG: Final = re.compile(
    r"(?:<(?P<priority>\d{1,3})>)?(?P<day>[A-Z][a-z]{2} [ \d]\d) (?P<clock>\d\d:\d\d:\d\d) "
    rf"(?P<message>\S+ (?P<logger>{_NAME})(?:\[\d+\])?: .*)"
)
_NEW_SYSLOG: Final = re.compile(
    r"<(?P<priority>\d{1,3})>\d (?P<time>\S+) (?P<message>\S+ (?P<logger>\S+) .*)"
)
_ACCESS: Final = re.compile(r'\S+ \S+ .*?\[(?P<time>\d\d/[A-Z][a-z]{2}/\d{4}:[^\]]+)\] ".*')
_BEFORE_ZONE: Final = re.compile(r" (?=Z|[+-]\d)")
_LONGEST_STAMPED: Final = 4_000  # characters of a line that patterns look at

# Times since 1970 are in seconds, or in thousandths, millionths or billionths of a second.
_SCALES: Final = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3), (0.0, 1.0))


@dataclass(frozen=True)
class Said:
    """The parts of a line."""

    message: str
    time: datetime | None = None  # in UTC; without a zone, as it was written
    level: str | None = None
    logger: str | None = None


def read(line: str, newest: datetime) -> Said | None:
    """Parse a line; None if its format is not known. Old syslog has no year: no line is more than a
    day later than `newest`."""
    return next((said for form in _FORMS if (said := form(line, newest)) is not None), None)


def level_of(word: str) -> str | None:
    return _NAMED.get(word.strip().upper())


def moment(text: str) -> datetime | None:
    """Read a time in ISO 8601, or nearly so."""
    written = _BEFORE_ZONE.sub("", text.strip().replace("/", "-").replace(",", "."))
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        return None
    return _in_utc(found)


# -- formats -----------------------------------------------------------------------------------


def _json(line: str, _newest: datetime) -> Said | None:
    if not line.startswith("{"):
        return None
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    time = _taken(fields, _TIMES, _json_time)
    level = _taken(fields, _LEVEL_KEYS, _json_level)
    logger = _taken(fields, _LOGGERS, _text)
    message = _taken(fields, _MESSAGES, _text) or ""
    return Said(" ".join(filter(None, (message, _left(fields)))), time, level, logger)


def _stamped(line: str, _newest: datetime) -> Said | None:
    found = _STAMP.match(line)
    time = moment(found["time"]) if found else None
    if found is None or time is None:
        return None
    return _after(found["rest"], time)


def _after(rest: str, time: datetime) -> Said:
    head, tail = rest[:_LONGEST_STAMPED], rest[_LONGEST_STAMPED:]
    for pattern in _AFTER:
        found = pattern.fullmatch(head)
        if found:
            named = found.groupdict()
            word = named.get("boxed") or named.get("bare") or ""
            return Said(found["message"] + tail, time, level_of(word), named.get("logger"))
    return Said(rest, time)


def _basic(line: str, _newest: datetime) -> Said | None:
    found = _BASIC.match(line)
    return found and Said(found["message"], None, level_of(found["bare"]), found["logger"])


def _old_syslog(line: str, newest: datetime) -> Said | None:
    found = _OLD_SYSLOG.match(line)
    time = _without_year(f"{found['day']} {found['clock']}", newest) if found else None
    if found is None or time is None:
        return None
    return Said(found["message"], time, _severity(found["priority"]), found["logger"])


def _new_syslog(line: str, _newest: datetime) -> Said | None:
    found = _NEW_SYSLOG.match(line)
    if found is None:
        return None
    return Said(
        found["message"], moment(found["time"]), _severity(found["priority"]), found["logger"]
    )


def _access(line: str, _newest: datetime) -> Said | None:
    """Parse a web server's access log. The whole line is the message, because its fields differ."""
    found = _ACCESS.match(line[:_LONGEST_STAMPED])
    try:
        time = datetime.strptime(found["time"], "%d/%b/%Y:%H:%M:%S %z") if found else None
    except ValueError:
        return None
    return Said(line, _in_utc(time)) if time else None


_FORMS: Final[tuple[Callable[[str, datetime], Said | None], ...]] = (
    _json,
    _stamped,
    _basic,
    _old_syslog,
    _new_syslog,
    _access,
)


# -- parts -------------------------------------------------------------------------------------


def _in_utc(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC) if time.tzinfo else time
    except OverflowError:  # the first or the last day that `datetime` has
        return time


def _without_year(text: str, newest: datetime) -> datetime | None:
    """Read a time in the latest year in which it is not after `newest`."""
    latest = newest.replace(tzinfo=None) + timedelta(days=1)
    for year in range(latest.year, latest.year - 8, -1):  # leap days are at most eight years apart
        try:
            time = datetime.strptime(f"{year} {text}", "%Y %b %d %H:%M:%S")  # noqa: DTZ007 (no zone)
        except ValueError:
            continue
        if time <= latest:
            return time
    return None


def _severity(priority: str | None) -> str | None:
    return None if priority is None else _SEVERITIES[int(priority) % 8]


def _taken(
    fields: dict[str, Any], names: tuple[str, ...], read_as: Callable[[Any], Any | None]
) -> Any:
    """Return the first of these fields that can be read, and remove it from `fields`."""
    for name in names:
        value = read_as(fields[name]) if name in fields else None
        if value is not None:
            del fields[name]
            return value
    return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _json_level(value: Any) -> str | None:
    if isinstance(value, str):
        return level_of(value)
    return _NUMBERS.get(value) if isinstance(value, int) else None


def _json_time(value: Any) -> datetime | None:
    if isinstance(value, str):
        return moment(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        scale = next(scale for least, scale in _SCALES if value >= least)
        return datetime.fromtimestamp(value / scale, UTC)
    except (StopIteration, ValueError, OverflowError, OSError):
        return None


def _left(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) if fields else ""
