"""Markdown is read as CommonMark says, certainly or not at all, exactly, and in linear time."""

from __future__ import annotations

import importlib.metadata
import json
import re
import sysconfig
from bisect import bisect_right
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_oracle import markdown_it_reading

from corpus import recordings
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data
from penstock.core.results.formats.markdown import signs
from penstock.core.results.formats.markdown.blocks import markdown_blocks
from penstock.core.results.formats.markdown.format import FORMAT
from penstock.core.results.formats.markdown.inline import plain

ROOT = Path(__file__).parents[4]
HANDBOOK = """---
title: Pumps
tags: [a, b]
---
Before all headings.

# The pumps

They pump. See [the manual](https://example.com).

```sh
# no heading
make pump
```

Limits
------

| plan | calls | code | note |
|:-----|------:|------|------|
| free | 100 | 007 | a \\| b |
| `pro` | 2.50 | 1 | - |
| last | NA |

> # no heading either

## Limits #

1. An item with code:

   ```py
   print("x")
   ```

    indented
"""


def read(text):
    document = read_text_with_data(text)
    parts = [row for block in document.blocks for row in block]
    assert (document.prefix + document.joint.join(parts) + document.suffix).decode() == text
    is_read = document.format == "markdown"
    return document, [json.loads(row) for row in decoded(document, parts)] if is_read else []


def test_a_document_in_sections():
    document, sections = read(HANDBOOK)
    assert document.format == "markdown"
    assert [(one["level"], one["heading"]) for one in sections] == [
        (0, ""), (1, "The pumps"), (2, "Limits"), (2, "Limits"),
    ]  # fmt: skip
    assert sections[0]["text"] == HANDBOOK.partition("# The pumps")[0]
    assert sections[1]["text"].startswith("\nThey pump.")
    assert sections[1]["code"] == [{"language": "sh", "text": "# no heading\nmake pump"}]
    assert sections[2]["tables"] == {
        "limits": [
            {"plan": "free", "calls": 100, "code": "007", "note": "a | b"},
            {"plan": "pro", "calls": 2.5, "code": "1", "note": "-"},
            {"plan": "last", "calls": None, "code": None, "note": None},
        ]
    }
    assert sections[3]["code"] == [{"language": "py", "text": 'print("x")'}]
    assert document.notices == ("In columns of numbers, NA is null.",)
    contents = json.loads(document.contents[0])
    assert contents["contents"] == {"/1": "# The pumps", "/2": "## Limits", "/3": "## Limits"}
    assert contents["tables"] == {
        "limits": "[3 × {plan, calls, code, note}] at /2/tables/limits",
    }


def test_a_document_without_a_text_before_its_first_heading():
    text = "\n\n" + HANDBOOK.partition("headings.\n\n")[2]
    document, sections = read(text)
    assert document.prefix == b"\n\n"
    assert sections[0]["heading"] == "The pumps"


@pytest.mark.parametrize(
    "start", ["    # code\n\n", "\n    # code\n", "\n---\n```\n# code\n```\n---\n\n"]
)
def test_the_start_of_a_document_is_read_as_it_stands(start):
    _, (first, *_) = read(start + HANDBOOK.partition("headings.\n\n")[2])
    assert (first["level"], first["text"]) == (0, start)
    assert [one["text"] for one in first["code"]] == ["# code"]


def test_windows_line_ends_and_a_byte_order_mark():
    document, sections = read("\ufeff" + HANDBOOK.replace("\n", "\r\n"))
    assert document.format == "markdown"
    assert [one["heading"] for one in sections] == ["", "The pumps", "Limits", "Limits"]
    assert sections[1]["code"][0]["text"] == "# no heading\nmake pump"
    assert sections[2]["tables"]["limits"][0]["note"] == "a | b"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("`a_b` and **bold**", "a_b and bold"),
        ("[v1.2](https://x.org/?a=1) *new*", "v1.2 new"),
        ("[![badge](b.svg)](x) Title", "badge Title"),
        ('<a id="x"></a>Anchor', "Anchor"),
        ("snake_case_name * 2", "snake_case_name * 2"),
        ("order\\_id", "order_id"),
        ("`**`", "**"),
        ("[`fs`](#fs): more", "fs: more"),
        ("[1.0] - 2020", "[1.0] - 2020"),
    ],
)
def test_a_heading_is_shown_without_marks(source, words):
    assert plain(source) == words


