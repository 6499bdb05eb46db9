"""The output of `git log`: each commit is a row, as `git log --format` itself tells it."""

from __future__ import annotations

import random
import re

import pytest
from git_repository import MESSAGES
from read_texts import read
from shown_rows import shown_rows

FORMS = {
    "medium": (),
    "stat": ("--stat",),
    "wide stat": ("--stat=500", "--summary"),
    "numbers": ("--numstat",),
    "status": ("--name-status",),
    "raw": ("--raw",),
    "names": ("--name-only",),
    "short stat": ("--shortstat",),
    "patches": ("-p",),
    "patches and stat": ("-p", "--stat"),
    "patches of merges": ("-p", "--cc", "--binary"),
    "fuller": ("--pretty=fuller", "--stat"),
    "decorated": ("--decorate", "--parents"),
    "from the start": ("--reverse",),
    "iso": ("--date=iso",),
    "rfc": ("--date=rfc",),
}


def told_by_git(repository, *options):
    """Return the commit, author, email, date and message of each commit, in a form made for programs."""
    form = "--format=%H%x00%an%x00%ae%x00%aI%x00%B%x01"
    entries = repository.git("log", form, *options).split("\x01")[:-1]
    return [tuple(part.strip("\n") for part in entry.split("\0")) for entry in entries]


def told_by_rows(rows):
    return [
        tuple(row[name] for name in ("hash", "author", "email", "date", "message")) for row in rows
    ]


@pytest.mark.parametrize("name", FORMS)
def test_commits_are_those_that_git_tells(repository, name):
    found = read(repository.git("log", *FORMS[name]))
    assert (found.format, found.notices) == ("git log", ())
    assert told_by_rows(found.rows) == told_by_git(
        repository, *(one for one in FORMS[name] if one == "--reverse")
    )
    assert found.contents["time"] == {
        "first": "2026-01-02T12:00:00+01:30",
        "last": "2026-01-06T12:00:00+01:30",
    }
    assert found.contents["authors"] == {"Ann Müller": "4 commits", "Zoë": "1 commit"}


def test_windows_line_ends(repository):
    text = repository.git("log", "--stat").replace("\n", "\r\n")
    rows = read(text).rows
    assert told_by_rows(rows) == told_by_git(repository)
    assert rows == read(repository.git("log", "--stat")).rows


def test_a_message_that_quotes_a_log_starts_no_commit(repository):
    rows = read(repository.git("log", "main~2")).rows
    assert [row["message"] for row in rows] == [MESSAGES[1], MESSAGES[0]]
    assert "\ncommit 0123456789" in rows[0]["message"]


def test_a_changed_format_of_dates_is_kept_as_it_is(repository):
    found = read(repository.git("log", "--date=relative"))
    assert "ago" in found.rows[0]["date"] or "future" in found.rows[0]["date"]
    assert "time" not in found.contents
    assert "date" not in read(repository.git("log", "--pretty=short")).rows[0]


def numbers_by_git(repository, *options):
    """Return for each commit its files, with the lines added and removed, as `--numstat -z` counts."""
    entries = repository.git("log", "--format=%x01", "--numstat", "--no-renames", *options).split(
        "\x01"
    )[1:]
    return [[line.split("\t") for line in entry.split("\n") if line] for entry in entries]


def test_files_and_counts(repository):
    expected = numbers_by_git(repository)
    stat = read(repository.git("log", "--stat=500", "--no-renames")).rows
    counted = read(repository.git("log", "--numstat", "--no-renames")).rows
    status = read(repository.git("log", "--name-status", "--no-renames")).rows
    names = read(repository.git("log", "--name-only", "--no-renames")).rows
    for files, *rows in zip(expected, stat, counted, status, names, strict=True):
        number = len(files)
        assert [len(row.get("files", [])) for row in rows] == [number] * 4
        if not files:
            continue  # a merge
        lines = [(added, removed) for added, removed, _ in files if added != "-"]
        assert rows[0]["files_changed"] == number
        assert rows[0]["insertions"] == sum(int(added) for added, _ in lines)
        assert rows[0]["deletions"] == sum(int(removed) for _, removed in lines)
        given = [(file["added"], file["removed"]) for file in rows[1]["files"]]
        assert [one for one in given if one[0] is not None] == [(int(a), int(b)) for a, b in lines]
        assert {file["status"] for file in rows[2]["files"]} <= set("ADM")
        same = [[file["file"] for file in row["files"]] for row in rows]
        assert same[1:] == [same[0]] * 3


def test_renames_and_binary_files(repository):
    (row,) = [
        row
        for row in read(repository.git("log", "--name-status")).rows
        if row["message"] == MESSAGES[1]
    ]
    (renamed,) = [file for file in row["files"] if file["file"] == "d/longer"]
    assert (renamed["old_file"], renamed["status"][0]) == ("d/long", "R")
    (row,) = [
        row for row in read(repository.git("log", "--stat")).rows if row["message"] == MESSAGES[1]
    ]
    (binary,) = [file for file in row["files"] if file["file"] == "image.bin"]
    assert binary == {"file": "image.bin", "changes": None, "binary": "2000 -> 1000 bytes"}


