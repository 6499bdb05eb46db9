"""Aligned columns of commands: no cell gets into another column, or the text stays lines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import distributions

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_table_reading import aligned, near_miss, read, rows_in

from corpus import recordings
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data

# Recorded from real machines.
PODS = """\
NAME                    READY   STATUS    RESTARTS     AGE   NOMINATED NODE   READINESS GATES
web-5d9c7b9c9c-abcde    1/1     Running   2 (1d ago)   3d    <none>           <none>
worker-6f7c8d9b5-xyz12  0/1     Pending   0            10m   <none>           <none>
"""
DOCKER = """\
CONTAINER ID   IMAGE          COMMAND                  CREATED        STATUS        PORTS                    NAMES
f3a1b2c4d5e6   nginx:latest   "/docker-entrypoint.…"   2 hours ago    Up 2 hours    0.0.0.0:8080->80/tcp     web
0a9b8c7d6e5f   redis          "docker-entrypoint.s…"   3 hours ago    Up 3 hours                             cache
"""
SERVICES = """\
ID             NAME    IMAGE          NODE    DESIRED STATE   CURRENT STATE           ERROR     PORTS
k2x8v1q9w3e4   web.1   nginx:latest   alpha   Running         Running 5 minutes ago
m3y9w2r0x5f6   web.2   nginx:latest   beta    Running         Running 9 minutes ago
"""
UNITS = """\
  UNIT                      LOAD   ACTIVE SUB     DESCRIPTION
  cron.service              loaded active running Regular background program processing daemon
● nginx.service             loaded failed failed  A high performance web server
  systemd-journald.service  loaded active running Journal Service

LOAD   = Reflects whether the unit definition was properly loaded.
ACTIVE = The high-level unit activation state, i.e. generalization of SUB.

