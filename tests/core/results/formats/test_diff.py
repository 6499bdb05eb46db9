"""Unified diffs: each file is a row, with the counts that git itself counts."""

from __future__ import annotations

import difflib
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_texts import read

FIRST, SECOND = "main~3", "main~2"  # the first two commits of the repository
OPTIONS = {
    "plain": (),
    "binary patches": ("--binary",),
    "no prefix": ("--no-prefix",),
    "names of places": ("--default-prefix", "--src-prefix=i/", "--dst-prefix=w/"),
    "no context": ("-U0",),
    "no renames": ("--no-renames",),
    "with a stat": ("--stat", "--summary", "-p"),
    "all context": ("-U9999",),
}


def counted_by_git(repository, *options):
    """Return what `--numstat` says: the lines added and removed, and the name, for each file."""
    counts = repository.git("diff", "--numstat", "-z", *options, FIRST, SECOND).split("\0")
    found, place = [], 0
    while place < len(counts) - 1:
        added, removed, name = counts[place].split("\t", 2)
        if not name:  # a rename: the old and the new name follow
            name = counts[place + 2]
            place += 2
        found.append((name, *(0 if one == "-" else int(one) for one in (added, removed))))
        place += 1
    return found


@pytest.mark.parametrize("name", OPTIONS)
def test_files_and_counts_are_those_of_git(repository, name):
    options = [one for one in OPTIONS[name] if one != "--default-prefix"]
    text = repository.git("diff", *options, FIRST, SECOND)
    found = read(text)
    assert found.format == "diff"
    rows = [(row["file"], row["added"], row["removed"]) for row in found.rows]
    assert rows == counted_by_git(repository, *(["--no-renames"] if "renames" in name else []))
    assert found.contents["added"] == sum(row[1] for row in rows)
    assert found.contents["removed"] == sum(row[2] for row in rows)
    assert [*found.contents["files"]] == [f"/{n}" for n in range(len(rows))]


def test_the_fields_of_each_kind_of_change(repository):
    rows = {row["file"]: row for row in read(repository.git("diff", FIRST, SECOND)).rows}
    assert {name: row["status"] for name, row in rows.items()} == {
        "crlf.txt": "modified",
        "d/longer": "renamed",
        "gone": "deleted",
        "image.bin": "modified",
        "new_empty": "added",
        "new.bin": "added",
        "no_end": "modified",
        "plain.txt": "modified",
        "script.sh": "modified",
        'ta\tb"q.txt': "modified",
        "with two blanks.txt": "renamed",
        "ä.txt": "modified",
    }
    assert rows["d/longer"]["old_file"] == "d/long"
    assert rows["script.sh"]["old_mode"], rows["script.sh"]["new_mode"] == ("100644", "100755")
    assert [name for name, row in rows.items() if row.get("binary")] == ["image.bin", "new.bin"]
    assert rows["no_end"]["hunks"] == [
        {
            "old_start": 1,
            "old_lines": 1,
            "new_start": 1,
            "new_lines": 1,
            "section": "",
            "text": "-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n",
        }
    ]
    assert rows["d/longer"]["header"].startswith(
        "diff --git a/d/long b/d/longer\nsimilarity index "
    )
    assert rows["d/longer"]["header"].endswith("\n--- a/d/long\n+++ b/d/longer")
    assert rows["new.bin"]["header"].endswith("\nBinary files /dev/null and b/new.bin differ")
    assert rows["crlf.txt"]["hunks"][0]["text"] == " a\r\n-b\r\n+c\r\n"


def test_lines_that_look_like_headers_stay_in_their_hunk(repository):
    (row,) = read(repository.git("diff", FIRST, SECOND, "--", "plain.txt")).rows
    assert row["hunks"][0]["text"] == " one\n--- two\n-++ three\n four\n+-- new\n+++ new\n"
    renamed = repository.git("diff", FIRST, SECOND, "--", "d")
    (row,) = read(renamed).rows
    assert "+--- a/fake\n++++ b/fake\n+@@ -1 +1 @@\n" in row["hunks"][-1]["text"]
    removed = repository.git("diff", "-U0", SECOND, FIRST, "--", "d")
    assert "---- a/fake\n" in read(removed).rows[0]["hunks"][-1]["text"]


def test_hunks_put_together_are_the_new_file(repository):
    text = repository.git("diff", "-U9999", FIRST, SECOND, "--", "d")
    (row,) = read(text).rows
    lines = row["hunks"][0]["text"].splitlines(keepends=True)
    made = "".join(line[1:] for line in lines if line[0] in " +")
    assert made == (repository.folder / "d/longer").read_text()


