"""Pages that are broken, cut off, huge or hostile: read as far as they go, in linear time."""

from __future__ import annotations

import json

import pytest
from html_oracle import sections_of

from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data

START = "<!doctype html><html><body>"
CUT_OFF = "The page may be cut off: it lacks </{}>."
INSIDE = "The page may be cut off: it ends inside a tag, a comment or a script."


def read(text):
    """Return the document of a text and its decoded rows. The text must come back to the byte."""
    document = read_text_with_data(text)
    parts = [row for block in document.blocks for row in block]
    whole = document.prefix + document.joint.join(parts) + document.suffix
    assert whole == rawjson.utf8(text)
    return document, decoded(document, parts)


def only(text):
    document, (row,) = read(text)
    assert document.format == "html"
    return document, json.loads(row)


# -- cut off ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "notice"),
    [
        ("<p>a", CUT_OFF.format("html")),
        ("<p>a<img src=", INSIDE),
        ("<p>a<a href='/some/pa", INSIDE),
        ("<p>a<!-- not", INSIDE),
        ("<p>a<script>let x = '<b>'", INSIDE),
        ("<p>a<style>b {", INSIDE),
    ],
)
def test_a_page_that_is_cut_off_is_read_with_a_notice(end, notice):
    document, row = only(START + end)
    assert row["text"] == "a"
    assert document.notices == (notice,)


def test_a_page_that_is_all_there_has_no_notice():
    assert only(START + "<p>a<p>b<ul><li>c</body></html>")[0].notices == ()
    parts = "<h1>a</h1><p>b</p><p>c</p>"
    assert read(parts)[0].notices == ()
    assert read(parts + "<div>d")[0].notices == (CUT_OFF.format("div"),)


def test_a_table_that_is_cut_off_is_a_table():
    _, row = only(START + "<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td")
    assert row["tables"]["table"] == [{"a": 1, "b": 2}, {"a": 3, "b": 4}, {"a": 5, "b": None}]


def test_a_page_made_by_scripts_says_so():
    document, row = only(
        START + f"<div id=root></div><script>{'x = 1;' * 1_000}</script></body></html>"
    )
    assert row["text"] == ""
    assert document.notices == (
        "The page has little text of its own: scripts may write the rest. /~text has all of it.",
    )


def test_one_lost_quote_does_not_hide_the_rest():
    _, rows = sections_of(START + "<p title='it>a</p><h1>One</h1><p>b</p></body></html>")
    assert [row["heading"] for row in rows] == ["", "One"]


# -- odd characters --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entity", "shown"),
    [
        ("&#xD800;", "\ufffd"),
        ("&#1114112;", "\ufffd"),
        ("&#" + "9" * 100_000 + ";", "\ufffd"),
        ("&#x" + "9" * 100_000 + ";", "\ufffd"),
        ("&#" + "0" * 100_000 + "65;", "\ufffd"),
        ("&notanentity;", "¬anentity;"),
        ("&", "&"),
        ("&amp;lt;", "&lt;"),
        ("a\0b", "a\0b"),
    ],
    ids=lambda value: value[:20],
)
def test_entities_never_fail(entity, shown):
    assert only(START + f"<p>{entity}</p></body></html>")[1]["text"] == shown


def test_half_of_a_surrogate_pair_is_kept():
    _, (row,) = read(
        START + "<h1>\ud800</h1><table><tr><th>\udfff<tr><td>\ud800</table></body></html>"
    )
    assert rb"\ud800" in row
    assert rb"\udfff" in row


# -- spans -----------------------------------------------------------------------------------------


def table_of(rows):
    tables = only(START + f"<table>{rows}</table></body></html>")[1].get("tables")
    return tables["table"] if tables else None


def test_a_colspan_of_a_million_takes_no_room():
    rows = "<tr><th>a<th>b<tr><td colspan=1000000>x<tr><td>1<td>2"
    assert table_of(rows) == [{"a": "x", "b": None}, {"a": "1", "b": 2}]
    assert table_of("<tr><th colspan=1000000>a<tr><td colspan=99999999999999999999>x") == [
        {"a": "x"}
    ]


