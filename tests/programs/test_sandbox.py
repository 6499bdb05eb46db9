"""The processes of the sandbox: their outer limits, their end, and the variables they give back."""

import os
import sys
import threading
from pathlib import Path

import pytest

from penstock.core.model.program import Broken, Scope
from penstock.programs.running import Running

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows and has these limits")
NOTHING = Scope(frozenset())
MEMORY = 64_000_000


@pytest.fixture
def box(sandbox):
    made = sandbox.open()
    yield made
    made.close()


@linux
def test_a_process_has_outer_limits_its_own_group_and_no_environment(box):
    about = Path(f"/proc/{box.session.worker_pid}")
    limits = {
        line[:26].strip(): line[26:].split()[0]
        for line in (about / "limits").read_text().splitlines()
    }
    assert limits["Max file size"] == "0"
    assert limits["Max core file size"] == "0"
    assert int(limits["Max open files"]) <= 32
    assert int(limits["Max address space"]) < 1_000_000_000
    assert os.getpgid(box.session.worker_pid) != os.getpgid(0)
    assert (about / "environ").read_bytes() == b""


def test_another_thread_ends_a_turn_that_runs(box):
    program = Running(box, "while True: pass", NOTHING, {}, MEMORY)
    timer = threading.Timer(0.2, box.stop)
    timer.start()
    turn = program.start()
    timer.join()
    assert isinstance(turn, Broken)
    assert turn.is_stopped


@linux
def test_a_program_that_waits_gives_its_process_back_when_it_is_stopped(sandbox):
    box = sandbox.open()
    program = Running(box, "await echo()", Scope(frozenset({"echo"})), {}, MEMORY)
    program.start()
    box.stop()
    box.close()  # a second time does nothing
    with pytest.raises(RuntimeError):
        box.session.feed_run("1")


def test_a_crash_is_an_error_of_its_program_alone(sandbox, box):
    other = sandbox.open()
    pid = box.session.worker_pid
    timer = threading.Timer(0.2, os.kill, (pid, 9))
    timer.start()
    turn = Running(box, "while True: pass", NOTHING, {}, MEMORY).start()
    timer.join()
    assert isinstance(turn, Broken)
    assert "sandbox ended" in turn.error
    assert Running(other, "1", NOTHING, {}, MEMORY).start().answer == b"1"
    other.close()


def test_variables_go_from_one_process_to_another(sandbox, box):
    Running(box, "x = [1]\ndef f():\n  return x", NOTHING, {}, MEMORY).start()
    later = sandbox.restore(box.dump())
    assert Running(later, "x.append(2)\nf()", NOTHING, {}, MEMORY).start().answer == b"[1,2]"
    later.close()


def test_variables_that_cannot_be_read_are_refused(sandbox):
    assert sandbox.restore(b"not a dump") is None


def test_sessions_do_not_see_the_variables_of_others(sandbox, box):
    Running(box, "secret = 1", NOTHING, {}, MEMORY).start()
    for _ in range(3):
        other = sandbox.open()
        turn = Running(other, "secret", NOTHING, {}, MEMORY).start()
        assert "not defined" in turn.error
        other.close()


def test_a_process_is_free_again_after_its_program(sandbox):
    for _ in range(150):  # more than there may be at once
        sandbox.open().close()
    box = sandbox.open()
    assert Running(box, "1", NOTHING, {}, MEMORY).start().answer == b"1"
    box.close()