def test_more_cells_than_names_stay_in_the_last_and_quotes_are_text():
    _, sections = read(HANDBOOK + '\n## T\n\n|a|b|\n|-|-|\n|1|2|3|\n|"4"|5\n')
    assert sections[-1]["tables"] == {"t": [{"a": "1", "b": "2|3"}, {"a": '"4"', "b": "5"}]}


def test_several_tables_of_a_section_have_names_of_their_own():
    table = "|a|b|\n|-|-|\n|1|2|\n\n"
    _, sections = read(HANDBOOK + "\n## Of 2026\n\n" + table * 3)
    assert [*sections[-1]["tables"]] == ["of_2026", "of_2026_2", "of_2026_3"]


# -- against markdown-it ---------------------------------------------------------------------------


def own_reading(text):
    """Return headings, fences, other code and tables, as the oracle has them."""
    data = text.encode()
    starts = [0, *(found.end() for found in re.finditer(b"\n", data))]
    headings, fences, code, tables = [], [], [], []
    for block in markdown_blocks(data, keeps_lines=True):
        line = bisect_right(starts, block.start) - 1
        lines = b"\n".join(block.lines).decode().rstrip("\n")
        if block.kind == "heading":
            headings.append((line, block.level, " ".join(block.info.decode().split())))
        elif block.kind == "table":
            tables.append((line, len(block.lines)))
        elif block.is_fenced:
            fences.append((line, block.info.decode(), lines))
        elif block.kind == "code":
            code.append((line, lines))
    return headings, fences, code, tables


def expected(text):
    found = markdown_it_reading(text)
    tables = [(line, len(rows)) for line, rows in found.tables]
    return found.headings, found.fences, found.code, tables


def real_documents():
    """Yield the Markdown of installed packages: their files, and the descriptions of distributions."""
    folders = [Path(sysconfig.get_path("purelib")), ROOT / "docs", ROOT / "tests/node/node_modules"]
    for folder in folders:
        for path in sorted([*folder.rglob("*.md"), *folder.rglob("*.markdown")]):
            if path.stat().st_size < 100_000:
                yield path.read_text(errors="replace")
    for one in importlib.metadata.distributions():
        if (one.metadata.get("Description-Content-Type") or "").startswith("text/markdown"):
            yield str(one.metadata.get("Description") or one.metadata.get_payload())


@pytest.fixture(scope="module")
def documents():
    found = {text.replace("\r\n", "\n") for text in real_documents()}
    return sorted(text for text in found if "\r" not in text and "\0" not in text)


def test_real_documents_are_read_as_markdown_it_reads_them(documents):
    assert len(documents) > 60
    headings = 0
    for text in documents:
        assert own_reading(text) == expected(text)
        headings += len(expected(text)[0])
    assert headings > 500


def test_most_real_documents_are_recognised_and_all_come_back(documents):
    of_several = [text for text in documents if len(markdown_it_reading(text).headings) > 1]
    recognised = 0
    for text in of_several:
        document, sections = read(text)
        if document.format == "markdown":
            recognised += 1
            oracle = markdown_it_reading(text)
            titles = [(one["level"], one["heading"].split()) for one in sections if one["level"]]
            assert titles == [(level, plain(title).split()) for _, level, title in oracle.headings]
            code = sum(len(one.get("code", ())) for one in sections)
            assert code == len(oracle.fences + oracle.code)
            assert_tables_alike(sections, oracle.tables)
    assert recognised > 0.85 * len(of_several)


def assert_tables_alike(sections, tables):
    own = [rows for one in sections for rows in one.get("tables", {}).values()]
    assert len(own) == len(tables)
    for rows, (_, (names, *cells)) in zip(own, tables, strict=True):
        assert len(rows) == len(cells)
        for row, oracle in zip(rows, cells, strict=True):
            assert len(row) == len(names)
            for value, cell in zip(row.values(), oracle, strict=True):
                if isinstance(value, (int, float)):
                    assert float(cell) == value
                elif value is not None and re.fullmatch(r"[\w .,:/()-]*", cell):
                    assert value == cell


