"""`penstock wrap --together` as a real process, and the one entry with real servers behind it."""

import json
import re

import pytest
from host_machine import PLAIN, Machine, marking
from node_runtime import node, package
from relay_processes import StdioClient

from penstock.core.budget.measure import O200kMeter
from penstock.disclosure.lists.host_parts import counted_list


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def real(name, *words):
    """Return the entry of a server of the MCP project."""
    program = package(f"@modelcontextprotocol/server-{name}/dist/index.js")
    return {"command": node(), "args": [program, *map(str, words)]}


def started(machine, entry, **variables):
    """Start an entry as its host does."""
    return StdioClient(
        [entry["command"], *entry["args"]],
        environment={**machine.variables, **variables},
        cwd=machine.folder,
        behind=False,
    )


def listed(client):
    """Return the tools that a host gets from a server, and the tokens that they cost."""
    meter = O200kMeter()
    try:
        instructions = client.greet().get("instructions") or ""
        tools = client.ask("tools/list", {})["result"]["tools"]
    finally:
        client.discard()
    wire = [json.dumps(tool, separators=(",", ":"), ensure_ascii=False).encode() for tool in tools]
    tokens = meter.count(counted_list(wire).decode()) + meter.count(instructions)
    return {tool["name"] for tool in tools}, tokens


def numbers(pattern, text):
    return [int(number.replace(",", "")) for number in re.findall(pattern, text)]


def test_the_one_entry_lists_the_tools_of_all_servers(machine):
    entries = {"files": real("filesystem", machine.folder), "memory": real("memory")}
    config = machine.config(".cursor/mcp.json", {**entries, "off": {**PLAIN, "disabled": True}})
    before = config.read_bytes()
    alone = [listed(started(machine, entry))[0] for entry in entries.values()]
    shown = machine.wrap("cursor", "--together")
    assert "one entry in their place" in shown.stdout
    assert "Nothing was written. Add --write to make this change." in shown.stdout
    raw = numbers(r"list   ([\d,]+) tokens now\n", shown.stdout)
    (whole,) = numbers(r"list   ([\d,]+) tokens now, ", shown.stdout)
    (behind,) = numbers(r"([\d,]+) behind Penstock: saves", shown.stdout)
    assert sum(raw) == pytest.approx(whole, rel=0.01)
    assert config.read_bytes() == before

    assert machine.wrap("cursor", "--together", "--write").returncode == 0
    entry = json.loads(config.read_text())["mcpServers"]["penstock"]
    together, tokens = listed(started(machine, entry))
    assert tokens == pytest.approx(behind, rel=0.05)
    assert alone[0] | alone[1] <= together
    assert sum("read_result" in name for name in together) == 1

    assert machine.wrap("cursor", "--undo", "--write").returncode == 0
    assert config.read_bytes() == before


def test_a_sum_says_which_lists_it_leaves_out(machine):
    gone = {"command": "no-such-server"}
    for servers, told in (
        ({"a": PLAIN, "b": PLAIN, "gone": gone}, r"list   of 2 of 3 servers: [\d,]+ tokens now, "),
        ({"gone": gone}, "list   not measured: no server has listed its tools\n"),
        ({"a": PLAIN, "b": PLAIN}, r"list   [\d,]+ tokens now, "),
    ):
        machine.config(".cursor/mcp.json", servers)
        assert re.search(told, machine.wrap("cursor", "--together").stdout)
    machine.config(".cursor/mcp.json", {"a": PLAIN, "b": PLAIN, "gone": gone})
    assert "All lists that were measured (2 of 3 servers): " in machine.wrap("cursor").stdout


def test_values_that_the_host_asks_for_reach_the_server(machine):
    config = machine.config(
        ".config/Code/User/mcp.json",
        json.dumps({"servers": {"plain": {**PLAIN, "env": {"KEY": "${input:the-key}"}}}}),
    )
    shown = machine.wrap("vscode", "--together")
    assert "only a host asks for it" in shown.stdout
    machine.wrap("vscode", "--together", "--write")
    entry = json.loads(config.read_text())["servers"]["penstock"]
    assert entry["env"] == {"PENSTOCK_INPUT_THE_KEY": "${input:the-key}"}
    tools, _ = listed(started(machine, entry, PENSTOCK_INPUT_THE_KEY="k"))
    without, _ = listed(started(machine, entry))
    assert tools > without, "without the value, the server is down"


def test_a_server_starts_in_the_folder_that_the_host_chose(machine):
    mark = {**marking("mark")}
    config = machine.config(".claude.json", {"one": mark, "two": PLAIN})
    machine.wrap("claude-code", "--together", "--write")
    entry = json.loads(config.read_text())["mcpServers"]["penstock"]
    listed(started(machine, entry))
    assert (machine.folder / "mark").exists()


def test_all_configs(machine):
    cursor = machine.config(".cursor/mcp.json", {"one": PLAIN})
    codex = machine.config(".codex/config.toml", '[mcp_servers.one]\ncommand = "npx"\n')
    off = machine.config(".qwen/settings.json", {"off": {**PLAIN, "disabled": True}})
    before = [path.read_bytes() for path in (cursor, codex, off)]
    done = machine.wrap("--all", "--together", "--write")
    assert done.returncode == 0
    assert "--servers" in cursor.read_text()
    assert "--servers" in codex.read_text()
    assert off.read_bytes() == before[2]
    again = machine.wrap("--all", "--together")
    assert again.stdout.count("Nothing to change.") == 3
    assert machine.wrap("--all", "--undo", "--write").returncode == 0
    assert [path.read_bytes() for path in (cursor, codex, off)] == before


@pytest.mark.parametrize("options", [["--no-costs"], ["--write"]])
def test_no_server_is_started_without_need(machine, options):
    mark = machine.folder / "mark"
    machine.config(".cursor/mcp.json", {"one": marking(mark)})
    assert machine.wrap("cursor", "--together", *options).returncode == 0
    assert not mark.exists()


def test_no_secret_is_shown(machine):
    hidden = "hunter2-hunter2"
    talks = {"command": "sh", "args": ["-c", "echo $KEY; exit 3"], "env": {"KEY": hidden}}
    machine.config(".cursor/mcp.json", {"talks": talks})
    done = machine.wrap("cursor", "--together")
    assert "exit code 3" in done.stdout
    assert hidden not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["cursor", "--together", "--undo"], "--undo alone"),
        (["--together", "--write"], "penstock wrap CONFIG --together --write, or"),
        (["cursor", "--together", "--except", "tow"], "has no server 'tow'"),
    ],
)
def test_advice(machine, words, told):
    machine.config(".cursor/mcp.json", {"one": PLAIN})
    done = machine.wrap(*words)
    assert done.returncode == 2
    assert told in done.stderr
