"""The tutorial can be typed line by line in an empty folder, and prints what it shows."""

import asyncio
import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="the tutorial needs the mcp extra")
pytest.importorskip("fastmcp", reason="the tutorial needs the fastmcp extra")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from typed_page import PATIENCE, blocks, environment, follow, python

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "tutorial"
PAGE = (ROOT / "docs" / "tutorial" / "your-first-server.md").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("station")


@pytest.fixture(scope="module")
def runs(folder):
    return follow(PAGE, folder)


def test_every_command_prints_what_the_page_shows(runs):
    assert runs
    for run in runs:
        run.check()


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
    (block,) = (block for language, block, _ in blocks(PAGE) if language == "json")
    entry = json.loads(block)["mcpServers"]["station"]
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