LINES = st.sampled_from(
    ["# a", "## b #", "###### c", "#x", "text", "more text", "a | b", "| a | b |", "|---|---|", "--- | ---",
     "---", "===", "- item", "- ", "* x", "1. one", "2. two", "10) ten", "> quote", ">", "> # h", "> ```",
     "> - a", "```", "```py", "~~~", "````", "    code", "  two", "   three", "     five", "\tcode", "", "", "",
     "<!-- c", "-->", "<div>", "</div>", "<b>", "<b>x", "<pre>", "</pre>", "***", "- - x", "[a]: /x",
     "  # in item", "  ```", "   ```", "    ```", "-\tx", "1.  x", "   para", "\t\tx", "> \tq", "| x |",
     " | y | z", "- # h", "* * *", "a\\|b | c", "**b**", "_i_", "`c`", "[l](x)", "12 x", "|", ":-", "é",
     "<a b='>'>", '<a b=">">x', "<a>  x", "</a>", "<i", "<img a=1 b>", "+x", "-x", "=x", "~x", "~~x~~", "1.5 x",
     "-|-", "- +x", "- 1.5", "- a\n  b", "1. a\nlazy"]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=14).map("\n".join)


@given(TEXTS)
def test_any_lines_are_read_as_markdown_it_reads_them(text):
    assume(not text.startswith("---"))  # front matter, which CommonMark does not know
    assert own_reading(text) == expected(text)


@given(TEXTS, st.sampled_from(["\n", "\r\n"]))
def test_sections_read_at_once_have_the_same_blocks(text, newline):
    data = text.replace("\n", newline).encode()
    with_texts = markdown_blocks(data, keeps_lines=True, has_texts=True)
    without = [block for block in with_texts if block.kind != "text"]
    assert [*markdown_blocks(data, keeps_lines=True)] == without


@given(TEXTS)
def test_a_section_alone_is_read_as_in_its_document(text):
    """Rows are decoded one by one, in another process."""
    data = (
        "# The title\n\nSome *words*, and [more](x).\n\n## Second\n\nAnd a `word`.\n\n" + text
    ).encode()
    cut = FORMAT.recognise(data)
    assume(cut is not None)
    rows = [row for block in cut.blocks for row in block]
    assert cut.prefix + b"".join(rows) + cut.suffix == data
    alone = [json.loads(row) for row in FORMAT.decode(rows, cut.reading)]
    whole = [*markdown_blocks(data, keeps_lines=True)]
    code = [b"\n".join(block.lines).decode() for block in whole if block.kind == "code"]
    assert [block["text"] for row in alone for block in row.get("code", ())] == code
    tables = [len(block.lines) - 1 for block in whole if block.kind == "table"]
    assert [len(rows) for row in alone for rows in row.get("tables", {}).values()] == tables
    assert len(alone) == sum(1 for block in whole if block.kind == "heading")


@given(st.text(alphabet="#-=|`~> \n\t*_1.<![]\\ab\r\ud800", max_size=60), st.integers(0, 400))
def test_a_damaged_document_comes_back(noise, at):
    text = HANDBOOK[:at] + noise + HANDBOOK[at:]
    document = read_text_with_data(text)
    parts = [row for block in document.blocks for row in block]
    joined = document.prefix + document.joint.join(parts) + document.suffix
    assert joined.decode("utf-8", "surrogatepass") == text
    decoded(document, parts)


