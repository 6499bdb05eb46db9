"""The example of a program, as a reader runs it."""

import subprocess
import sys
from pathlib import Path

import pytest
from environments import clean_environment

pytest.importorskip("pydantic_monty")
EXAMPLE = Path(__file__).parents[2] / "examples" / "program.py"


def test_it_prints_the_answer_and_the_refusal():
    ran = subprocess.run(
        [sys.executable, EXAMPLE],
        capture_output=True, text=True, env=clean_environment(), timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    answer, footer, refusal = ran.stdout.splitlines()
    assert answer == "[57,53,55]"
    assert footer.startswith("Called pressures 59x, pumps 1x: ~")
    assert refusal.startswith("stop may write, and this program may only read")