def test_a_commit_message_is_the_text_before(repository):
    shown = read(repository.git("show", SECOND))
    assert shown.before.startswith("commit ")
    assert "    commit 0123456789" in shown.before
    assert len(shown.rows) == 12
    mail = read(repository.git("format-patch", "-1", "--stdout", SECOND))
    assert [row["file"] for row in mail.rows] == [row["file"] for row in shown.rows]
    assert mail.after.startswith("-- \n")


def test_a_merge_shows_the_lines_of_both_parents(repository):
    shown = read(repository.git("show", "main~1"))
    assert shown.format == "diff"
    (row,) = shown.rows
    assert (row["file"], row["added"], row["removed"]) == ("plain.txt", 3, 4)
    (hunk,) = row["hunks"]
    assert hunk["other_parents"] == [{"start": 1, "lines": 4}]


def test_a_submodule(repository):
    text = "Submodule lib 0123456...89abcde:\n  > Add a thing\n  < Remove it\n" + repository.git(
        "diff", FIRST, SECOND, "--", "gone"
    )
    rows = read(text).rows
    assert [(row["file"], row["status"]) for row in rows] == [
        ("lib", "submodule"),
        ("gone", "deleted"),
    ]
    assert "> Add a thing" in rows[0]["header"]


def test_the_diff_command(repository, tmp_path):
    for folder, commit in (("old", FIRST), ("new", SECOND)):
        repository.git("worktree", "add", "--detach", "--force", str(tmp_path / folder), commit)
    command = ["diff", "-r", "--exclude=.git"]
    for options, kinds in (
        (("-uN",), {"modified", "added", "deleted"}),
        (("-u",), {"modified", "only in one folder"}),
    ):
        text = repository.output(
            *command, *options, *(str(tmp_path / one) for one in ("old", "new")), status=(1,)
        )
        found = read(text)
        assert found.format == "diff"
        assert {row["status"] for row in found.rows} == kinds
        (row,) = [row for row in found.rows if row["file"].endswith("plain.txt")]
        assert (row["added"], row["removed"]) == (2, 2)
        assert row["old_file"] == str(tmp_path / "old/plain.txt")


SVN = """\
Index: docs/a.txt
===================================================================
--- docs/a.txt\t(revision 12)
+++ docs/a.txt\t(working copy)
@@ -1,2 +1,2 @@ head
 a
-b
+c

Property changes on: docs/a.txt
___________________________________________________________________
Added: svn:eol-style
## -0,0 +1 ##
+native
\\ No newline at end of property
Index: docs/b.png
===================================================================
Cannot display: file marked as a binary type.
svn:mime-type = image/png
Index: docs/c.txt
===================================================================
--- docs/c.txt\t(nonexistent)
+++ docs/c.txt\t(revision 13)
@@ -0,0 +1 @@
+new
"""


def test_subversion():
    rows = read(SVN).rows
    assert [(row["file"], row["status"], row["added"]) for row in rows] == [
        ("docs/a.txt", "modified", 1),
        ("docs/b.png", "modified", 0),
        ("docs/c.txt", "added", 1),
    ]
    assert "svn:eol-style" in rows[0]["properties"]
    assert rows[1]["binary"] is True
    assert read(SVN.replace("\n", "\r\n")).rows[2]["file"] == "docs/c.txt"


def test_a_patch_without_names_as_apis_send_it():
    text = "@@ -1,2 +1,2 @@ def f():\n a\n-b\n+c\n@@ -9 +9,2 @@\n d\n+e"
    (row,) = read(text).rows
    assert (row["file"], row["added"], row["removed"], len(row["hunks"])) == (None, 2, 1, 2)


# -- a property ------------------------------------------------------------------------------------


LINES = st.lists(
    st.sampled_from(["a", "", "-- b", "++ c", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "diff --git a/x b/x", "ü", "\\ x"]),
    max_size=12,
)  # fmt: skip


