"""The rules: which servers are wrapped, which are not and why, and how undoing treats edits."""

import json
from pathlib import Path

import pytest

from penstock.cli.wrapping import ConfigError, Launcher, plan, plan_undo
from penstock.cli.wrapping.invocation import recognise

SCRIPT = Launcher("/opt/penstock")
MODULE = Launcher("/opt/python", ("-m", "penstock"))
OTHER = Path("servers.json")
CODEX = Path("config.toml")


def config(entry):
    return json.dumps({"mcpServers": {"one": entry}}, indent=2, ensure_ascii=False)


def change(entry, launcher=SCRIPT, **options):
    (only,) = plan(config(entry), OTHER, launcher, **options).changes
    return only


def undone(entry, path=OTHER):
    (only,) = plan_undo(config(entry), path).changes
    return only


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("npx", "not a table"),
        (["npx"], "not a table"),
        ({}, "neither a command nor a URL"),
        ({"command": 7}, "`command`"),
        ({"command": ""}, "`command`"),
        ({"command": "npx -y server"}, "whole command line"),
        ({"command": "npx", "args": "-y"}, "list of strings"),
        ({"command": "npx", "args": ["-p", 80]}, "list of strings"),
        ({"command": "npx", "args": None}, "list of strings"),
        ({"command": "npx", "type": "http"}, "type is not stdio"),
        ({"command": "npx", "type": 1}, "type is not stdio"),
        ({"command": "npx", "url": "https://a.example"}, "both"),
        ({"url": 7}, "`url`"),
        ({"url": "https://a.example/mcp", "env": {}}, "`env`"),
        ({"url": "https://a.example/mcp", "type": "ws"}, "type is not http"),
        ({"url": "https://a.example/mcp"}, "--remote"),
        ({"url": "https://a.example/mcp", "headers": {"X-Team": "t"}}, "--remote"),
        ({"url": "https://a.example/mcp", "headers": ["X-Key: k"]}, "`headers`"),
        ({"url": "https://a.example/mcp", "headers": {"X-Key": 1}}, "other than strings"),
        ({"url": "https://a.example/mcp", "headersHelper": "x"}, "headersHelper"),
        ({"url": "https://a.example/sse/"}, "SSE"),
        ({"url": "https://a.example/mcp", "transport": "sse"}, "SSE"),
        ({"url": "http://localhost/sse"}, "SSE"),
        ({"url": "unix:///run/server.sock"}, "http or https"),
        ({"url": "https://[::1"}, "cannot be read"),
        ({"command": "/opt/penstock", "args": ["run", "--", "npx"]}, "already"),
        ({"command": "C:\\bin\\Penstock.EXE", "args": ["run", "--", "npx"]}, "already"),
        ({"command": "/opt/penstock"}, "already"),
        ({"command": "python3", "args": ["-m", "penstock", "run", "--", "npx"]}, "already"),
        ({"command": "uvx", "args": ["penstock[tokens]@1.0", "run", "--", "npx"]}, "already"),
    ],
)
def test_left_alone(entry, reason):
    found = change(entry)
    assert found.action == "leave"
    assert reason in found.reason
    assert found.after == found.before == entry


def test_a_key_that_occurs_twice_is_not_guessed_at():
    text = '{"mcpServers": {"one": {"command": "a", "command": "b"}}}'
    (found,) = plan(text, OTHER, SCRIPT).changes
    assert "`command` twice" in found.reason


def test_two_servers_of_one_name_are_both_wrapped():
    text = '{"mcpServers": {"one": {"command": "a"}, "one": {"command": "b"}}}'
    made = plan(text, OTHER, SCRIPT)
    assert [found.action for found in made.changes] == ["wrap", "wrap"]
    assert plan_undo(made.text, OTHER).text == text


def test_a_comment_between_headers_is_not_lost():
    headers = '{"X-Key": "k", /* why */ "X-B": "b"}'
    text = f'{{"servers": {{"one": {{"url": "https://a.example/mcp", "headers": {headers}}}}}}}'
    (found,) = plan(text, OTHER, SCRIPT).changes
    assert "comment" in found.reason


@pytest.mark.parametrize("launcher", [SCRIPT, MODULE])
@pytest.mark.parametrize(
    "entry",
    [
        {"command": "npx", "args": ["-y", "--", "run"], "disabled": True},
        {"command": "npx"},
        {"command": "npx", "args": []},
        {"args": [], "command": "npx"},
        {"args": ["penstock"], "command": "npx"},
        {"type": "local", "command": "/Applications/My App/server", "x": {"y": [1, None]}},
        {"url": "http://localhost:1/mcp"},
        {"url": "http://localhost:1/mcp", "headers": {}},
        {"transport": "streamable-http", "url": "http://localhost:1/mcp", "timeout": 3},
        {"headers": {"Authorization": 'Bearer "quoted" ü'}, "serverUrl": "https://a.example/"},
        {"url": "${BASE:-https://a.example}/mcp", "headers": {"X-Key": "k"}, "type": "http"},
    ],
)
def test_wrapped_once_and_restored(entry, launcher):
    wrapped = change(entry, launcher)
    assert wrapped.action == "wrap"
    assert wrapped.after["command"] == launcher.command
    assert change(wrapped.after, launcher).action == "leave"
    # The host has rewritten the file in between, as Claude Code and others do.
    back = undone(wrapped.after)
    assert back.action == "unwrap"
    if entry != {"args": [], "command": "npx"}:  # only the text tells these apart
        assert back.after == entry
        assert list(back.after) == list(entry)
    made = plan(config(entry), OTHER, launcher)
    assert plan_undo(made.text, OTHER).text == config(entry)


