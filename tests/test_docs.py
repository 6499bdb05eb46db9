"""The documentation and the code describe the same things, and every snippet runs."""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from architecture_page import picture, reduced
from import_graph import PACKAGE, RANKS
from settings_page import settings_table
from typed_page import blocks, follow

from penstock import Policy, errors
from penstock.cli import COMMANDS
from penstock.core.budget.budget import Budget
from penstock.core.budget.hosts import PROFILES
from penstock.core.model.values import Mode
from penstock.core.protocol.schema import NEGOTIATION_FIELDS
from penstock.stores import Store

ROOT = Path(__file__).parents[1]
AT_THE_ROOT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*AT_THE_ROOT, *sorted((ROOT / "docs").rglob("*.md"))]


def page(name):
    return (ROOT / "docs" / name).read_text("utf-8")


def code_blocks(language):
    fence = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [
        pytest.param(found[1], id=f"{path.name}-{found.start()}")
        for path in PAGES
        for found in fence.finditer(path.read_text("utf-8"))
    ]


@pytest.mark.parametrize("snippet", code_blocks("python"))
def test_every_snippet_runs(snippet, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    exec(compile(snippet, "snippet", "exec"), {"__name__": "snippet"})  # noqa: S102 (ours)


@pytest.mark.parametrize("snippet", code_blocks("toml"))
def test_every_settings_file_is_accepted(snippet, tmp_path):
    file = tmp_path / "penstock.toml"
    file.write_text(snippet)
    Policy.load(file=file)


def in_the_readme(heading):
    """Return the first code below a heading, and the output that is shown below the code."""
    readme = PAGES[0].read_text("utf-8")
    below = readme[readme.index(f"\n## {heading}\n") :]
    code = re.search(r"```python\n(.*?)```", below, re.DOTALL)[1]
    return code, re.search(r"```text\n(.*?)```", below, re.DOTALL)[1]


def test_the_map_is_what_the_readme_shows():
    code, shown_map = in_the_readme("Use it in your own server")
    names = {"__name__": "snippet"}
    exec(compile(code, "snippet", "exec"), names)  # noqa: S102 (ours)
    assert names["losses"]()["ascii_summary"] + "\n" == shown_map


def test_the_round_trip_prints_what_the_readme_shows():
    shown_code, shown_output = in_the_readme("Use the gate alone, in Python")
    example = ROOT / "examples" / "round_trip.py"
    assert example.read_text("utf-8").endswith(shown_code)
    ran = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True)
    assert ran.stdout == shown_output


@pytest.mark.parametrize("name", ["disclosure-in-python", "widgets"])
def test_a_page_shows_what_its_first_code_prints(name, capsys):
    told = page(f"howto/{name}.md")
    code = re.search(r"```python\n(.*?)```", told, re.DOTALL)[1]
    exec(compile(code, "snippet", "exec"), {"__name__": "snippet"})  # noqa: S102 (ours)
    assert capsys.readouterr().out == re.search(r"```text\n(.*?)```", told, re.DOTALL)[1]


def test_the_store_of_the_page_keeps_the_contract(tmp_path):
    runs = follow(page("howto/write-a-store.md"), tmp_path)
    assert len(runs) == 2
    for run in runs:
        run.check()


def test_the_page_on_stores_shows_the_protocol():
    def signatures(source):
        (store,) = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
        methods = [node for node in store.body if isinstance(node, ast.FunctionDef)]
        return {node.name: ast.unparse([node.args, node.returns]) for node in methods}

    shown = next(blocks(page("howto/write-a-store.md")))[1]
    assert signatures(shown) == signatures(inspect.getsource(Store))


STRICT = ("disclosure-in-python", "write-a-store")
# The code of the other pages leaves out annotations, to be short.
UNANNOTATED = (
    "--allow-untyped-defs", "--allow-untyped-calls", "--allow-untyped-decorators",
    "--allow-any-generics", "--check-untyped-defs",
)  # fmt: skip


def check_types(folder, pages, *options):
    """Run the type checker over the Python code of these pages, each block a file."""
    written = []
    for told in pages:
        for number, (language, block, named) in enumerate(blocks(told.read_text("utf-8"))):
            is_file = language == "py" and named  # another block without a name is a part of a file
            if language == "python" or is_file:
                module = f"{told.stem.replace('-', '_')}_{number}.py"
                written.append(folder / (named if is_file else module))
                written[-1].write_text(block, "utf-8")
    assert len({*written}) == len(written) > 1, "one block took the place of another"
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *sorted(folder.iterdir())],
        cwd=ROOT, env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_code_of_these_pages_passes_a_strict_type_checker(tmp_path):
    pytest.importorskip("mypy")
    check_types(tmp_path, [ROOT / "docs" / "howto" / f"{name}.md" for name in STRICT])