3 loaded units listed.
"""
PROCESSES = """\
USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root           1  0.0  0.0 167744 11420 ?        Ss   Nov01   0:10 /sbin/init
me          2345  1.0  2.0 34359738368 123456 ?  Sl   Nov01   1:10 /opt/chrome --type=renderer  --x
me          2346  1.0  2.0  43597 12345 pts/0    Sl+  Nov01   1:10 bash
root           2  0.0  0.0      0     0 ?        S    Nov01   0:00 [kthreadd]
"""
DISKS = """\
NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
sda      8:0    0  100G  0 disk
├─sda1   8:1    0  512M  0 part /boot
└─sda2   8:2    0 99.5G  0 part /
"""
SOCKETS = """\
Active Internet connections (only servers)
Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
tcp        0      0 127.0.0.1:631           0.0.0.0:*               LISTEN      812/cupsd
tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN      -
udp        0      0 0.0.0.0:5353            0.0.0.0:*                           701/avahi-daemon: r
"""
FREE = "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        50G   12G   36G  25% /\ntmpfs           7.8G     0  7.8G   0% /dev/shm\nnas:/home         2T  1.5T  0.5T  75% /home\n"  # fmt: skip


# -- recorded output -------------------------------------------------------------------------------


def test_names_and_cells_may_have_single_blanks():
    first = rows_in(PODS)[0]
    assert first == {
        "NAME": "web-5d9c7b9c9c-abcde", "READY": "1/1", "STATUS": "Running", "RESTARTS": "2 (1d ago)",
        "AGE": "3d", "NOMINATED NODE": "<none>", "READINESS GATES": "<none>",
    }  # fmt: skip
    assert [row["CURRENT STATE"] for row in rows_in(SERVICES)] == [
        "Running 5 minutes ago",
        "Running 9 minutes ago",
    ]


def test_an_empty_cell_is_null_in_its_own_column():
    rows = rows_in(DOCKER)
    assert [(row["PORTS"], row["NAMES"]) for row in rows] == [
        ("0.0.0.0:8080->80/tcp", "web"),
        (None, "cache"),
    ]
    assert [row["MOUNTPOINTS"] for row in rows_in(DISKS)] == [None, "/boot", "/"]
    assert [row["State"] for row in rows_in(SOCKETS)] == ["LISTEN", "LISTEN", None]


def test_a_name_of_two_words_is_decided_by_the_data():
    assert [*rows_in(SOCKETS)[0]] == [
        "Proto", "Recv-Q", "Send-Q", "Local Address", "Foreign Address", "State", "PID/Program name",
    ]  # fmt: skip
    assert [*rows_in(FREE)[0]] == ["Filesystem", "Size", "Used", "Avail", "Use%", "Mounted on"]
    assert rows_in(SOCKETS)[2]["PID/Program name"] == "701/avahi-daemon: r"


def test_signs_before_the_first_name_are_a_column_of_their_own():
    rows = rows_in(UNITS)
    assert [row["c1"] for row in rows] == [None, "●", None]
    assert rows[1] == {
        "c1": "●", "UNIT": "nginx.service", "LOAD": "loaded", "ACTIVE": "failed", "SUB": "failed",
        "DESCRIPTION": "A high performance web server",
    }  # fmt: skip
    assert read(UNITS)[0].frame.text_after.endswith(b"3 loaded units listed.\n")


def test_a_long_cell_pushes_others_to_the_right():
    rows = rows_in(PROCESSES)
    assert [(row["VSZ"], row["RSS"], row["TTY"]) for row in rows[:3]] == [
        (167744, 11420, "?"),
        (34359738368, 123456, "?"),
        (43597, 12345, "pts/0"),
    ]
    assert rows[1]["COMMAND"] == "/opt/chrome --type=renderer  --x"


def test_text_around_columns():
    document, _ = read(SOCKETS + "\nThat is all.\n")
    assert document.frame.text_before == b"Active Internet connections (only servers)\n"
    assert document.frame.text_after == b"That is all.\n"


@pytest.mark.parametrize("name", ["commands/pods", "kubernetes/pods"])
def test_recorded_servers(name):
    (recording,) = (one for one in recordings() if one.name == name)
    rows = rows_in(recording.result["content"][0]["text"])
    assert len(rows) == 450
    assert all(isinstance(row["RESTARTS"], int) for row in rows)


# -- real commands -----------------------------------------------------------------------------------


def output_of(*command):
    if not shutil.which(command[0]):
        pytest.skip(f"without {command[0]}")
    environment = {**os.environ, "LC_ALL": "C", "COLUMNS": "300"}
    done = subprocess.run(command, capture_output=True, check=False, text=True, env=environment)
    return done.stdout


def test_ls_lists_the_files_that_there_are(tmp_path):
    for number in range(12):
        (tmp_path / f"file {number}.txt").write_text("x" * number**3)
    (tmp_path / "link").symlink_to("file 1.txt")
    rows = rows_in(output_of("ls", "-l", str(tmp_path)))
    sizes = {row["name"]: row["size"] for row in rows}
    assert {f"file {n}.txt": n**3 for n in range(12)}.items() <= sizes.items()
    assert "link -> file 1.txt" in sizes
    assert {row["links"] for row in rows} == {1}


def test_ps_has_this_process():
    text = output_of("ps", "-eo", "pid,ppid,stat,args")
    rows = rows_in(text)
    assert len(rows) == text.count("\n") - 1
    (own,) = (row for row in rows if row["PID"] == os.getpid())
    assert own["PPID"] == os.getppid()


def test_pip_list_has_the_packages_that_there_are():
    text = output_of(sys.executable, "-m", "pip", "list", "--disable-pip-version-check")
    versions = {row["Package"]: str(row["Version"]) for row in rows_in(text)}
    expected = {one.metadata["Name"]: one.version for one in distributions()}
    assert versions.keys() <= expected.keys()
    assert versions["pytest"] == expected["pytest"]


def test_a_frame_of_pandas_has_its_index_as_a_column():
    frame = pd.DataFrame({"A": [1, 20, 3], "variable": ["x", "", "z"], "value": [0.5, 1.25, -3.0]})
    assert rows_in(frame.to_string()) == [
        {"c1": 0, "A": 1, "variable": "x", "value": 0.5},
        {"c1": 1, "A": 20, "variable": None, "value": 1.25},
        {"c1": 2, "A": 3, "variable": "z", "value": -3.0},
    ]


# -- dashes below names ------------------------------------------------------------------------------


def test_dashes_show_the_columns():
    text = "Name    Size  Note\n----    ----  ----\na b c     12  x\nd          3\n"
    assert rows_in(text) == [
        {"Name": "a b c", "Size": 12, "Note": "x"},
        {"Name": "d", "Size": 3, "Note": None},
    ]
    ruled = "=====  =====\nA      not A\n=====  =====\nFalse  True\nTrue   False\n=====  =====\n"
    assert rows_in(ruled)[1] == {"A": "True", "not A": "False"}
    unnamed = "=====  =\nFalse  1\nTrue   2\n=====  =\n"
    assert rows_in(unnamed) == [{"c1": "False", "c2": 1}, {"c1": "True", "c2": 2}]


@pytest.mark.parametrize(
    "text",
    [
        "=====  =\nFalse  1\nTrue   2\n",  # cut off: the names may be above
        "a      b\n-----  -\nFalse  1\n-----  -\nTrue   2\n",
        "a      b\n-----  -\nFalsehood\nTrue   2\n",
    ],
)
def test_dashes_that_do_not_tell_all(text):
    assert not read(text)[0].format


def test_a_row_of_dashes_is_a_row():
    text = aligned(("NAME", "READY", "AGE"), ("-", "-", "--"), ("a", "1/1", "2d"))
    assert rows_in(text)[0] == {"NAME": "-", "READY": "-", "AGE": "--"}
    assert not read("x   y\n-   -\na   b\n")[0].format


# -- wide characters ---------------------------------------------------------------------------------


def test_columns_count_characters_or_their_width():
    rows = [
        ("NAME", "CITY", "AGE"),
        ("日本", "né", "1d"),
        ("a", "x\u0301y", "2d"),
        ("b b", "", "3d"),
    ]
    by_characters = aligned(*rows)
    by_width = "NAME   CITY   AGE\n日本   né     1d\na      x\u0301y     2d\nb b           3d\n"
    assert by_characters != by_width
    for text in (by_characters, by_width):
        found = [tuple(cell or "" for cell in row.values()) for row in rows_in(text)]
        assert found == rows[1:]


# -- what breaks columns -----------------------------------------------------------------------------


def numbered(count):
    rows = [(f"pod-{n:04}", "1/1", f"{n % 90}d") for n in range(count)]
    return aligned(("NAME", "READY", "AGE"), *rows)


def test_the_first_line_that_does_not_keep_to_the_columns_is_told():
    text = numbered(300).replace("pod-0271   1/1", "pod-0271-and-more 1/1")
    assert "line 273 does not keep to the columns" in near_miss(text)


def test_rows_after_an_empty_line_are_not_lost():
    assert "line 43, after an empty line, keeps to its columns too" in near_miss(
        numbered(40) + "\n" + numbered(3).partition("\n")[2]
    )


@pytest.mark.parametrize(
    "text",
    [
        "NAME   READY   AGE\n",
        "NAME   READY   AGE\n\n",
        numbered(30).replace("1/1   ", "1/1\t"),
        "NAME\tREADY\n" * 3,
        "A  " * 100_000 + "\n" + "1  " * 100_000 + "\n" + "2  " * 100_000,
        " " * 10_000_000 + "A  B",
        # Two columns, or one whose cells have a blank at the same place: that is not certain.
        "      b  c\nfoo bar  1\nfox car  2\nfor tar  3\n",
        "NODE NAME   AGE\n   a b       1\n   c d       2\n",
        # A column without a name.
        "A  B  C  D\n1  2  a  0    3.0\n",
        "I WANT TO CONTRIBUTE\n====================\nYour merge requests and patches are welcome\n",
        "      COMMON  /BLOCK/ LONG, STRING, OK\n      LONG = 1.0\n      STRING = '2'\n      OK = 3\n",
        "MOV   AX   BX\nADD   CX   DX\nRET\n",
        "025B      ; [.2008] # LATIN SMALL LETTER OPEN E\n0190      ; [.2009] # LATIN CAPITAL LETTER OPEN E\n",
        "int  a;   // first\nchar b;   // second\nlong c;   // third\n",
        "name:   x\nother:  y\nthird:  z\n",
        "   12 a.py\n    3 b.py\n   15 total\n",
        "It is said.  And then  more.\nIt is said.  And then  less.\nIt is done.  And then  none.\n",
        "CC      = gcc\nCFLAGS  = -O2\nLIBS    = -lm\n",
    ],
    ids=range(18),
)  # fmt: skip
def test_what_is_no_table_stays_lines(text):
    document, _ = read(text)
    assert document.format in ("", "csv")


# -- properties --------------------------------------------------------------------------------------

WORDS = st.text("abxyz019é日-/.", min_size=1, max_size=8)
CELLS = st.one_of(
    st.just(""), WORDS, st.lists(WORDS, min_size=2, max_size=3).map(" ".join), st.just("<none>")
)


@given(
    st.lists(st.tuples(WORDS, CELLS, CELLS, CELLS), min_size=2, max_size=20),
    st.sampled_from([str.ljust, str.rjust, str.center]),
    st.integers(1, 3),
)
def test_no_cell_gets_into_another_column(rows, justify, gap):
    """If a text is taken for a table at all, each cell is where it was written."""
    names = ("NAME", "NODE NAME", "STATUS", "AGE")
    text = aligned(names, *rows, gap=gap, justify=justify)
    document, parts = read(text)
    if document.format == "table":
        assert_same(document, parts, names, rows)
    else:
        has_few = any(sum(map(bool, row)) < 2 for row in rows)
        is_certain = gap > 2 and justify is str.ljust and text.isascii()
        assert not is_certain or has_few, text


def with_node_name(row):
    first, *others = {key: row[key] for key in row if key not in ("NODE", "NAME_2")}.items()
    return dict([first, ("NODE NAME", f"{row['NODE']} {row['NAME_2']}"), *others])


def assert_same(document, parts, names, rows):
    found = [json.loads(row) for row in decoded(document, parts)]
    if "NAME_2" in found[0]:
        # Each row has a word below NODE and one below NAME, so that nobody could tell these apart.
        found = [with_node_name(row) for row in found]
    assert [*found[0]] == [*names]
    for row, cells in zip(found, rows, strict=True):
        for told, cell in zip(row.values(), cells, strict=True):
            if isinstance(told, int | float):
                assert float(cell) == told
            else:
                assert told == (cell or None) or (told is None and cell in ("-", ".", ".."))


@given(
    st.sampled_from([PODS, DOCKER, UNITS, PROCESSES, DISKS, SOCKETS, FREE]),
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 30), st.text("AB \n\t\r日\u0301-=", max_size=4))),
)  # fmt: skip
def test_nothing_raises_on_damaged_columns(text, cuts):
    for at, length, put in cuts:
        text = text[:at] + put + text[at + length :]
    document, _ = read(text)
    if document.format in ("table", "tables"):
        rows_in(text, document.format)


@pytest.mark.parametrize(
    "text",
    [
        # The header may be any line above.
        "COMMAND  PID\nx-1\n100%     x-1\n100%     100%\n10.0.0.1 10.0.0.1\na\n100%     10.0.0.1\n",
        # Cells are longer than their columns.
        "PID   SIZE     MOUNTED ON\nfoo bar  foo bar  x-1\nfoo bar  x-1      foo bar\n",
        # A head cannot hold half of a surrogate pair.
        "NAME  A\ud800E\n" + "aaaa  bbbb\n" * 20,
        "|\ud800a|b|\n|-|-|\n" + "|1|2|\n" * 30,
    ],
)
def test_cells_that_may_be_in_another_column_are_no_table(text):
    assert read_text_with_data(text).format == ""
