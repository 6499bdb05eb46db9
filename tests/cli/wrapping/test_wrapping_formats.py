"""A realistic config of every host: what changes, what does not, and that undoing restores it."""

import json
import tomllib
from pathlib import Path

import pytest
from host_configs import CLAUDE_CODE, CLAUDE_DESKTOP, CODEX, CONFIGS, CURSOR, VS_CODE, WINDSURF

from penstock.cli.wrapping import Launcher, plan, plan_undo, read, write
from penstock.cli.wrapping.formats import _FORMATS, format_of
from penstock.core.budget.hosts import PROFILES
from penstock.errors import InvalidSetting

PENSTOCK = Launcher("/opt/penstock/bin/penstock")


def planned(text, name, **options):
    return plan(text, Path(name), PENSTOCK, **options)


def entries(made):
    return {change.name: change.after for change in made.changes}


def reasons(made):
    return {change.name: change.reason for change in made.changes if change.action == "leave"}


@pytest.mark.parametrize(("title", "name", "text"), CONFIGS, ids=[name for _, name, _ in CONFIGS])
def test_a_file_is_wrapped_and_restored_to_the_byte(tmp_path, title, name, text):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    made = plan(read(path), path, PENSTOCK)
    assert made.title == title
    first_backup = write(made)
    assert path.read_bytes() == made.text.encode() != text.encode()
    assert first_backup.read_bytes() == text.encode()
    assert not plan(read(path), path, PENSTOCK).has_effect

    write(plan_undo(read(path), path))
    restored = path.read_bytes().decode()
    if "env_http_headers" in text:
        assert tomllib.loads(restored) == tomllib.loads(text)  # in another order
    else:
        assert restored == text


def test_claude_desktop():
    made = planned(CLAUDE_DESKTOP, "claude_desktop_config.json")
    told = json.loads(made.text)
    assert told["globalShortcut"] == "Ctrl+Space"
    filesystem = told["mcpServers"]["filesystem"]
    assert filesystem["command"] == "/opt/penstock/bin/penstock"
    assert filesystem["args"] == [
        *("run", "--host", "claude", "--", "npx"),
        *("-y", "@modelcontextprotocol/server-filesystem", "/Users/zoë/Documents"),
    ]
    assert told["mcpServers"]["memory"] == {
        "command": "/opt/penstock/bin/penstock",
        "args": ["run", "--host", "claude", "--", "C:\\Program Files\\nodejs\\node.exe"],
        "disabled": True,
        "autoApprove": ["read"],
    }
    assert told["mcpServers"]["time"]["args"] == ["run", "--host", "claude", "--", "uvx"]
    assert '        "claude",\n        "--",\n        "npx",\n        "-y",\n' in made.text
    assert "zoë/\\u0044ocuments" in made.text, "what is not changed is not spelled anew"


def test_claude_code():
    made = planned(CLAUDE_CODE, ".claude.json")
    told = json.loads(made.text)
    assert told["mcpServers"]["hosted"] == {
        "type": "stdio",
        "command": "/opt/penstock/bin/penstock",
        "args": ["run", "--host", "claude-code", "--url", "https://mcp.example.com/mcp"],
        "env": {"PENSTOCK_HEADERS": '{"Authorization": "Bearer ${TOKEN:-none}", "X-Region": "eu"}'},
    }
    assert "SSE" in reasons(made)["old"]
    project = told["projects"]["/home/ann/shop"]["mcpServers"]["db"]
    assert project["args"] == ["run", "--host", "claude-code", "--", "uvx", "mcp-db"]
    assert [change.project for change in made.changes] == ["", "", "/home/ann/shop"]
    assert '"numStartups": 12345678901234567890,' in made.text


def test_cursor_has_no_profile():
    made = planned(CURSOR, ".cursor/mcp.json")
    assert made.host is None
    assert entries(made)["docs"] == {
        "command": "/opt/penstock/bin/penstock",
        "args": ["run", "--url", "https://docs.example.com/mcp"],
        "env": {"PENSTOCK_HEADERS": '{"X-API-Key": "${env:DOCS_KEY}"}'},
    }
    assert entries(made)["figma"]["args"] == ["run", "--url", "http://127.0.0.1:3845/mcp"]
    assert "OAuth" in reasons(made)["login"]


