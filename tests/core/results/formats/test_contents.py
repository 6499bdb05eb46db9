"""The contents of a text are kept in several lengths, and tell how much is left out."""

from __future__ import annotations

import json

from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of
from penstock.core.results.formats.sections import (
    Section,
    SectionTable,
    contents_of_sections,
    table_name,
    unique_names,
)


def forms_of(*lists, **told):
    return [json.loads(form) for form in contents_of(*lists, told=told)]


def test_a_short_list_has_one_form():
    files = ContentsList("files", [ContentsEntry("/0", "a.py +1 -0")])
    assert forms_of(files, added=1) == [{"added": 1, "files": {"/0": "a.py +1 -0"}}]


def test_a_long_list_keeps_the_entries_of_the_lowest_ranks_in_their_order():
    entries = [ContentsEntry(f"/{n}", f"heading {n}", rank=1 + n % 2) for n in range(100)]
    first, *_, last = forms_of(ContentsList("contents", entries))
    shown = [int(path[1:]) for path in last["contents"]]
    assert shown == sorted(shown)
    assert all(n % 2 == 0 for n in shown)
    assert len(shown) + last["contents_omitted"] == 100
    assert len(last["contents"]) < len(first["contents"])


def test_tables_of_sections_have_names_of_their_own():
    sections = [
        Section(0, ""),
        Section(1, "Limits", [SectionTable("limits", ["plan", "calls"], 3)]),
        Section(2, "Limits", [SectionTable("limits", ["a"], 1)]),
    ]
    first, *_ = [json.loads(form) for form in contents_of_sections(sections)]
    assert first["contents"] == {"/1": "# Limits", "/2": "## Limits"}
    assert first["tables"] == {
        "limits": "[3 × {plan, calls}] at /1/tables/limits",
        "limits_2": "[1 × {a}] at /2/tables/limits",
    }


def test_a_name_is_a_word_that_sql_can_use():
    assert table_name("What's new?") == "what_s_new"
    assert table_name("2026") == "table_2026"
    assert table_name("Result") == "table_result"
    assert table_name("sqlite_master") == "table_sqlite_master"
    assert table_name("") == "table"
    assert table_name("Limits", ["limits"]) == "limits_2"
    assert len(table_name("x" * 200)) <= 60


def test_names_stay_unique_beside_numbered_ones():
    assert unique_names(["a", "a", "a_2"]) == ["a", "a_2", "a_2_2"]


def test_many_tables_of_one_name_are_numbered_in_linear_time():
    names = unique_names(["a"] * 200_000)
    assert (names[0], names[1], names[-1]) == ("a", "a_2", "a_200000")


def test_a_list_with_a_share_leaves_room_to_the_others():
    entries = [ContentsEntry(f"/{n}", "x" * 20) for n in range(100)]
    first, *_ = forms_of(
        ContentsList("contents", entries), ContentsList("tables", entries, share=0.5)
    )
    assert len(first["tables"]) == len(first["contents"]) // 2
