"""Lines of logs in every format that the example knows, and what becomes of those that it does not."""

import sys
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "logs"))

import entries
import formats
import sample

NEWEST = datetime(2026, 3, 1, tzinfo=UTC)


def rows(*lines):
    return [entry.row() for entry in entries.entries_of(enumerate(lines, 1), NEWEST)]


def row(line):
    (only,) = rows(line)
    return only["time"], only["level"], only["logger"], only["message"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        # Python's logging, in the forms that people give it.
        (
            "2026-02-01 10:00:00,123 - app.db - ERROR - no pool",
            ("2026-02-01T10:00:00.123", "ERROR", "app.db", "no pool"),
        ),
        (
            "2026-02-01 10:00:00,123 WARNING app.db: slow: 3 s",
            ("2026-02-01T10:00:00.123", "WARNING", "app.db", "slow: 3 s"),
        ),
        (
            "2026-02-01 10:00:00 [info     ] [app] up",
            ("2026-02-01T10:00:00.000", "INFO", "app", "up"),
        ),
        (
            "[2026-02-01 10:00:00 +0100] [CRITICAL] out of memory",
            ("2026-02-01T09:00:00.000Z", "CRITICAL", None, "out of memory"),
        ),
        ("ERROR:root:no pool", (None, "ERROR", "root", "no pool")),
        # A time, and more or less beside it.
        (
            "2026-02-01T10:00:00.5-05:00 WARN disk 91 %",
            ("2026-02-01T15:00:00.500Z", "WARNING", None, "disk 91 %"),
        ),
        (
            "2026-02-01T10:00Z | DEBUG | app.x - tick",
            ("2026-02-01T10:00:00.000Z", "DEBUG", "app.x", "tick"),
        ),
        ("2026-02-01 10:00:00 hello there", ("2026-02-01T10:00:00.000", None, None, "hello there")),
        (
            "2026/02/01 10:00:00 [error] 7#7: *1 open() failed",
            ("2026-02-01T10:00:00.000", "ERROR", None, "7#7: *1 open() failed"),
        ),
        # JSON lines: what has no column stays in the message.
        (
            '{"ts": 1769940000.25, "level": "warn", "logger": "pay", "msg": "slow", "ms": 7}',
            ("2026-02-01T10:00:00.250Z", "WARNING", "pay", 'slow {"ms":7}'),
        ),
        (
            '{"time": 1769940000250, "level": 50, "name": "api", "msg": "no pool"}',
            ("2026-02-01T10:00:00.250Z", "ERROR", "api", "no pool"),
        ),
        (
            '{"@timestamp": "2026-02-01T10:00:00Z", "severity": "odd", "message": ["a"]}',
            ("2026-02-01T10:00:00.000Z", None, None, '{"severity":"odd","message":["a"]}'),
        ),
        ('{"time": NaN, "level": true}', (None, None, None, '{"time":NaN,"level":true}')),
        # Syslog, old and new, and as rsyslog writes it. The first has no year.
        (
            "Feb 28 10:00:00 web1 sshd[77]: closed",
            ("2026-02-28T10:00:00.000", None, "sshd", "web1 sshd[77]: closed"),
        ),
        (
            "<11>Dec 31 10:00:00 web1 sshd: closed",
            ("2025-12-31T10:00:00.000", "ERROR", "sshd", "web1 sshd: closed"),
        ),
        (
            "Feb 29 10:00:00 web1 cron: leap",
            ("2024-02-29T10:00:00.000", None, "cron", "web1 cron: leap"),
        ),
        (
            "<34>1 2026-02-01T10:00:00.003Z web1 su 12 ID47 - failed",
            ("2026-02-01T10:00:00.003Z", "CRITICAL", "su", "web1 su 12 ID47 - failed"),
        ),
        (
            "2026-02-01T10:00:00.003+01:00 web1 su[12]: failed",
            ("2026-02-01T09:00:00.003Z", None, "su", "web1 su[12]: failed"),
        ),
        # In no format at all.
        ("just words", (None, None, None, "just words")),
        ("{broken", (None, None, None, "{broken")),
        ("2026-13-45 10:00:00 no such day", (None, None, None, "2026-13-45 10:00:00 no such day")),
        ("error in the middle", (None, None, None, "error in the middle")),
        ("[1, 2]", (None, None, None, "[1, 2]")),
    ],
)
def test_formats(line, told):
    assert row(line) == told


def test_access_logs_are_kept_whole():
    line = '10.0.0.1 - ann [01/Feb/2026:10:00:00 +0100] "GET / HTTP/1.1" 200 17 "-" "curl"'
    assert row(line) == ("2026-02-01T09:00:00.000Z", None, None, line)
    wrong = line.replace("Feb", "Fob")
    assert row(wrong) == (None, None, None, wrong)


