"""HTML: sections by heading, readable text, tables as rows of objects, and nothing that only looks alike."""

from __future__ import annotations

import pytest
from html_oracle import Page, decoded_rows, sections_of
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json import rawjson
from penstock.core.results.document import read_text_with_data
from penstock.core.results.formats import FORMATS
from penstock.core.results.formats.cut import NearMiss


def page(body, head=""):
    return f"<!doctype html>\n<html><head>{head}</head>\n<body>{body}</body></html>\n"


def rows_of(body, head=""):
    return sections_of(page(body, head))[1]


def only_row(body):
    (row,) = rows_of(body)
    return row


def text_of(body):
    return only_row(body)["text"]


def table_of(body):
    (table,) = only_row(body)["tables"].values()
    return table


def notices_of(text):
    return read_text_with_data(text).notices


# -- sections --------------------------------------------------------------------------------------


def test_a_section_goes_from_its_heading_to_the_next():
    head = '<title>A &amp; B</title><meta name="Description" content="About  it.">'
    body = "<nav><a href=/x>Home</a></nav><h1>One</h1><p>a</p><div><h3>Two</h3>b</div>c"
    assert rows_of(body, head) == [
        {"level": 0, "heading": "A & B", "text": "About it.\nHome (/x)"},
        {"level": 1, "heading": "One", "text": "a"},
        {"level": 3, "heading": "Two", "text": "b\nc"},
    ]


def test_nothing_before_the_first_heading_is_no_section():
    document, rows = sections_of(page("<main><h1>One</h1>a<h2>Two</h2></main>"))
    assert [row["heading"] for row in rows] == ["One", "Two"]
    assert document.frame.text_before == b""


@pytest.mark.parametrize(
    "apart",
    [
        "<table><tr><th>a<th>b<tr><td><h2>no</h2><td>c</table>",
        "<pre>x\n<h2>no</h2></pre>",
        "<template><h2>no</h2><template></template></template>",
        "<!-- <h2>no</h2> -->",
        "<script>'<h2>no</h2>'</script>",
        "<textarea><h2>no</h2></textarea>",
        '<p title="<h2>no</h2>">x',
        "<p title='<h2>no</h2>'>x",
    ],
)
def test_a_heading_that_is_none_does_not_cut(apart):
    assert [row["heading"] for row in rows_of(f"<h1>One</h1>{apart}<h2>Two</h2>")] == ["One", "Two"]


def test_a_heading_is_the_text_that_readers_see():
    body = '<h1 id=a>On<b>e</b> &lt;<br>two <a class=mark href="#a">¶</a></h1><h2>Three (<a href=/x>x</a>)<p>y'
    assert [row["heading"] for row in rows_of(body)] == ["One < two", "Three (x)"]


def test_contents_tell_headings_and_tables():
    body = "<h1>One</h1><table><tr><th>a<th>b<tr><td>1<td>2</table><h2>One</h2><table><tr><th>c<tr><td>x</table>"
    document, _ = sections_of(page(body, "<title>T</title>"))
    assert rawjson.decode(document.contents[0]) == {
        "contents": {"/0": "T", "/1": "# One", "/2": "## One"},
        "tables": {"one": "[1 × {a, b}] at /1/tables/one", "one_2": "[1 × {c}] at /2/tables/one"},
    }


def test_text_around_a_page_is_told():
    text = "Contents of http://x:\n" + page("<h1>One</h1>a") + "\nThat was all.\n"
    document, rows = sections_of(text)
    assert rows == [{"level": 1, "heading": "One", "text": "a"}]
    frame = document.frame
    assert (frame.text_before, frame.text_after) == (b"Contents of http://x:\n", b"That was all.\n")


# -- text ------------------------------------------------------------------------------------------


def test_blocks_are_lines_and_white_space_is_as_browsers_show_it():
    body = "\n <p>a\n  b <b>c</b>d\n<p>e<br>f</p><div>g<span> h</span></div>&nbsp;i&nbsp;&#x41;&copy;<hr>j"
    assert text_of(body) == "a b cd\ne\nf\ng h\ni A©\nj"


def test_lists_are_nested_and_numbered():
    body = "<ul><li>a<ol><li>b<li>c<p>d</ol>e</li><li></li><li>f</ul>g"
    assert text_of(body) == "- a\n  1. b\n  2. c\n    d\n  e\n- f\ng"


def test_links_show_their_addresses_unless_these_tell_nothing():
    body = (
        "<a href='/a?b=1&amp;c=2'>one</a>, <a href='#x'>two</a>, <a>three</a>, <a href=javascript:x()>four</a>, "
        "<a href=http://x>http://x</a>, <a href=/y>five <a href=/z>six</a>"
    )
    assert text_of(body) == "one (/a?b=1&c=2), two, three, four, http://x, five (/y) six (/z)"


