"""The files of the logs example: what can be read, and that nothing outside can."""

import gzip
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "logs"))

import folder as folders
from entries import BadInput


@pytest.fixture
def root(tmp_path):
    """A folder with one log, and a secret beside it."""
    (tmp_path / "secret").write_text("not for you\n")
    (tmp_path / "logs-old").mkdir()
    (tmp_path / "logs-old" / "a.log").write_text("not for you\n")
    root = tmp_path / "logs"
    (root / "sub").mkdir(parents=True)
    (root / "a.log").write_text("one\ntwo\n")
    return root


@pytest.fixture
def folder(root):
    return folders.Folder(root)


def lines(folder, name):
    with folder.opened(name) as (numbered, _changed):
        return list(numbered)


def test_lines_have_numbers(folder):
    assert lines(folder, "a.log") == [(1, "one"), (2, "two")]


@pytest.mark.parametrize(
    "name",
    [
        "../secret", "..", ".", "", "/", "sub/../../secret", "sub/../a.log", "./../secret", "sub",
        "../logs/a.log", "../logs-old/a.log", "..\\secret", "sub\\..\\a.log", "C:\\a.log", "C:a.log",
        "\\\\host\\share\\a.log", "a.log\0", "\0", "none.log", "a.log/x", "x" * 5_000,
        "~/a.log", "\ud800", "out.log", "out/secret", "round.log", "pipe.log",
    ],
)  # fmt: skip
def test_hostile_names(folder, root, name):
    (root / "out.log").symlink_to(root.parent / "secret")
    (root / "out").symlink_to(root.parent)
    (root / "round.log").symlink_to(root / "round.log")
    os.mkfifo(root / "pipe.log")
    with pytest.raises(BadInput, match="There is no log"):
        lines(folder, name)
    with pytest.raises(BadInput, match="There is no log"):
        lines(folder, str(root.parent / "secret"))
    with pytest.raises(BadInput, match="There is no log"):
        lines(folder, str(root / "a.log"))
    assert [log["name"] for log in folder.logs()] == ["a.log"]


def test_a_link_within_the_folder_is_good(folder, root):
    (root / "now.log").symlink_to(root / "a.log")
    assert lines(folder, "now.log") == [(1, "one"), (2, "two")]
    assert [log["name"] for log in folder.logs()] == ["a.log", "now.log"]


def test_a_folder_that_is_a_link_itself(root, tmp_path):
    (tmp_path / "link").symlink_to(root)
    assert lines(folders.Folder(tmp_path / "link"), "a.log") == [(1, "one"), (2, "two")]


def test_hidden_files_are_not_listed(folder, root):
    (root / ".git").mkdir()
    (root / ".git" / "x.log").write_text("x")
    (root / "sub" / "b.log").write_text("x")
    logs = list(folder.logs())
    assert [log["name"] for log in logs] == ["a.log", "sub/b.log"]
    assert logs[1]["bytes"] == 1
    assert logs[1]["changed"].endswith("Z")


def test_near_names_are_told(folder):
    with pytest.raises(BadInput, match=r"no log 'b\.log' here\. Near it: a\.log\."):
        lines(folder, "b.log")


def test_gzip_by_its_first_bytes(folder, root):
    (root / "a.log.1").write_bytes(gzip.compress("één\r\ntwee".encode()))
    assert lines(folder, "a.log.1") == [(1, "één"), (2, "twee")]
    (root / "not.gz").write_text("plain\n")
    assert lines(folder, "not.gz") == [(1, "plain")]


@pytest.mark.parametrize("damage", ["cut", "changed", "tail"])
def test_a_damaged_gzip_is_told(folder, root, damage):
    whole = gzip.compress(os.urandom(20_000))
    data = {"cut": whole[:9_000], "changed": whole[:-6] + b"123456", "tail": whole + b"trailing"}
    (root / "bad.gz").write_bytes(data[damage])
    with pytest.raises(BadInput, match=r"'bad\.gz' is damaged"):
        lines(folder, "bad.gz")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", []),
        (b"\xff\xfea\x00\n\x00b\x00", ["a", "b"]),
        ("\ufeffa\nb".encode(), ["a", "b"]),
        (b"caf\xe9\nok", ["caf\\xe9", "ok"]),
        (b"a\x00b\x1b[31m\n", ["a\x00b\x1b[31m"]),
        (b"10 %\r20 %\r\nnext", ["10 %\r20 %", "next"]),
        (b"\xe2\x80\xa8 is no end of a line\n", ["\u2028 is no end of a line"]),
    ],
)
def test_what_bytes_become(folder, root, data, told):
    (root / "x").write_bytes(data)
    assert [line for _, line in lines(folder, "x")] == told


def test_a_line_without_end_comes_in_pieces(folder, root, monkeypatch):
    monkeypatch.setattr(folders, "LONGEST", 4)
    (root / "x").write_text("0123456789\nab\n")
    assert lines(folder, "x") == [(1, "0123"), (1, "4567"), (1, "89"), (2, "ab")]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read anything")
def test_a_file_that_may_not_be_read(folder, root):
    (root / "a.log").chmod(0)
    with pytest.raises(BadInput, match="cannot be read: Permission denied"):
        lines(folder, "a.log")


def test_it_wants_a_folder(root):
    with pytest.raises(NotADirectoryError):
        folders.Folder(root / "a.log")
    with pytest.raises(FileNotFoundError):
        folders.Folder(root / "none")
