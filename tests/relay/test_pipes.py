"""The pipes of a server: a thread that waits on one is woken, on every platform."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from relay_processes import PATIENCE

from penstock.relay.pipes import PolledSource, Sink, ThreadedSource, Wake, source_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the pipes are made as POSIX does")


@pytest.fixture(params=["eventfd", "pipe"])
def wake(request, monkeypatch):
    """A bell of Linux, and one of platforms without `eventfd`."""
    if request.param == "pipe":
        monkeypatch.delattr(os, "eventfd", raising=False)
    elif not hasattr(os, "eventfd"):
        pytest.skip("this platform has none")
    return Wake()


@pytest.fixture
def ends():
    """The two ends of a pipe that stays open."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", 0) as source, os.fdopen(writing, "wb", 0) as sink:
        yield source, sink


@pytest.mark.parametrize("kind", [PolledSource, ThreadedSource])
def test_a_reader_gets_what_is_left_and_then_the_end(wake, ends, kind):
    pipe, other = ends
    other.write(b"first")
    source = kind(pipe, wake)
    assert source.read() == b"first"
    threading.Timer(0.1, wake.ring).start()
    assert source.read() == b""
    other.write(b"x")  # ends the thread that the second kind leaves behind


def test_a_reader_that_waits_for_a_while(wake, ends):
    assert source_of(ends[0], wake).read(0.01) is None


def test_a_writer_whose_reader_is_stuck(wake, ends):
    sink, told = Sink(ends[1], wake), []

    def write():
        try:
            sink.write(b"x" * 20_000_000)
        except BrokenPipeError as error:
            told.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    wake.ring()
    writer.join(PATIENCE)
    assert told


@pytest.mark.usefixtures("wake")
def test_a_bell_closes_its_descriptors():
    before = len([*Path("/dev/fd").iterdir()])
    for _ in range(10):
        Wake().ring()
    assert len([*Path("/dev/fd").iterdir()]) <= before


def test_a_process_that_may_open_no_more_files():
    """The server does not start, and the error says why."""
    script = """
import resource, sys
from penstock.relay.process import CannotStart, Process
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
try:
    Process([sys.executable, "--version"])
except CannotStart as error:
    print(error.message)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stderr, "Too many open files" in done.stdout) == ("", True)
