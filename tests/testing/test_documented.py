"""The test file that the documentation shows, run with a model and without one."""

import subprocess
import sys
from pathlib import Path

import scripts
from endpoint import KEY, listening
from environments import clean_environment

from penstock.testing import Scripted

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("test_your_model.py")
PAGE = ROOT / "docs" / "howto" / "test-your-agent.md"
COMMAND = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", str(FILE)]


def outcome(**variables):
    """Return pytest's output for the file with these variables."""
    done = subprocess.run(
        COMMAND,
        cwd=ROOT,
        env=clean_environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def outcome_with(script):
    with listening(Scripted(script)) as endpoint:
        return outcome(
            PENSTOCK_MODEL_URL=endpoint.url, PENSTOCK_MODEL="some-model", PENSTOCK_MODEL_KEY=KEY
        )


def test_the_page_shows_the_file():
    assert f"```python\n{FILE.read_text('utf-8')}```" in PAGE.read_text("utf-8")


def test_the_page_names_the_variables():
    page = PAGE.read_text("utf-8")
    for name in ("PENSTOCK_MODEL_URL", "PENSTOCK_MODEL", "PENSTOCK_MODEL_KEY"):
        assert f"`{name}`" in page


def test_without_a_model_it_is_skipped_and_says_why():
    said = outcome()
    assert "1 skipped" in said
    assert "set PENSTOCK_MODEL_URL" in said


def test_with_a_model_that_does_well_it_passes():
    assert "1 passed" in outcome_with(scripts.follows_the_workflow)


def test_with_a_model_that_does_not_it_fails_and_shows_the_trace():
    said = outcome_with(scripts.calls_without_fetching)
    assert "1 failed" in said
    assert "1. list_readings" in said
    assert "error TOOL_DESCRIPTION_REQUIRED" in said