def test_raised_text_does_not_become_a_part_of_a_number():
    assert text_of("10<sup>6</sup> H<sub>2</sub>O <sup>a</sup>b") == "10^6 H_2O ab"
    assert table_of("<table><tr><th>n<tr><td>10<sup>6</sup></table>") == [{"n": "10^6"}]


def test_scripts_styles_comments_and_templates_are_no_text():
    body = "a<script>b</script><style>c</style><!-- d --><template>e<template>f</template>g</template>h"
    assert text_of(body) == "ah"
    assert text_of("a<template shadowrootmode=open>b</template>") == "ab"
    assert text_of("a<template>b") == "ab"  # it has no end


def test_images_navigation_forms_and_cdata_are_text():
    body = "<img alt='A cat'><img><nav>b</nav><button>c</button><textarea>d</textarea><![CDATA[e]]>"
    assert text_of(body) == "[image: A cat]\nb\ncde"


def test_code_keeps_its_white_space_and_its_language():
    row = only_row(
        '<p>a<pre class="language-py"><code>\nif x &lt; 1:\n    <b>y</b>\n</code></pre>b'
        '<pre><code class="hljs lang-sh">ls<br>cd</code><code>pwd</code><button>copy</button></pre>'
    )
    assert row["text"] == "a\n[code/0]\nb\n[code/1]"
    assert row["code"] == [
        {"language": "py", "text": "if x < 1:\n    y"},
        {"language": "sh", "text": "ls\ncd\npwd"},
    ]


# -- tables ----------------------------------------------------------------------------------------


def test_a_table_is_rows_with_numbers_where_a_column_has_nothing_else():
    body = (
        "<h1>Plans</h1>x<table><thead><tr><th>plan<th>calls<th>code<th>price</thead>"
        "<tr><td>free</td><td> 5 </td><td>007</td><td>1.10</td></tr>"
        "<tr><td>a &amp; b</td><td>n/a</td><td>8</td><td></td></tr></table>y"
    )
    document, (row,) = sections_of(page(body))
    assert row["text"] == "x\n[tables/plans]\ny"
    assert row["tables"]["plans"] == [
        {"plan": "free", "calls": 5, "code": "007", "price": 1.1},
        {"plan": "a & b", "calls": None, "code": "8", "price": None},
    ]
    assert document.notices == ("In columns of numbers, n/a is null.",)


def test_quotes_belong_to_a_cell():
    assert table_of('<table><tr><th>n<tr><td>"5"<tr><td>6</table>') == [{"n": '"5"'}, {"n": "6"}]


def test_a_page_that_is_one_table_has_one_section():
    document, (row,) = sections_of(
        "<table><tr><th>a</th><th>b</th></tr>" + "<tr><td>1</td><td>2</td></tr>" * 3
    )
    assert row == {
        "level": 0,
        "heading": "",
        "text": "[tables/table]",
        "tables": {"table": [{"a": 1, "b": 2}] * 3},
    }
    assert document.notices == ("The page may be cut off: it lacks </table>.",)


def test_a_caption_names_its_table():
    row = only_row(
        "<h1>X</h1><table><caption>The <a href=/y>plans</a></caption><tr><th>a<tr><td>1</table>"
    )
    assert [*row["tables"]] == ["the_plans"]


def test_the_first_row_is_names_only_if_that_is_certain():
    certain = "<table><tr><td>city<td>people<tr><td>Graz<td>5<tr><td>Lyon<td>6</table>"
    assert table_of(certain)[0] == {"city": "Graz", "people": 5}
    unsure = "<table><tr><td>city<td>land<tr><td>Graz<td>Austria</table>"
    assert table_of(unsure)[0] == {"c1": "city", "c2": "land"}


def test_names_of_rows_are_a_column():
    body = "<table><tr><th><th>A<th>A<tr><th>1<td>x<td>y<tr><th>2<td>z</table>"
    assert table_of(body) == [{"c1": 1, "A": "x", "A_2": "y"}, {"c1": 2, "A": "z", "A_2": None}]


def test_cells_span_rows_and_columns():
    body = (
        "<table><tr><th rowspan=2>city<th colspan=2>sales<tr><th>2024<th>2025"
        "<tr><td rowspan=2>Graz<td>1<td>2<tr><td>3<td>4<tr><td colspan=3>all of them</table>"
    )
    assert table_of(body) == [
        {"city": "Graz", "sales 2024": 1, "sales 2025": 2},
        {"city": "Graz", "sales 2024": 3, "sales 2025": 4},
        {"city": "all of them", "sales 2024": None, "sales 2025": None},
    ]


