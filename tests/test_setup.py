"""The packages and versions that `make` installs for each command."""

import re
import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
EVERYTHING = "-r requirements-dev.txt"


def make(folder, *arguments):
    """Run make for an environment that does not exist yet."""
    command = ["make", f"VENV={folder / 'venv'}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("command", "installed"), [("demo", "-e '.[programs]'"), ("demo-django", "-e '.[django,mcp]'")]
)
def test_a_demo_installs_what_it_needs_and_no_more(command, installed, tmp_path):
    planned = make(tmp_path, "--dry-run", command).stdout
    assert f"-c requirements-dev.txt {installed}" in planned
    assert EVERYTHING not in planned


@pytest.mark.parametrize("command", ["test", "test-sites", "check", "format", "bench", "fuzz"])
def test_all_other_commands_install_everything(command, tmp_path):
    assert EVERYTHING in make(tmp_path, "--dry-run", command).stdout


def test_the_versions_can_be_constraints():
    """A constraint of pip is a name and a version: pip refuses a line with an extra."""
    lines = (ROOT / "requirements-dev.txt").read_text("utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert not [line for line in pinned if not re.match(r"[\w.-]+==[\w.]+(;|$)", line)]


@pytest.mark.parametrize("package", ["aiohttp", "uvicorn"])
def test_packages_whose_private_names_are_used_have_an_upper_bound(package):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (needed,) = [
        Requirement(one)
        for one in extras["optional-dependencies"]["serve"]
        if one.startswith(package)
    ]
    assert version(package) in needed.specifier
    assert "99" not in needed.specifier


def test_an_old_python_is_told_which_one_is_needed(tmp_path):
    done = make(tmp_path, "PYTHON=false", "demo")
    assert done.returncode == 2
    assert "Penstock needs Python 3.11 or newer" in done.stdout
    assert not (tmp_path / "venv").exists()


def test_make_alone_lists_every_command():
    text = (ROOT / "Makefile").read_text("utf-8")
    commands = set(re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split()) - {"chromium"}
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"^  make (\S+) ", listed, re.MULTILINE)) == commands
