"""`penstock wrap` as a real process, with real configs and real servers."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from host_machine import PLAIN, Machine, environment, marking
from node_runtime import node, package
from relay_processes import (
    PATIENCE,
    StdioClient,
    wait_until,
    wait_until_gone,
)

from penstock.core.budget.measure import O200kMeter
from penstock.disclosure.lists.host_parts import counted_list

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "wrap-a-host.md"


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


# -- costs -------------------------------------------------------------------------------------


def tokens_of(command, *, behind):
    """Return what a host gets from a server: the tokens of its list, and of Penstock's words."""
    meter = O200kMeter()
    client = StdioClient(command, behind=behind)
    try:
        greeting = client.greet()
        tools = client.ask("tools/list", {})["result"]["tools"]
    finally:
        client.discard()
    wire = [json.dumps(tool, separators=(",", ":"), ensure_ascii=False).encode() for tool in tools]
    return meter.count(counted_list(wire).decode()), greeting.get("instructions") or ""


def numbers(text):
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)]


@pytest.mark.parametrize("name", ["server-filesystem", "server-memory"])
def test_the_costs_are_those_of_a_host(machine, name):
    program = package(f"@modelcontextprotocol/{name}/dist/index.js")
    entry = {"command": node(), "args": [program, str(machine.folder)]}
    machine.config(".cursor/mcp.json", {"one": entry})
    told = machine.wrap("cursor")
    before, theirs = tokens_of([entry["command"], *entry["args"]], behind=False)
    after, both = tokens_of([entry["command"], *entry["args"]], behind=True)
    after += O200kMeter().count(both.removesuffix(theirs).rstrip("\n"))
    assert f"    list   {before:,} tokens now, {after:,} behind Penstock: " in told.stdout
    assert "Nothing was written. Add --write to make this change." in told.stdout
    if name == "server-filesystem":
        (shown,) = re.findall("    list   (.*)", PAGE.read_text("utf-8"))
        (real,) = re.findall("    list   (.*)", told.stdout)
        assert numbers(shown) == pytest.approx(numbers(real), rel=0.1)


def test_where_wrapping_does_not_pay_it_says_so(machine):
    machine.config(".cursor/mcp.json", {"one": PLAIN, "two": PLAIN})
    told = machine.wrap("cursor").stdout
    assert told.count(" tokens more; pays only if its results are large") == 3  # and the sum
    assert "All lists that were measured: " in told


def test_each_failure_is_a_line_without_secrets(machine):
    hidden = "hunter2-hunter2"
    machine.config(
        ".cursor/mcp.json",
        {
            "gone": {"command": "no-such-server"},
            "ends": {"command": "false"},
            "asks": {"command": "node", "args": ["${input:token}"]},
            "off": {**PLAIN, "disabled": True},
            "elsewhere": {**PLAIN, "cwd": "/no/such/folder"},
            "talks": {
                "command": "sh", "args": ["-c", "echo $KEY; exit 3"], "env": {"KEY": hidden}
            },
            "logs": {
                "command": "sh", "args": ["-c", "echo no $KEY >&2; exit 4"], "env": {"KEY": hidden}
            },
            "remote": {"url": "http://127.0.0.1:9/s/9f86d081884c7d65/mcp"},
        },
    )  # fmt: skip
    done = machine.wrap("cursor")
    assert done.returncode == 0
    for why in (
        "Cannot start 'no-such-server'",
        "ended with exit code 1 before it answered initialize",
        "Only the host can fill in its ${input:token}.",
        "It is switched off in the host.",
        "Its working folder /no/such/folder does not exist.",
        "ended with exit code 3 before it answered initialize. It printed non-MCP output: '…'",
        "ended with exit code 4 before it answered initialize. It logged: 'no …'.",
        "Cannot connect to http://127.0.0.1:9/s/…/mcp",
    ):
        assert why in done.stdout
    assert done.stdout.count("    list   not measured: ") == 8
    assert "penstock: asking gone for its tools (1 of 8)\n" in done.stderr
    assert hidden not in done.stdout + done.stderr
    assert "9f86d" not in done.stdout + done.stderr


