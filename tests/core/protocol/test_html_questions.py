"""Pages through a gate: ten questions about a page of Python's documentation, and SQL over tables."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from shown_rows import shown_rows

FOUND = importlib.util.find_spec("idlelib")
HELP = Path(FOUND.origin).with_name("help.html") if FOUND and FOUND.origin else Path("none")
ROWS = "".join(f"<tr><td>n{number}</td><td>{number}</td></tr>" for number in range(300))
TABLE = f"<table><tr><th>name</th><th>n</th></tr>{ROWS}</table>"


@pytest.fixture
def reader(open_agent):
    return open_agent(budget="4kB", ceiling="200kB")


# -- a page of a public project --------------------------------------------------------------------


@pytest.fixture
def idle(reader):
    """Return a function that asks about the page, and its probe."""
    if not HELP.exists():
        pytest.skip("this Python has no IDLE")
    probe = reader.offer(HELP.read_text("utf-8")).value
    token = probe["continuation_token"]
    return lambda **fields: reader.look(token, **fields) if fields else probe


def test_which_page_is_it(idle):
    assert idle()["format"] == "html"
    assert idle()["contents"]["/0"].startswith("IDLE — Python 3.")


def test_what_are_its_parts(idle):
    parts = [told for told in idle()["contents"].values() if told.startswith("## ")]
    assert parts == [
        "## Menus", "## Editing and Navigation", "## Startup and Code Execution", "## Help and Preferences",
        "## idlelib",
    ]  # fmt: skip


def test_how_many_sections_has_it(idle):
    assert idle()["count"] == 46


def sql(idle, query):
    return shown_rows(idle(mode="sql", query=query))


def test_which_menus_are_there(idle):
    rows = sql(idle, "SELECT heading FROM result WHERE heading LIKE '% menu (%' ORDER BY heading")
    names = [row["heading"].partition(" ")[0] for row in rows]
    assert names == ["Debug", "Edit", "File", "Format", "Help", "Options", "Run", "Shell", "Window"]


def test_how_many_changes_can_be_undone(idle):
    (path,) = [path for path, told in idle()["contents"].items() if "Edit menu" in told]
    assert "A maximum of 1000 changes may be undone." in idle(path=f"{path}/text", mode="full")


def test_which_section_tells_of_antivirus_programs(idle):
    (found,) = sql(idle, "SELECT heading FROM result WHERE text LIKE '%antivirus%'")
    assert found == {"heading": "Startup failure"}


def test_which_sections_have_code(idle):
    rows = sql(idle, "SELECT heading FROM result WHERE code IS NOT NULL")
    assert [row["heading"] for row in rows] == ["Command line usage", "User output in Shell"]


def test_what_is_the_command_line(idle):
    assert idle(path="/29/code/0/text", mode="full").startswith("idle.py [-c command]")


def test_how_many_lines_of_context_are_there_at_most(idle):
    found = idle(mode="search", query="defaults to 15")
    assert [item["path"].partition("/text")[0] for item in found["items"]] == ["/25"]


def test_which_is_the_next_topic(idle):
    assert idle(path="/3", mode="full")["heading"] == "Next topic"
    assert idle(path="/3/text", mode="full") == "Development Tools (development.html)"


# -- tables ----------------------------------------------------------------------------------------


def test_sql_reads_a_table_of_a_page(reader):
    probe = reader.offer(f"<!doctype html><html><body><h1>Plans</h1>{TABLE}</body></html>").value
    assert probe["tables"] == {"plans": "[300 × {name, n}] at /0/tables/plans"}
    query = "SELECT sum(n) AS total FROM result WHERE name LIKE 'n1%'"
    told = reader.look(probe["continuation_token"], path="/0/tables/plans", mode="sql", query=query)
    assert told["items"] == [{"total": sum(n for n in range(300) if str(n).startswith("1"))}]


def test_a_page_inside_a_value_is_read_where_path_points_at_it(reader):
    page = f"<html><body><h1>Plans</h1>{TABLE}</body></html>"
    probe = reader.offer({"status": 200, "body": page}).value
    token = probe["continuation_token"]
    told = reader.look(
        token, path="/body/0/tables/plans", mode="sql", query="SELECT count(*) AS n FROM result"
    )
    assert told["items"] == [{"n": 300}]
    assert reader.reply(token, path="/body/~text", mode="full").text == page


def test_the_text_of_a_page_stays_the_text(reader):
    page = f"\ufeff<html>\r\n<body><h1>Plans</h1>{TABLE}\r\n</body></html>\r\n"
    token = reader.offer(page).value["continuation_token"]
    assert reader.reply(token, mode="full").text == page