@given(st.lists(st.tuples(LINES, LINES), min_size=1, max_size=4), st.integers(0, 4))
def test_diffs_of_the_standard_library(pairs, context):
    """`difflib` counts for itself."""
    text, expected = "", []
    for number, (old, new) in enumerate(pairs):
        made = [
            *difflib.unified_diff(old, new, f"a/{number}", f"b/{number}", n=context, lineterm="")
        ]
        if not made:
            continue
        text += "".join(f"{line}\n" for line in made)
        kinds = difflib.SequenceMatcher(None, old, new).get_opcodes()
        removed = sum(b - a for kind, a, b, _, _ in kinds if kind != "equal")
        added = sum(b - a for kind, _, _, a, b in kinds if kind != "equal")
        expected.append((str(number), added, removed))
    found = read(text)
    assert [(row["file"], row["added"], row["removed"]) for row in found.rows] == expected


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_diff_is_exact_or_lines(repository, seed):
    chance = random.Random(seed)
    text = repository.git("show", "--binary" if seed % 2 else "-U1", SECOND)
    for _ in range(1 + seed % 3):
        at = chance.randrange(len(text))
        put_in = chance.choice(
            ["", "\n", "-", "+", " ", "@@", "\r", "\0", "\ud800", "\n\n", "diff --git "]
        )
        text = text[:at] + put_in + text[at + chance.randrange(4) :]
    read(text)


# -- texts that a tool has cut off -------------------------------------------------------------------


def test_a_text_that_ends_inside_a_hunk(repository):
    text = repository.git("show", SECOND)
    at = text.index("@@ -178")
    cut = text[: text.index("b/fake", at)]
    found = read(cut)
    assert found.format == "diff"
    assert found.notices == (
        f"The text ends inside a hunk (line {cut.count(chr(10)) + 1}): the last file is not complete.",
    )
    last = found.rows[-1]
    assert (last["file"], last["added"], last["removed"]) == ("d/longer", 3, 2)
    assert last["hunks"][-1]["text"] == " 177\n 178\n 179\n-180\n+--- a/fake\n++++ "
    assert last["hunks"][-1]["new_lines"] == 9  # as the header counts
    assert found.contents["files"]["/1"] == "d/longer renamed +3 -2"


@pytest.mark.parametrize("command", [("diff", FIRST, SECOND), ("show", "main~1")])
def test_a_diff_that_ends_anywhere_has_no_wrong_row(repository, command):
    text = repository.git(*command)
    whole = read(text).rows
    first = text.index("--- a/")
    for at in range(first, len(text), 3):
        found = read(text[:at])
        assert found.format == "diff"
        *complete, last = found.rows
        assert complete == whole[: len(complete)]
        expected = whole[len(complete)]
        assert (last["file"], last["status"]) == (expected["file"], expected["status"])
        shown, known = ("".join(hunk["text"] for hunk in row["hunks"]) for row in (last, expected))
        assert known.startswith(shown)
        # A last line that is not complete cannot be told from one whose newline a tool has removed.
        is_certain = text[at - 1] == "\n" and last != expected
        is_between_hunks = bool(last["hunks"]) and text.startswith(("@@ ", "\\ "), at)
        is_pure_rename = last["header"].endswith("\nrename to d/longer")
        assert found.notices or not is_certain or is_between_hunks or is_pure_rename


