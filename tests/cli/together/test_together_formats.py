"""A realistic config of every host: which servers move, and what the one entry has."""

import json
import stat
import sys
import tomllib

import pytest
from host_configs import (
    CLAUDE_CODE,
    CLAUDE_DESKTOP,
    CODEX,
    CONFIGS,
    CURSOR,
    VS_CODE,
    VS_CODE_SETTINGS,
    WINDSURF,
)

from penstock.cli.several import read_group
from penstock.cli.together import plan_apart
from penstock.cli.wrapping import Launcher, describe, plan
from penstock.cli.wrapping.jsonc import scan
from penstock.cli.wrapping.tree import plain

PENSTOCK = Launcher("/opt/penstock")

COPILOT = """\
{
  "mcpServers": {
    "files": {"type": "local", "command": "npx", "args": ["files"], "tools": ["*"], "env": {}},
    "web": {"type": "http", "url": "http://localhost:1/mcp", "tools": ["*"]},
    "some": {"type": "local", "command": "npx", "args": ["some"], "tools": ["read"]}
  }
}
"""
QWEN = """\
{
    "mcpServers": {
        "slow": {"command": "uvx", "args": ["slow"], "timeout": 900000},
        "quick": {"command": "uvx", "args": ["quick"], "timeout": 5000},
        "key": {"command": "uvx", "env": {"KEY": "$MY_KEY"}},
        "braces": {"command": "uvx", "env": {"KEY": "${MY_KEY}"}},
        "sse": {"url": "https://a.example/x", "headers": {"X-Key": "k"}},
        "fewer": {"command": "uvx", "excludeTools": ["delete"]}
    }
}
"""
MORE = [("Copilot CLI", ".copilot/mcp-config.json", COPILOT), ("Qwen", ".qwen/settings.json", QWEN)]
EVERY = [*CONFIGS, *MORE, ("Gemini CLI", ".gemini/settings.json", QWEN)]


def moved(made):
    return [change.name for change in made.changes if change.action == "gather"]


def reasons(made):
    return {change.name: change.reason for change in made.changes if change.action == "leave"}


def one_entry(made):
    return next(change.after for change in made.changes if change.action == "gather")


@pytest.mark.parametrize(("name", "text"), [case[1:] for case in EVERY], ids=[c[1] for c in EVERY])
def test_together_and_restored_to_the_byte(host_config, name, text):
    config = host_config(text, name)
    made = config.together()
    assert moved(made)
    assert config.text == made.text != text
    again = config.plan()
    assert not again.has_effect
    assert f"it runs the servers of {config.servers_file}" in reasons(again)["penstock"]
    config.apart()
    assert config.text == text
    assert not config.servers_file.exists()
    assert plan_apart(config.text, config.path) is None


@pytest.mark.parametrize(("name", "text"), [case[1:] for case in EVERY], ids=[c[1] for c in EVERY])
def test_penstock_starts_the_servers_as_the_host_did(host_config, tmp_path, name, text):
    config = host_config(text, name)
    made = config.together()
    words = one_entry(made)["args"]
    assert words[-2:] == ["--servers", str(config.servers_file)]
    variables = {"MY_KEY": "k", "DOCS_KEY": "k", "PENSTOCK_INPUT_TOK": "t", "HOME": "/root"}
    variables |= dict.fromkeys(one_entry(made).get("env_vars", ()), "v")
    group = read_group(config.servers_file, environment=variables, folder=tmp_path)
    assert [one.member.name for one in group.servers] == moved(made)
    assert [one.fault for one in group.servers] == [""] * len(moved(made))


@pytest.mark.skipif(sys.platform == "win32", reason="rights of POSIX")
def test_only_the_user_may_read_the_servers(host_config):
    config = host_config(CURSOR, ".cursor/mcp.json")
    config.path.chmod(0o644)
    config.together()
    assert stat.S_IMODE(config.servers_file.stat().st_mode) == 0o600


def test_claude_desktop(host_config):
    config = host_config(CLAUDE_DESKTOP, "claude_desktop_config.json")
    made = config.together()
    assert moved(made) == ["filesystem", "time"]
    assert "switched off" in reasons(made)["memory"]
    told = json.loads(config.text)
    assert told["globalShortcut"] == "Ctrl+Space"
    assert told["mcpServers"]["penstock"] == {
        "command": "/opt/penstock",
        "args": ["run", "--host", "claude", "--servers", str(config.servers_file)],
    }
    assert told["mcpServers"]["memory"] == json.loads(CLAUDE_DESKTOP)["mcpServers"]["memory"]
    assert "zoë/\\u0044ocuments" in config.servers_file.read_text("utf-8"), "as it is spelled"


