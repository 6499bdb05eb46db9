"""The tally counts in the background, and nothing that goes wrong there reaches a call."""

import json
import os
import subprocess
import sys
from datetime import date
from io import BytesIO

import pytest
from relay_processes import PATIENCE, SERVERS, StdioClient, wait_until
from relay_processes import wait_for_clerks as wait_for_processes

from penstock.core.budget.estimate import EstimateMeter
from penstock.figures import tally as tally_module
from penstock.figures.clerk import Clerk, keep_figures
from penstock.figures.file import FiguresFile
from penstock.figures.notes import Note, frame, read_frames
from penstock.figures.rows import UNKNOWN
from penstock.figures.tally import BackgroundTally
from penstock.figures.unfinished import new_mark, set_mark, wait_for_clerks
from penstock.wire.answered import Answered

SDK = [sys.executable, str(SERVERS / "sdk_server.py")]
PLAIN = [sys.executable, str(SERVERS / "plain_server.py")]


def result(text, **members):
    told = {"content": [{"type": "text", "text": text}], **members}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": told}).encode()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path / "penstock"


@pytest.fixture
def calls(folder):
    """Return the figures by tool."""

    def read():
        wait_for_processes(folder)
        with FiguresFile(folder / "figures.sqlite") as file:
            return {tool: row for (_, tool), row in file.calls(date(2000, 1, 1)).items()}

    return read


@pytest.fixture
def start(tmp_path):
    clients = []

    def started(command, *options, **variables):
        counting = {"XDG_STATE_HOME": str(tmp_path), "PENSTOCK_STATS": "on", **variables}
        clients.append(StdioClient(command, *options, environment=counting))
        clients[-1].greet()
        return clients[-1]

    yield started
    for client in clients:
        client.discard()


# -- in one process ----------------------------------------------------------------------------


def test_answers_are_counted_and_the_clerk_ends(folder, calls):
    tally = BackgroundTally(lambda: "git")
    for _ in range(5):
        line = result("a few words")
        tally(Answered("call", line, line, "log"))
    tally.close()
    assert calls()["log"].calls == 5
    assert calls()["log"].raw == calls()["log"].sent > 0
    tally(Answered("call", line, line, "log"))  # too late, and harmless
    assert calls()["log"].calls == 5


def test_answers_that_find_the_queue_full_are_estimated(folder, calls, monkeypatch):
    monkeypatch.setattr(tally_module, "MOST_BYTES", 100_000)
    tally = BackgroundTally(lambda: "git")
    line = result("four words of text " * 2_000)
    for _ in range(3):
        tally(Answered("call", line, line, "log"))
    tally.close()
    row = calls()["log"]
    assert (row.calls, row.estimated) == (3, 2)
    assert row.raw == row.sent
    assert row.raw / 3 == pytest.approx(2_000 * 4, rel=0.2)


def test_a_clerk_that_cannot_start_is_logged_once(folder, monkeypatch, caplog):
    monkeypatch.setattr(sys, "executable", "/nonexistent")
    tally = BackgroundTally(lambda: "git")
    for _ in range(3):
        tally(Answered("call", b"{}", b"{}", "log"))
    tally.close()
    assert caplog.text.count("figures for `penstock stats` are no longer kept") == 1


def test_a_file_that_cannot_be_used_is_logged_once(folder, caplog):
    folder.mkdir()
    (folder / "figures.sqlite").write_bytes(b"this is no database" * 1000)
    tally = BackgroundTally(lambda: "git")
    for _ in range(3):
        tally(Answered("call", b"{}", b"{}", "log"))
    tally.close()
    told = "is not an SQLite database. Start a new file: penstock stats --reset"
    wait_until(lambda: told in caplog.text, "the warning")
    assert caplog.text.count("no longer kept") == 1
    wait_until(lambda: not list(folder.glob("*-unfinished-*")), "the end of the mark")


def test_half_of_a_character_in_a_name_is_replaced(folder, calls, caplog):
    tally = BackgroundTally(lambda: "git")
    line = result("words")
    for name in ("\ud800x", "log"):
        tally(Answered("call", line, line, name))
    tally.close()
    assert set(calls()) == {"?x", "log"}
    assert caplog.text == ""