def test_merges_refs_and_committers(repository):
    rows = read(repository.git("log", "--decorate", "--pretty=fuller")).rows
    merges = repository.git("log", "--merges", "--format=%h|%p|%cn|%ce|%cI").strip().split("|")
    (merge,) = [row for row in rows if "merge" in row]
    assert merge["merge"] == merges[1].split()
    assert [merge["committer"], merge["committer_email"], merge["commit_date"]] == merges[2:]
    assert rows[0]["refs"] == ["HEAD -> main"]
    assert [row["refs"] for row in rows if row["message"] == MESSAGES[1]] == [["tag: v1"]]


def test_notes(repository):
    repository.git("notes", "add", "-f", "-m", "seen by Bob", "main")
    row = read(repository.git("log")).rows[0]
    repository.git("notes", "remove", "main")
    assert (row["message"], row["notes"]) == (MESSAGES[2], "Notes:\nseen by Bob")


def test_the_diff_of_a_commit_is_its_text(repository):
    for options in ((), ("--stat",)):
        rows = read(repository.git("log", "-p", *options)).rows
        (row,) = [row for row in rows if row["message"] == MESSAGES[1]]
        expected = repository.git("show", "--format=", row["hash"])
        assert row["diff"] == expected.strip("\n")
        assert read(row["diff"]).format == "diff"


# -- logs that a tool has cut off --------------------------------------------------------------------


def test_a_log_with_patches_that_ends_inside_a_hunk(repository):
    text = repository.git("log", "-p", "--no-merges")
    whole = read(text).rows
    for cut in (text[: text.rindex("@@ -0,0 +1,") + 30], text[: text.rindex("@@ -0,0 +1,") + 5]):
        found = read(cut)
        line = cut.count("\n") + 1
        assert found.format == "git log"
        assert found.notices == (
            f"The text ends inside a hunk (line {line}): the last file is not complete.",
        )
        assert found.rows[:-1] == whole[:-1]
        last = found.rows[-1]["diff"]
        assert cut.rstrip("\n").endswith(last)
        assert whole[-1]["diff"].startswith(last)


def test_a_log_with_files_that_ends_inside_a_list(repository):
    text = repository.git("log", "--stat=500")
    whole = read(text).rows
    start = text.rindex(" d/long")
    for at in range(start + 1, text.rindex(" files changed") + 30):
        found = read(text[:at])
        line = text.count("\n", 0, at - 1) + 1
        assert found.notices == (
            f"The text ends inside a list of files (line {line}): the last commit is not complete.",
        )
        assert found.rows[:-1] == whole[:-1]
        files = found.rows[-1].get("files", [])
        known = [file for file in files if file["changes"] is not None or "binary" in file]
        assert all(file in whole[-1]["files"] or "binary" in file for file in known)
        assert "files_changed" not in found.rows[-1]


def test_a_last_count_that_is_missing(repository):
    text = repository.git("log", "--stat", "main", "--", "plain.txt")
    cut = text[: text.index(", 2 deletions(-)")]
    assert cut.endswith("insertions(+)")
    assert "inside a list of files" in read(cut).notices[0]
    assert "insertions" not in read(cut).rows[-1]
    stripped = read(text.rstrip("\n"))
    assert (stripped.notices, stripped.rows) == ((), read(text).rows)


def test_a_log_with_files_that_ends_inside_a_message(repository):
    text = repository.git("log", "--stat")
    found = read(text[: text.rindex("Start the project") + 5])
    assert found.notices == ("The last commit lists no files, so the text may be cut off.",)
    assert found.rows[-1]["message"] == "Start"


# -- near misses and other texts -------------------------------------------------------------------


def notice_of(text):
    found = read(text)
    assert found.format == ""
    (notice,) = found.notices
    return notice


def test_a_log_that_is_cut_off(repository):
    stat = repository.git("log", "--stat")
    side = re.sub(r" 2 files changed.*\n", "", stat)
    assert side != stat
    assert "ends a list of files that is cut off" in notice_of(side)
    patches = repository.git("log", "-p", "--no-merges")
    wrong = patches.replace("@@ -1,4 +1 @@", "@@ -1,5 +1 @@")
    assert "the counts of @@ -1,5 +1 @@" in notice_of(wrong)
    plain = repository.git("log")
    assert "starts no commit of a log" in notice_of(plain[: plain.rindex("Author:") + 12])


def test_lines_that_belong_to_no_commit(repository):
    text = repository.git("log")
    line = text.count("\n") + 1
    for after in ("Process ended with status 0.\n", "README.md\nsrc\n"):
        assert f"line {line} belongs to no commit" in notice_of(text + after)
    names = repository.git("log", "--name-only")
    line = names.count("\n") + 1 - names[names.rindex("\n\n") + 2 :].count("\n")
    assert f"line {line} belongs to no commit" in notice_of(
        names + "Process ended with status 0.\n"
    )
    stat = repository.git("log", "--stat")
    wrong = stat.replace(" 10 files changed", " 11 files changed").replace(
        " 12 files changed", " 13 files changed"
    )
    assert "of which 1" in notice_of(wrong)


