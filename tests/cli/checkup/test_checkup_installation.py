"""The libraries that a checkup looks for are those of the project file."""

import tomllib
from pathlib import Path

import pytest

from penstock.cli.checkup.findings import warning
from penstock.cli.checkup.installation import _ADDS, EXTRAS, REQUIRED, _limits, _within

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_the_libraries_are_those_of_the_project_file():
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    assert list(REQUIRED) == project["dependencies"]
    assert {name: [*needed] for name, needed in EXTRAS.items()} == project["optional-dependencies"]
    assert _ADDS.keys() == EXTRAS.keys()


@pytest.mark.parametrize(
    ("found", "is_right"),
    [("2.3", True), ("2.10.1", True), ("2.3.0rc1", True), ("2.2.9", False), ("3.0", False)],
)
def test_versions(found, is_right):
    assert all(_within(found, limit) for limit in _limits(">=2.3,<3")) == is_right


def test_a_problem_has_a_next_step():
    with pytest.raises(ValueError, match="needs a next step"):
        warning("something", "")