def test_vs_code_keeps_comments_and_variables():
    made = planned(VS_CODE, ".vscode/mcp.json")
    comments = ("The team's servers.", "local {", "as always", "say yes", '"command"\r\n')
    assert all(comment in made.text for comment in (*comments, "asked for once", "// secret"))
    assert made.text.startswith("\ufeff//")
    assert made.text.count("\n") == made.text.count("\r\n")
    assert entries(made)["fs"]["args"][-2:] == ["@example/fs", "${workspaceFolder}"]
    assert entries(made)["fs"]["envFile"] == "${workspaceFolder}/.env"
    environment = entries(made)["github"]["env"]
    assert environment == {"PENSTOCK_HEADERS": '{"Authorization": "Bearer ${input:tok}"}'}
    assert "OAuth" in reasons(made)["chosen"], "a header that only chooses is no credential"


def test_windsurf_remembers_its_own_key():
    made = planned(WINDSURF, "mcp_config.json")
    assert entries(made)["github"]["env"] == {
        "PENSTOCK_HEADERS": '{"Authorization": "Bearer abc"}',
        "PENSTOCK_WRAPPED": '{"url": "serverUrl"}',
    }
    assert entries(made)["dev"]["env"] == {"PENSTOCK_WRAPPED": '{"url": "serverUrl"}'}
    assert "SSE" in reasons(made)["zapier"]


def test_codex():
    made = planned(CODEX, "config.toml")
    told = tomllib.loads(made.text)["mcp_servers"]
    run = ["run", "--host", "codex"]
    assert told["docs"]["args"] == [*run, "--", "npx", "-y", "C:\\docs"]
    assert told["docs"]["env"] == {"KEY": '[mcp_servers.fake]\ncommand = "no"\n'}
    assert told["with space"] == {
        "command": "/opt/penstock/bin/penstock",
        "args": [*run, "--", "uvx"],
        "enabled": False,
    }
    assert told["hosted"] == {
        "command": "/opt/penstock/bin/penstock",
        "args": [*run, "--url", "https://mcp.example.com/mcp", "--bearer-env", "HOSTED_TOKEN"],
        "env_vars": ["HOSTED_TOKEN"],
        "env": {"PENSTOCK_HEADERS": '{"X-Region": "eu"}'},
    }
    assert told["named"] == {
        "command": "/opt/penstock/bin/penstock",
        "args": [
            *(*run, "--url", "https://named.example.com/mcp"),
            *("--header-env", "X-Api-Key=NAMED_KEY", "--header-env", "X-Team=TEAM"),
        ],
        "env_vars": ["NAMED_KEY", "TEAM"],
        "tool_timeout_sec": 5,
    }
    assert told["inline"]["args"] == [*run, "--", "node", "x.js"]
    assert told["dotted"]["args"] == [*run, "--", "node"]
    for comment in ("# Codex", "# local", "# in single", "# yes", "# from the shell", "# which"):
        assert comment in made.text


def test_a_host_that_is_named_goes_before_the_path():
    made = planned(CURSOR, ".cursor/mcp.json", host="Claude Desktop")
    assert made.host == "claude"
    assert entries(made)["figma"]["args"][:3] == ["run", "--host", "claude"]


def test_an_unknown_host_is_refused():
    with pytest.raises(InvalidSetting, match="unknown host"):
        planned(CURSOR, "x.json", host="nobody")


def test_every_profile_that_is_named_exists():
    assert {fmt.host for fmt in _FORMATS if fmt.host} <= PROFILES.keys()
    assert format_of(Path("config.toml")).host in PROFILES


def test_a_bare_url_is_the_old_transport_for_some_hosts():
    text = (
        '{"mcpServers": {"a": {"url": "https://a.example/x", "headers": {"X-Key": "k"}},'
        ' "b": {"httpUrl": "https://b.example/x", "headers": {"X-Key": "k"}}}}'
    )
    made = planned(text, ".qwen/settings.json")
    assert "SSE" in reasons(made)["a"]
    assert entries(made)["b"]["args"] == [
        *("run", "--host", "qwen-code", "--url", "https://b.example/x")
    ]
    assert plan_undo(made.text, made.path).text == text
