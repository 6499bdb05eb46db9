"""Logs: entries of every form, to the byte, and nothing that only resembles a log."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import contents_of, read, rows_of
from log_samples import SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_each_form_is_read_to_its_fields(name, line_end):
    entries, first = SAMPLES[name]
    text = "".join(entry.replace("\n", line_end) + line_end for entry in entries)
    rows = rows_of(text)
    assert len(rows) == len(entries)
    assert rows[0] == first


@pytest.mark.parametrize("name", SAMPLES)
def test_an_entry_with_a_stack_trace_keeps_it(name):
    entries, first = SAMPLES[name]
    trace = 'Traceback (most recent call last):\n  File "x.py", line 1\nmod.Broken: no\n\nCaused by: y\n\tat a.B.c(B.java)'
    rows = rows_of("\n".join([entries[0], trace, *entries]))
    assert len(rows) == len(entries) + 1
    place = "message" if "message" in first else "continuation"
    assert rows[0][place].endswith(trace)
    assert rows[1] == first


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("seed", range(5))
def test_a_damaged_log_is_never_an_error(name, seed):
    chance = random.Random(f"{name}{seed}")
    text = "\n".join(SAMPLES[name][0] * 3)
    for _ in range(4):
        at = chance.randrange(len(text))
        put_in = chance.choice(
            ["", '"', "\n", "[", "=", "\x1b[", "\x1b[1m", "\0", "\r", "\ud800", "é", ":", " "]
        )
        text = text[:at] + put_in + text[at + chance.randrange(4) :]
    read(text)


# -- what the rows hold ----------------------------------------------------------------------------


def test_pairs_are_numbers_if_every_entry_has_one():
    text = (
        'level=info msg=a ms=1 zip=01 mixed=1 gap=- quoted="7"\n'
        'level=warn msg="b c" ms=2.50 zip=12 mixed=x gap=4 quoted="8" empty= more=1\n'
        "level=custom msg=d ms=3 zip=3 mixed=2 gap=5 quoted=9\n"
    )
    document, rows = read(text)
    assert rows == [
        {"level": "INFO", "msg": "a", "ms": 1, "zip": "01", "mixed": "1", "gap": None, "quoted": 7},
        {"level": "WARN", "msg": "b c", "ms": 2.5, "zip": "12", "mixed": "x", "gap": 4, "quoted": 8, "empty": None, "more": 1},
        {"level": "custom", "msg": "d", "ms": 3, "zip": "3", "mixed": "2", "gap": 5, "quoted": 9},
    ]  # fmt: skip
    assert document.notices == ("In columns of numbers, - is null.",)


def test_a_number_late_in_the_log_decides_the_type():
    lines = [f"ts=2026-11-16T10:00:00Z level=info n={n}" for n in range(4_000)]
    assert rows_of("\n".join(lines))[0]["n"] == 0
    assert rows_of("\n".join([*lines, "ts=2026-11-16T10:00:00Z level=info n=none"]))[0]["n"] == "0"


def test_a_key_that_comes_again_is_numbered_and_escapes_are_read():
    text = 'level=info a=1 a=2 a_2=3 msg="tab\\tand \\"quote\\" and \\x41"\n' * 3
    assert rows_of(text)[0] == {
        "level": "INFO",
        "a": 1,
        "a_3": 2,
        "a_2": 3,
        "msg": 'tab\\tand \\"quote\\" and \\x41',
    }
    assert rows_of(text.replace("\\x41", "\\u0041"))[0]["msg"] == 'tab\tand "quote" and A'


def test_the_contents_count_all_entries():
    lines = [
        f"2026-11-16 10:00:{n % 60:02} {'ERROR' if n % 1_000 == 7 else 'INFO'} n {n}"
        for n in range(5_000)
    ]
    assert contents_of("\n".join(lines)) == {
        "time": {"first": "2026-11-16T10:00:00", "last": "2026-11-16T10:00:19"},
        "levels": {"INFO": 4_995, "ERROR": 5},
    }
    requests = [
        f'::1 - - [16/Nov/2026:10:00:00 +0000] "GET /{n} HTTP/1.1" {200 + n % 2 * 300} 7'
        for n in range(9)
    ]
    assert contents_of("\n".join(requests))["statuses"] == {"2xx": 5, "5xx": 4}


def test_times_in_iso_sort_as_texts():
    stamps = [
        "16/Nov/2026:10:00:00 +0000",
        "16/Nov/2026:09:59:59 +0000",
        "02/Dec/2026:00:00:00 +0000",
    ]
    rows = rows_of("".join(f'::1 - - [{stamp}] "GET / HTTP/1.1" 200 7\n' for stamp in stamps))
    times = [row["time"] for row in rows]
    assert sorted(times) == [times[1], times[0], times[2]]


def test_a_logger_is_one_only_if_every_entry_has_it():
    lines = ["2026-11-16 10:00:00 INFO app.db: up"] * 300
    assert rows_of("\n".join(lines))[0]["logger"] == "app.db"
    rows = rows_of("\n".join([*lines, "2026-11-16 10:00:00 INFO no logger here"]))
    assert rows[0] == {"time": "2026-11-16T10:00:00", "level": "INFO", "message": "app.db: up"}


def test_colours_are_in_the_text_and_in_no_field():
    text = (
        "\x1b[32mINFO\x1b[0m:     Started\x1b[0m\r\n\x1b[31mERROR\x1b[0m:    \x1b[1mbroken\x1b[0m\r\n  at x\r\n"
        * 3
    )
    rows = rows_of("\x1b[1mServer\x1b[0m\n" + text)
    assert rows[:2] == [
        {"level": "INFO", "message": "Started"},
        {"level": "ERROR", "message": "broken\r\n  at x"},
    ]


def test_text_around_the_entries_is_apart():
    entries = "2026-11-16 10:00:00 INFO a\n2026-11-16 10:00:01 INFO b\n2026-11-16 10:00:02 INFO c\n"
    document, rows = read(f"Last 3 entries:\n```\n{entries}```\n")
    assert (document.frame.text_before, document.frame.text_after) == (
        b"Last 3 entries:\n```\n",
        b"```\n",
    )
    assert rows[-1]["message"] == "c"
    document, rows = read(f"{entries}\nThere are 900 more.\nAsk for them.\n")
    assert document.frame.text_after == b"There are 900 more.\nAsk for them.\n"
    assert rows[-1]["message"] == "c"
    assert read("WARNING: a\nWARNING: b\n" * 10 + "done\n")[0].frame.text_after == b"done\n"


# -- logs that change ------------------------------------------------------------------------------


OLD = [f"2026-11-16 10:00:{n % 60:02},123 INFO app started {n}" for n in range(511)]


def test_a_log_that_changes_to_another_known_form_has_entries_of_both():
    new = [
        f'203.0.113.7 - - [16/Nov/2026:10:00:01 +0000] "GET /{n} HTTP/1.1" 200 {n}'
        for n in range(3_000)
    ]
    rows = rows_of("\n".join(OLD + new))
    assert len(rows) == 3_511
    assert rows[510]["message"] == "app started 510"
    assert (rows[511]["status"], rows[-1]["size"]) == (200, 2_999)
    alone = rows_of("\n".join([*OLD, new[0], *OLD]))  # a certain form may have a single entry
    assert (len(alone), alone[511]["status"]) == (1_023, 200)


def test_a_log_that_changes_to_an_unknown_form_is_lines_from_there_on():
    new = [f"<<{n}>> the pump says {n} again" for n in range(600)]
    document, rows = read("\n".join(OLD + new))
    assert rows is None
    (notice,) = document.notices
    assert "line 512 starts no entry of a known form (600 lines start none, 511 do)" in notice


STEPS = [f"2026-11-16 10:{n // 60:02}:{n % 60:02} INFO app: step {n}" for n in range(322)]


def among(entries, others):
    """Return a text with another line after each of the first entries but one."""
    between = dict(enumerate(others, 1))
    lines = [[one, *([between[n]] if n in between else [])] for n, one in enumerate(entries)]
    return "\n".join(line for both in lines for line in both)


def test_lines_that_start_no_entry_are_counted():
    document, rows = read(among(STEPS, [f"worker-3 finished job {n}" for n in range(78)]))
    assert len(rows) == 322
    (notice,) = document.notices
    assert notice == (
        "78 lines start no entry of a known form, and are in the message of the entry above them,"
        " first line 3."
    )
    document, rows = read(among(STEPS, ["worker-3 finished"]) + "\n\nThat is all.\n")
    assert document.notices == (
        "Line 3 starts no entry of a known form, and is in the message of the entry above it.",
    )
    document, rows = read("\n".join(["level=info msg=a", "body", *["level=info msg=b"] * 20]))
    assert "is in the continuation of the entry above it" in document.notices[0]
    assert rows[0]["continuation"] == "body"


def test_lines_that_plainly_continue_an_entry_are_not_counted():
    trace = 'Traceback (most recent call last):\n  File "x.py", line 1\n    open()\nStuck: the door'
    java = "java.io.IOException: no\n\tat a.B.c(B.java)\nCaused by: y\n... 3 more"
    document, rows = read(among(STEPS, [trace, java, "  indented", "", trace]))
    assert len(rows) == 322
    assert document.notices == ()
    document, _ = read(among(STEPS, ["  indented\nStuck: the door", trace]))
    assert "Line 4 starts no entry" in document.notices[0]


def test_json_objects_among_entries_are_told():
    boom = '{"level":"error","msg":"boom"}'
    document, rows = read(among(STEPS[:150], [boom] * 50))
    assert rows is None
    (notice,) = document.notices
    assert "line 3 looks like a JSON object" in notice
    assert "(50 such lines, 150 entries)" in notice
    document, rows = read(among(STEPS, [boom] * 3))  # bodies of messages
    assert len(rows) == 322
    assert "3 lines start no entry" in document.notices[0]


def test_levels_alone_are_entries_beside_others_if_there_are_many():
    level = [f"WARNING: slow {n}" for n in range(100)]
    rows = rows_of("\n".join(OLD + level))
    assert len(rows) == 611
    assert rows[-1] == {"level": "WARNING", "message": "slow 99"}
    few = rows_of("\n".join([*OLD, "WARNING: slow", *OLD]))
    assert few[510]["message"] == "app started 510\nWARNING: slow"


def test_many_lines_before_the_first_entry_are_told():
    document, rows = read("\n".join([*(f"banner {n}" for n in range(25)), *OLD]))
    assert rows is None
    assert "first entry is in line 26" in document.notices[0]


def test_stack_traces_that_are_interleaved_stay_exact():
    trace = ["Traceback (most recent call last):", '  File "a.py", line 1', "ValueError: a"]
    lines = [line for n in range(200) for line in (OLD[n], trace[n % 3], trace[(n + 1) % 3])]
    rows = rows_of("\n".join(lines))
    assert len(rows) == 200
    assert rows[1]["message"] == "app started 1\n" + trace[1] + "\n" + trace[2]


# -- texts that are no logs ------------------------------------------------------------------------


NO_LOGS = {
    "prose": "On 2026-11-16 10:00:00 we met.\nAt 10:00:01 INFO was given.\nThe end came at 10:00:02.\n" * 20,
    "diary": "2026-11-16 10:00:00 we left.\nIt rained.\nThe road was long.\nWe sang.\n" * 20,
    "changelog": "2026-11-16  Ann  <ann@example.com>\n\n\t* a.c: Mend.\n\n" * 20,
    "chat": "[10:00:01] <bob> hello\n[10:00:02] <ann> hi\n" * 20,
    "chat with dates": "2026-11-16 10:00:01 <bob> hello\n2026-11-16 10:00:02 <ann> hi\n" * 20,
    "phone chat": "[16/11/2026, 10:00:01] Bob: hello\n[16/11/2026, 10:00:05] Ann: hi\n" * 20,
    "ls": "-rw-r--r-- 1 root root 120 Nov 16 10:00 a.txt\ndrwxr-xr-x 2 ann ann 4096 Nov 16 10:00:01 b\n" * 20,
    "git log": "commit 1f27d26\nAuthor: Ann <a@example.com>\nDate:   Mon Nov 16 10:00:01 2026 +0000\n\n    Mend\n\n" * 20,
    "settings": "PORT=80 HOST=a\nDEBUG=1 NAME=b\nLEVEL=2 X=c\n" * 20,
    "unit": "[Unit]\nDescription=x\n[Service]\nExecStart=/bin/true level=1\n" * 20,
    "levels": "DEBUG: int\nINFO: int\nWARNING: int\nERROR: int\n",
    "levels with numbers": "DEBUG = 10\nINFO = 20\nSUCCESS = 25\nWARNING = 30\nERROR = 40\n",
    "code": "import logging\nlogging.info('2026-11-16 10:00:00 INFO a')\nERROR = 'x'\n" * 20,
    "two entries": "2026-11-16 10:00:00 INFO a\n2026-11-16 10:00:01 INFO b\n",
    "compiler": "a.c:1:2: error: x\nmake: *** [a.o] Error 1\nERROR: no\n" * 20,
    "subtitles": "1\n00:00:01,000 --> 00:00:02,000\nHello\n\n" * 20,
    "list of times": "10:00:01\n10:00:02\n10:00:03\n" * 20,
}  # fmt: skip


@pytest.mark.parametrize("name", NO_LOGS)
def test_a_text_that_only_resembles_a_log_is_none(name):
    document, rows = read(NO_LOGS[name])
    assert rows is None
    assert not any("looks like log" in notice for notice in document.notices)


def test_a_table_with_times_is_a_table():
    text = "time,level,n\n" + "".join(f"2026-11-16 10:00:{n:02},INFO,{n}\n" for n in range(60))
    assert read(text)[0].format == "csv"


def test_data_after_entries_is_not_a_message():
    rows = json.dumps([{"id": n} for n in range(300)])
    text = "2026-11-16 10:00:00 INFO a\n2026-11-16 10:00:01 INFO b\n2026-11-16 10:00:02 INFO c\n"
    assert read(text + rows)[0].format == "json in text"


# -- hostile texts ---------------------------------------------------------------------------------


STAMP = "2026-11-16 10:00:00 INFO "
HOSTILE = {
    "one line of 10 MB": STAMP + "x" * 10_000_000,
    "a million continuation lines": f"{STAMP}a\n{STAMP}b\n{STAMP}c\n" + "\tat a.b.C\n" * 1_000_000,
    "a million plain lines": f"{STAMP}a\n{STAMP}b\n{STAMP}c\n" + "plain\n" * 1_000_000,
    "a million pairs": "level=info msg=a " + "k=v " * 1_000_000 + "\n" + "level=info msg=b\n" * 3,
    "many keys": "".join(f"level=info msg=a k{n}=1\n" for n in range(50_000)),
    "open quotes": 'level=info msg="' * 200_000,
    "open brackets": "[2026-11-16 10:00:00" * 200_000,
    "requests without an end": '::1 - - [16/Nov/2026:10:00:01 +0000] "GET / ' * 100_000,
    "backslashes": f'::1 - - [16/Nov/2026:10:00:01 +0000] "{chr(92) * 2_000_000}\n' * 2,
    "codes": "\x1b[" * 1_000_000 + STAMP,
    "binary": (STAMP + "\x00\x01\ud800\x7f\n") * 1_000,
    "structured data": "<34>1 2026-11-16T10:00:00Z a b c d " + '[a b="c"]' * 300_000 + '[a b="',
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_comes_back(name):
    """In time that is not linear, this would take hours."""
    read(HOSTILE[name])


def test_bytes_that_are_no_text_are_in_the_message():
    assert rows_of(HOSTILE["binary"])[0]["message"] == "\x00\x01\ud800\x7f"


def test_a_million_lines_may_continue_an_entry():
    rows = rows_of(HOSTILE["a million continuation lines"])
    assert (len(rows), rows[-1]["message"].count("\n")) == (3, 1_000_000)


@settings(max_examples=30)
@given(
    st.lists(
        st.sampled_from([line for lines, _ in SAMPLES.values() for line in lines]), max_size=12
    ),
    st.text(max_size=20),
)
def test_any_mixture_of_entries_comes_back(lines, between):
    read(f"\n{between}\n".join(lines))
    read("\n".join(lines))
