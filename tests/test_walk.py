"""The walk in docs/explanation/architecture.md, checked against a real run."""

import json
import os
import re
import sys
import threading
from pathlib import Path

import pytest
from relay_processes import SCRIPTED, StdioClient
from relay_rig import table

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
TRACED = [sys.executable, str(ROOT / "tests" / "helpers" / "traced_run.py")]
SQL = "SELECT city, count(*) AS n FROM result GROUP BY city"


def walk(part):
    """Return the functions that start the steps of a part of the walk."""
    steps = PAGE.partition(f"\n### {part}\n")[2].partition("\n#")[0]
    return re.findall(r"^\d+\. `([\w.]+)`", steps, re.MULTILINE)


class Trace:
    """The names that processes write to a pipe. A mark ends each part of the run."""

    def __init__(self, pipe):
        os.mkfifo(pipe)
        self._lines = []
        self._reader = threading.Thread(target=self._read, args=(pipe,))
        self._reader.start()
        self._marks = os.open(pipe, os.O_WRONLY)

    def _read(self, pipe):
        self._lines = pipe.read_text("utf-8").splitlines()

    def mark(self):
        os.write(self._marks, b"\n")

    def parts(self):
        """Return the names between the marks, once every process has ended."""
        os.close(self._marks)
        self._reader.join()
        return [part.split() for part in "\n".join(self._lines).split("\n\n")]


def traced_run(folder):
    """Start, call a tool with a large result, and ask about the result in SQL."""
    trace = Trace(folder / "pipe")
    (folder / "rows.json").write_text(json.dumps(table()))
    command = [*TRACED, str(folder / "pipe"), "run", "--budget", "10kB", "--", *SCRIPTED]
    client = StdioClient(command, behind=False)
    try:
        client.greet()
        client.listed()
        trace.mark()
        token = client.probe("read", path=str(folder / "rows.json"))["continuation_token"]
        trace.mark()
        assert len(client.read(token, mode="sql", query=SQL)["rows"]) == 7
        trace.mark()
        client.close()
    finally:
        client.discard()
        parts = trace.parts()
    return parts


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_real_run_enters_the_functions_of_the_walk_in_their_order(tmp_path):
    parts = ("The start", "A call with a large result", "A question in SQL")
    for part, entered in zip(parts, traced_run(tmp_path), strict=False):
        named = walk(part)
        assert named, part
        assert len(named) == len({*named}), f"entered twice: {part}"
        assert [name for name in entered if name in named] == named
