"""python -m benchmarks [--only NAME] [--json FILE]

Prints a table, and exits with 1 if a limit is exceeded. Numbers are the best of many runs in turns,
except for pages, small results, and calls through `penstock run` or a Django site, which are
medians. See `benchmarks.clock`. The topic `relay-soak` takes minutes, and runs only if it is named.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import (
    adapters,
    choosing,
    django_lists,
    explorer,
    finding,
    formats,
    imports,
    limits,
    memory,
    offers,
    pages,
    program_calls,
    questions,
    relay_calls,
    relay_http,
    relay_large,
    relay_soak,
    relay_start,
    savings,
    shapes,
    shaping,
    small,
    tasks,
    tool_lists,
    widgets,
)
from benchmarks.lines import Line, table
from benchmarks.programs import report as programs
from benchmarks.several import calls as several_calls
from benchmarks.several import starts as several_starts
from benchmarks.several import tasks as several_tasks
from penstock.figures.place import figures_file
from penstock.figures.unfinished import wait_for_clerks

TOPICS: dict[str, Callable[[], Iterable[Line]]] = {
    "offers": offers.measure,
    "memory": memory.measure,
    "formats": formats.measure,
    "pages": pages.measure,
    "questions": questions.measure,
    "limits": limits.measure,
    "imports": imports.measure,
    "savings": savings.measure,
    "small": small.measure,
    "relay-calls": relay_calls.measure,
    "relay-http": relay_http.many,
    "relay-http-steady": relay_http.steady,
    "relay-http-held": relay_http.held,
    "relay-http-peers": relay_http.beside_peers,
    "relay-large": relay_large.measure,
    "relay-start": relay_start.measure,
    "tool-lists": tool_lists.measure,
    "choosing": choosing.measure,
    "finding": finding.measure,
    "tasks": tasks.measure,
    "programs": programs.measure,
    "program-calls": program_calls.measure,
    "several-calls": several_calls.measure,
    "several-starts": several_starts.measure,
    "several-tasks": several_tasks.measure,
    "adapters": adapters.measure,
    "shaping": shaping.measure,
    "shapes": shapes.measure,
    "django": django_lists.measure,
    "widgets": widgets.measure,
    "explorer": explorer.measure,
}
# They take long, and run only if --only names them.
ON_DEMAND: dict[str, Callable[[], Iterable[Line]]] = {"relay-soak": relay_soak.measure}


def main() -> int:
    options = _options()
    with TemporaryDirectory() as folder:
        # Penstock counts as it does for a user, but adds nothing to the figures of this machine.
        os.environ |= {"XDG_STATE_HOME": folder, "LOCALAPPDATA": folder}
        lines = [*_lines(options.only or TOPICS)]
        wait_for_clerks(figures_file())
    print(table(lines))
    if options.json:
        report = [line.as_json() for line in lines]
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 1 if any(line.is_over for line in lines) else 0


def _lines(topics: Iterable[str]) -> Iterator[Line]:
    for topic in topics:
        for line in (TOPICS | ON_DEMAND)[topic]():
            yield line
            print(f"[{topic}] {line.what}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed and memory.")
    every = [*TOPICS, *ON_DEMAND]
    parser.add_argument("--only", action="append", choices=every, help="this topic; repeatable")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers here too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