def test_a_foot_is_text_and_repeated_names_are_left_out():
    names = "<tr><th>a<th>b</tr>"
    body = f"<table>{names}<tr><td>x<td>1{names}<tr><td>y<td>2<tfoot><tr><td>Total<td>3</tfoot></table>"
    document, (row,) = sections_of(page(body))
    assert row["tables"]["table"] == [{"a": "x", "b": 1}, {"a": "y", "b": 2}]
    assert row["text"] == "[tables/table]\nTotal | 3"
    assert document.notices == (
        "The names of columns come again in 1 rows of tables, which are left out.",
    )


def test_links_in_cells_are_their_texts():
    body = "<table><tr><th><a href=/n>name</a><th>n<tr><td><a href=/x>Ann</a><td>1</table>"
    assert table_of(body) == [{"name": "Ann", "n": 1}]


def test_tables_that_place_texts_are_text():
    assert text_of("<table><tr><td><a href=/x>a</a><td>b</table>c") == "a (/x) | b\nc"
    assert (
        text_of("<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>") == "a | b\nc | d"
    )
    assert text_of("<table><tr><td><h3>a</h3>b<td>c<tr><td>d</table>") == "a\nb\nc\nd"


def test_a_table_in_a_table_is_a_table_of_its_own():
    inner = "<table><tr><th>a<tr><td>1</table>"
    row = only_row(f"<table><tr><td>{inner}</td><td>x</td></tr></table>")
    assert (row["text"], row["tables"]) == ("[tables/table] | x", {"table": [{"a": 1}]})
    row = only_row(f"<table><tr><th>n<th>m<tr><td>2<td>{inner}</table>")
    assert row["tables"] == {"table": [{"a": 1}], "table_2": [{"n": 2, "m": "[tables/table]"}]}


def test_plain_rows_are_read_like_others():
    """Rows without markup are read at once, and rows with some token by token."""
    cells = ["x", "&lt;y&gt;", " a\n b ", "", "7", "a > b"]
    plain = "".join(
        f"<TR class='r'> <td id=\"c\">{cell}</td><td>{cell}</TD></tr>\n" for cell in cells
    )
    marked = plain.replace("</td>", "<i></i></td>").replace("</TD>", "<i></i></TD>")
    names = "<tr><th>a</th><th>b</th></tr>"
    assert table_of(f"<table>{names}{plain}</table>") == table_of(f"<table>{names}{marked}</table>")
    assert [row["a"] for row in table_of(f"<table>{names}{plain}</table>")] == [
        "x", "<y>", "a b", None, "7", "a > b"
    ]  # fmt: skip
    assert table_of(f"<table>{names}<tr><td title='a>b'>x</td><td>y</td></tr></table>") == [
        {"a": "x", "b": "y"}
    ]


# -- what is HTML ----------------------------------------------------------------------------------

PART = "<h2>One</h2>\n<p>a</p>\n<ul><li>b</li></ul>\n"


@pytest.mark.parametrize(
    "text",
    [
        PART,
        "<!-- made by x -->\n" + PART,
        PART.upper(),
        "<HTML><BODY>" + PART,
        "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'>\n<html xmlns='y'><body>" + PART,
        page("{{ x }}" + PART),
        page("<pre>{% if %} <%= x %></pre><code>{{ a }} {{ b }} {{ c }}</code>" + PART),
        page(r"$\frac{{a}}{{b}} {{c}} ${{d}} x_{{e}}$" + PART),
        page("<script>`{{ a }} {% b %} <% c %>`</script>" + PART),
    ],
)
def test_html_is_recognised(text):
    assert read_text_with_data(text).format == "html"


