"""The table of faults in docs/reference/faults.md, made of what the tests in tests/faults saw.

Run this file to rewrite the table: python tests/helpers/faults_page.py
It runs these tests, each of which records the words that an agent saw. Another run of the tests
compares the words with the page.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "faults.md"
HEAD = "| fault | what the agent sees | what is kept | what happens next |\n|---|---|---|---|\n"
# A test run records into this folder instead of comparing.
FOLDER = "PENSTOCK_FAULTS_SEEN"


@dataclass(frozen=True)
class Fault:
    """One row of the table. Its tests check what `kept` and `next` say."""

    name: str
    title: str
    kept: str
    next: str

    def row(self, words: str) -> str:
        cells = (self.title, words, self.kept, self.next)
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def without_varying(words: str) -> str:
    """Replace the parts of a text that differ from run to run."""
    words = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", words)
    words = re.sub(r"\b[\w-]{24,}\b", "TOKEN", words)
    return " ".join(words.split())


def check_or_record(fault: Fault, words: str) -> None:
    """Record what an agent saw, if this run is for the page, else find it in the page."""
    words = without_varying(words)
    if folder := os.environ.get(FOLDER):
        (Path(folder) / f"{fault.name}.json").write_text(json.dumps(words), "utf-8")
        return
    anew = "write it anew: python tests/helpers/faults_page.py"
    assert fault.row(words) in PAGE.read_text("utf-8"), f"{fault.row(words)}{anew}"


def write_page() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "tests/faults"]
        environment = {**os.environ, FOLDER: folder}
        subprocess.run(command, cwd=ROOT, env=environment, check=False)
        rows = "".join(fault.row(seen(folder, fault)) for fault in all_faults())
    table = re.compile(re.escape(HEAD) + r"(\|.*\n)*")
    PAGE.write_text(table.sub(lambda _: HEAD + rows, PAGE.read_text("utf-8"), count=1), "utf-8")


def seen(folder: str, fault: Fault) -> str:
    return json.loads((Path(folder) / f"{fault.name}.json").read_text("utf-8"))


def all_faults() -> tuple[Fault, ...]:
    sys.path.insert(0, str(ROOT / "tests" / "faults"))
    from fault_list import FAULTS

    return FAULTS


if __name__ == "__main__":
    write_page()
