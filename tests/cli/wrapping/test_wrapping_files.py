"""Reading and writing config files: nothing is lost, whatever goes wrong."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.cli.wrapping import ConfigError, Launcher, find_launcher, plan, plan_undo, read, write
from penstock.errors import PenstockError

TEXT = '{"mcpServers": {"one": {"command": "npx"}}}\n'
posix = pytest.mark.skipif(sys.platform == "win32", reason="rights and links of POSIX")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "servers.json"
    path.write_bytes(TEXT.encode())
    return path


def wrapped(path):
    return plan(read(path), path, Launcher("/opt/penstock"))


def others(path):
    return sorted(entry.name for entry in path.parent.iterdir() if entry != path)


def test_no_backup_is_ever_overwritten(path):
    (path.parent / "servers.json.penstock-backup-2").write_text("mine")
    assert write(wrapped(path)).name == "servers.json.penstock-backup-3"
    assert write(plan_undo(read(path), path)).name == "servers.json.penstock-backup-4"
    assert path.read_bytes() == TEXT.encode()
    assert (path.parent / "servers.json.penstock-backup-2").read_text() == "mine"
    assert len(others(path)) == 2, "no other file is left behind"


def test_no_backup_equals_the_config_or_another_backup(path):
    for _ in range(3):
        write(wrapped(path))
        write(plan_undo(read(path), path))
    (only,) = others(path)
    assert "/opt/penstock" in path.with_name(only).read_text()
    path.write_text(TEXT.replace("one", "two"))
    assert write(wrapped(path)).read_text() == TEXT.replace("one", "two")
    assert len(others(path)) == 2
    path.write_text(TEXT.replace("one", "two"))
    write(wrapped(path))
    assert len(others(path)) == 2


def test_a_plan_without_effect_writes_nothing(path):
    before = path.stat()
    assert write(plan_undo(read(path), path)) is None
    assert others(path) == []
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640])
def test_rights_stay_and_the_copy_has_them_too(path, mode):
    path.chmod(mode)
    backup = write(wrapped(path))
    assert [stat.S_IMODE(file.stat().st_mode) for file in (path, backup)] == [mode, mode]


@posix
def test_a_link_stays_a_link(path, tmp_path):
    link = tmp_path / "host" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(path)
    backup = write(wrapped(link))
    assert link.is_symlink()
    assert "/opt/penstock" in path.read_text()
    assert backup == link.with_name("mcp.json.penstock-backup-1")


def test_a_file_that_was_changed_in_between_is_not_touched(path):
    made = wrapped(path)
    path.write_text("{}")
    with pytest.raises(ConfigError, match=r"has changed since.*run the command again"):
        write(made)
    assert path.read_text() == "{}"
    assert others(path) == []


def test_a_file_that_is_gone(path):
    made = wrapped(path)
    path.unlink()
    with pytest.raises(ConfigError, match="cannot be written"):
        write(made)
    assert others(path) == []


def test_a_read_only_file(path):
    path.chmod(0o444)
    with pytest.raises(ConfigError, match=r"read-only.*Make it writable"):
        write(wrapped(path))
    assert path.read_bytes() == TEXT.encode()
    assert others(path) == []


@posix
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may do all")
def test_a_read_only_folder(path):
    made = wrapped(path)
    path.parent.chmod(0o555)
    try:
        with pytest.raises(ConfigError, match=r"cannot be written.*Check the rights"):
            write(made)
    finally:
        path.parent.chmod(0o755)
    assert path.read_bytes() == TEXT.encode()


@posix
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may do all")
def test_a_file_that_may_not_be_read(path):
    path.chmod(0o200)
    with pytest.raises(ConfigError, match=r"cannot be read.*Check the rights"):
        read(path)


def test_a_copy_that_cannot_be_kept_stops_all(path):
    made = wrapped(path)
    long_name = path.with_name("n" * 250)  # leaves no room for the name of the backup
    path.rename(long_name)
    with pytest.raises(ConfigError, match="cannot be written"):
        write(plan(TEXT, long_name, Launcher("/opt/penstock")))
    assert long_name.read_bytes() == made.original.encode()
    assert others(long_name) == []


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: None, "no such file.*penstock wrap"),
        (lambda path: path.mkdir(), "a folder.*inside it"),
        (lambda path: path.write_bytes('{"é": 1}'.encode("utf-16")), "not UTF-8.*Save it"),
        (lambda path: path.write_bytes(b"\xff"), "not UTF-8.*Save it"),
    ],
)
def test_what_cannot_be_read(tmp_path, make, told):
    path = tmp_path / "config.json"
    make(path)
    with pytest.raises(ConfigError, match=told) as caught:
        read(path)
    assert caught.value.path == path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="not a regular file"):
        read(path)


class TestLauncher:
    def test_the_script_beside_python(self, tmp_path):
        script = tmp_path / ("penstock.exe" if sys.platform == "win32" else "penstock")
        script.touch(mode=0o755)
        assert find_launcher(str(tmp_path / "python")) == Launcher(str(script))

    def test_python_itself_where_there_is_no_script(self, tmp_path):
        (tmp_path / "penstock").mkdir()
        python = str(tmp_path / "python")
        assert find_launcher(python) == Launcher(python, ("-m", "penstock"))

    @posix
    def test_the_link_of_a_virtual_environment_is_not_followed(self, tmp_path):
        python = tmp_path / "venv" / "python"
        python.parent.mkdir()
        python.symlink_to(sys.executable)
        assert find_launcher(str(python)).command == str(python)

    def test_this_one_is_absolute(self):
        assert Path(find_launcher().command).is_absolute()

    @pytest.mark.parametrize("unknown", ["", None])
    def test_a_python_that_does_not_know_its_path(self, unknown):
        with pytest.raises(PenstockError, match="does not know its own path"):
            find_launcher(unknown)


@posix
def test_a_reader_that_stops_reading_does_not_keep_the_change_from_being_made(tmp_path):
    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}}')
    command = f"{sys.executable} -u -m penstock wrap {config} --write"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | true"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "Error" not in done.stderr
    assert "penstock" in config.read_text()