def test_any_failure_in_the_thread_is_logged_once_and_frees_the_queue(folder, caplog):
    def fail():
        raise LookupError("no name")

    tally = BackgroundTally(fail)
    for _ in range(3):
        tally(Answered("call", b"{}", b"{}", "log"))
    tally.close()
    assert caplog.text.count("figures for `penstock stats` are no longer kept: no name") == 1
    tally(Answered("call", b"{}", b"{}", "log"))
    assert not tally._queue
    assert not tally._waiting


def test_a_process_that_ends_leaves_the_counting_to_the_clerk(folder):
    """A mark tells others to wait for the clerk."""
    tally = BackgroundTally(lambda: "git")
    line = result("words")
    tally(Answered("call", line, line, "log"))
    tally.close()
    wait_for_clerks(folder / "figures.sqlite")
    assert not list(folder.glob("*-unfinished-*"))
    with FiguresFile(folder / "figures.sqlite") as file:
        assert file.calls(date(2000, 1, 1))["git", "log"].calls == 1


def test_the_mark_of_a_clerk_that_was_killed_does_not_hold_up_anyone(folder):
    mark = new_mark(folder / "figures.sqlite")
    set_mark(mark)
    os.utime(mark, (0, 0))
    wait_for_clerks(folder / "figures.sqlite")
    assert not mark.exists()
    assert folder.stat().st_mode & 0o777 == 0o700


# -- the clerk ---------------------------------------------------------------------------------


def test_an_unknown_name_is_not_written(folder):
    clerk = Clerk("git", EstimateMeter())
    line = result("no such tool", isError=True)
    clerk.enter(Note("call", "my secret plan", is_known=False, is_same=True), line, line)
    ((_, tool),) = clerk.calls
    assert tool == UNKNOWN
    assert clerk.calls["git", UNKNOWN].errors == 1


@pytest.mark.parametrize(
    ("note", "line"),
    [
        (Note("call", "my secret plan", is_known=False, is_bare=True, sent_bytes=9), b""),
        (Note("call", "my secret plan", is_known=False, is_same=True), b"no JSON"),
        (Note("call", "my secret plan", is_known=False, is_same=True), result("no error")),
        (Note("call", "my secret plan", is_known=None, is_bare=True, sent_bytes=9), b""),
        (Note("call", "my secret plan", is_known=None, is_same=True), b"no JSON"),
        (Note("call", "my secret plan", is_known=None, is_same=True), result("no", isError=True)),
    ],
)
def test_an_unknown_name_is_not_written_whatever_the_answer_is(note, line):
    clerk = Clerk("git", EstimateMeter())
    clerk.enter(note, line, line)
    assert set(clerk.calls) == {("git", UNKNOWN)}


@pytest.mark.parametrize(
    "line", [b"no JSON", b"[" * 100_000, b'{"id":1,"result":{"content":7}}', b"{}"]
)
def test_messages_that_nobody_can_read_are_counted_too(line):
    clerk = Clerk("git", EstimateMeter())
    clerk.enter(Note("call", "log", raw_bytes=len(line), sent_bytes=len(line)), line, line)
    assert clerk.calls["git", "log"].calls == 1


def test_counts_without_the_vocabulary_are_marked(folder):
    clerk = Clerk("git", EstimateMeter())
    clerk.enter(Note("call", "log", is_same=True), result("words"), result("words"))
    clerk.enter(Note("list", form="full", is_same=True), b"", b"")
    assert clerk.calls["git", "log"].estimated == 1
    assert clerk.lists["git"].estimated == 1


def test_a_stream_that_ends_within_a_frame_loses_only_that(folder, calls):
    line = result("words")
    whole = b"".join(frame(Answered("call", line, line, "log")))
    folder.mkdir()
    keep_figures(folder / "figures.sqlite", "git", BytesIO(whole + whole[:-5]))
    assert calls()["log"].calls == 1


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (b'{"kind":"newkind"}\n', "A note cannot be read: "),
        (b"no JSON\n", "A note cannot be read: "),
        (b'{"kind":"ca', ""),  # cut
    ],
)
@pytest.mark.parametrize("is_open", [True, False])
def test_the_clerk_ends_at_a_note_that_it_cannot_read(folder, calls, last, told, is_open):
    """The clerk saves what came before, and ends even if the other process still holds the pipe."""
    line, file = result("words"), folder / "figures.sqlite"
    command = [
        sys.executable,
        "-m",
        "penstock.figures.clerk",
        str(file),
        "git",
        str(new_mark(file)),
    ]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as clerk:
        clerk.stdin.write(b"".join([*frame(Answered("call", line, line, "log")), last]))
        clerk.stdin.flush()
        if not (is_open and told):
            clerk.stdin.close()
        assert clerk.wait(PATIENCE) == bool(told)
        assert clerk.stdout.read().decode().startswith(told)
    assert calls()["log"].calls == 1


