"""Takes from servers of databases, spreadsheets and documents."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.material import MODULES, books, customers, handbook, orders, texts
from corpus.questions import Fields, Take, count, lines_with, search, sql, tally, total_of, where
from corpus.stand_ins import SUPABASE_ORDERS
from corpus.takes_files import FOLDER, order_questions, pod_questions

_ALL = "SELECT * FROM orders ORDER BY order_id"
_LOAD = f"CREATE TABLE orders AS FROM read_csv('{FOLDER}/orders.csv')"


def takes() -> Iterator[Take]:
    yield from _sqlite()
    yield from _duckdb()
    yield from _services()
    yield from _workbooks()
    yield from _documents()


def unnamed_order_questions(path: str = "") -> list[Fields]:
    """Return questions of orders that are lists, so that their columns are `c1`, `c2` and so on."""
    large = where(orders(), lambda row: row["quantity"] > 10)
    lyon = where(orders(), lambda row: row["city"] == "Lyon")
    return [
        count(
            "How many orders have more than 10 pieces?",
            "typeof(c6) = 'integer' AND c6 > 10",
            large,
            path,
        ),
        count("How many orders are from Lyon?", "c4 = 'Lyon'", lyon, path),
    ]


def _sqlite() -> Iterator[Take]:
    yield Take("sqlite", "orders", "read_query", {"query": _ALL}, "python repr", order_questions())
    silent = where(customers(), lambda row: row["telephone"] is None)
    yield Take(
        "sqlite",
        "customers",
        "read_query",
        {"query": "SELECT * FROM customers"},
        "python repr with None",
        [
            count("How many customers have no telephone?", "telephone IS NULL", silent),
            sql(
                "How many customers has each city?",
                "SELECT city, count(*) AS n FROM result GROUP BY city ORDER BY city",
                tally(customers(), "city"),
            ),
        ],
    )


def _duckdb() -> Iterator[Take]:
    yield Take(
        "motherduck",
        "orders",
        "execute_query",
        {"sql": _ALL},
        "indented json of columns and rows, as text and as a string in structuredContent",
        unnamed_order_questions("/rows"),
        before=[("execute_query", {"sql": _LOAD})],
    )
    yield Take(
        "duckdb",
        "orders",
        "query",
        {"query": "SELECT * REPLACE (CAST(placed AS VARCHAR) AS placed) FROM orders"},
        "python repr of tuples",
        unnamed_order_questions(),
        before=[("query", {"query": _LOAD})],
    )
    lyon = where(orders(), lambda row: row["city"] == "Lyon")
    second_day = where(orders(), lambda row: row["placed"] == "2026-01-06")
    yield Take(
        "duckdb",
        "orders-with-dates",
        "query",
        {"query": _ALL},
        "python repr with dates as calls",
        [
            search("How many orders are from Lyon?", "Lyon", len(lyon)),
            count("How many orders are from 6 January?", "c2 = '2026-01-06'", second_day),
        ],
    )


def _services() -> Iterator[Take]:
    rows = orders(SUPABASE_ORDERS)
    large = where(rows, lambda row: row["amount"] > 500)
    returned = total_of(where(rows, lambda row: row["status"] == "returned"), "amount")
    yield Take(
        "supabase",
        "orders",
        "execute_sql",
        {"query": f"{_ALL} LIMIT {SUPABASE_ORDERS}"},
        "json between tags, in a string of an object",
        [
            count("How many orders are above 500?", "amount > 500", large, "/result"),
            sql(
                "What are the returned orders worth?",
                "SELECT round(sum(amount), 2) AS worth FROM result WHERE status = 'returned'",
                [{"worth": returned}],
                "/result",
            ),
        ],
    )
    yield Take("kubernetes", "pods", "pods_list", {}, "columns", pod_questions())


def _workbooks() -> Iterator[Take]:
    book = f"{FOLDER}/orders.xlsx"
    yield Take(
        "excel",
        "orders",
        "read_range",
        {"path": book, "sheet": "Orders", "max_cells": 10_000},
        "json of lists, with equal structuredContent",
        unnamed_order_questions("/values"),
    )
    lyon = where(orders(), lambda row: row["city"] == "Lyon")
    yield Take(
        "excel",
        "cells",
        "find_cells",
        {"path": book, "query": "Customer 0", "max_results": 1_000},
        "json object of many keys",
        [
            search(f"Which cells have {name}?", name, _orders_of(name))
            for name in ("Customer 007", "Customer 042")
        ],
    )
    yield Take(
        "excel-negokaz",
        "orders",
        "excel_read_sheet",
        {"fileAbsolutePath": book, "sheetName": "Orders", "range": "A1:I501"},
        "html table between headings",
        [
            count("How many orders are from Lyon?", "D = 'Lyon'", lyon, "/1/tables/sheet_data"),
            sql(
                "How many lines has the sheet?",
                "SELECT count(*) AS n FROM result",
                [{"n": 501}],
                "/1/tables/sheet_data",
            ),
        ],
    )
    yield Take(
        "markitdown",
        "orders-from-xlsx",
        "convert_to_markdown",
        {"uri": f"file://{book}"},
        "markdown table after a heading, NaN for nothing",
        order_questions(),
    )
    yield Take(
        "markitdown",
        "orders-from-csv",
        "convert_to_markdown",
        {"uri": f"file://{FOLDER}/orders.csv"},
        "markdown table",
        [
            *order_questions(),
            search("How many orders are from Lyon?", "| Lyon |", len(lyon), "/~text"),
            search("Which order is 10321?", "| 10321 |", 1, "/~text"),
        ],
    )


def _orders_of(customer: str) -> int:
    return len(where(orders(), lambda row: row["customer"] == customer))


def _documents() -> Iterator[Take]:
    file = f"{FOLDER}/handbook.docx"
    lines = [line for title, paragraphs in handbook() for line in (title, *paragraphs)]
    gauge = sum(line.count("gauge house") for line in lines)  # the lines are long
    yield Take(
        "word",
        "handbook",
        "get_document_text",
        {"filename": file},
        "prose",
        [
            search("Which chapters are there?", "Chapter ", len(handbook())),
            search("Where is the gauge house named?", "gauge house", gauge),
        ],
    )
    titles = [{"text": title} for title, _ in handbook()]
    # The document ends with an empty paragraph, after its table.
    plain = ["", *(text for _, paragraphs in handbook() for text in paragraphs)]
    headings = "SELECT text FROM result WHERE style = 'Heading 1' ORDER BY \"index\""
    yield Take(
        "word",
        "outline",
        "get_document_outline",
        {"filename": file},
        "indented json, one object with two lists",
        [
            sql("Which chapters are there?", headings, titles, "/paragraphs"),
            count(
                "How many paragraphs are not headings?", "style = 'Normal'", plain, "/paragraphs"
            ),
        ],
    )
    yield Take(
        "word",
        "document-xml",
        "get_document_xml",
        {"filename": file},
        "xml in one line",
        [
            search("Which chapters are there?", "Chapter ", len(handbook())),
            search("Where is the table?", "w:tbl", 1),
        ],
    )
    yield Take(
        "markitdown",
        "handbook-from-docx",
        "convert_to_markdown",
        {"uri": f"file://{file}"},
        "markdown: prose, then a small table",
        [
            search("Which chapters are there?", "# Chapter ", len(handbook())),
            search("How long is shelf A7?", "| A7 |", 1),
            sql(
                "How many chapters are there, and what is the last?",
                "SELECT count(*) AS n, max(heading) FILTER (WHERE heading LIKE '% 24:%') AS last "
                "FROM result",
                [{"n": len(handbook()), "last": handbook()[-1][0]}],
            ),
        ],
    )
    cellar = where(books(), lambda row: row["shelf"] == "cellar")
    yield Take(
        "markitdown",
        "books-from-html",
        "convert_to_markdown",
        {"uri": f"file://{FOLDER}/books.html"},
        "markdown table between paragraphs",
        [
            count("How many books are in the cellar?", "shelf = 'cellar'", cellar),
            search("Who has the key?", "librarian", 1),
        ],
    )


def code_takes() -> Iterator[Take]:
    """Yield takes of servers that search source code."""
    sources = [texts()[f"basin/rules_{number:02}.py"] for number in range(MODULES)]
    roots = [lines_with(source, "math.sqrt") for source in sources]
    yield Take(
        "code-index",
        "matches",
        "search_code_advanced",
        {"pattern": "math.sqrt", "max_results": 500},
        "indented json with equal structuredContent",
        [
            count(
                "How many matches are in rules_03.py?",
                "file LIKE '%rules_03.py'",
                range(roots[3]),
                "/results",
            ),
            sql(
                "How many matches are there?",
                "SELECT count(*) AS n FROM result",
                [{"n": sum(roots)}],
                "/results",
            ),
        ],
        before=[("set_project_path", {"path": f"{FOLDER}/basin"})],
    )
    yield Take(
        "tree-sitter",
        "matches",
        "find_text",
        {"project": "basin", "pattern": "math.sqrt", "max_results": 500, "context_lines": 1},
        "one text block of indented json for each match, with structuredContent",
        [
            count("How many matches are in rules_03.py?", "file = 'rules_03.py'", range(roots[3])),
            sql(
                "How many matches are there?",
                "SELECT count(*) AS n FROM result",
                [{"n": sum(roots)}],
            ),
        ],
        before=[("register_project_tool", {"path": f"{FOLDER}/basin", "name": "basin"})],
    )