OTHER = {
    "one line each": "0123456 Mend the door\n89abcde Paint the wall\n" * 50,
    "a sentence": "Look at commit 0123456789 by Ann.\nAuthor: Ann\n" * 20,
    "after prose": "words and words\n" * 30 + "commit 0123456789\nAuthor: Ann <a@b>\n\n    Mend\n",
}


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_log(name):
    assert (read(OTHER[name]).format, read(OTHER[name]).notices) == ("", ())


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_log_is_exact_or_lines(repository, seed):
    chance = random.Random(seed)
    text = repository.git("log", *[*FORMS.values()][seed % len(FORMS)])
    for _ in range(1 + seed % 3):
        at = chance.randrange(len(text))
        put_in = chance.choice(
            ["", "\n", " ", "commit ", "\r", "\0", "\ud800", "\n\n", "    ", "|", "\t"]
        )
        text = text[:at] + put_in + text[at + chance.randrange(4) :]
    read(text)


ENTRY = "commit 0123456789\nAuthor: Ann <a@b>\nDate:   x\n\n    m\n\n"
UNITS = (
    ENTRY, "commit 0123456789\n", "    x\n", " a | 1 +\n", " a | ", "a\n", "M\ta\n", "Notes:\n", " \n", "Author: <\n",
    " 1 file changed\n", "Merge: 0 ", ":100644 ", "commit 0123456789 0123456789 (", " ...\n", "Date: Thu\n",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_text_that_begins_again_and_again_ends(unit):
    """In time that is not linear, this would take hours."""
    for text in (unit * 60_000, (unit * 60_000).replace("\n", " ")):
        read(ENTRY + text)
        read(ENTRY[:18] + text + ENTRY[18:])


# -- ten questions ---------------------------------------------------------------------------------


@pytest.fixture
def asked(repository, open_agent):
    """Return a function that asks about the log with SQL."""
    agent = open_agent(budget="4kB")
    text = repository.git("log", "--stat=500", "--decorate")
    probe = agent.offer({"code": 0, "stdout": text, "stderr": "x" * 4_000}).value
    token = probe["continuation_token"]

    def ask(query):
        page = agent.look(token, path="/stdout", mode="sql", query=query)
        return [tuple(row.values()) for row in shown_rows(page)]

    return ask


def column(repository, *options):
    return repository.git("log", *options).strip().split("\n")


QUESTIONS = {
    "how many commits": (
        "SELECT count(*) FROM result",
        lambda git: [(int(git.git("rev-list", "--count", "HEAD")),)],
    ),
    "who wrote how many": (
        "SELECT author, count(*) AS n FROM result GROUP BY author ORDER BY n DESC",
        lambda git: [
            (name, len(column(git, "--format=%h", f"--author={name}"))) for name in ("Ann Müller", "Zoë")
        ],
    ),
    "the newest commit": (
        "SELECT hash FROM result ORDER BY date DESC LIMIT 1",
        lambda git: [(git.git("rev-parse", "HEAD").strip(),)],
    ),
    "the first day": (
        "SELECT min(date) FROM result",
        lambda git: [(column(git, "--reverse", "--format=%aI")[0],)],
    ),
    "the mails": (
        "SELECT DISTINCT email FROM result ORDER BY email",
        lambda git: [(one,) for one in sorted(set(column(git, "--format=%ae")))],
    ),
    "which change a file": (
        "SELECT hash FROM result, json_each(files) AS f WHERE f.value ->> 'file' = 'side.txt'",
        lambda git: [(one,) for one in column(git, "--format=%H", "--", "side.txt")],
    ),
    "which speak of an issue": (
        "SELECT hash FROM result WHERE message LIKE '%#7%'",
        lambda git: [(one,) for one in column(git, "--format=%H", "--grep=#7")],
    ),
    "the merges": (
        "SELECT hash FROM result WHERE merge IS NOT NULL",
        lambda git: [(one,) for one in column(git, "--format=%H", "--merges")],
    ),
    "the largest commit": (
        "SELECT hash FROM result ORDER BY insertions + deletions DESC LIMIT 1",
        lambda git: [(column(git, "--reverse", "--format=%H")[0],)],
    ),
    "which has a tag": (
        "SELECT hash FROM result WHERE refs LIKE '%tag: v1%'",
        lambda git: [(git.git("rev-parse", "v1").strip(),)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_gets_the_answer_of_git(repository, asked, name):
    query, answer = QUESTIONS[name]
    assert asked(query) == answer(repository)


def test_the_probe_tells_authors_and_time(repository, open_agent):
    probe = open_agent(budget="2kB").offer(repository.git("log", "-p")).value
    assert (probe["format"], probe["count"]) == ("git log", 5)
    assert probe["authors"] == {"Ann Müller": "4 commits", "Zoë": "1 commit"}
    assert probe["time"]["last"] == "2026-01-06T12:00:00+01:30"