def test_frames_keep_every_byte():
    raw, sent = b'{"a\\n":"\n"}', b"\n\n"
    parts = frame(Answered("read", sent, raw, "log"))
    ((note, first, second),) = read_frames(BytesIO(b"".join(parts)))
    assert (note.kind, first, second) == ("read", raw, sent)


# -- penstock run ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "variables"), [(["--no-stats"], {}), ([], {"PENSTOCK_STATS": "off"})]
)
def test_no_file_is_written_if_that_is_turned_off(start, folder, options, variables):
    client = start(SDK, *options, **variables)
    client.call("add", a=1, b=2)
    assert client.close() == 0
    assert not folder.exists()


def test_the_file_holds_neither_contents_nor_arguments(start, folder):
    client = start(SDK, "--list", "full")
    client.call("rows", count=3_000)
    client.ask("tools/call", {"name": "dig for gold", "arguments": {"where": "Sutter's Mill"}})
    client.close()
    wait_for_processes(folder)
    held = (folder / "figures.sqlite").read_bytes()
    assert b"rows" in held
    for private in (b"city", b"gold", b"Sutter", b"pen_", b"continuation"):
        assert private not in held


def test_calls_work_where_figures_cannot_be_kept(start, tmp_path):
    (tmp_path / "penstock").write_bytes(b"a file where the folder should be")
    client = start(SDK)
    told = "figures for `penstock stats` are no longer kept"

    def is_told():
        assert client.call("add", a=1, b=2)["structuredContent"] == {"result": 3}
        return told in client.errors

    wait_until(is_told, "the warning")
    assert client.close() == 0
    assert client.errors.count(told) == 1


def test_figures_are_saved_while_the_server_runs_and_the_clerk_ends(start, calls, folder):
    client = start(SDK)
    client.call("add", a=1, b=2)
    wait_until((folder / "figures.sqlite").exists, "the file")
    assert "add" in calls()


def test_a_name_that_utf_8_cannot_hold_ends_no_figures(start, calls):
    client = start(PLAIN)
    client.listed()
    client.send(rb'{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"\ud800x"}}')
    client.answer_to("x")
    client.call("rows")
    assert client.close() == 0
    assert client.errors == ""
    assert {name: row.calls for name, row in calls().items()} == {UNKNOWN: 1, "rows": 1}


def test_figures_survive_a_killed_host(start, calls, folder):
    client = start(SDK)
    client.call("add", a=1, b=2)
    client.process.terminate()
    assert client.wait() == 128 + 15
    assert calls()["add"].calls == 1


def test_a_held_result_is_one_line_of_the_log(start):
    client = start(SDK, "--log-level", "info", "--no-stats")
    probe = client.probe("rows", count=3_000)
    client.call("add", a=1, b=2)
    client.close()
    (line,) = [line for line in client.errors.splitlines() if "held a result" in line]
    assert "held a result of rows: " in line
    assert " bytes, sent " in line
    assert f"token {probe['continuation_token'][:7]}…" in line
    assert probe["continuation_token"][:8] not in line


# -- in a server -------------------------------------------------------------------------------


@pytest.mark.parametrize("door", ["mcp", "fastmcp"])
@pytest.mark.parametrize("chosen", [[], ["--set", "stats=on"]])
def test_a_library_keeps_figures_only_if_asked(folder, calls, tmp_path, door, chosen):
    command = [sys.executable, str(SERVERS / "adapter_server.py"), door, *chosen]
    client = StdioClient(command, behind=False, environment={"XDG_STATE_HOME": str(tmp_path)})
    try:
        client.greet()
        client.call("rows", count=3_000)
        client.close()
        if chosen:
            assert (calls()["rows"].calls, calls()["rows"].held) == (1, 1)
            assert calls()["rows"].saved > 0
        else:
            assert not folder.exists()
    finally:
        client.discard()
