"""`from penstock import Gate`, compared with `import json, sqlite3, orjson`, in fresh processes.

Byte code is cached for both. One line is the whole process, the other is without the start of the
interpreter. The times are processor time: imports do not wait, but a busy machine delays them.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from tempfile import TemporaryDirectory

from benchmarks import clock
from benchmarks.lines import Line

ROUNDS = 30
LIMIT = 3


def measure() -> Iterator[Line]:
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        runs = clock.in_turns(
            {
                "nothing": _process("pass", environment),
                "ours": _process("from penstock import Gate", environment),
                "floor": _process("import json, sqlite3, orjson", environment),
            },
            ROUNDS,
            timer=_processor_seconds,
        )
    ms = clock.best(runs)
    start = ms["nothing"]
    yield Line("from penstock import Gate, as a process", ms["ours"], ms["floor"], limit=LIMIT)
    yield Line(
        "from penstock import Gate, less the interpreter",
        ms["ours"] - start,
        ms["floor"] - start,
        limit=LIMIT,
    )


def _processor_seconds() -> float:
    """Return the processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _process(code: str, environment: dict[str, str]) -> Callable[[], object]:
    command = [sys.executable, "-c", code]
    return lambda: subprocess.run(command, check=True, env=environment)  # noqa: S603
