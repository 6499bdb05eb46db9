"""Records of lines with keys, as servers print commits, packages and processors."""

from __future__ import annotations

import json
import subprocess
from email.parser import Parser
from importlib.metadata import distributions

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data


def rows_of(text):
    """Return the format and the rows of a text, which is exact."""
    document = read_text_with_data(text)
    kept = [row for block in document.blocks for row in block]
    assert document.prefix + document.joint.join(kept) + document.suffix == rawjson.utf8(text)
    if document.format != "records":
        return None
    return [json.loads(row) for row in decoded(document, kept)]


def test_commits_as_a_git_server_prints_them():
    text = "Commit history:\n" + "".join(
        f"Commit: {n:040x}\nAuthor: Ada Holm\nDate: 2026-03-0{n}\nMessage: Open gate {n}\n\n\n"
        for n in range(1, 6)
    )
    rows = rows_of(text)
    assert len(rows) == 5
    assert rows[1] == {
        "Commit": f"{2:040x}",
        "Author": "Ada Holm",
        "Date": "2026-03-02",
        "Message": "Open gate 2",
    }


def test_paragraphs_below_the_keys_are_text():
    text = "".join(
        f"Commit: {n}\nAuthor: Bo\nMessage: Open gate {n}\n\nIt was shut.\nNote: by hand.\n\n"
        for n in range(6)
    )
    assert rows_of(text)[3] == {
        "Commit": 3,
        "Author": "Bo",
        "Message": "Open gate 3",
        "text": "It was shut.\nNote: by hand.",
    }


def test_headers_of_packages_are_read_as_the_mail_parser_reads_them():
    """The metadata of installed packages is not ours. Each is a record once its description is off."""
    heads = {
        one.metadata["Name"]: str(one.read_text("METADATA") or "").partition("\n\n")[0]
        for one in distributions()
    }
    plain = {
        name: "\n".join(line for line in head.splitlines() if line.startswith(KEPT))
        for name, head in heads.items()
    }
    chosen = [text for text in plain.values() if text.count("\n") >= 3][:60]
    assert len(chosen) > 20
    rows = rows_of("\n\n".join(chosen) + "\n")
    expected = [dict(Parser().parsestr(text).items()) for text in chosen]
    assert [{key: str(value) for key, value in row.items() if value} for row in rows] == expected


KEPT = ("Metadata-Version:", "Name:", "Version:", "Summary:", "Home-page:")


def test_values_go_on_in_indented_lines():
    text = "Name: a\nNote: one\n  two\n\n" * 3
    assert rows_of(text)[0] == {"Name": "a", "Note": "one\ntwo"}


def test_a_column_is_numbers_only_if_all_its_values_are():
    text = "".join(
        f"id: {n}\nzip: 0{n}123\nsize: {size}\n\n" for n, size in enumerate(["1", "n/a", "2.5"])
    )
    assert rows_of(text) == [
        {"id": 0, "zip": "00123", "size": 1},
        {"id": 1, "zip": "01123", "size": None},
        {"id": 2, "zip": "02123", "size": 2.5},
    ]


KEYS = st.lists(
    st.from_regex(r"[A-Z][a-z]{1,8}( [a-z]{1,5})?", fullmatch=True),
    min_size=2,
    max_size=5,
    unique=True,
)
VALUES = st.from_regex(r"[a-z][a-z:,.|-]{0,20}", fullmatch=True)


@given(st.data())
def test_records_come_back_as_they_were_written(data):
    keys = data.draw(KEYS)
    records = data.draw(st.lists(st.tuples(*[VALUES] * len(keys)), min_size=3, max_size=8))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = (end * 2).join(
        end.join(f"{k}: {v}" for k, v in zip(keys, one, strict=True)) for one in records
    )
    rows = rows_of(text)
    if rows is not None:  # with bars or commas in each line it may be a table
        assert rows == [dict(zip(keys, one, strict=True)) for one in records]


@pytest.mark.parametrize(
    "text",
    [
        "Note: the gate is open.\n\nNote: the gate is shut.\n\nNote: it is.\n",
        "Name: a\nSize: 1\n\nName: b\nSize: 2\n",  # two records
        "Name: a\nName: b\n\n" * 4,  # a key comes twice
        "Dear all: hello\nPlease: read\n\nSome prose here.\n\nDear all: hello\nPlease: write\n\nDear all: bye\nx: y\n",
        "try:\n    a: int = 1\n\ntry:\n    b: int = 2\n\ntry:\n    c: int = 3\n",
        "a: 1\nb: 2\n\n" * 3 + "a: 1\n",  # the last lacks a key
        "a: 1\ntext: 2\nc: 3\n\nA paragraph.\n\n" * 6,
    ],
)
def test_other_texts_are_not_records(text):
    assert rows_of(text) is None


def near_miss(text):
    (notice,) = read_text_with_data(text).notices
    return notice


def test_a_record_without_the_first_key_is_not_lost_in_another():
    text = "Name: a\nAge: 1\nCity: X\n\nAge: 2\nCity: Y\n\nName: c\nAge: 3\nCity: Z\n\n" * 10
    assert rows_of(text) is None
    assert "the record in line 5 does not start with Name" in near_miss(text)
    glued = "Results: Name: a\nAge: 1\nCity: X\n\n" + "Name: b\nAge: 1\nCity: X\n\n" * 9
    assert "the record in line 2 does not start with Name" in near_miss(glued)


def test_a_paragraph_after_all_records_is_no_part_of_the_last():
    text = "Name: a\nAge: 1\n\n" * 5 + "Total: 60\nPage: 1\n"
    rows = rows_of(text)
    assert (len(rows), rows[-1]) == (5, {"Name": "a", "Age": 1})
    assert read_text_with_data(text).frame.text_after == b"Total: 60\nPage: 1\n"


def test_lines_below_a_message_are_its_text():
    text = "Commit: 1\nAuthor: Bo\nMessage: x\n\nIt was shut.\n\nSigned-off-by: Bo\n\n" * 6
    assert rows_of(text)[5]["text"] == "It was shut.\n\nSigned-off-by: Bo"


def test_many_keys_end_the_search():
    assert rows_of("".join(f"a: 1\nb: 2\nkey {n}: 3\n\n" for n in range(300))) is None


def test_a_real_repository_through_its_own_format(tmp_path):
    git = [
        "git",
        "-C",
        str(tmp_path),
        "-c",
        "user.name=Ada Holm",
        "-c",
        "user.email=ada@example.com",
    ]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for n in range(6):
        message = f"Open gate {n}\n\nIt was shut: for {n} days."
        subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", message], check=True)
    form = "--format=Commit: %H%nAuthor: %an%nMessage: %B%n"
    text = subprocess.run([*git, "log", form], check=True, capture_output=True, text=True).stdout
    rows = rows_of(text)
    hashes = subprocess.run(
        [*git, "log", "--format=%H"], check=True, capture_output=True, text=True
    )
    assert [row["Commit"] for row in rows] == hashes.stdout.split()
    assert rows[0]["Message"] == "Open gate 5"
    assert rows[0]["text"] == "It was shut: for 5 days."
