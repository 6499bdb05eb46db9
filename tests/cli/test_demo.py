"""`penstock demo` as a real process: its output, which the user's environment does not change."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from environments import clean_environment
from relay_processes import PATIENCE

README = Path(__file__).parents[2] / "README.md"
# -P: tests start the demo in folders with files that look like modules.
DEMO = [sys.executable, "-P", "-m", "penstock", "demo"]
CORE = {"penstock", "msgspec", "zstandard", "jsonschema_rs"}


def played(cwd=None, **variables):
    return subprocess.run(
        DEMO,
        capture_output=True,
        encoding="utf-8",
        env=clean_environment(**variables),
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        cwd=cwd,
        check=False,
    )


def with_code_in_each_process(folder, code):
    """Return the variable that makes every Python run the code when it starts."""
    (folder / "sitecustomize.py").write_text(code)
    source = Path(sys.modules["penstock"].__file__).parents[1]
    return {"PYTHONPATH": f"{folder}:{source}"}


def steps_in(shown, mark="▸"):
    return [line[2:] for line in shown.splitlines() if line.startswith(f"{mark} ")]


def number(pattern, text):
    return int(re.search(pattern, text)[1].replace(",", ""))


@pytest.fixture(scope="module")
def shown():
    done = played()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def test_it_adds_up(shown):
    plant, others = shown.split("Another server lists")
    control_room = others.partition("Which of 40 pumps")[0]
    for part, calls in ((plant, 7), (control_room, 3)):
        costs = re.findall(r"^  (\S+) tokens$", part, re.MULTILINE)
        assert len(costs) == calls
        listed = number(r"others: (\S+) tokens", part) if part is control_room else 0
        spent = number(rf"{calls} calls[,:] (\S+) tokens", part)
        assert spent == listed + sum(int(cost.replace(",", "")) for cost in costs)
        raw = number(r"Without Penstock[^:]*: (\S+) tokens", part)
        assert f"{raw / spent:,.0f} times as many" in part


@pytest.fixture(scope="module")
def shown_without_extras(tmp_path_factory):
    others = sorted(set(packages_distributions()) - CORE)
    assert {"mcp", "jq", "rs_bpe"} <= set(others)
    blocking = f"import sys\nsys.modules.update(dict.fromkeys({others!r}))\n"
    done = played(**with_code_in_each_process(tmp_path_factory.mktemp("core"), blocking))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def test_it_needs_the_core_alone(shown, shown_without_extras):
    assert '"query"' in shown
    assert '"query"' not in shown_without_extras, "jq was there all the same"
    assert steps_in(shown_without_extras) == steps_in(shown)[:-1]


def test_it_shows_what_calls_cost_beside_a_program_that_makes_them(shown):
    program = shown.partition("Which of 40 pumps")[2]
    raw = number(r"results cost (\S+) tokens", program)
    spent = number(r"The program and its answer: (\S+) tokens", program)
    assert f"Without Penstock: {raw:,} tokens, {raw / spent:,.0f} times as many" in program
    assert "await asyncio.gather(" in program
    assert "Called pump_history 40x" in program
    assert spent < 200
    assert raw > 500_000


def test_without_the_extra_one_line_says_how_to_install_programs(shown_without_extras):
    told = [line for line in shown_without_extras.splitlines() if "programs" in line]
    assert len(told) == 1
    assert 'pip install ".[programs]"' in told[0]


def test_the_readme_tells_the_figures_of_a_plain_installation(shown_without_extras):
    told = r"results of (\S+) million tokens, read with about (\S+)\n"
    millions, spent = re.search(told, README.read_text("utf-8")).groups()
    raw = number(r"Without Penstock: about (\S+) tokens", shown_without_extras)
    assert f"{raw / 1e6:.1f}" == millions
    # Continuation tokens are random: the count varies a little.
    counted = number(r"7 calls, about (\S+) tokens", shown_without_extras)
    assert abs(counted - int(spent.replace(",", ""))) < 100


def test_the_users_surroundings_do_not_change_it(shown, tmp_path):
    """Settings, files with names of modules, and a terminal that knows only ASCII."""
    (tmp_path / "json.py").write_text("raise SystemExit('this is not the module json')")
    settings = tmp_path / "penstock" / "penstock.toml"
    settings.parent.mkdir()
    settings.write_text('budget = "1kB"\nlist = "full"\n')
    done = played(
        tmp_path,
        XDG_CONFIG_HOME=str(tmp_path),
        PENSTOCK_STORE="redis://localhost:1",
        PENSTOCK_INLINE="1GB",
        PYTHONIOENCODING="ascii",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert steps_in(done.stdout, mark="?") == steps_in(shown)


def test_a_step_that_fails_is_told_and_ends_it(tmp_path):
    failing = (
        "from penstock.cli.demonstration.server import DemoTool\n"
        "DemoTool.call = lambda *_: {'content': [], 'isError': True}\n"
    )
    done = played(**with_code_in_each_process(tmp_path, failing))
    assert done.returncode == 2
    assert "The demo did not do what it is meant to show." in done.stderr
    assert "Traceback" not in done.stderr


def test_its_reader_may_leave():
    reading = " ".join(DEMO) + " | head -2"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {reading}"],
        capture_output=True,
        text=True,
        env=clean_environment(),
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "5,000 devices" in done.stdout