def test_spans_that_are_no_numbers_are_one():
    assert table_of("<tr><th>a<th>b<tr><td colspan=x rowspan=-5>1<td>2") == [{"a": 1, "b": 2}]


def test_a_rowspan_of_0_goes_to_the_end_of_its_group():
    rows = "<tr><th>a<th>b<tbody><tr><td rowspan=0>x<td>1<tr><td>2<tbody><tr><td>y<td>3"
    assert table_of(rows) == [{"a": "x", "b": 1}, {"a": "x", "b": 2}, {"a": "y", "b": 3}]


def test_spans_that_overlap_are_each_read_once():
    rows = "<tr><th>a<th>b<th>c<tr><td>1<td rowspan=9>2<td>3<tr><td colspan=2>4<td>5<tr><td>6<td>7<td>8"
    assert table_of(rows) == [
        {"a": 1, "b": 2, "c": 3},
        {"a": 4, "b": None, "c": 5},
        {"a": 6, "b": 7, "c": 8},
    ]


def test_spans_that_would_fill_the_memory_make_no_table():
    assert (
        table_of(
            "<tr><th>a" + "<tr>" + "<td rowspan=65534 colspan=1000>x" * 50 + "<tr><td>y" * 20_000
        )
        is None
    )
    assert table_of("<tr>" + "<th>n" * 1_900 + "<tr><td>x" * 20_000) is None


def test_long_names_of_columns_are_not_repeated_in_each_row():
    names = "".join(f"<th>{'n' * 90}{number}" for number in range(500))
    (first, *_) = table_of(f"<tr>{names}" + ("<tr>" + "<td>" * 500) * 100)
    assert [*first][:2] == ["c1", "c2"]


# -- size and time ---------------------------------------------------------------------------------


def test_twenty_megabytes_in_one_line_stay_lines():
    document, _ = read(START + "<p>word</p>" * 1_900_000)
    assert document.format == ""
    assert document.notices[0].startswith(
        "The text looks like html, but it has 20,900,027 bytes, and at most 10,000,000 are read."
    )


def test_three_megabytes_in_one_line_are_read():
    text = (
        START
        + "<p>word</p>" * 140_000
        + "<h1>One</h1>"
        + "<p>word</p>" * 140_000
        + "</body></html>"
    )
    document, rows = read(text)
    assert (document.format, len(rows)) == ("html", 2)


def test_too_many_headings_are_lines():
    document, _ = read(START + "<h1>a</h1>" * 100_001)
    assert "it has 100,002 headings, and at most 100,000 are read" in document.notices[0]


@pytest.mark.parametrize(
    ("tag", "count"),
    [
        ("div", 100_000), ("ul><li", 20_000), ("table><tr><td", 20_000), ("b", 20_000), ("a href=x", 20_000),
        ("pre", 20_000), ("template", 20_000), ("h1><table", 20_000),
    ],
)  # fmt: skip
def test_many_thousand_elements_inside_each_other(tag, count):
    text = START + f"<{tag}>" * count + "x" + "</div>" * count
    document, rows = read(text)
    assert document.format == "html"
    assert sum(map(len, rows)) < len(text)


UNITS = (
    "<", "<a ", '<a b="', "<a b='", "<a b=", "<!--", "<!", "</", "<script>", "<script", "<![CDATA[", "<td>", "<tr><td>",
    "<table>", "<table><tr><th>a<tr><td>b</table>", "<td colspan=1000>", "<tr><td rowspan=65534>", "&#", "&", "<pre>",
    "<template>", "<title>", "<h1>", "\0", "<sup>a", "<caption>", "{{", "{% x", "<%", "<tr ", "<tr><td>x</td>", "<td title='",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_page_of_one_piece_again_and_again_ends(unit):
    """In time that is not linear, this would take hours."""
    read(START + unit * (1_000_000 // len(unit)))


def test_ten_megabytes_of_opening_brackets():
    document, _ = read("<" * 10_000_000)
    assert document.format == ""
    read(START + "<" * 1_000_000)