NOT_HTML = {
    "prose": "<p> is a tag. Use <p> and </p> around text, and <b> for bold.\n" * 5,
    "prose about a page": "<html> is the first tag of a page. " + PART,
    "markdown": '<p align="center">\n<img src="x"></p>\n\n# Title\n\nSome text, and <b>more</b>.\n' + PART,
    "markdown in an element": "<div>\n\n## Title\n\ntext</div>\n" + PART,
    "markdown with a link": "<div>\n[x](https://y)</div>\n" + PART,
    "markdown with a page": "# Title\n\n```html\n" + page(PART) + "```\n\nMore text.\n",
    "python": 'PAGE = """\n' + page(PART) + '"""\n\n\ndef f():\n    return PAGE\n',
    "javascript": "const page = `\n" + page(PART) + "`;\n",
    "shell": "cat <<EOF\n" + page(PART) + "EOF\n",
    "jsx": "<div className={styles.x} onClick={() => 1}>\n  <p>a</p><p>b</p><p>c</p>\n</div>\n",
    "vue": '<template>\n<div v-if="x"><p>a</p><p>b</p><p>c</p></div>\n</template>\n',
    "vue without a template": '<div :class="x" @click="y"><p>a</p><p>b</p><p>c</p></div>\n',
    "angular": '<div *ngIf="x" [a]="b" (click)="c()"><p>a</p><p>b</p><p>c</p></div>\n',
    "svelte": "<div>{#if x}<p>a</p><p>b</p>{/if}<p>c</p></div>\n",
    "jinja part": "<div>{% if x %}<p>a</p><p>b</p>{% endif %}<p>{{ c }}</p></div>\n",
    "xml": "<?xml version='1.0'?>\n<books><book><title>a</title></book><book><title>b</title></book></books>\n",
    "docbook": "<article><title>x</title><para>a</para><para>b</para><para>c</para><section><title>y</title></section></article>",
    "svg": "<svg xmlns='x'><g><path d='M0'/></g><text>a</text><text>b</text></svg>",
    "generics": "<T>(x: Map<string, T>): Array<T> => x.get<T>('a');\n" * 10,
    "C++": "#include <p>\n#include <map>\nstd::map<a, b> x;\n" * 10,
    "one element": "<p>Hello</p>",
    "text outside": PART + "And this goes on outside of all elements, for many words. " * 3,
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_HTML)
def test_what_only_looks_like_html_is_not(name):
    assert FORMATS["html"].recognise(NOT_HTML[name].encode()) is None
    assert read_text_with_data(NOT_HTML[name]).format != "html"


@pytest.mark.parametrize(
    "part",
    [
        "{% block x %}", "<a href='{{ url }}'>x</a>", "<?php echo 1 ?>", "<%= x %>", "{{ a }} {{ b }} {{ c }}",
        "<a href='<?= x ?>'>x</a>", "<p class='%(name)s'>",
    ],
)  # fmt: skip
def test_a_page_with_parts_of_a_template_is_a_near_miss(part):
    found = FORMATS["html"].recognise(page("\n\n" + part + PART).encode())
    assert found == NearMiss("line 5 has a part that a template engine replaces")


# -- any text --------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["<p>", "</p>", "<div>", "</div>", "<h1>", "</h1>", "<h2 id='a'>", "</h2>", "<ul>", "<li>", "</ul>", "<table>",
     "</table>", "<tr>", "<td>", "<th>", "<td colspan=3>", "<td rowspan=2>", "</td>", "</tr>", "<thead>", "<tfoot>",
     "<caption>", "<pre>", "</pre>", "<code>", "<a href=x>", "</a>", "<br>", "<!--", "-->", "<script>", "</script>",
     "<template>", "</template>", "<title>", "</title>", "<", ">", "&", "&#xD800;", "&amp;", "&#0;", '"', "'", "=",
     '<a b="', "\0", "é", "\ud800", "1", " word ", "\n", "12,5", "n/a", "</", "<!", "<![CDATA[", "]]>", "<sup>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60))
def test_no_text_is_lost_and_nothing_is_raised(pieces):
    text = "<!doctype html><html>" + "".join(pieces)
    document = read_text_with_data(text)
    if document.format == "html":
        assert all({"level", "heading", "text"} <= {*row} for row in decoded_rows(document, text))


WORDS = st.text("abcé &<>\"'1 \n", max_size=8)
CELLS = st.lists(st.lists(WORDS, min_size=2, max_size=2), min_size=1, max_size=4)


@given(st.lists(st.tuples(st.integers(1, 6), WORDS, WORDS, CELLS), min_size=1, max_size=4))
def test_sections_and_tables_are_those_of_the_standard_library(parts):
    def escaped(text):
        return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")

    def row_of(cells, tag="td"):
        return "<tr>" + "".join(f"<{tag}>{escaped(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(
        f"<h{level}>{escaped(heading)}</h{level}><p>{escaped(text)}</p>"
        f"<table>{row_of('ab', 'th')}{''.join(map(row_of, cells))}</table>"
        for level, heading, text, cells in parts
    )
    wanted = Page(page(body))
    rows = rows_of(body)
    assert [[row["level"], row["heading"]] for row in rows] == [
        [level, " ".join(heading.split())] for level, heading in wanted.headings
    ]
    found = [[["a", "b"], *map(as_texts, *row["tables"].values())] for row in rows]
    assert found == wanted.grids


def as_texts(row):
    return ["" if row[name] is None else str(row[name]) for name in "ab"]