def test_the_code_of_the_readme_and_of_the_how_tos_passes_a_type_checker(tmp_path):
    pytest.importorskip("mypy")
    others = [one for one in (ROOT / "docs" / "howto").glob("*.md") if one.stem not in STRICT]
    check_types(tmp_path, [ROOT / "README.md", *others], *UNANNOTATED)


def test_the_table_of_settings_says_what_the_code_says():
    told = page("reference/settings.md")
    assert f"\n{settings_table()}\n" in told, "write it anew: python tests/helpers/settings_page.py"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name):
    assert f"\n## `penstock {name}" in page("reference/cli.md")


@pytest.mark.parametrize("mode", list(Mode))
def test_every_mode_is_documented(mode):
    assert f"| `{mode}` |" in page("reference/wire.md")


@pytest.mark.parametrize("name", NEGOTIATION_FIELDS)
def test_every_field_is_documented(name):
    assert f"`{name}`" in page("reference/wire.md")


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    ],
)
def test_every_error_is_documented_and_documents_itself(name):
    assert f"| `{name}` |" in page("reference/errors.md")
    assert getattr(errors, name).__doc__


def test_every_link_between_pages_leads_somewhere():
    for path in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_tests_that_the_security_page_names_are_there():
    named = re.findall(r"`(tests/[^`]+)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert named
    assert not [path for path in named if not (ROOT / path).exists()]


FOLDERS = [name for name in RANKS if not name.startswith("_")]


def test_the_architecture_page_draws_the_imports_as_they_are():
    anew = "draw it anew: python tests/helpers/architecture_page.py"
    assert picture() in page("explanation/architecture.md"), anew


def test_the_picture_names_every_folder():
    assert set(re.findall(r"\w+", picture())) >= {name.removeprefix("core.") for name in FOLDERS}


def test_the_picture_leaves_out_arrows_that_follow_from_others():
    assert reduced({"log": set(), "gate": {"log"}, "wire": {"gate", "log"}}) == {
        "log": set(),
        "gate": {"log"},
        "wire": {"gate"},
    }


@pytest.mark.parametrize("name", FOLDERS)
def test_the_architecture_page_says_what_is_in_every_folder(name):
    path = name.replace(".", "/")
    told = page("explanation/architecture.md").partition("## What is where")[2]
    assert f"`{path}/`" in told if (PACKAGE / path).is_dir() else f"`{path}`" in told


@pytest.mark.parametrize("folder", ["core/json", "core/model", "core/budget", "core/results"])
def test_the_architecture_page_names_every_module_of_the_core(folder):
    rows = page("explanation/architecture.md").splitlines()
    row = next(row for row in rows if row.startswith(f"| `{folder}/`"))
    modules = {path.stem for path in (PACKAGE / folder).glob("*.py")} - {"__init__"}
    assert not [name for name in modules if f"`{name}`" not in row]


def test_the_glossary_explains_words_that_the_code_uses():
    told = page("explanation/architecture.md").partition("| word | meaning |\n|---|---|\n")[2]
    terms = re.findall(r"^\| ([a-z ]+) \|", told.partition("\n\n")[0], re.MULTILINE)
    assert terms
    source = " ".join(path.read_text("utf-8").lower() for path in PACKAGE.rglob("*.py"))
    used = set(re.findall(r"[a-z]+", source))
    assert {word for term in terms for word in term.split()} - used == set()


def test_every_folder_says_what_lives_in_it():
    for path in PACKAGE.rglob("__init__.py"):
        if "management" not in path.parts:  # folders of that name hold only commands of Django
            assert path.read_text("utf-8").startswith('"""'), path


def test_every_host_profile_is_documented():
    told = page("reference/hosts.md")
    for name, profile in PROFILES.items():
        assert f"| `{name}` |" in told
        row = next(line for line in told.splitlines() if line.startswith(f"| `{name}` |"))
        budget, ceiling = (cell.strip(" `") for cell in row.split("|")[5:7])
        assert Budget.parse(budget) == profile.budget
        assert Budget.parse(budget if ceiling == "the same" else ceiling) == profile.ceiling