# -- short documents -------------------------------------------------------------------------------

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
DOCUMENTS = {
    "tables and a word": f"# Doc\n\nText\n\n## Limits\n\n{TABLE}## Other\n\n{TABLE}",
    "lists": "# Changelog\n\n## 1.0.2\n\n- item\n- item\n\n## 1.0.1\n\n- fix\n",
    "lists without empty lines": "# Changes\n## 1.0.1\n### Fixed\n- Fix it\n- More\n## 1.0.0\n- First\n",
    "links in two lines": "# Changes\n\n## v2\n\n" + "- Fix [it](https://x.org\n/a/b)\n" * 5,
    "sentences": "# Issue 1\n\nA sentence.\n\n# Issue 2\n\nA sentence.\n",
    "30 sentences": "".join(f"# Issue {n}\n\nA sentence.\n\n" for n in range(30)),
    "pairs": "".join(f"## Host {n}\n\n- cpu: {n}\n- memory: 2\n\n" for n in range(9)),
    "sentences without empty lines": "".join(f"## Issue {n}\nA sentence.\n" for n in range(9)),
    "a title below a fence": "Title\n=====\n\nSome words.\n\n```js\nx()\n```\nLicense\n-------\n\nIt is free.\n",
    "code in titles": "# match\n\nSome words.\n\n## API\n\n### m = match(a, b)\n\nReturn it.\n\n### r = range(a)\n\nReturn it.\n",
    "code and a word": "# wrap\n\nWraps functions\n\n## Usage\n\n```js\nwrap(x)\n```\n",
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_short_document_is_read(name):
    document, sections = read(DOCUMENTS[name])
    assert document.format == "markdown"
    assert len(sections) == len(markdown_it_reading(DOCUMENTS[name]).headings)


# -- texts that are none ---------------------------------------------------------------------------


NOT_DOCUMENTS = {
    "a shell script": "# Install it\napt-get install x\n\n# Start it\nsystemctl start x\n" * 9,
    "a script with sections": "## Setup\n\nexport A=1\n\n## Run\n\nmake all\n\n# done\n" * 9,
    "a shebang": "#!/bin/sh\n\n# Title\n\nSome words here.\n\n## Second\n\nMore words.\n",
    "gitignore": "# Logs\nlogs\n*.log\n\n# Caches\n.cache\n.mypy_cache\n\n# Builds\nbuild/\n" * 5,
    "ini": "# The server.\n[server]\nhost = localhost\n\n# The log.\n[log]\nlevel = info\n" * 5,
    "yaml": "# Playbook\n\n- name: install\n  apt: name=x\n\n# Second\n\n- name: start\n  service: x\n" * 5,
    "dockerfile": "# Base\nFROM x:1\n\n# Dependencies\nRUN apt-get update\n\n# Start\nCMD run\n" * 5,
    "python": "# Imports\n\nimport os\nimport re\n\n# Names\n\nA = 1\nB = 2\n" * 9,
    "yaml of pairs": "# Host\n\n- cpu: 1\n- memory: 2\n\n# Host\n\n- cpu: 2\n- memory: 4\n" * 5,
    "settings with two marks": "## Where the server listens\nlisten 80\n\n## The root.\nroot=/var\nindex=x\n" * 5,
    "a script with two marks": "## Read it\nx <- read(1)\ny <- 2\n## Plot it\nplot(x)\n" * 9,
    "a snapshot of a page": "### Page\n- URL: x\n### Snapshot\n```yaml\n" + "- cell [ref=e1]\n" * 50 + "```\n",
    "comments alone": "# one line of a comment\n# and another one\n\n# and more of it\n# to the end\n" * 5,
    "csv with comments": "# Made by us\n# in 2026\n\n# Columns\nthe,names,are\n1,2,x\n",
    "c": "# include <stdio.h>\n\n# define A 1\n\nint main(void) {\n  return 0;\n}\n" * 3,
    "a diff": "--- a/x.md\n+++ b/x.md\n@@ -1,4 +1,4 @@\n # Title\n \n-Some words.\n+More words.\n \n ## Second\n",
    "a rule of a report": "Report\n\nname  count\n----  -----\na     1\n\n# of rows: 1\n# of columns: 2\n",
    "psql": " id | name\n----+------\n  1 | a\n  2 | b\n(2 rows)\n" * 3,
    "a log": "".join(f"# {n} INFO started\n---\nit went well\n" for n in range(30)),
    "reStructuredText": "Title\n=====\n\n.. note:: Words.\n\nSecond\n------\n\nMore words here.\n",
    "AsciiDoc": "= Title\n\nSome words here.\n\n== Second\n\nMore words here.\n",
    "prose": "Some words of a sentence. And more words.\n\nA second paragraph.\n" * 9,
    "one heading": "# Title\n\nSome words, and nothing else.\n",
    "a table with a title": "# T\n\n| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 90,
    "a list": "- one\n- two\n- three\n" * 9,
    "nothing": "",
    "marks": "#\n" * 50,
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_DOCUMENTS)
def test_a_text_that_is_no_document_is_not_read_as_one(name):
    text = NOT_DOCUMENTS[name]
    assert FORMAT.recognise(text.encode()) is None
    assert read_text_with_data(text).format != "markdown"


def test_a_text_that_is_no_document_is_not_read_to_its_end(monkeypatch):
    sizes = []

    def spy(text, **options):
        sizes.append(len(text))
        return markdown_blocks(text, **options)

    monkeypatch.setattr(signs, "markdown_blocks", spy)
    text = b"@@ -1,3 +1,99999999 @@\n" + b"+x\n" * 1_000_000
    assert FORMAT.recognise(text) is None
    assert sum(sizes) <= 100_000


def test_no_file_of_code_or_settings_is_a_document():
    """Comments look like headings. These are files that others wrote."""
    library = Path(sysconfig.get_path("stdlib"))
    files = [*library.glob("*.py"), *library.glob("test/test_*.py"), *library.glob("*/*.py")]
    files += [
        *Path(sysconfig.get_path("include")).rglob("*.h"),
        *ROOT.glob("*.t*ml"),
        ROOT / "Makefile",
    ]
    files += [path for path in Path("/etc").glob("*") if path.suffix in ("", ".conf")]
    checked, wrong = 0, []
    for path in sorted({*files}):
        try:
            data = path.read_bytes()
        except OSError:
            continue
        checked += 1
        if FORMAT.recognise(data[:100_000]) is not None:
            wrong.append(str(path))
    assert checked > 500
    assert wrong == []


def test_recordings_that_are_documents():
    read_so = {
        one.name
        for one in recordings()
        if any(
            FORMAT.recognise(block["text"].encode()) is not None
            for block in one.result["content"]
            if block.get("type") == "text"
        )
    }
    # The others of markitdown are one table each.
    assert read_so == {"markitdown/handbook-from-docx", "filesystem/inventory"}


# -- bad input -------------------------------------------------------------------------------------


START = "# One\n\nSome *words*, and [more](x).\n\n## Two\n\nMore `words` here.\n\n"
BAD = {
    "quotes, nested": START + "> " * 1_000 + "deep\n",
    "quotes, 10 MB": START + ">" * 2_000_000,
    "items, nested": START + "".join("  " * n + "- item\n" for n in range(1_000)),
    "items in a line": START + "- " * 1_000 + "deep\n\n" + "\n" * 100_000,
    "items in a long line": START + "- " * 500_000 + "deep\n",
    "many marks": START + "#" * 9_000_000,
    "a long line": START + "word " * 1_900_000,
    "10 MB in a heading": START + "## " + "word [a](b) `c` " * 60_000,
    "an open fence": START + "```\n" + "# no heading\n" * 200_000,
    "fences, open in items": START + "- ```\n  x\n" * 30_000,
    "a fence of 1 MB": START + "`" * 1_000_000 + "\n# x\n" * 1_000,
    "an open comment": START + "<!-- " + "# no heading\n" * 200_000,
    "comments, open": START + "a\n\n<!--\n" * 50_000,
    "tags, open": START + "<div\n\n" * 50_000,
    "a tag of 1 MB": START + "<a " + "b " * 500_000,
    "100,000 headings": START + "".join(f"## Heading {n}\n\nText.\n\n" for n in range(100_000)),
    "pipes": START + "|" * 5_000_000 + "\n" + "|-" * 1_000_000 + "\n",
    "pipes in lines": START + "|\n" * 200_000,
    "rules of tables": START + "a | b\n--- | ---\n" * 30_000,
    "a wide table of short rows": START + "|" + "a|" * 3_000 + "\n|" + "-|" * 3_000 + "\n" + "|\n" * 100_000,
    "a long name": START + "|" + "a" * 1_000_000 + "|b|\n|-|-|\n" + "|1|2|\n" * 100_000,
    "a long underline": START + "Title\n" + "=" * 1_000_000 + "\n" + "-" * 1_000_000 + "\n",
    "underlines": START + "Title\n===\n" * 50_000,
    "brackets": START + "[" * 2_000_000 + "\n\n" + "[a]: " * 200_000,
    "open front matter": "---\n" + "a: b\n" * 300_000 + START,
    "20,000 tables": START + "|a|b|\n|-|-|\n|1|2|\n\n" * 20_000,
    "tabs": START + "\t" * 1_000_000 + "x\n" + "-\t" * 500_000,
    "blank lines in code": START + "- " * 40 + "```\n" + "\n" * 200_000,
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_takes_linear_time_and_comes_back(name):
    data = BAD[name].encode()
    cut = FORMAT.recognise(data)
    if cut is not None:
        rows = [row for block in cut.blocks for row in block]
        assert cut.prefix + b"".join(rows) + cut.suffix == data
        size = sum(map(len, FORMAT.decode(rows, cut.reading)))
        assert size < 30 * len(data) + 1_000_000
        assert sum(map(len, cut.contents)) < 20_000


def test_a_table_whose_rows_would_be_too_large_stays_text():
    prose = (
        "Some words of a sentence.\n\n" * 10
    )  # with little beside it, the text would be the table
    document, sections = read(prose + BAD["a long name"].replace("a" * 1_000_000, "a" * 99))
    assert "tables" in sections[-1]
    document, sections = read(prose + BAD["a wide table of short rows"])
    assert "tables" not in sections[-1]
    assert document.notices == ("Tables left as text, because their rows would be much larger: 1.",)


def test_a_document_of_many_megabytes_is_lines_with_a_notice():
    document = read_text_with_data("# One\n\nSome words.\n\n" * 600_000)
    assert document.shape == "lines"
    assert "at most 10,000,000 are read" in document.notices[0]
