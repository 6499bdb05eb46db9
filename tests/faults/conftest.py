"""The processes of these tests, and the words that agents saw."""

import ctypes
import os
import signal
import sys

import psutil
import pytest
from fault_rig import Rig
from faults_page import check_or_record
from relay_processes import end, wait_until

ADOPTS_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER


def pytest_collection_modifyitems(items):
    """Skip the whole folder elsewhere: orphans are found by what only Linux offers."""
    if not sys.platform.startswith("linux"):
        for item in items:
            if "tests/faults" in str(item.path):
                item.add_marker(pytest.mark.skip(reason="orphans are adopted on Linux only"))


@pytest.fixture(autouse=True)
def no_orphans():
    """Adopt every process that outlives its parent, and fail if one runs on after the test."""
    if not sys.platform.startswith("linux"):
        yield
        return
    prctl = ctypes.CDLL(None).prctl
    prctl(ADOPTS_ORPHANS, 1, 0, 0, 0)
    before = {child.pid for child in psutil.Process().children()}
    try:
        yield
        wait_until(lambda: not adopted(before), "the end of the orphans")
    finally:
        for orphan in adopted(before):
            end(orphan.pid)
        wait_until(lambda: not adopted(before), "the end of the killed orphans")
        prctl(ADOPTS_ORPHANS, 0, 0, 0, 0)


def adopted(before):
    """Return our children that run and are not from before. Reap those that have ended."""
    running = []
    for child in psutil.Process().children():
        if child.pid in before:
            continue
        try:
            if child.status() != psutil.STATUS_ZOMBIE:
                running.append(child)
            else:
                os.waitpid(child.pid, os.WNOHANG)
        except (psutil.NoSuchProcess, ChildProcessError):
            continue
    return running


@pytest.fixture(autouse=True)
def heeded_signals():
    """Start processes that heed signals even if this run ignores them, as under `nohup` or with `&`.

    A child inherits that a signal is ignored, but not that it has a handler.
    """
    ignored = [
        number
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
        if signal.getsignal(number) == signal.SIG_IGN
    ]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def rig(no_orphans, heeded_signals, tmp_path):
    """Start Penstock in front of the server, and end both after the test."""
    rigs = []

    def started(way, *, prefix=(), starts=True, **options):
        made = Rig(tmp_path, way, **options)
        rigs.append(made)
        if starts:
            made.start(prefix)
        return made

    yield started
    for made in rigs:
        made.close()


@pytest.fixture
def saw(tmp_path):
    """Compare what an agent saw with the page of faults, or record it for the page."""

    def check(fault, words):
        check_or_record(fault, words.replace(str(tmp_path), "FOLDER"))

    return check
