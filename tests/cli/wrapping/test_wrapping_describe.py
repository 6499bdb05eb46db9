"""A plan as text for the user."""

import json
from pathlib import Path

import pytest

from penstock.cli.wrapping import Launcher, describe, plan, plan_undo

SERVERS = {
    "mcpServers": {
        "files": {"command": "npx", "args": ["-y", "my files"], "env": {"KEY": "hidden"}},
        "hosted": {
            "url": "https://mcp.example.com/mcp",
            "headers": {"Authorization": "Bearer hidden"},
        },
        "login": {"url": "https://login.example.com/mcp"},
    },
    "projects": {"/shop": {"mcpServers": {"db": {"command": "uvx"}}}},
}
PATH = Path(".claude.json")

WRAPPED = """\
Claude Code: .claude.json
To be put behind Penstock: 3 of 4 servers, with the limits of claude-code.

  files
    now    npx -y 'my files'
    then   penstock run --host claude-code -- npx -y 'my files'

  hosted
    now    https://mcp.example.com/mcp (Authorization)
    then   penstock run --host claude-code --url https://mcp.example.com/mcp (headers in PENSTOCK_HEADERS)

  db (in /shop)
    now    uvx
    then   penstock run --host claude-code -- uvx

  Not changed:
    login: its config has no credentials, so it may log in by OAuth in the host, which a proxy \
would break; if it does not, use --remote

  penstock stands for /opt/python -m penstock"""

UNDONE = """\
MCP config: mine.json
To be taken from behind Penstock: 1 server.

  one
    now    penstock run -- npx
    then   npx"""


def test_wrapping():
    made = plan(json.dumps(SERVERS), PATH, Launcher("/opt/python", ("-m", "penstock")))
    assert describe(made) == WRAPPED
    assert "hidden" not in describe(made)


HIDING = {
    "path": ({"url": "https://a.example/s/9f86d081884c7d65/mcp"}, "https://a.example/s/…/mcp"),
    "query": ({"url": "https://a.example/mcp?token=hidden"}, "https://a.example/mcp?…"),
    "user": ({"url": "https://ann:hidden@a.example/mcp"}, "https://…@a.example/mcp"),
    "option": ({"command": "npx", "args": ["x", "--api-key", "hidden"]}, "npx x --api-key '…'"),
    "joined": ({"command": "npx", "args": ["x", "--token=hidden"]}, "npx x '--token=…'"),
    "pat": ({"command": "npx", "args": ["x", "--pat", "hidden"]}, "npx x --pat '…'"),
    "pass": ({"command": "npx", "args": ["x", "--pass", "hidden"]}, "npx x --pass '…'"),
    "positional": ({"command": "npx", "args": ["x", "ghp_abhidden12"]}, "npx x '…'"),
    "connection": ({"command": "x", "args": ["Server=db;Pwd=hidden;T=1"]}, "x 'Server=db;Pwd=…'"),
    "mcp-remote": (
        {"command": "npx", "args": ["mcp-remote", "https://a.example/mcp?key=hidden", "--header",
                                    "Authorization: Bearer hidden"]},
        "npx mcp-remote 'https://a.example/mcp?…' --header 'Authorization: …'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HIDING)
def test_secrets_are_not_shown(case):
    entry, now = HIDING[case]
    text = json.dumps({"servers": {"one": entry}})
    made = plan(text, Path("mine.json"), Launcher("/opt/penstock"))
    told = describe(made)
    assert f"    now    {now}\n" in told
    assert "hidden" not in told
    assert "9f86d" not in told
    assert ("(URL in PENSTOCK_URL)" in told) == ("url" in entry)
    undoing = describe(plan_undo(made.text, Path("mine.json")))
    assert "hidden" not in undoing
    assert "9f86d" not in undoing


def test_undoing():
    text = '{"servers": {"one": {"args": ["run", "--", "npx"], "command": "penstock"}}}'
    assert describe(plan_undo(text, Path("mine.json"))) == UNDONE


def test_nothing_to_do():
    text = '{"servers": {"one": {"args": ["run", "--", "npx"], "command": "penstock"}}}'
    told = describe(plan(text, Path("mine.json"), Launcher("/opt/penstock")))
    assert "Nothing to change." in told
    assert "one: already behind Penstock" in told


def test_a_config_cannot_command_the_terminal():
    text = json.dumps({"servers": {"\x1b[2J": {"command": "/a\nb", "args": ["\ud800", "\u202e"]}}})
    told = describe(plan(text, Path("mine.json"), Launcher("/opt/penstock")))
    assert told.encode()
    assert r"\x1b[2J" in told
    assert r"\u202e" in told
    assert "'/a\\nb'" in told
