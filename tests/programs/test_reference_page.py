"""The page docs/reference/programs.md, beside what the sandbox does."""

import json
import re
from pathlib import Path

import pytest

from penstock.core.model.program import FUNCTIONS, Broken, Finished
from penstock.disclosure.schemas.python_names import IMPORTABLE
from penstock.engine.program_values import LARGEST_VALUE
from penstock.programs.running import MOST_PRINTED
from penstock.programs.sandbox import MOST_AT_ONCE
from penstock.settings.policy import Policy
from penstock.wire.programs import AT_ONCE, LONGEST_CODE

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "programs.md").read_text("utf-8")
DIFFERENCES = PAGE.partition("| not supported | instead |\n|---|---|\n")[2].partition("\n\n")[0]
ROWS = re.findall(r"^\| `(.*)` \| `(.*)` \|$", DIFFERENCES, re.MULTILINE)
SHOWN = re.compile(r"^```py\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("other", "instead"), ROWS)
def test_the_page_tells_what_differs_from_python(run, other, instead):
    assert isinstance(run(f"x = 1\n{other}"), Broken)
    assert isinstance(run(f"x = 1\n{instead}"), Finished)


def test_every_difference_is_tested():
    assert len(ROWS) == len(DIFFERENCES.splitlines()) > 5


def test_the_program_of_the_page_answers_as_it_shows(run):
    ((code, shown),) = SHOWN.findall(PAGE)
    assert json.loads(run(code).answer) == json.loads(shown)


@pytest.mark.parametrize("name", [*IMPORTABLE, *FUNCTIONS])
def test_the_page_names_every_module_and_function(name):
    assert re.search(rf"`(await )?{name}[`(]", PAGE)


@pytest.mark.parametrize("name", ["os", "sys", "pathlib", "typing"])
def test_these_can_be_imported(run, name):
    assert isinstance(run(f"import {name}"), Finished)


@pytest.mark.parametrize(
    "told",
    [
        f"| {Policy().program_calls} |",
        f"| {Policy().program_memory // 1_000_000} MB |",
        f"| {AT_ONCE} |",
        f"| {MOST_AT_ONCE} |",
        f"| {LONGEST_CODE:,} characters |",
        f"| {LARGEST_VALUE // 1_000_000} MB |",
        f"| {MOST_PRINTED // 1_000_000} MB |",
    ],
)
def test_the_page_has_the_limits(told):
    assert told in PAGE.partition("## Limits")[2].partition("##")[0]