def test_deep_json_is_a_message():
    line = "{" + '"a":{' * 100_000
    assert row(line)[3] == line


def test_a_long_line_is_not_looked_through():
    line = f"2026-02-01 10:00:00 INFO app: {'a.' * 500_000}"
    assert row(line) == ("2026-02-01T10:00:00.000", "INFO", "app", "a." * 500_000)


STAMP = "2026-02-01 10:00:00 ERROR app: failed"
TRACE = [
    "Traceback (most recent call last):",
    '  File "x.py", line 1, in f',
    "    g()",
    "ValueError: bad",
]


def test_a_traceback_stays_with_its_entry():
    more = ["", "During handling of the above exception, another exception occurred:", "", *TRACE]
    after = ["LINE 1: SELECT", "             ^", "[SQL: SELECT]"]  # what a database adds to it
    told = rows(STAMP, *TRACE, *more, *after, STAMP, "after it")
    assert [each["line"] for each in told] == [1, 16, 17]
    assert told[0]["message"] == "\n".join(["failed", *TRACE, *more, *after])
    assert told[1]["message"] == "failed"
    assert told[2]["message"] == "after it"


def test_a_traceback_of_java_stays_with_its_entry():
    trace = [
        "java.lang.IllegalStateException: shut",
        "\tat a.B.c(B.java:1)",
        "Caused by: x",
        "\tat",
    ]
    (told,) = rows(STAMP, *trace)
    assert told["message"] == "\n".join(["failed", *trace])


def test_without_times_a_traceback_ends_after_its_frames():
    told = rows("starting", *TRACE, "on we go", "ours.Odd: no", "still on")
    assert [each["message"] for each in told] == [
        "\n".join(["starting", *TRACE]), "on we go", "ours.Odd: no", "still on"
    ]  # fmt: skip


def test_a_file_that_starts_in_the_middle():
    told = rows("", "    g()", "ValueError: bad", STAMP)
    assert [each["line"] for each in told] == [2, 4]


def test_an_entry_does_not_grow_without_end():
    told = rows(STAMP, *["  more"] * (entries.MOST_LINES + 5))
    assert [len(each["message"].split("\n")) for each in told] == [entries.MOST_LINES + 1, 5]


LOG = (
    "no time yet",
    "2026-02-01 10:00:00 INFO app: one",
    "2026-02-01 10:00:30 ERROR app: two",
    "  of two",
    "without a time",
    "2026-02-01T12:00:00+01:00 WARNING app: three",
    "2026-02-02 00:00:00 CRITICAL app: four",
)


@pytest.mark.parametrize(
    ("since", "until", "level", "lines"),
    [
        (None, None, None, [1, 2, 3, 5, 6, 7]),
        ("", "", "", [1, 2, 3, 5, 6, 7]),
        ("2026-02-02", None, None, [7]),
        (None, "2026-02-01", None, [2, 3, 5, 6]),
        (None, "2026-02-01T10", None, [2, 3, 5]),
        (None, "2026-02-01T10:00", None, [2, 3, 5]),
        (None, "2026-02-01T10:00:00", None, [2]),
        (None, "2026-02-01T05:00-05:00", None, [2, 3, 5]),
        ("2026-02-01T10:00:01", "2026-02-01 11:00:00.0Z", None, [3, 5, 6]),
        (None, "9999-12-31", None, [1, 2, 3, 5, 6, 7]),
        (None, None, "warn", [3, 6, 7]),
        ("2026-02-01T10:30", None, "WARNING", [6, 7]),
    ],
)
def test_which_entries(since, until, level, lines):
    wanted = entries.Wanted.asked(since, until, level)
    found = wanted.of(entries.entries_of(enumerate(LOG, 1), NEWEST))
    assert [entry.line for entry in found] == lines


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("soon", None, None), "since 'soon' is not a time. Write 2026-01-31"),
        ((None, "31.1.2026", None), "until '31.1.2026' is not a time"),
        ((None, None, "LOUD"), "no level 'LOUD'. Known: TRACE, DEBUG"),
    ],
)
def test_what_cannot_be_asked(asked, words):
    with pytest.raises(entries.BadInput, match=words):
        entries.Wanted.asked(*asked)


def test_the_sample_is_always_the_same_and_all_of_it_is_known():
    lines = list(sample.lines())
    assert len(lines) == sample.LINES == 50_000
    assert zlib.crc32("\n".join(lines).encode()) == 4_066_794_213
    told = rows(*lines)
    assert all(each["time"] and each["level"] and each["logger"] for each in told)
    assert sum(each["message"].count("\n") + 1 for each in told) == 50_000
    (why,) = [each["message"] for each in told if each["level"] == "CRITICAL"]
    assert why == sample.CAUSE


def test_levels_by_other_names():
    assert formats.level_of(" fatal ") == "CRITICAL"
    assert formats.level_of("") is None
