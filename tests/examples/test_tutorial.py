"""The tutorial can be typed line by line in an empty folder, and prints what it shows."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="the tutorial needs the mcp extra")
pytest.importorskip("fastmcp", reason="the tutorial needs the fastmcp extra")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "tutorial"
PAGE = (ROOT / "docs" / "tutorial" / "your-first-server.md").read_text("utf-8")
PATIENCE = 60

# A file that is named in the text, or a block with its language.
_PARTS = re.compile(r"^```(\w+)\n(.*?)^```|`(\w+\.py)`", re.MULTILINE | re.DOTALL)
# Tokens and durations differ from run to run.
_RANDOM = re.compile(r"(pen_|penstock://result/)[\w-]+|(passed in )[\d.]+s")


def blocks():
    """Yield each block of the page: its language, its text, and the file named last before it."""
    named = None
    for found in _PARTS.finditer(PAGE):
        named = found[3] or named
        if found[1]:
            yield found[1], found[2], named


def only(language):
    (block,) = (block for spoken, block, _ in blocks() if spoken == language)
    return block


@dataclass
class Run:
    command: str
    printed: str
    shown: str = ""


def follow(folder):
    """Do what the page says, from top to bottom, with nothing but what it has shown so far."""
    runs = []
    for language, block, name in blocks():
        match language:
            case "py":
                with (folder / name).open("x", encoding="utf-8") as file:  # shown once, as a whole
                    file.write(block)
            case "diff":
                change(folder / name, block)
            case "sh":
                runs += [Run(line, execute(line, folder)) for line in block.splitlines()]
            case "text":
                runs[-1].shown += block
    return runs


def change(path, diff):
    """Replace the lines with a minus by the lines with a plus; the lines around them must be there."""
    before, after = (
        "".join(f"{line[1:]}\n" for line in diff.splitlines() if not line.startswith(sign))
        for sign in "+-"
    )
    text = path.read_text("utf-8")
    assert text.count(before) == 1, f"{path.name} does not hold this:\n{before}"
    path.write_text(text.replace(before, after), "utf-8")


def execute(line, folder):
    match line.split():
        # The environment of these tests stands for the reader's, and `folder` for the new folder.
        case ["mkdir" | "cd", "station"] | ["." | "pip", *_] | ["python", "-m", "venv", _]:
            return ""
        case ["cp", source, target]:
            shutil.copy(folder / source, folder / target)
            return ""
        case ["python", *arguments]:
            ran = python(*arguments, cwd=folder)
            assert ran.returncode == 0, f"{line}\n{ran.stdout}{ran.stderr}"
            return ran.stdout
    raise AssertionError(f"no reader could be meant to run this: {line}")


def python(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=cwd, env=environment(), capture_output=True, text=True, check=False,
        timeout=PATIENCE, encoding="utf-8",
    )  # fmt: skip


def environment():
    """Return an environment without settings: the page shows the defaults."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def normal(text):
    return _RANDOM.sub(r"\1\2…", text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("station")


@pytest.fixture(scope="module")
def runs(folder):
    return follow(folder)


def test_every_command_prints_what_the_page_shows(runs):
    assert runs
    for run in runs:
        assert normal(run.printed) == normal(run.shown), run.command


@pytest.mark.usefixtures("runs")
def test_the_repository_holds_the_files_that_the_page_shows(folder):
    def sources(path):
        return {file.name: file.read_text("utf-8") for file in path.glob("*.py")}

    assert sources(folder) == sources(FILES)


@pytest.mark.usefixtures("runs")
def test_a_step_fails_when_it_is_wrong(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    river = (tmp_path / "river.py").read_text("utf-8")
    (tmp_path / "river.py").write_text(river.replace("0.42 * head", "0.41 * head"), "utf-8")
    ran = python("step4.py", cwd=tmp_path)
    assert ran.returncode == 1
    assert "AssertionError" in ran.stderr


@pytest.mark.usefixtures("runs")
def test_a_host_can_start_it(folder):
    entry = json.loads(only("json"))["mcpServers"]["station"]
    assert Path(entry["command"]).name == "python"
    arguments = [str(folder / Path(argument).name) for argument in entry["args"]]

    async def scenario():
        target = StdioServerParameters(command=sys.executable, args=arguments, env=environment())
        async with asyncio.timeout(PATIENCE), Client(stdio_client(target)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert asyncio.run(scenario()) == ["measurements", "hill_chart", "lake", "read_result"]


def test_the_extras_that_are_installed_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.search(r"penstock\[([\w,]+)\]", PAGE)[1].split(",")
    assert set(named) <= set(project["optional-dependencies"])
