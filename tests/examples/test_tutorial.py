"""The tutorial shows its files as they are, and what they really print."""

import asyncio
import difflib
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="the tutorial needs the mcp extra")
pytest.importorskip("fastmcp", reason="the tutorial needs the fastmcp extra")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "tutorial"
PAGE = (ROOT / "docs" / "tutorial" / "your-first-server.md").read_text("utf-8")
STEPS = sorted(path.name for path in FILES.glob("step*.py"))
PATIENCE = 60

# A file that is named in the text, or a block with its language.
_PARTS = re.compile(r"^```(\w+)\n(.*?)^```|`(\w+\.py)`", re.MULTILINE | re.DOTALL)
_SECRET = re.compile(r"(pen_|penstock://result/)[\w-]+")


def blocks(*languages):
    """Each block of the page, with the file that was named last before it."""
    named = None
    for found in _PARTS.finditer(PAGE):
        named = found[3] or named
        if found[1] in languages:
            yield named, found[2]


def cases(*languages):
    return [
        pytest.param(name, block, id=f"{name}-{number}")
        for number, (name, block) in enumerate(blocks(*languages))
    ]


def environment():
    """As if nothing was set: the page shows the defaults."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def python(*arguments, cwd=FILES):
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=cwd, env=environment(), capture_output=True, text=True, check=False,
        timeout=PATIENCE, encoding="utf-8",
    )  # fmt: skip


@cache
def printed(name):
    ran = python(name)
    assert ran.returncode == 0, ran.stderr
    return normal(ran.stdout)


def normal(text):
    """Without what is random."""
    return _SECRET.sub(r"\1…", text)


@pytest.mark.parametrize(("name", "block"), cases("py", "python"))
def test_every_block_is_part_of_its_file(name, block):
    text = (FILES / name).read_text("utf-8")
    assert f"\n{block}" in text, f"{name} does not hold this."


def test_the_first_block_is_all_of_the_first_step():
    _, block = next(blocks("py"))
    docstring, _, rest = (FILES / "step1.py").read_text("utf-8").partition("\n\n")
    assert docstring.count("\n") == 0
    assert rest == block


@pytest.mark.parametrize("name", STEPS)
def test_every_step_prints_what_the_page_shows(name):
    shown = "".join(block for named, block in blocks("text") if named == name)
    if name == "step6.py":
        assert "It prints the same." in PAGE
        assert not shown
        assert printed(name) == printed("step5.py")
    else:
        assert normal(shown) == printed(name)


def test_a_step_fails_when_it_is_wrong(tmp_path):
    for path in FILES.glob("*.py"):
        text = path.read_text("utf-8").replace("0.42 * head", "0.41 * head")
        (tmp_path / path.name).write_text(text, "utf-8")
    ran = python("step4.py", cwd=tmp_path)
    assert ran.returncode == 1
    assert "AssertionError" in ran.stderr


def test_every_file_is_told_of():
    assert len(STEPS) == 6
    for path in FILES.glob("*.py"):
        assert path.name in PAGE


def test_what_changes_for_fastmcp():
    ((_, shown),) = blocks("diff")
    one, other = ((FILES / name).read_text("utf-8").splitlines()[1:] for name in STEPS[4:6])
    changed = [line[0] + line[2:] for line in difflib.ndiff(one, other) if line[0] in "-+"]
    assert sorted(shown.splitlines()) == sorted(changed)


def test_the_whole_server_is_that_of_step_5():
    def tools(name):
        text = (FILES / name).read_text("utf-8")
        return re.search(
            r'server = .*?(?=async def look|if __name__ == "__main__")', text, re.DOTALL
        )[0]

    assert tools("station.py") == tools("step5.py")


def test_the_tests_pass():
    # Without the configuration of this project, in which a reader's folder does not lie.
    ran = python(
        "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", "test_station.py"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_host_can_start_it():
    ((_, block),) = blocks("json")
    entry = json.loads(block)["mcpServers"]["station"]
    assert Path(entry["command"]).name == "python"
    arguments = [str(FILES / Path(argument).name) for argument in entry["args"]]

    async def scenario():
        target = StdioServerParameters(command=sys.executable, args=arguments, env=environment())
        async with asyncio.timeout(PATIENCE), Client(stdio_client(target)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert asyncio.run(scenario()) == ["measurements", "hill_chart", "lake", "read_result"]


def test_the_extras_that_are_installed_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.search(r"penstock\[([\w,]+)\]", PAGE)[1].split(",")
    assert set(named) <= set(project["optional-dependencies"])
