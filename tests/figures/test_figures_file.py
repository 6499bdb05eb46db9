"""The file with figures: many processes add to it, it stays small, and it forgets old days."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, timedelta

import pytest

from penstock import Policy
from penstock.errors import StoreError
from penstock.figures.file import DAYS_KEPT, MOST_SERVERS, MOST_TOOLS, FiguresFile
from penstock.figures.keeping import called_before
from penstock.figures.place import figures_file
from penstock.figures.rows import OTHER, UNKNOWN, CallFigures, ListFigures

TODAY = date(2026, 11, 16)
LONG_AGO = date(2000, 1, 1)


@pytest.fixture
def file(tmp_path):
    with FiguresFile(tmp_path / "deep" / "figures.sqlite") as opened:
        yield opened


def test_figures_add_up(file):
    for _ in range(3):
        file.add({("git", "log"): CallFigures(1, 0, 1, 100, 10, 2, 5)}, {}, TODAY)
    assert file.calls(LONG_AGO) == {("git", "log"): CallFigures(3, 0, 3, 300, 30, 6, 15)}
    assert file.calls(LONG_AGO)["git", "log"].saved == 300 - 30 - 15


def test_the_last_list_is_kept_apart_from_the_sums(file):
    first = ListFigures(1, 900, 90, 1, 0, 50, 0, "index", 900, 90)
    later = ListFigures(1, 500, 400, 0, 0, 0, 0, "brief", 500, 400)
    greeting = ListFigures(greeted=1, greeting_raw=7, greeting_sent=57)
    file.add({}, {"git": first}, TODAY - timedelta(1))
    file.add({}, {"git": later}, TODAY)
    file.add({}, {"git": greeting}, TODAY)
    found = file.lists(LONG_AGO)["git"]
    assert found == ListFigures(2, 1400, 490, 2, 7, 107, 0, "brief", 500, 400)
    assert found.saved == 1400 - 490 + 7 - 107


def test_servers_behind_one_list_are_known_as_its_members(file):
    calls = {("git", "log"): CallFigures(1), ("mcp.json", "run_python"): CallFigures(1)}
    for _ in range(2):
        file.add(calls, {}, TODAY, "mcp.json")
    file.add({("alone", "log"): CallFigures(1)}, {}, TODAY, "alone")
    assert file.members(TODAY) == {("mcp.json", "git")}
    file.add({}, {}, TODAY + timedelta(DAYS_KEPT))
    assert file.members(LONG_AGO) == set()


def test_a_file_of_the_first_version_gets_the_new_table(tmp_path):
    path = tmp_path / "figures.sqlite"
    with FiguresFile(path) as file:
        file.add({("git", "log"): CallFigures(1)}, {}, TODAY)
    with closing(sqlite3.connect(path)) as older:
        older.executescript("DROP TABLE members; PRAGMA user_version = 1")
    with FiguresFile(path) as file:
        assert file.calls(TODAY) == {("git", "log"): CallFigures(1)}
        assert file.members(TODAY) == set()


def test_old_days_are_forgotten(file):
    old = TODAY - timedelta(DAYS_KEPT)
    file.add({("git", "log"): CallFigures(1)}, {"git": ListFigures(1)}, old)
    file.add({("git", "show"): CallFigures(1)}, {}, old + timedelta(1))
    file.add({("git", "diff"): CallFigures(1)}, {}, TODAY)
    assert {tool for _, tool in file.calls(LONG_AGO)} == {"show", "diff"}
    assert file.lists(LONG_AGO) == {}
    assert {tool for _, tool in file.calls(TODAY)} == {"diff"}


def test_tools_and_servers_beyond_the_limit_share_a_row(file):
    many = {("git", f"tool {number}"): CallFigures(1) for number in range(MOST_TOOLS + 50)}
    file.add(many, {}, TODAY)
    file.add({("git", "tool 3"): CallFigures(1), ("git", "new"): CallFigures(1)}, {}, TODAY)
    found = file.calls(LONG_AGO)
    assert found["git", OTHER].calls == 51
    assert found["git", "tool 3"].calls == 2
    assert len(found) == MOST_TOOLS + 1
    file.add({}, {f"server {number}": ListFigures(1) for number in range(MOST_SERVERS + 9)}, TODAY)
    assert len(file.lists(LONG_AGO)) == MOST_SERVERS  # `git` is one, and "(other)" another
    assert file.lists(LONG_AGO)[OTHER].listed == 10


def test_only_the_user_can_read_the_file(file, tmp_path):
    file.add({("git", "log"): CallFigures(1)}, {}, TODAY)
    folder = tmp_path / "deep"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_figures_that_are_deleted_leave_no_names_behind(file, tmp_path):
    many = {("git", f"private {number}"): CallFigures(1) for number in range(MOST_TOOLS)}
    file.add(many, {"private": ListFigures(1)}, TODAY)
    file.clear()
    assert (file.calls(LONG_AGO), file.lists(LONG_AGO)) == ({}, {})
    assert not any(b"private" in path.read_bytes() for path in (tmp_path / "deep").iterdir())
    file.add({("git", "log"): CallFigures(1)}, {}, TODAY)
    assert set(file.calls(LONG_AGO)) == {("git", "log")}


ADD = """
import sys
from datetime import date
from pathlib import Path
from penstock.figures.file import FiguresFile
from penstock.figures.rows import CallFigures
for _ in range(20):
    with FiguresFile(Path(sys.argv[1])) as file:
        file.add({("git", "log"): CallFigures(1, raw=5)}, {}, date(2026, 11, 16))
"""


def test_many_processes_add_at_once(tmp_path):
    path = tmp_path / "figures.sqlite"
    command = [sys.executable, "-c", ADD, str(path)]
    running = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    with FiguresFile(path) as file:
        assert file.calls(LONG_AGO)["git", "log"] == CallFigures(80, raw=400)


@pytest.mark.parametrize(
    "content", [b"this is no database" * 100, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_damaged_file_says_what_to_do(tmp_path, content):
    path = tmp_path / "figures.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError):
        FiguresFile(path)


def test_another_database_is_left_alone(tmp_path):
    path = tmp_path / "figures.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(StoreError, match="not one of Penstock's"):
        FiguresFile(path)


def test_tools_that_were_called_before(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    told = called_before(Policy(stats="on"), lambda: ["git"])
    assert told() == frozenset()
    assert not figures_file().exists()
    with FiguresFile(figures_file()) as file:
        names = ("log", "show", UNKNOWN, OTHER)
        file.add({("git", name): CallFigures(1) for name in names}, {}, TODAY)
        file.add({("git", "read_result"): CallFigures(reads=1)}, {}, TODAY)
        file.add({("git", "blame"): CallFigures(calls=2, errors=2)}, {}, TODAY)
        file.add({("other", "diff"): CallFigures(1)}, {}, TODAY)
    assert told() == {"log", "show"}
    both = called_before(Policy(stats="on"), lambda: ["git", "other", "never"])
    assert both() == {"log", "show", "diff"}
    assert called_before(Policy(), lambda: ["git"])() == frozenset()
    figures_file().write_bytes(b"damaged")
    assert told() == frozenset()


def test_nothing_is_loaded_where_there_is_no_file(tmp_path):
    code = (
        "import sys; from penstock.figures.keeping import called_before;"
        "from penstock import Policy; called_before(Policy(stats='on'), lambda: ['git'])();"
        "print('sqlite3' in sys.modules)"
    )
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