def test_a_server_has_the_environment_and_the_folder_that_its_host_gives(machine):
    check = f"""
import os, runpy, sys
assert os.environ["FROM_CONFIG"] == {str(machine.home)!r} and os.environ["DEFAULT"] == "x"
assert os.getcwd() == {str(machine.home)!r}
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
    entry = {
        "command": sys.executable,
        "args": ["-c", check, *PLAIN["args"]],
        "env": {"FROM_CONFIG": "${env:HOME}", "DEFAULT": "${NO_SUCH_VARIABLE:-x}"},
    }
    machine.config(".cursor/mcp.json", {"one": entry})
    assert "tokens now" in machine.wrap("cursor").stdout


def test_a_server_whose_url_holds_a_secret_is_measured(machine):
    command = [PLAIN["command"], *PLAIN["args"], "--http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            machine.config(".cursor/mcp.json", {"one": {"url": f"{url}?token=hidden"}})
            told = machine.wrap("cursor").stdout
        finally:
            server.kill()
    assert "    then   penstock run (URL in PENSTOCK_URL)\n    list   " in told
    assert "tokens now" in told
    assert "hidden" not in told


def test_codex_passes_on_only_the_variables_that_it_names(machine):
    check = "import os; os.environ['SEEN'] and os._exit('HIDDEN' in os.environ)"
    words = json.dumps(["-c", check])
    machine.variables |= {"SEEN": "1", "HIDDEN": "1"}
    text = f'[mcp_servers.one]\ncommand = "{sys.executable}"\nargs = {words}\nenv_vars = ["SEEN"]\n'
    machine.config(".codex/config.toml", text)
    assert "ended with exit code 0 before" in machine.wrap("codex").stdout


def test_a_server_that_is_silent_is_given_up(machine):
    machine.config(".cursor/mcp.json", {"one": {"command": "sleep", "args": ["600"]}, "two": PLAIN})
    told = machine.wrap("cursor", "--timeout", "6").stdout
    assert "did not answer initialize within 6 s." in told
    assert "tokens now" in told


@pytest.mark.parametrize("options", [["--no-costs"], ["--write"], ["--undo"]])
def test_no_server_is_started_without_need(machine, options):
    mark = machine.folder / "mark"
    machine.config(".cursor/mcp.json", {"one": marking(mark)})
    assert machine.wrap("cursor", *options).returncode == 0
    assert not mark.exists()
    machine.wrap("cursor", "--undo", "--write")
    machine.wrap("cursor")
    assert mark.exists()


def test_a_signal_ends_the_servers(machine):
    machine.config(".cursor/mcp.json", {"one": {"command": "sleep", "args": ["600"]}})
    process = subprocess.Popen(**machine.command("wrap", "cursor"), stderr=subprocess.DEVNULL)
    wait_until(lambda: psutil.Process(process.pid).children(), "the server")
    server, *_guardian = psutil.Process(process.pid).children()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 128 + signal.SIGTERM
    wait_until_gone(server.pid)


# -- which configs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("claude-desktop", ".config/Claude/claude_desktop_config.json"),
        ("claude-code", ".claude.json"),
        ("Cursor", ".cursor/mcp.json"),
        ("vscode", ".config/Code/User/mcp.json"),
        ("windsurf", ".codeium/windsurf/mcp_config.json"),
        ("copilot", ".copilot/mcp-config.json"),
        ("qwen", ".qwen/settings.json"),
        ("gemini", ".gemini/settings.json"),
    ],
)
def test_a_host_by_name(machine, name, path):
    config = machine.config(path, {"one": PLAIN})
    original = config.read_text()
    assert machine.wrap(name, "--write").returncode == 0
    assert "run" in json.loads(config.read_text())["mcpServers"]["one"]["args"]
    assert machine.wrap(name, "--undo", "--write").returncode == 0
    assert config.read_text() == original


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["curser"], "There is no file and no host 'curser'.\n  Did you mean cursor?"),
        (["please"], "Name a file, or one of: claude-desktop, claude-code, cursor, "),
        (["cursor"], "No config of Cursor was found. Looked for: "),
        (["mine.json"], "mine.json: There is no such file."),
        (["--undo"], "Name it: penstock wrap CONFIG --undo, or take every config: penstock wrap --all --undo"),
        (["--undo", "--write"], "penstock wrap CONFIG --undo --write, or"),
        (["--write"], "penstock wrap CONFIG --write, or"),
        (["--all", "cursor"], "Both --all and a config were given."),
    ],
)  # fmt: skip
def test_advice(machine, words, told):
    done = machine.wrap(*words)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stdout == ""


def test_servers_that_are_left_as_they_are(machine):
    path = machine.config(".cursor/mcp.json", {"one": PLAIN, "two": PLAIN})
    told = machine.wrap("cursor", "--write", "--except", "two")
    assert "two: --except names it" in told.stdout
    entries = json.loads(path.read_text())["mcpServers"]
    assert entries["two"] == PLAIN
    assert entries["one"] != PLAIN
    refused = machine.wrap("cursor", "--write", "--except", "tow")
    assert refused.returncode == 2
    assert "has no server 'tow'" in refused.stderr
    assert "Its servers: one, two." in refused.stderr


def test_two_configs(machine):
    one = machine.config("one.json", {"first": PLAIN}, folder=machine.folder)
    two = machine.config("two.json", {"second": PLAIN}, folder=machine.folder)
    told = machine.wrap("one.json", "two.json", "--no-costs").stdout
    assert "  first\n" in told
    assert "  second\n" in told
    assert told.endswith("\nNothing was written. Add --write to make these changes.\n")
    assert machine.wrap(one, two, "--write").returncode == 0
    assert all("penstock" in path.read_text() for path in (one, two))


def test_all_configs_and_one_that_fails(machine):
    cursor = machine.config(".cursor/mcp.json", {"one": PLAIN})
    broken = machine.config(".qwen/settings.json", "{")
    machine.config(".gemini/settings.json", '{"theme": "dark"}')
    codex = machine.config(".codex/config.toml", '[mcp_servers.one]\ncommand = "npx"\n')
    done = machine.wrap("--all", "--write")
    assert done.returncode == 1
    assert str(broken) in done.stderr
    assert ".gemini/settings.json: No MCP servers found" in done.stdout
    assert all("penstock" in path.read_text() for path in (cursor, codex))
    assert machine.wrap("--all", "--undo", "--write").returncode == 1
    assert codex.read_text() == '[mcp_servers.one]\ncommand = "npx"\n'
    broken.unlink()
    assert machine.wrap("--all", "--no-costs").returncode == 0


def test_servers_of_a_project_are_started_only_if_it_is_named(machine):
    machine.folder = machine.folder.rename(machine.folder.with_name("my shop"))
    mark = machine.folder / "mark"
    config = machine.config(".mcp.json", {"one": marking(mark)}, folder=machine.folder)
    for words in (["--all"], ["claude-code"]):
        told = machine.wrap(*words).stdout
        assert "are not started, because the file belongs to this folder." in told
        assert f"see their costs: penstock wrap '{config}'\n" in told
        assert "  one\n" in told
    assert not mark.exists()
    machine.wrap(".mcp.json")
    assert mark.exists()


# -- the place of the installation -------------------------------------------------------------


@pytest.mark.parametrize("place", ["cache/uv/archive-v0/x", ".cache/pipx/x", "tmp/x"])
def test_an_installation_that_will_not_last(machine, place):
    (machine.home / "tmp").mkdir()
    machine.variables["TMPDIR"] = str(machine.home / "tmp")
    python = environment(machine.home / place)
    machine.config(".cursor/mcp.json", {"one": PLAIN})
    done = machine.penstock("wrap", "cursor", "--no-costs", python=python)
    assert done.returncode == 0
    assert f"will not last: {python}" in done.stderr
    assert "`uv tool install .` or `pipx install .` in a clone" in done.stderr
    assert not machine.penstock("wrap", "cursor", "--undo", python=python).stderr


def test_an_installation_that_lasts(machine):
    machine.variables["TMPDIR"] = str(machine.home)
    machine.config(".cursor/mcp.json", {"one": PLAIN})
    assert not machine.wrap("cursor", "--no-costs").stderr
