"""Takes from servers of web pages and of git."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.history import AUTHORS, COUNT, commits
from corpus.material import MODULES, books, texts
from corpus.questions import Take, count, lines_with, search, sql, tally, where
from corpus.stand_ins import ADDRESS
from corpus.takes_files import FOLDER, device_questions

_MOST = 200_000
_CUT = 30_000
_TABLE = (
    "() => [...document.querySelectorAll('tbody tr')].map(row => ({title: row.cells[0].innerText, "
    "year: Number(row.cells[2].innerText), shelf: row.cells[4].innerText}))"
)


def takes() -> Iterator[Take]:
    yield from _fetched()
    yield from _browsed()
    yield from _history()


def _fetched() -> Iterator[Take]:
    page = f"{ADDRESS}/books.html"
    recent = where(books(), lambda row: row["year"] >= 2000)
    cellar = where(books(), lambda row: row["shelf"] == "cellar")
    table = "/1/tables/books_of_the_weir_library"
    shelves = "SELECT shelf, count(*) AS n FROM result GROUP BY shelf ORDER BY shelf"
    yield Take(
        "fetch",
        "books-as-markdown",
        "fetch",
        {"url": page, "max_length": _MOST},
        "markdown table without names, after a sentence",
        [
            search("How many books are in the cellar?", "| cellar |", len(cellar), "/~text"),
            search("Which book is volume 77?", "volume 77 ", 1, "/~text"),
        ],
    )
    yield Take(
        "fetch",
        "books-as-html",
        "fetch",
        {"url": page, "max_length": _MOST, "raw": True},
        "html page with one table, after two sentences",
        [
            count("How many books are from 2000 or later?", "year >= 2000", recent, table),
            sql("How many books has each shelf?", shelves, tally(books(), "shelf"), table),
            sql(
                "How many books are listed below the heading?",
                "SELECT heading, (SELECT count(*) FROM books_of_the_weir_library) AS books "
                "FROM result WHERE level = 1",
                [{"heading": "Books of the weir library", "books": len(books())}],
            ),
        ],
    )
    yield Take(
        "fetch",
        "devices",
        "fetch",
        {"url": f"{ADDRESS}/devices.json", "max_length": _MOST},
        "indented json after two sentences",
        device_questions(),
    )
    text = texts()["devices.json"][:_CUT]
    yield Take(
        "fetch",
        "devices-cut-off",
        "fetch",
        {"url": f"{ADDRESS}/devices.json", "max_length": _CUT},
        "indented json after two sentences, cut off",
        [
            search("How many devices are offline?", '"online": false', lines_with(text, "false")),
            search("Is this all?", "truncated", 1),
        ],
    )


def _browsed() -> Iterator[Take]:
    opened = [("browser_navigate", {"url": f"{ADDRESS}/books.html"})]
    cellar = where(books(), lambda row: row["shelf"] == "cellar")
    yield Take(
        "playwright",
        "books-snapshot",
        "browser_snapshot",
        {},
        "yaml in a code fence, after a list",
        [
            search("How many books are in the cellar?", 'cell "cellar"', len(cellar)),
            search("Which headings are there?", "- heading ", 1),
        ],
        before=opened,
    )
    recent = where(books(), lambda row: row["year"] >= 2000)
    yield Take(
        "playwright",
        "books-evaluated",
        "browser_evaluate",
        {"function": _TABLE},
        "indented json after a heading, with text after it",
        [
            count("How many books are from 2000 or later?", "year >= 2000", recent),
            count("How many books are in the cellar?", "shelf = 'cellar'", cellar),
        ],
    )
    yield Take(
        "playwright",
        "books-screenshot",
        "browser_take_screenshot",
        {"type": "jpeg"},
        "a text, and a jpeg image",
        [search("What did the server run?", "page.screenshot", 1)],
    )


def _history() -> Iterator[Take]:
    folder = f"{FOLDER}/repository"
    yield Take(
        "git",
        "log",
        "git_log",
        {"repo_path": folder, "max_count": COUNT},
        "git log: records of lines",
        [
            *(
                count(
                    f"How many commits did {name} make?",
                    f"Author = '{name}'",
                    where(commits(), lambda commit: commit.author == name),  # noqa: B023 (called now)
                )
                for name in AUTHORS[:2]
            ),
            count(
                "How many commits fix something?",
                "Message LIKE 'Fix %'",
                where(commits(), lambda commit: commit.subject.startswith("Fix ")),
            ),
        ],
    )
    changed = {commit.file for commit in commits()[COUNT // 2 :]}
    assert len(changed) <= MODULES
    yield Take(
        "git",
        "diff",
        "git_diff",
        {"repo_path": folder, "target": "middle"},
        "diff",
        [
            search("Which files changed?", "diff --git ", len(changed)),
            sql(
                "How many files changed, and in which folder?",
                "SELECT substr(file, 1, 6) AS folder, count(*) AS n FROM result GROUP BY folder",
                [{"folder": "basin/", "n": len(changed)}],
            ),
            search(
                "Did rules_05.py change?",
                "+++ b/basin/rules_05.py",
                int("basin/rules_05.py" in changed),
            ),
        ],
    )
    last = commits()[-1]
    yield Take(
        "git",
        "show",
        "git_show",
        {"repo_path": folder, "revision": "HEAD"},
        "a commit and its diff, small",
        [
            search("What was the last commit?", last.subject, 1),
            search("Who made it?", f"Author: {last.author}", 1),
        ],
    )