CUTS = {
    "a hunk": ("@", "@@ -1,2 +1", "@@@ -1,2 -1"),
    "the header of a file": (
        "d", "diff --git ", "diff --git a/door.py b/doo", "diff --git a/x b/x\n", "diff --git a/x b/x\nnew fi",
        "diff --git a/x b/y\nsimilarity index 90%\nrename from x\n",
        "diff --git a/x b/y.py\nsimilarity index 90%\nrename from x\nrename to y",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("place", "rest"), [(k, one) for k, v in CUTS.items() for one in v])
def test_what_cannot_be_read_is_the_text_after(repository, place, rest):
    text = repository.git("diff", FIRST, SECOND, "--", "plain.txt")
    found = read(text + rest)
    assert (found.rows, found.after) == (read(text).rows, rest)
    assert (
        f"The text ends inside {place} (line {12 + rest.rstrip(chr(10)).count(chr(10))})"
        in found.notices[0]
    )


def test_a_header_without_hunks_is_a_file(repository):
    text = repository.git("diff", FIRST, SECOND, "--", "plain.txt")
    for end in ("index f5", " 100644\n", "--- a/pl", "--- a/plain.txt\n", "+++ b/plain.txt\n"):
        cut = text[: text.index(end) + len(end)]
        found = read(cut)
        (row,) = found.rows
        assert (row["file"], row["header"], row["hunks"]) == ("plain.txt", cut.rstrip(), [])
        assert "inside the header of a file" in found.notices[0]
    renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y"
    empty = "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29"
    assert [read(one).notices for one in (renamed, empty)] == [(), ()]


def test_nine_megabytes_that_end_inside_a_hunk():
    line = "+" + "x" * 78 + "\n"
    text = "--- a\n+++ b\n@@ -0,0 +1,250000 @@\n" + line * 110_000
    found = read(text)
    assert (found.rows[0]["added"], len(found.notices)) == (110_000, 1)
    assert "which is not complete" in notice_of(text + "[Output truncated]\n")


# -- near misses -----------------------------------------------------------------------------------


def notice_of(text):
    found = read(text)
    assert found.format == ""
    (notice,) = found.notices
    return notice


def test_wrong_counts(repository):
    text = repository.git("diff", FIRST, SECOND, "--", "plain.txt")
    assert "which is not complete" in notice_of(
        text.replace("@@ -1,4 +1,4 @@", "@@ -1,6 +1,6 @@")
        + repository.git("diff", FIRST, SECOND, "--", "gone")
    )
    assert "line 9 is too much for the counts of @@ -1,3 +1,3 @@" in notice_of(
        text.replace("@@ -1,4 +1,4 @@", "@@ -1,3 +1,3 @@")
    )
    assert "is not the header of a hunk" in notice_of(text.replace("@@ -1,4", "@@ -x,4"))


def test_a_text_after_the_diff_is_told(repository):
    text = repository.git("diff", FIRST, SECOND, "--", "plain.txt")
    assert "line 12 belongs to no file" in notice_of(text + "and so on\n")


@pytest.mark.parametrize("fence", ["```diff\n{}```\n", "```\n{}", "~~~\n{}~~~\n"])
def test_a_diff_in_a_document_is_no_diff(repository, fence):
    text = repository.git("diff", FIRST, SECOND, "--", "plain.txt")
    found = read("# How to mend it\n\nApply this:\n\n" + fence.format(text))
    assert found.format != "diff"
    assert not found.notices
    found = read("Apply this:\n" + text + "Then go on as before.\n" * 20)
    assert (found.format, found.notices) == ("", ())
    prose = "Some words about the change.\n" * 30
    assert read(prose + text).format == ""


def test_too_many_files_and_hunks():
    assert "50,000 files" in notice_of(
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n" * 50_001
    )
    hunks = "@@ -1 +1 @@\n-a\n+b\n" * 50_001
    assert "more than 50,000 hunks" in notice_of("--- a\n+++ b\n" + hunks)


def test_twenty_megabytes():
    line = "+" + "x" * 78 + "\n"
    text = "--- a\n+++ b\n@@ -0,0 +1,250000 @@\n" + line * 250_000
    (row,) = read(text).rows
    assert (row["added"], len(row["hunks"][0]["text"])) == (250_000, 20_000_000)


UNITS = (
    "--- a\n", "--- a\n+++ b\n", "--- a\n+++ b\n@@ -1 +1 @@\n", "@@ -1 +1 @@\n", "diff -u a\n", "Only in a: ",
    "Binary files a and ", "Index: a\n===\n", "diff --git a b\n", "Submodule a ", "Property changes on: x\n",
    "GIT binary patch\nliteral 1\n", "@", '"', 'diff --git "a', "@@ -1,9 +1,9 @@\n\n", " | 1 +\n",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    "before",
    ["\n@@ -1 +1 @@\n", "diff --git a/x b/x\nindex 1..2\n", "--- a\n+++ b\n@@ -1,9 +9,9 @@\n"],
)
def test_a_text_that_begins_again_and_again_ends(before, unit):
    """In time that is not linear, this would take hours."""
    read(before + unit * 200_000)
    read(before + (unit * 200_000).replace("\n", " "))


# -- through a gate --------------------------------------------------------------------------------


def test_an_agent_reads_the_files_and_asks_for_them(repository, open_agent):
    agent = open_agent(budget="2kB")
    text = repository.git("show", "-U9999", SECOND)
    probe = agent.offer(text).value
    assert (probe["format"], probe["count"]) == ("diff", 12)
    assert probe["files"]["/1"] == "d/longer renamed +4 -2"
    assert (probe["added"], probe["removed"]) == (10, 7)
    token = probe["continuation_token"]
    query = "SELECT file FROM result WHERE status = 'renamed' ORDER BY file"
    asked = agent.look(token, mode="sql", query=query)
    assert re.findall(r"d/longer|with two blanks.txt", str(asked)) == [
        "d/longer",
        "with two blanks.txt",
    ]
    assert agent.look(token, path="/1/old_file", mode="full") == "d/long"
    inside = agent.offer({"patch": text, "more": "x" * 4_000}).value["continuation_token"]
    page = agent.look(inside, path="/patch/2/file", mode="full")
    assert page == "gone"
