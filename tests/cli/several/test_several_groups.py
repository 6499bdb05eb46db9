"""A file of servers in a host's own format, read into a group."""

import json
import re
from pathlib import Path

import pytest

from penstock.cli.several import read_group
from penstock.errors import PenstockError
from penstock.relay.target import Target

HERE = {"PATH": "/bin", "HOME": "/root"}
TOKEN = {**HERE, "API_TOKEN": "t0ken"}


def written(folder, content, name="mcp.json"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def group(folder, content, *, name="mcp.json", environment=HERE, **options):
    path = written(folder, content, name)
    return read_group(path, environment=environment, folder=folder, **options)


def servers(folder, entries, **options):
    found = group(folder, {"mcpServers": entries}, **options)
    return {server.member.name: server for server in found.servers}


def one(folder, entry, **options):
    return servers(folder, {"one": entry}, **options)["one"]


# -- formats -----------------------------------------------------------------------------------

CLAUDE_DESKTOP = """{
  "globalShortcut": "",
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/data"]},
    "sheets": {"command": "uvx", "args": ["mcp-sheets"], "env": {"KEY": "a"}}
  }
}"""
VS_CODE = """{
  // MCP servers of this project
  "inputs": [
    {"type": "promptString", "id": "api-key", "description": "The key", "password": true},
    {"type": "promptString", "id": "region", "default": "eu"},
  ],
  "servers": {
    "local": {
      "type": "stdio", "command": "node", "args": ["${workspaceFolder}/server.js", "${input:region}"],
      "env": {"KEY": "${input:api-key}"}, /* asked for */
    },
    "docs": {"type": "http", "url": "https://docs.example.com/mcp", "headers": {"X-Key": "${input:api-key}"}},
  },
}"""
CODEX = """\
model = "o4"  # the usual one

[mcp_servers.local]
command = "npx"
args = ["-y", "server"]
env_vars = ["API_TOKEN"]

[mcp_servers.local.env]
MODE = "fast"

[mcp_servers.remote]
url = "https://example.com/mcp"
bearer_token_env_var = "API_TOKEN"
http_headers = { X-Region = "eu" }
env_http_headers = { X-Key = "API_TOKEN" }

[mcp_servers.off]
command = "nothing"
enabled = false
"""


def test_claude_desktop(tmp_path):
    found = group(tmp_path, CLAUDE_DESKTOP, name="claude_desktop_config.json")
    files, sheets = found.servers
    assert files.target.command == (
        "npx",
        "-y",
        "@modelcontextprotocol/server-filesystem",
        "/data",
    )
    assert sheets.around.environment["KEY"] == "a"
    assert sheets.around.environment["PATH"] == "/bin"
    assert [files.fault, sheets.fault] == ["", ""]
    assert found.name == "claude_desktop_config.json"
    assert list(found.identities) == ["files", "sheets"]


def test_vs_code_with_comments_and_inputs(tmp_path):
    environment = {**HERE, "PENSTOCK_INPUT_API_KEY": "s3cret"}
    found = group(tmp_path, VS_CODE, name=".vscode/mcp.json", environment=environment)
    local, docs = found.servers
    assert local.target.command == ("node", f"{tmp_path}/server.js", "eu")
    assert local.around.folder == str(tmp_path)
    assert local.around.environment["KEY"] == "s3cret"
    assert "PENSTOCK_INPUT_API_KEY" not in local.around.environment
    assert docs.target == Target((), "https://docs.example.com/mcp", (("X-Key", "s3cret"),))
    assert docs.member.is_remote
    assert not docs.member.takes_results


def test_codex(tmp_path):
    environment = {**TOKEN, "OTHER": "hidden"}
    found = group(tmp_path, CODEX, name="config.toml", environment=environment)
    local, remote = found.servers
    assert local.target.command == ("npx", "-y", "server")
    given = dict(local.around.environment)
    assert len(given.pop("PENSTOCK_INSIDE")) == 32
    assert given == {**TOKEN, "MODE": "fast"}, "a server of Codex sees no other variables"
    assert dict(remote.target.headers) == {
        "X-Region": "eu",
        "X-Key": "t0ken",
        "Authorization": "Bearer t0ken",
    }
    assert list(found.identities) == ["local", "remote", "off"], "what is known of all is kept"


def test_servers_of_a_project_are_for_its_folder(tmp_path):
    shop, other = tmp_path / "shop", tmp_path / "other"
    shop.mkdir()
    other.mkdir()
    told = {
        "mcpServers": {"all": {"command": "a"}, "both": {"command": "general"}},
        "projects": {
            str(shop): {"mcpServers": {"both": {"command": "special"}, "own": {"command": "c"}}},
            str(other): {"mcpServers": {"else": {"command": "d"}}},
        },
    }
    path = written(tmp_path, told, ".claude.json")
    found = read_group(path, environment=HERE, folder=shop).servers
    assert {one.member.name: one.target.command[0] for one in found} == {
        "all": "a",
        "both": "special",
        "own": "c",
    }
    assert [one.around.folder for one in found] == [str(tmp_path), str(shop), str(shop)]
    del told["mcpServers"]
    with pytest.raises(PenstockError, match="for projects in other folders"):
        read_group(written(tmp_path, told, ".claude.json"), environment=HERE, folder=tmp_path)


# -- entries that are wrapped already ------------------------------------------------------------


def test_a_wrapped_entry_is_the_server_inside(tmp_path):
    plain = one(tmp_path, {"command": "uvx", "args": ["git"], "env": {"A": "1"}})
    args = ["run", "--host", "cursor", "--budget", "9kB", "--", "uvx", "git"]
    for command, lead in (
        ("/opt/penstock", []),
        ("python", ["-m", "penstock"]),
        ("uvx", ["penstock"]),
    ):
        entry = {"command": command, "args": [*lead, *args], "env": {"A": "1"}}
        wrapped = one(tmp_path, {**entry})
        assert wrapped.target.command == ("uvx", "git")
        assert wrapped.member.identity == plain.member.identity


def test_a_wrapped_url_and_its_headers(tmp_path):
    entry = {
        "command": "penstock",
        "args": ["run", "--url", "https://a.example/mcp", "--bearer-env", "API_TOKEN"],
        "env": {"PENSTOCK_HEADERS": '{"X-Key": "k"}'},
    }
    found = one(tmp_path, entry, environment={**TOKEN, "PENSTOCK_BEARER": "of the front"})
    assert found.target.url == "https://a.example/mcp"
    assert dict(found.target.headers) == {"X-Key": "k", "Authorization": "Bearer t0ken"}
    assert found.member.is_remote


def test_the_credentials_of_the_front_reach_no_server(tmp_path):
    ours = {"PENSTOCK_BEARER": "b", "PENSTOCK_STORE": "redis://:p@h", "PENSTOCK_INPUT_X": "x"}
    found = servers(
        tmp_path,
        {"local": {"command": "a"}, "remote": {"url": "https://a.example/mcp", "type": "http"}},
        environment={**HERE, **ours},
    )
    assert not ours.keys() & found["local"].around.environment.keys()
    assert found["remote"].target.headers == ()


# -- variables -----------------------------------------------------------------------------------


def test_variables_are_filled_in_everywhere(tmp_path):
    (tmp_path / "sub").mkdir()
    entry = {
        "command": "${HOME}/bin/x",
        "args": ["${env:API_TOKEN}", "${NONE:-d e}", "${API_TOKEN:-other}", "$HOME", "${workspaceFolder}"],
        "env": {"A": "${API_TOKEN}", "N": 3, "PATH": None},
        "cwd": "${workspaceFolder}/sub",
    }  # fmt: skip
    found = one(tmp_path, entry, environment=TOKEN)
    command = ("/root/bin/x", "t0ken", "d e", "t0ken", "$HOME", f"{tmp_path}/sub")
    assert found.target.command == command
    assert found.around.folder == f"{tmp_path}/sub"
    assert found.around.environment["A"] == "t0ken"
    assert found.around.environment["N"] == "3"
    assert "PATH" not in found.around.environment
    remote = {"type": "http", "url": "https://${HOST:-h}/mcp", "headers": {"A": "${API_TOKEN}"}}
    found = one(tmp_path, remote, environment=TOKEN)
    assert found.target == Target((), "https://h/mcp", (("A", "t0ken"),))


# -- one bad entry -------------------------------------------------------------------------------

BAD = {
    "an unset variable": (
        {"command": "a", "args": ["${NOT_SET}"]},
        ("The environment variable NOT_SET that it uses is not set. "
        "Set it, or write ${NOT_SET:-VALUE} in the file."),
    ),
    "an unset variable of a header": (
        {"url": "https://a.example/mcp", "headers": {"A": "${env:NOT_SET}"}},
        "NOT_SET that it uses is not set",
    ),
    "an input without a value": (
        {"command": "a", "env": {"KEY": "${input:api-key}"}},
        ("Its ${input:api-key} has no value, and only a host asks for it. "
        "Set the environment variable PENSTOCK_INPUT_API_KEY."),
    ),
    "the SSE transport": ({"url": "https://a.example/mcp", "type": "sse"}, "legacy SSE transport"),
    "an address of SSE": ({"url": "https://a.example/sse"}, "legacy SSE transport"),
    "both": ({"command": "a", "url": "https://a.example/mcp"}, "both a command and a URL"),
    "neither": ({"args": ["a"]}, "neither a command nor a URL"),
    "no table": ("npx server", "not a table"),
    "a command line": ({"command": "npx -y server"}, "write the arguments into `args`"),
    "arguments": ({"command": "a", "args": "b"}, "`args` are not a list of strings"),
    "no variables": ({"command": "a", "env": ["A=1"]}, "`env` is not a table of strings"),
    "a bad variable": ({"command": "a", "env": {"A=": "1"}}, "name that no variable can have"),
    "a NUL": ({"command": "a", "args": ["\0"]}, "characters that a process cannot be given"),
    "half a character": ({"command": "a", "args": ["\ud800"]}, "characters that a process cannot"),
    "a file of variables": ({"command": "a", "envFile": ".env"}, "Only the host reads its `envFile`"),
    "no such folder": ({"command": "a", "cwd": "/no/such"}, "/no/such does not exist"),
    "no URL": ({"url": "ftp://a.example/mcp"}, "URL is not http or https"),
    "no port": ({"url": "https://a.example:99999/mcp"}, "names no server"),
    "a header": ({"url": "https://a.example/mcp", "headers": {"Host": "b"}}, "set by Penstock itself"),
    "OAuth": ({"url": "https://a.example/mcp", "oauth": {"clientId": "x"}}, "OAuth"),
    "a program for headers": ({"url": "https://a.example/mcp", "headersHelper": "x"}, "headersHelper"),
    "Penstock without a server": ({"command": "penstock", "args": ["run"]}, "No MCP server was given"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_entry_is_a_server_that_is_down(tmp_path, case):
    entry, why = BAD[case]
    found = servers(tmp_path, {"bad": entry, "good": {"command": "a"}})
    assert why in found["bad"].fault
    assert re.search(r"\. [A-Z][^.]*.*\.$", found["bad"].fault), "it says what to do"
    assert found["good"].fault == ""
    assert found["bad"].member.identity != found["good"].member.identity


def test_no_default_is_suggested_where_a_key_holds_the_name_of_a_variable(tmp_path):
    found = group(tmp_path, CODEX, name="config.toml").servers[1]
    assert found.fault == "The environment variable API_TOKEN that it uses is not set. Set it."


def test_the_fault_shows_no_secret(tmp_path):
    entry = {"url": "https://a.example/mcp", "headers": {"A": "hunter2\nhunter2"}}
    found = one(tmp_path, entry)
    assert "header" in found.fault
    assert "hunter2" not in found.fault


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\x1b[31m", "\ud800", "n" * 65, "n" * 200])
def test_a_bad_name_is_a_fault(tmp_path, name):
    found = servers(tmp_path, {name: {"command": "a"}, "n" * 64: {"command": "b"}})
    assert "name" in found[name].fault
    assert found["n" * 64].fault == ""


def test_two_servers_of_one_name_are_one_fault(tmp_path):
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}, "a": {"command": "z"}}}'
    found = group(tmp_path, text).servers
    assert [one.member.name for one in found] == ["a", "b"]
    assert found[0].fault == "Two servers of the file have this name. Rename one of them."
    assert found[1].fault == ""
    both = {"mcpServers": {"a": {"command": "x"}}, "servers": {"a": {"command": "y"}}}
    (found,) = group(tmp_path, both).servers
    assert "this name" in found.fault


def test_unknown_keys_are_fine(tmp_path):
    entry = {"command": "a", "autoApprove": ["x"], "timeout": 3, "gallery": {"a": [1]}}
    assert one(tmp_path, entry).fault == ""


# -- a file that names itself --------------------------------------------------------------------


@pytest.mark.parametrize("lead", [[], ["run", "--", "penstock"], ["run", "npx", "penstock"]])
@pytest.mark.parametrize("spelled", ["{path}", "./mcp.json", "../{folder}/mcp.json"])
def test_a_file_that_names_itself(tmp_path, lead, spelled):
    named = spelled.format(path=tmp_path / "mcp.json", folder=tmp_path.name)
    entry = {"command": "penstock", "args": [*lead, "run", "--servers", named]}
    found = servers(tmp_path, {"me": entry, "other": {"command": "a"}})
    assert found["me"].fault.startswith("It runs the very file that it is in.")
    assert found["other"].fault == ""
    entry["args"][-2:] = [f"--servers={named}"]
    assert one(tmp_path, entry).fault


def test_a_longer_way_round_is_refused_where_it_comes_back(tmp_path):
    written(tmp_path, {"servers": {"back": {"command": "sh", "args": ["-c", "…"]}}}, "b.json")
    outer = servers(
        tmp_path, {"b": {"command": "penstock", "args": ["run", "--servers", "b.json"]}}
    )
    assert outer["b"].fault == ""
    assert outer["b"].target.command == ("penstock", "run", "--servers", "b.json")
    inner = read_group(
        tmp_path / "b.json", environment=outer["b"].around.environment, folder=tmp_path
    )
    with pytest.raises(PenstockError, match="run by a server of this very file"):
        read_group(
            tmp_path / "mcp.json",
            environment=inner.servers[0].around.environment,
            folder=tmp_path,
        )


# -- selection -----------------------------------------------------------------------------------

THREE = {"a": {"command": "x"}, "b": {"command": "y"}, "off": {"command": "z", "disabled": True}}


def test_selected_servers(tmp_path):
    assert list(servers(tmp_path, THREE)) == ["a", "b"]
    assert list(servers(tmp_path, THREE, selected=["b"])) == ["b"]
    with pytest.raises(PenstockError, match="has no server 'B'") as error:
        servers(tmp_path, THREE, selected=["a", "B"])
    assert error.value.next_step == "Its servers: a, b, off."
    with pytest.raises(PenstockError, match="'off' is switched off"):
        servers(tmp_path, THREE, selected=["off"])
    with pytest.raises(PenstockError, match="All of its servers are switched off"):
        servers(tmp_path, {"off": THREE["off"]})


def test_results_go_to_a_remote_server_only_where_it_is_named(tmp_path):
    url = {"type": "http", "url": "https://a.example/mcp"}
    entries = {"local": {"command": "x"}, "near": url, "far": {**url, "url": "https://b.example"}}
    found = servers(tmp_path, entries)
    assert {name: one.member.takes_results for name, one in found.items()} == {
        "local": True,
        "near": False,
        "far": False,
    }
    found = servers(tmp_path, entries, results_to=["far"])
    assert [name for name, one in found.items() if one.member.takes_results] == ["local", "far"]


@pytest.mark.parametrize(
    ("command", "is_open"),
    [
        (["npx", "-y", "mcp-remote", "https://a.example/sse"], False),
        (["npx", "mcp-remote@0.1.37", "https://a.example/mcp", "--header", "A: b"], False),
        (["node", "C:\\node_modules\\mcp-remote\\dist\\proxy.js", "HTTPS://a.example"], False),
        (["uvx", "mcp-proxy==0.9", "--transport", "sse", "https://a.example/sse"], False),
        (["/opt/bin/supergateway", "--sse", "https://a.example"], False),
        (["penstock", "run", "--", "npx", "mcp-remote", "https://a.example/sse"], False),
        (["sh", "-c", "exec npx mcp-remote 'https://a.example/sse'"], False),
        (["python", "-m", "mcp_proxy", "https://a.example/sse"], False),
        (["npx", "supergateway", "--sse=https://a.example"], False),
        (["penstock", "run", "--servers", "other.json"], False),
        (["penstock", "run", "--", "uvx", "penstock", "run", "--url", "https://a.example"], False),
        (["sh", "-c", "penstock run --servers other.json"], False),
        (["penstock", "run", "--", "uvx", "git"], True),
        (["uvx", "mcp-jira", "--url", "https://jira.example"], True),
        (["uvx", "mcp-proxy", "--port", "80", "--", "uvx", "git"], True),
    ],
)
def test_a_command_that_only_connects_to_a_url_is_treated_like_one(tmp_path, command, is_open):
    entry = {"command": command[0], "args": command[1:]}
    assert one(tmp_path, entry).member.takes_results is is_open
    assert one(tmp_path, entry, results_to=["one"]).member.takes_results


def test_a_command_may_have_its_url_in_a_variable(tmp_path):
    entry = {"command": "mcp-proxy", "env": {"SSE_URL": "https://a.example/sse"}}
    assert not one(tmp_path, entry).member.takes_results


def test_a_name_that_only_other_files_have_is_no_error(tmp_path, caplog):
    entries = {"local": {"command": "x"}}
    assert servers(tmp_path, entries, results_to=["nowhere"])
    assert "results_to names 'nowhere', which is no server of" in caplog.text


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "There is no such file"),
        ("", "The file is empty"),
        ("{", "line 1, column 2"),
        ("{}", "No MCP servers found"),
        ('{"mcpServers": {}}', "No MCP servers found"),
        ('{"mcpServers": []}', "No MCP servers found"),
        ("[]", "an object"),
        (b"\xff\xfe", "The file is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, content, why):
    path = tmp_path / "mcp.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PenstockError, match=re.escape(why)) as error:
        read_group(path, environment=HERE)
    assert str(path) in error.value.message
    assert error.value.next_step


# -- identities ----------------------------------------------------------------------------------


def identities(folder, entries, **options):
    return group(folder, {"mcpServers": entries}, **options).identities


def test_the_identity_of_a_server_with_a_fault_is_not_known(tmp_path):
    entries = {"a": {"command": "x", "env": {"KEY": "${API_TOKEN}"}}, "b": {"command": "y"}}
    unset, is_set = identities(tmp_path, entries), identities(tmp_path, entries, environment=TOKEN)
    assert unset == {"a": "", "b": is_set["b"]}
    assert is_set["a"]


def test_a_server_more_changes_no_identity(tmp_path):
    before = group(tmp_path, {"mcpServers": THREE})
    after = group(tmp_path, {"mcpServers": {"new": {"command": "n"}, **THREE}})
    assert after.identity == before.identity
    assert before.identities.items() < after.identities.items()
    elsewhere = read_group(written(tmp_path, {"servers": THREE}, "x.json"), environment=HERE)
    assert elsewhere.identity != before.identity


@pytest.mark.parametrize(
    "change",
    [
        {"args": ["1"]},
        {"env": {"A": "2"}},
        {"env": {"B": "1"}},
        {"cwd": "/"},
        {"command": "y"},
        {"env": {"A": "${API_TOKEN}"}},
    ],
)
def test_a_change_of_one_changes_its_own_identity_alone(tmp_path, change):
    entry = {"command": "x", "env": {"A": "1"}}
    before = identities(tmp_path, {"a": entry, "b": {"command": "y"}}, environment=TOKEN)
    after = identities(tmp_path, {"a": entry | change, "b": {"command": "y"}}, environment=TOKEN)
    assert [name for name in before if before[name] != after[name]] == ["a"]


def test_headers_are_part_of_the_identity_and_not_to_be_read_in_it(tmp_path):
    entry = {"type": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "one"}}
    first = identities(tmp_path, {"a": entry})
    second = identities(tmp_path, {"a": {**entry, "headers": {"Authorization": "two"}}})
    assert first != second
    assert all(re.fullmatch("[0-9a-f]{32}", found["a"]) for found in (first, second))


def test_two_servers_that_are_alike_are_two(tmp_path):
    found = identities(tmp_path, {"a": {"command": "x"}, "b": {"command": "x"}})
    assert found["a"] != found["b"]
    assert found["a"] == identities(tmp_path, {"a": {"command": "x"}})["a"]


def test_a_backup_of_a_config_is_read_as_the_config(tmp_path):
    text = VS_CODE.replace("${input:api-key}", "k")
    path = written(tmp_path, text, ".vscode/mcp.json.penstock-backup-3")
    found = read_group(path, environment=HERE, folder=tmp_path)
    assert found.name == "mcp.json"
    assert found.servers[0].around.folder == str(tmp_path)
    toml = written(tmp_path, CODEX, "config.toml.penstock-backup-1")
    assert len(read_group(Path(toml), environment=TOKEN, folder=tmp_path).servers) == 2