def test_remote_servers_on_demand():
    entry = {"url": "https://a.example/mcp", "type": "http"}
    found = change(entry, remote=True)
    assert found.after["args"] == ["run", "--url", "https://a.example/mcp"]
    assert undone(found.after).after == entry
    login = change({**entry, "oauth": {"clientId": "c"}}, remote=True)
    assert login.action == "leave"


def test_no_header_is_put_on_the_command_line():
    headers = {"Authorization": "Bearer abc"}
    found = change({"url": "https://a.example/mcp", "headers": headers})
    assert not any("abc" in word for word in found.after["args"])
    assert json.loads(found.after["env"]["PENSTOCK_HEADERS"]) == headers


SECRET_URLS = [
    "http://ann:pw@localhost/mcp",
    "http://localhost/mcp?page=1&apiKey=k",
    "https://mcp.zapier.example/api/mcp/s/NTk4YjZmMTItN2Qx/mcp",
    "https://n8n.example/mcp/0b5c2b6e-6f0c-4a7e-9d55-0d5f6a1c2b3d",
    "https://a.example/aBcDeFgHiJkLmNoPqRsTuVw/mcp",
    "https://a.example/mcp?profile=9f86d081884c7d65",
]


@pytest.mark.parametrize("url", SECRET_URLS)
@pytest.mark.parametrize("more", [{}, {"headers": {"X-Key": "k"}, "type": "http"}])
def test_a_secret_in_a_url_is_not_put_on_the_command_line(url, more):
    entry = {"url": url, **more}
    found = change(entry)
    assert found.after["args"] == ["run"]
    assert found.after["env"]["PENSTOCK_URL"] == url
    assert change(found.after).reason == "already behind Penstock"
    assert undone(found.after).after == entry
    made = plan(config(entry), OTHER, SCRIPT)
    assert json.loads(plan_undo(made.text, OTHER).text) == json.loads(config(entry))


def test_codex_gets_a_secret_url_in_the_environment_too():
    url = "https://a.example/s/9f86d081884c7d65/mcp"
    text = f'[mcp_servers.one]\nurl = "{url}"\nbearer_token_env_var = "TOKEN"\n'
    made = plan(text, CODEX, SCRIPT)
    (found,) = made.changes
    assert found.after["args"] == ["run", "--host", "codex", "--bearer-env", "TOKEN"]
    assert found.after["env"] == {"PENSTOCK_URL": url}
    assert plan_undo(made.text, CODEX).text == text


class TestEditsAfterWrapping:
    def test_options_of_penstock_go_with_it(self):
        args = ["run", "--host", "claude", "--budget", "10kB", "--", "npx", "-y", "--", "x"]
        found = undone({"command": "/opt/penstock", "args": args, "cwd": "/new"})
        assert found.after == {"command": "npx", "args": ["-y", "--", "x"], "cwd": "/new"}

    def test_a_command_without_dashes(self):
        found = undone({"command": "/opt/penstock", "args": ["run", "npx", "-y", "x"]})
        assert found.after == {"command": "npx", "args": ["-y", "x"]}

    def test_an_installer_that_runs_penstock(self):
        found = undone({"command": "uvx", "args": ["penstock", "run", "--", "npx", "x"]})
        assert found.after == {"command": "npx", "args": ["x"]}

    def test_a_changed_url_and_added_variables(self):
        entry = {
            "env": {"HTTPS_PROXY": "p", "PENSTOCK_HEADERS": '{"X-Key": "new"}', "B": "b"},
            "args": ["run", "--url=https://new.example/mcp"],
            "command": "/opt/penstock",
            "type": "stdio",
        }
        assert undone(entry).after == {
            "env": {"HTTPS_PROXY": "p", "B": "b"},
            "url": "https://new.example/mcp",
            "headers": {"X-Key": "new"},
            "type": "http",
        }

    def test_comments_among_the_members(self):
        text = (
            '{"servers": {"one": {\n  "args": ["run", "--", "npx",], // a\n  // b\n'
            '  "command": "penstock" // c\n}}}'
        )
        made = plan_undo(text, OTHER)
        assert made.changes[0].after == {"command": "npx"}
        assert all(f"// {mark}" in made.text for mark in "abc")

    def test_a_comment_before_what_goes(self):
        text = (
            '{"servers": {"one": {\n  "command": "penstock", // a\n'
            '  "args": ["run", "--url", "http://localhost/"]\n}}}'
        )
        made = plan_undo(text, OTHER)
        assert made.changes[0].after == {"url": "http://localhost/"}
        assert "// a" in made.text

    @pytest.mark.parametrize(
        ("entry", "reason"),
        [
            ({"command": "npx"}, "not behind"),
            ({"url": "https://a.example/mcp"}, "not behind"),
            ({"command": "penstock", "args": ["serve"]}, "does not write"),
            ({"command": "penstock", "args": ["run", "--"]}, "does not write"),
            ({"command": "penstock", "args": ["run", "--url", "u"], "env": 1}, "`env`"),
            (
                {
                    "command": "penstock",
                    "args": ["run", "--url", "u"],
                    "env": {"PENSTOCK_HEADERS": "{"},
                },
                "JSON object",
            ),
            (
                {
                    "command": "penstock",
                    "args": ["run", "--url", "u"],
                    "env": {"PENSTOCK_WRAPPED": "[]"},
                },
                "JSON object",
            ),
        ],
    )
    def test_left_alone(self, entry, reason):
        found = undone(entry)
        assert found.action == "leave"
        assert reason in found.reason