def test_servers_of_a_project_stay(host_config):
    config = host_config(CLAUDE_CODE, ".claude.json")
    made = config.together()
    assert moved(made) == ["hosted"]
    assert "for one project" in reasons(made)["db"]
    told = json.loads(config.text)
    assert told["projects"] == json.loads(CLAUDE_CODE)["projects"]
    assert told["mcpServers"]["penstock"]["type"] == "stdio"
    one_by_one = plan(config.text, config.path, PENSTOCK)
    assert [change.name for change in one_by_one.changes if change.action == "wrap"] == ["db"]


def test_a_config_with_projects_only(host_config):
    text = '{"projects": {"/shop": {"mcpServers": {"db": {"command": "uvx"}}}}}'
    made = host_config(text, ".claude.json").plan()
    assert not made.has_effect
    assert "for one project" in reasons(made)["db"]


def test_vs_code_still_asks_for_inputs(host_config):
    config = host_config(VS_CODE, ".vscode/mcp.json")
    made = config.together()
    assert moved(made) == ["github"]
    assert "envFile" in reasons(made)["fs"]
    assert one_entry(made)["env"] == {"PENSTOCK_INPUT_TOK": "${input:tok}"}
    assert one_entry(made)["type"] == "stdio"
    told = plain(scan(config.text))
    assert told["inputs"] == plain(scan(VS_CODE))["inputs"]
    assert config.text.count("\n") == config.text.count("\r\n")
    assert config.text.startswith("\ufeff// The team's servers.")


def test_vs_code_settings(host_config):
    config = host_config(VS_CODE_SETTINGS, "User/settings.json")
    config.together()
    assert list(plain(scan(config.text))["mcp"]["servers"]) == ["penstock"]


def test_windsurf_hides_single_tools(host_config):
    made = host_config(WINDSURF, "mcp_config.json").plan()
    assert moved(made) == ["dev"]
    assert "`disabledTools`" in reasons(made)["github"]


def test_copilot_lists_every_tool_of_the_one_entry(host_config):
    made = host_config(COPILOT, ".copilot/mcp-config.json").plan()
    assert moved(made) == ["files", "web"]
    assert one_entry(made)["type"] == "local"
    assert one_entry(made)["tools"] == ["*"]
    assert "`tools`" in reasons(made)["some"]


def test_qwen_waits_for_the_slowest_server(host_config):
    made = host_config(QWEN, ".qwen/settings.json").plan()
    assert moved(made) == ["slow", "quick", "braces"]
    assert one_entry(made)["timeout"] == 900_000
    assert reasons(made)["key"] == "only the host fills in $MY_KEY; write ${MY_KEY} instead"
    assert "`excludeTools`" in reasons(made)["fewer"]
    assert "SSE" in reasons(made)["sse"]


def test_codex_passes_on_the_variables_of_every_server(host_config):
    config = host_config(CODEX, "config.toml")
    made = config.together()
    assert moved(made) == ["docs", "hosted", "named"]
    told = tomllib.loads(config.text)["mcp_servers"]
    assert told["penstock"] == {
        "command": "/opt/penstock",
        "args": ["run", "--host", "codex", "--servers", str(config.servers_file)],
        "env_vars": ["HOSTED_TOKEN", "NAMED_KEY", "TEAM"],
        "startup_timeout_sec": 20,
    }
    assert told["with space"] == {"command": "uvx", "enabled": False}
    assert told["inline"] == {"command": "node", "args": ["x.js"]}
    assert "[mcp_servers.NAME]" in reasons(made)["inline"]
    for comment in ("# local", "# in single", "# which part", "# from the shell"):
        assert comment in config.servers_file.read_text("utf-8")
    assert tomllib.loads(config.text)["profiles"] == {"fast": {"model": "o4"}}


SHOWN = """\
Cursor: {folder}/mcp.json
To be put together behind one Penstock: 2 of 3 servers.

  docs
    now    https://docs.example.com/mcp (X-API-Key)

  figma
    now    http://127.0.0.1:3845/mcp

  one entry in their place
    then   penstock run --servers {folder}/mcp.json.penstock-servers

  Not changed:
    login: it logs in by OAuth in the host, which a proxy would break

  penstock stands for /opt/penstock

  The servers move to {folder}/mcp.json.penstock-servers. From then on, edit them there."""


def test_what_is_shown(host_config):
    config = host_config(CURSOR, ".cursor/mcp.json")
    assert describe(config.plan()) == SHOWN.format(folder=config.path.parent)
