"""Pages that others wrote: documentation, and what other programs make. The standard library's parser
tells what is on them."""

from __future__ import annotations

import calendar
import difflib
import importlib.util
import json
import pydoc
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from html_oracle import Page, sections_of, strings_in
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[4]


def npm_pages():
    npm = shutil.which("npm")
    folder = Path(npm).resolve().parents[1] / "docs" / "output" if npm else ROOT / "none"
    return sorted(folder.glob("*/*.html"))


def idle_page():
    found = importlib.util.find_spec("idlelib")
    path = Path(found.origin).with_name("help.html") if found and found.origin else ROOT / "none"
    return path if path.exists() else None


def made_pages():
    yield "calendar", calendar.HTMLCalendar().formatyearpage(2026, encoding="utf-8").decode()
    lines = [
        (ROOT / name).read_text("utf-8").splitlines()[:80]
        for name in ("README.md", "CONTRIBUTING.md")
    ]
    yield "difflib", difflib.HtmlDiff().make_file(*lines)
    yield "pydoc", pydoc.HTMLDoc().page("json", pydoc.HTMLDoc().docmodule(json))
    for path in sorted((ROOT / "docs").rglob("*.md")):
        yield (
            path.stem,
            "<!doctype html><html><body>"
            + MarkdownIt("commonmark").render(path.read_text("utf-8")),
        )
    if idle_page():
        yield "idle", idle_page().read_text("utf-8")
    for path in npm_pages():
        yield f"npm {path.stem}", path.read_text("utf-8")


PAGES = dict(made_pages())


@pytest.mark.parametrize("name", PAGES)
def test_headings_and_words_are_those_that_the_standard_library_finds(name):
    wanted = Page(PAGES[name])
    _, rows = sections_of(PAGES[name])
    headings = [(row["level"], letters(row["heading"])) for row in rows if row["level"]]
    assert headings == [(level, letters(heading)) for level, heading in wanted.headings]
    shown = letters("".join(strings_in(rows)))
    missing = {word for word in wanted.words if letters(word) not in shown}
    assert missing <= {"copy"}  # on buttons beside code


def letters(text):
    return "".join(re.findall(r"[^\W_]+", text))


def test_a_table_that_pandas_writes():
    frame = pd.DataFrame(
        {
            "name": ["a & b", "<c>", 'd "e"'],
            "n": [1, 2, 3],
            "x": [0.5, 1.25, 2.0],
            "code": ["007", "1", "2"],
        }
    )
    _, (row,) = sections_of("<p>Rows</p>" + frame.to_html(index=False))
    assert row["tables"]["table"] == frame.to_dict("records")


def test_names_in_two_lines_that_pandas_writes():
    columns = pd.MultiIndex.from_tuples([("sales", "2024"), ("sales", "2025"), ("cost", "2025")])
    frame = pd.DataFrame(
        [[1, 2, 3], [4, 5, 6]], columns=columns, index=pd.Index(["Graz", "Lyon"], name="city")
    )
    _, (row,) = sections_of("<p>Rows</p>" + frame.to_html())
    assert row["tables"]["table"] == [
        {"city": "Graz", "sales 2024": 1, "sales 2025": 2, "cost 2025": 3},
        {"city": "Lyon", "sales 2024": 4, "sales 2025": 5, "cost 2025": 6},
    ]


def test_the_calendar_has_a_table_for_each_month():
    _, (row,) = sections_of(PAGES["calendar"])
    tables = [*row["tables"].values()]
    days = [value for table in tables for week in table for value in week.values() if value]
    assert len(tables) == 12
    assert sum(str(day).isdigit() for day in days) == 365