class TestCodex:
    def made(self, *lines):
        return plan("\n".join(("[mcp_servers.one]", *lines, "")), CODEX, SCRIPT)

    @pytest.mark.parametrize(
        ("lines", "reason"),
        [
            (['url = "https://a.example"'], "--remote"),
            (['url = "https://a.example"', 'scopes = ["x"]'], "OAuth"),
            (['url = "https://a.example"', "bearer_token_env_var = 1"], "bearer_token_env_var"),
            (['url = "https://a.example"', 'http_headers.X-Key = "k"'], "one table"),
            (['url = "https://a.example"', "env_http_headers = {}"], "empty"),
            (['url = "https://a.example"', "env_http_headers = 3"], "one table"),
            (
                [
                    'url = "http://localhost"',
                    "[mcp_servers.one.env_http_headers]",
                    "# c",
                    'A = "B"',
                ],
                "comment",
            ),
            (['url = "https://a.example"', 'bearer_token_env_var = "X"', 'cwd = "/"'], "`cwd`"),
        ],
    )
    def test_left_alone(self, lines, reason):
        (found,) = self.made(*lines).changes
        assert reason in found.reason

    @pytest.mark.parametrize(
        "lines",
        [
            ["# c", 'bearer_token_env_var = "X" # d', 'url = "https://a.example"'],
            ['url = "https://a.example"', "# c", 'bearer_token_env_var = "X"'],
            ['url = "https://a.example"', 'env_http_headers = { "a b" = "X" }', 'type = "http"'],
            ['url = "http://localhost"', "[mcp_servers.one.http_headers]"],
            ['url = "http://localhost"', "http_headers = {}"],
            ['url = "http://localhost"', 'type = "streamable_http"'],
        ],
    )
    def test_equal_after_undoing(self, lines):
        made = self.made(*lines)
        (found,) = made.changes
        assert found.action == "wrap"
        back = plan_undo(made.text, CODEX)
        assert back.changes[0].after == found.before
        assert [line for line in lines if line.startswith("#")] == [
            line for line in back.text.split("\n") if line.startswith("#")
        ]


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        (OTHER, "", "empty"),
        (OTHER, "\ufeff\r\n", "empty"),
        (OTHER, "{", "line 1, column 2"),
        (OTHER, '{\n  "mcpServers": {,}\n}', "line 2, column 18"),
        (OTHER, "mcp", "line 1, column 1"),
        (OTHER, "[]", "an object"),
        (OTHER, "{}", "mcpServers or servers"),
        (OTHER, '{"mcpServers": {}}', "No MCP servers"),
        (OTHER, '{"mcpServers": []}', "No MCP servers"),
        (CODEX, "", "empty"),
        (CODEX, "[mcp_servers.a]\ncommand = npx", "line 2"),
        (CODEX, 'model = "x"', "under mcp_servers"),
    ],
)
def test_a_config_that_cannot_be_used(path, text, told):
    for attempt in (lambda: plan(text, path, SCRIPT), lambda: plan_undo(text, path)):
        with pytest.raises(ConfigError, match=r"Correct the file|Add a server") as caught:
            attempt()
        assert told in caught.value.message
        assert caught.value.message.startswith(str(path))


@pytest.mark.parametrize(
    ("command", "args", "known"),
    [
        ("npx", ["--", "penstock", "run"], False),
        ("npx", ["penstock"], False),
        ("/data/penstock-notes", ["run"], False),
        ("uv", ["run", "penstock", "run", "--", "x"], True),
        ("uvx", ["penstock", "run", "--servers", "mcp.json"], True),
        ("docker", ["run", "-i", "ghcr.example/penstock", "run", "--", "x"], True),
    ],
)
def test_what_runs_penstock(command, args, known):
    assert bool(recognise(command, args)) is known
