"""`penstock stats` on figures of many servers: its table, its JSON, and what it says without any."""

import json
import os
import subprocess
import sys
from datetime import date, timedelta

import pytest

from penstock.cli import main
from penstock.cli.terminal import width_of
from penstock.figures.file import FiguresFile
from penstock.figures.place import figures_file
from penstock.figures.rows import CallFigures, ListFigures

TODAY = date.today()  # noqa: DTZ011 (as the command does)
TOOL = "a_tool_with_quite_a_long_name_as_some_servers_have_them"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def figures():
    with FiguresFile(figures_file()) as file:
        file.add(
            {
                ("git", "log"): CallFigures(9, 1, 4, 90_000, 2_000, 3, 600),
                ("git", "status"): CallFigures(20, 0, 0, 4_000, 4_000),
                ("git", "read_result"): CallFigures(reads=5, read_sent=1_400),
                ("small", TOOL): CallFigures(1, 0, 0, 12, 12),
            },
            {
                "git": ListFigures(3, 9_000, 6_000, 2, 10, 190, 0, "brief", 3_000, 2_000),
                "small": ListFigures(1, 100, 400, form="full", last_raw=100, last_sent=400),
            },
            TODAY,
        )
        old = {("old", "evil\x1b[31m"): CallFigures(1, raw=7, sent=7, estimated=1)}
        file.add(old, {}, TODAY - timedelta(30))


def told(capsys, *arguments):
    assert main(["stats", *arguments]) == 0
    return capsys.readouterr().out


def test_the_table(figures, capsys):
    lines = told(capsys, "--days", "7").splitlines()
    assert lines[:12] == [
        "Tokens that models read of MCP servers behind Penstock in the last 7 days.",
        "",
        "git: 103,010 tokens raw, 14,190 sent; 88,820 saved (86%).",
        "  List (3 times): 9,000 tokens raw, 6,000 sent; 3,000 saved. Last: form brief, 3,000 raw, 2,000",
        "    sent.",
        "  Instructions: 180 tokens added in 2 conversations.",
        "  tool         calls  errors  held  reads     raw   sent   saved",
        "  log              9       1     4      3  90,000  2,600  87,400",
        "  status          20       0     0      0   4,000  4,000       0",
        "  read_result      0       0     0      5       0  1,400  -1,400",
        "",
        "small: 112 tokens raw, 412 sent; 300 tokens more than without Penstock.",
    ]
    assert lines[-6:] == [
        "",
        "In all: 103,122 tokens raw, 14,602 sent; 88,520 saved (86%).",
        "Penstock costs more than it saves for small so far. If that stays, run this server without it.",
        "",
        f"Figures: {figures_file()}",
        "It holds counts by day, server and tool, and neither contents nor arguments.",
    ]


def test_a_list_that_was_shown_once(figures, capsys):
    assert "  List (once, form full): 100 tokens raw, 400 sent; 300 tokens more" in told(capsys)


@pytest.mark.parametrize(("saved", "is_worth_it"), [(500, True), (100, False)])
def test_servers_of_one_file_are_judged_together(capsys, saved, is_worth_it):
    """The list that shrinks belongs to the file, and not to a server whose calls cost a little more."""
    with FiguresFile(figures_file()) as file:
        calls = {
            ("sheets", "rows"): CallFigures(1, raw=10, sent=60),
            ("git", "log"): CallFigures(1, raw=saved),
        }
        lists = {"mcp.json": ListFigures(1, 100, 400, form="full", last_raw=100, last_sent=400)}
        file.add(calls, lists, TODAY, "mcp.json")
    advice = "" if is_worth_it else "costs more than it saves for the servers of mcp.json so far."
    for chosen in ("mcp", "sheets", "git", ""):
        said = told(capsys, "--server", chosen)
        assert ("costs more than it saves" in said) == (bool(advice) and chosen in ("mcp", ""))
        assert advice in said or chosen in ("sheets", "git")
        assert "this server" not in said


@pytest.mark.parametrize("columns", [1, 40, 60, 80, 200])
def test_a_table_of_any_width(figures, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = told(capsys).partition("\n\nFigures:")[0].splitlines()
    assert max(map(len, lines)) <= max(40, columns)
    heads = [line.split() for line in lines if line.startswith("  tool ")]
    assert all(head[-1] == "saved" and head[1] == "calls" for head in heads)
    assert any("…" in line for line in lines) == (columns < 100)


def test_a_name_cannot_control_the_terminal(figures, capsys):
    assert "\x1b" not in told(capsys)


def test_estimates_are_named(figures, capsys):
    assert "Some counts are estimates" in told(capsys)
    assert "are estimates" not in told(capsys, "--days", "7")


def test_the_json(figures, capsys):
    found = json.loads(told(capsys, "--json", "--server", "GIT"))
    assert (found["raw"], found["sent"], found["saved"]) == (103_010, 14_190, 88_820)
    assert (found["days"], found["exact"], found["file"]) == (90, True, str(figures_file()))
    (server,) = found["servers"]
    assert server["list"]["form"] == "brief"
    assert [tool["name"] for tool in server["tools"]] == ["log", "status", "read_result"]
    assert server["tools"][0]["read_sent"] == 600


def test_a_server_that_is_not_there(figures, capsys):
    assert main(["stats", "--server", "gti"]) == 2
    said = capsys.readouterr().err
    assert "No server's name contains 'gti'." in said
    assert "There are: git, old, small." in said


def test_without_figures_it_says_what_to_do(capsys):
    said = told(capsys)
    assert "There are no figures" in said
    assert "penstock run" in said
    assert not figures_file().exists()
    assert json.loads(told(capsys, "--json"))["servers"] == []


def test_reset(figures, capsys):
    assert told(capsys, "--reset") == f"Deleted all figures: {figures_file()}.\n"
    assert "There are no figures" in told(capsys)


def test_a_reset_takes_the_file_from_nobody(figures, capsys):
    with FiguresFile(figures_file()) as running:
        told(capsys, "--reset")
        running.add({("git", "show"): CallFigures(1, raw=5, sent=5)}, {}, TODAY)
        found = json.loads(told(capsys, "--json"))
    assert [tool["name"] for tool in found["servers"][0]["tools"]] == ["show"]


def test_a_reset_without_figures(capsys):
    assert "There are no figures" in told(capsys, "--reset")
    assert not figures_file().exists()


def test_a_damaged_file_can_be_reset(capsys):
    figures_file().parent.mkdir(parents=True)
    figures_file().write_bytes(b"damaged" * 1_000)
    assert main(["stats"]) == 2
    assert "penstock stats --reset" in capsys.readouterr().err
    told(capsys, "--reset")
    assert list(figures_file().parent.iterdir()) == []
    assert "There are no figures" in told(capsys)


def test_wide_names_are_aligned(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    names = ("検索", "一覧を取得する長い名前の道具" * 2, "get")
    with FiguresFile(figures_file()) as file:
        file.add({("git", name): CallFigures(1, raw=5) for name in names}, {}, TODAY)
    rows = [line for line in told(capsys).splitlines() if line.endswith((" saved", " 5"))]
    assert len(rows) == 4
    assert {width_of(row) for row in rows} == {width_of(rows[0])}
    assert width_of(rows[0]) <= 60


def test_a_reader_may_stop_early(figures):
    command = [sys.executable, "-m", "penstock", "stats", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=os.environ, **pipes) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
