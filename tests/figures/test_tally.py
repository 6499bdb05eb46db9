"""The tally counts in the background, and nothing that goes wrong there reaches a call."""

import json
import sys
from datetime import date
from io import BytesIO

import pytest
from relay_processes import SERVERS, StdioClient, wait_for_clerks, wait_until

from penstock.core.budget.estimate import EstimateMeter
from penstock.figures import tally as tally_module
from penstock.figures.clerk import Clerk, keep_figures
from penstock.figures.file import FiguresFile
from penstock.figures.notes import Note, frame, read_frames
from penstock.figures.rows import UNKNOWN
from penstock.figures.tally import BackgroundTally
from penstock.wire.answered import Answered

SDK = [sys.executable, str(SERVERS / "sdk_server.py")]


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
        wait_for_clerks(folder)
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
    assert (
        caplog.text.count("is not an SQLite database. Start a new file: penstock stats --reset")
        == 1
    )


# -- the clerk ---------------------------------------------------------------------------------


def test_an_unknown_name_is_not_written(folder):
    clerk = Clerk("git", EstimateMeter())
    line = result("no such tool", isError=True)
    clerk.enter(Note("call", "my secret plan", is_known=False, is_same=True), line, line)
    ((_, tool),) = clerk.calls
    assert tool == UNKNOWN
    assert clerk.calls["git", UNKNOWN].errors == 1


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
    wait_for_clerks(folder)
    held = (folder / "figures.sqlite").read_bytes()
    assert b"rows" in held
    for private in (b"city", b"gold", b"Sutter", b"pen_", b"continuation"):
        assert private not in held


def test_calls_work_where_figures_cannot_be_kept(start, tmp_path):
    (tmp_path / "penstock").write_bytes(b"a file where the folder should be")
    client = start(SDK)
    assert client.call("add", a=1, b=2)["structuredContent"] == {"result": 3}
    assert client.close() == 0
    assert client.errors.count("figures for `penstock stats` are no longer kept") == 1


def test_figures_are_saved_while_the_server_runs_and_the_clerk_ends(start, calls, folder):
    client = start(SDK)
    client.call("add", a=1, b=2)
    wait_until((folder / "figures.sqlite").exists, "the file")
    assert "add" in calls()


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
