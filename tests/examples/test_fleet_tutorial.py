"""The tutorial for Django shows the example's files as they are, and what they really print."""

import asyncio
import json
import re
import sys
import tomllib
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("django_filters", reason="the fleet example needs the django extra")
pytest.importorskip("mcp", reason="its client needs the mcp extra")

from running import PROJECT, Database, manage, serving

from penstock.core.budget.measure import default_meter

sys.path.insert(0, str(PROJECT))

import look

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial" / "your-django-api.md").read_text("utf-8")

# A file that is named in the text, or a block with its language.
_PARTS = re.compile(r"^```(\w+)\n(.*?)^```|`([\w/]+\.py)`", re.MULTILINE | re.DOTALL)
_SECRET = re.compile(r"(pen_)[\w.-]+|\b[0-9a-f]{40}\b")
_STEP = re.compile(r"python look\.py (\w+) <")


def blocks(*languages):
    """Each block of the page, with the file that was named last before it."""
    named = None
    for found in _PARTS.finditer(PAGE):
        named = found[3] or named
        if found[1] in languages:
            yield named, found[2]


def shown():
    """Return the output that the page shows for each step, in order."""
    told = [block for _, block in blocks("sh", "text")]
    return {
        step[1]: printed for command, printed in pairwise(told) if (step := _STEP.search(command))
    }


def normal(text):
    """Without what is random."""
    return _SECRET.sub(r"\1…", text)


@contextmanager
def followed(folder):
    """The site, as the page has it made and served, in another place."""
    _, commands = next(blocks("sh"))
    made = [line.split("#")[0].split()[2:] for line in commands.splitlines() if "manage.py" in line]
    assert [command for command, *_ in made] == ["migrate", "seed_fleet", "runserver"]
    given = {"FLEET_SQLITE": str(folder / "fleet.sqlite3")}
    *_, users = [manage(*arguments, **given) for arguments in made[:2]]
    assert normal(users) == normal(next(blocks("text"))[1])
    database = Database(given, dict(line.split() for line in users.splitlines()))
    store = f"sqlite:///{folder / 'results.sqlite3'}"
    with serving("runserver", database, folder / "log", PENSTOCK_STORE=store) as site:
        yield site


def printed(site, step):
    token = site.tokens["viewer" if step == "refusal" else "technician"]
    with redirect_stdout(StringIO()) as output:
        asyncio.run(look.main(step, token, f"{site.url}/mcp/"))
    return output.getvalue()


# One test: to make the fleet takes longer than all the rest.
def test_every_step_prints_what_the_page_shows(tmp_path):
    with followed(tmp_path) as site:
        for step, expected in shown().items():
            assert normal(printed(site, step)) == normal(expected), step


@pytest.mark.parametrize(
    ("name", "block"),
    [pytest.param(*part, id=f"{part[0]}-{n}") for n, part in enumerate(blocks("py"))],
)
def test_every_block_is_part_of_its_file(name, block):
    text = (PROJECT / name).read_text("utf-8")
    assert f"\n{block}" in f"\n{text}", f"{name} does not hold this."


@pytest.mark.parametrize("name", ["fleet/urls.py", "devices/mcp_tools.py", "look.py"])
def test_these_files_are_shown_as_a_whole(name):
    parts = [block for named, block in blocks("py") if named == name]
    assert "\n\n".join(parts) == (PROJECT / name).read_text("utf-8")


def test_every_import_of_penstock_is_shown():
    shown = {(name, line) for name, block in blocks("py") for line in block.splitlines()}
    imported = {
        (path.relative_to(PROJECT).as_posix(), line)
        for path in PROJECT.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if line.startswith(("from penstock", "import penstock"))
    }
    assert imported
    assert imported <= shown


def test_every_step_is_told_of():
    assert list(shown()) == list(look.STEPS)


def test_the_figures_in_the_text_are_those_of_the_steps():
    told = dict(line.split(": ", 1) for line in shown()["page"].splitlines())
    count, size = int(told["count"]), int(told["data_size"])
    row = json.dumps(json.loads(shown()["page"].splitlines()[-1]), separators=(",", ":"))
    assert f"{count:,} devices" in PAGE
    assert f"there are {count // 100 - 1} more" in PAGE
    megabytes, millions = re.search(r"get (\d+) MB, some ([\d.]+) million tokens", PAGE).groups()
    assert int(megabytes) == round(size / 1e6)
    assert float(millions) == pytest.approx(default_meter().count(row) * count / 1e6, rel=0.1)


def test_a_host_is_told_what_the_client_uses():
    ((_, block),) = blocks("json")
    entry = json.loads(block)["mcpServers"]["fleet"]
    assert entry["url"] == look.URL
    assert entry["headers"] == {"Authorization": "Token <token>"}


@pytest.mark.parametrize(
    ("command", "told"),
    [(["check", "--fail-level", "WARNING"], "no issues"), (["penstock_doctor"], "device_retire")],
    ids=["check", "penstock_doctor"],
)
def test_the_commands_that_are_named_find_nothing_wrong(tmp_path, command, told):
    given = {"FLEET_SQLITE": str(tmp_path / "fleet.sqlite3")}
    assert f"`python manage.py {command[0]}`" in PAGE
    assert told in manage(*command, **given)


def test_the_extras_that_are_installed_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.search(r'pip install "\.\[([\w,]+)\]"', PAGE)[1].split(",")
    assert set(named) <= set(project["optional-dependencies"])
