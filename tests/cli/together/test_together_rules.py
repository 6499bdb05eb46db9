"""The rules: which servers move, what happens to edits in between, and what is refused."""

import json
import tomllib

import pytest

from penstock.cli.several import read_group
from penstock.cli.together import plan_apart
from penstock.cli.wrapping import ConfigError, Launcher, describe, plan, plan_undo, write
from penstock.errors import PenstockError

PENSTOCK = Launcher("/opt/penstock")
ONE, TWO = {"command": "npx", "args": ["one"]}, {"command": "uvx", "args": ["two"]}
REMOTE = {"url": "https://a.example/mcp", "headers": {"X-Key": "k"}}


def written(servers, **others):
    return json.dumps({**others, "mcpServers": servers}, indent=2) + "\n"


def reasons(made):
    return {change.name: change.reason for change in made.changes if change.action == "leave"}


def names(config):
    return list(json.loads(config.text)["mcpServers"])


# -- which servers move ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({**ONE, "disabled": True}, "switched off"),
        ({**ONE, "envFile": ".env"}, "envFile"),
        ({"url": "https://a.example/mcp"}, "--remote"),
        ({**REMOTE, "oauth": {}}, "OAuth"),
        ({**REMOTE, "type": "sse"}, "SSE"),
        ({**REMOTE, "headersHelper": "x"}, "headersHelper"),
        ("npx", "not a table"),
        ({"command": "npx", "args": "x"}, "list of strings"),
        ({**ONE, "enabledTools": ["read"]}, "`enabledTools`"),
        ({**ONE, "enabledTools": []}, "`enabledTools`"),
        ({**ONE, "disabledTools": ["delete"]}, "`disabledTools`"),
        ({**ONE, "env_vars": [{"name": "X"}]}, "`env_vars`"),
        ({**ONE, "cwd": "${workspaceFolder}"}, "only the host can fill in its ${workspaceFolder}"),
        ({**ONE, "env": {"P": "${config:python.path}"}}, "${config:python.path}"),
        (
            {"command": "penstock", "args": ["run", "--servers", "x.json"]},
            "already behind Penstock",
        ),
        ({"command": "penstock", "args": ["serve"]}, "does not write"),
        ({"command": "penstock", "args": ["run"]}, "does not write"),
    ],
)
def test_left_alone(host_config, entry, reason):
    config = host_config(written({"bad": entry, "good": ONE}))
    before = config.text
    made = config.together()
    assert reason in reasons(made)["bad"]
    assert json.loads(config.text)["mcpServers"]["bad"] == entry
    group = read_group(config.servers_file, environment={"PATH": "/bin"})
    assert [one.member.name for one in group.servers] == ["good"]
    config.apart()
    assert config.text == before


@pytest.mark.parametrize("name", ["", " ", "a\u0007b", "n" * 65])
def test_a_name_that_no_server_of_a_group_can_have(host_config, name):
    made = host_config(written({name: ONE, "good": TWO})).plan()
    assert "name" in reasons(made)[name]


def test_what_only_claude_desktop_and_codex_do_not_fill_in(host_config):
    text = written({"shell": {"command": "sh", "args": ["-c", "exec ${SERVER}"]}, "good": ONE})
    made = host_config(text, "claude_desktop_config.json").plan()
    assert "Penstock would fill it in" in reasons(made)["shell"]
    assert "shell" not in reasons(host_config(text, ".cursor/mcp.json").plan())


def test_a_project_config_has_a_workspace(host_config):
    text = written({"fs": {"command": "npx", "args": ["${workspaceFolder}", "${file}"]}, "b": ONE})
    made = host_config(text.replace('"${file}"', '"x"'), ".vscode/mcp.json").plan()
    assert "fs" not in reasons(made)
    made = host_config(text, ".vscode/mcp.json").plan()
    assert "${file}" in reasons(made)["fs"]


def test_two_inputs_that_would_be_one_variable(host_config):
    servers = {
        "a": {**ONE, "env": {"K": "${input:a-b}"}},
        "b": {**TWO, "env": {"K": "${input:a_b}"}},
    }
    made = host_config(json.dumps({"servers": servers}), ".vscode/mcp.json").plan()
    assert "PENSTOCK_INPUT_A_B" in reasons(made)["b"]


def test_two_servers_of_one_name(host_config):
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}, "a": {"command": "z"}}}'
    config = host_config(text)
    made = config.together()
    assert [change.name for change in made.changes if change.action == "gather"] == ["b"]
    assert "two servers" in reasons(made)["a"]
    config.apart()
    assert config.text == text


def test_servers_under_several_keys(host_config):
    text = '{"mcpServers": {"a": {"command": "x"}}, "servers": {"b": {"command": "y"}}}'
    config = host_config(text)
    config.together()
    assert json.loads(config.text)["servers"] == {}
    group = read_group(config.servers_file, environment={})
    assert [one.member.name for one in group.servers] == ["a", "b"]
    config.apart()
    assert config.text == text


def test_except(host_config):
    config = host_config(written({"a": ONE, "b": TWO}))
    before = config.text
    config.together(left_out=["a"])
    assert names(config) == ["penstock", "a"]
    config.apart()
    assert config.text == before


def test_a_name_for_the_one_entry_that_is_free(host_config):
    off = {**ONE, "disabled": True}
    config = host_config(written({"penstock": off, "penstock-2": off, "a": TWO}))
    config.together()
    assert names(config) == ["penstock-3", "penstock", "penstock-2"]


def test_servers_that_are_wrapped_one_by_one_are_taken_in(host_config):
    config = host_config(written({"a": {**ONE, "env": {"K": "v"}}, "b": REMOTE}))
    write(plan(config.text, config.path, PENSTOCK))
    config.edit('"run",\n        "--",', '"run", "--budget", "9kB", "--except", "x", "y", "--",')
    before = config.text
    made = config.together()
    assert "a: its own options no longer apply: --budget 9kB --except x y" in made.notes
    a, b = read_group(config.servers_file, environment={"PATH": "/bin"}).servers
    assert a.target.command == ("npx", "one")
    assert b.target.headers == (("X-Key", "k"),)
    config.apart()
    assert config.text == before, "undoing once restores what was before"
    assert json.loads(plan_undo(config.text, config.path).text)["mcpServers"]["b"] == REMOTE


def test_the_one_entry_is_never_wrapped(host_config):
    config = host_config(written({"a": ONE}))
    config.together()
    assert not plan(config.text, config.path, PENSTOCK).has_effect


# -- a second time -----------------------------------------------------------------------------


def test_a_server_that_was_added_is_taken_in(host_config):
    config = host_config(written({"a": ONE}, theme="dark"))
    config.together()
    told = json.loads(config.text)
    told["mcpServers"]["b"] = TWO
    config.write(json.dumps(told, indent=2))
    config.together()
    assert names(config) == ["penstock"]
    config.apart()
    assert json.loads(config.text) == {"theme": "dark", "mcpServers": {"a": ONE, "b": TWO}}


def test_a_server_that_was_switched_on_is_taken_in_at_its_place(host_config):
    config = host_config(written({"a": {**ONE, "disabled": True}, "b": TWO}))
    config.together()
    config.edit("true", "false")
    config.together()
    config.apart()
    assert json.loads(config.text)["mcpServers"] == {"a": {**ONE, "disabled": False}, "b": TWO}
    assert names(config) == ["a", "b"]


def test_codex_gets_a_server_more(host_config):
    config = host_config('[mcp_servers.a]\ncommand = "x"\n', "config.toml")
    config.together()
    config.write(config.text + '\n# new\n[mcp_servers.b]\ncommand = "y"\n[tui]\nt = 1\n')
    config.together()
    assert list(tomllib.loads(config.text)["mcp_servers"]) == ["penstock"]
    assert "# new" in config.servers_file.read_text("utf-8")
    config.apart()
    told = tomllib.loads(config.text)
    assert told == {"mcp_servers": {"a": {"command": "x"}, "b": {"command": "y"}}, "tui": {"t": 1}}


def test_a_server_of_a_name_that_is_taken(host_config):
    config = host_config(written({"a": ONE}))
    config.together()
    told = json.loads(config.text)
    told["mcpServers"]["a"] = TWO
    config.write(json.dumps(told))
    assert "another server of this name" in reasons(config.plan())["a"]
    told["mcpServers"]["a"] = ONE
    config.write(json.dumps(told))
    config.together()
    assert names(config) == ["penstock"], "the same server is not kept twice"
    assert list(json.loads(config.servers_file.read_text())["mcpServers"]) == ["a"]


def test_a_server_that_needs_a_variable_more(host_config):
    config = host_config(json.dumps({"servers": {"a": ONE}}), ".vscode/mcp.json")
    config.together()
    told = json.loads(config.text)
    told["servers"]["b"] = {**TWO, "env": {"K": "${input:key}"}}
    config.write(json.dumps(told))
    why = reasons(config.plan())["b"]
    assert "PENSTOCK_INPUT_KEY" in why
    assert "undo" in why


# -- edits in between ----------------------------------------------------------------------------


def test_edits_of_both_files_stay(host_config):
    config = host_config(
        '{\n  "theme": "dark", // mine\n  "mcpServers": {\n    // local\n    "a": {"command": "x"},\n'
        '    "off": {"command": "y", "disabled": true}\n  }\n}\n'
    )
    config.together()
    config.edit('"dark"', '"light"')
    config.edit('"y"', '"z"')
    config.edit('    "off"', '    // later\n    "new": {"command": "n"},\n    "off"')
    config.edit_servers('"x"}', '"x", "args": ["more"]}, /* b */ "b": {"command": "b"}')
    config.apart()
    assert config.text == (
        '{\n  "theme": "light", // mine\n  "mcpServers": {\n    // local\n'
        '    "a": {"command": "x", "args": ["more"]}, /* b */ "b": {"command": "b"},\n'
        '    "off": {"command": "z", "disabled": true},\n    "new": {"command": "n"}\n'
        "    // later\n  }\n}\n"
    )


def test_a_server_that_was_removed_stays_removed(host_config):
    config = host_config(written({"a": ONE, "off": {**TWO, "disabled": True}, "b": TWO}))
    config.together()
    told = json.loads(config.text)
    del told["mcpServers"]["off"]
    config.write(json.dumps(told))
    moved = json.loads(config.servers_file.read_text())
    del moved["mcpServers"]["a"]
    config.servers_file.write_text(json.dumps(moved))
    config.apart()
    assert json.loads(config.text)["mcpServers"] == {"b": TWO}


def test_all_servers_were_removed(host_config):
    config = host_config(written({"a": ONE, "off": {**TWO, "disabled": True}}))
    config.together()
    config.servers_file.write_text('{"mcpServers": {}}')
    config.apart()
    assert json.loads(config.text)["mcpServers"] == {"off": {**TWO, "disabled": True}}


def test_codex_edits_stay(host_config):
    config = host_config(
        '# top\nmodel = "a"\n\n# first\n[mcp_servers.a] # a\ncommand = "x"\n\n[tui]\nt = 1\n\n'
        '[mcp_servers.b]\ncommand = "y"\n',
        "config.toml",
    )
    config.together()
    config.edit('model = "a"', 'model = "b"')
    config.edit("t = 1", "t = 1\nu = 2")
    config.edit_servers('"y"', '"z" # changed')
    config.apart()
    assert config.text == (
        '# top\nmodel = "b"\n\n# first\n[mcp_servers.a] # a\ncommand = "x"\n\n[tui]\nt = 1\nu = 2\n\n'
        '[mcp_servers.b]\ncommand = "z" # changed\n'
    )


def test_codex_may_have_dropped_comments(host_config):
    config = host_config(
        '[mcp_servers.a]\ncommand = "x"\n[tui]\nt = 1\n[mcp_servers.b]\ncommand = "y"\n',
        "config.toml",
    )
    config.together()
    config.edit("# penstock: servers, place 2\n", "")
    config.apart()
    assert tomllib.loads(config.text)["mcp_servers"] == {
        "a": {"command": "x"},
        "b": {"command": "y"},
    }


def test_codex_may_have_noted_approvals(host_config):
    text = '[mcp_servers.a]\ncommand = "x"\n[tui]\nt = 1\n'
    config = host_config(text, "config.toml")
    config.together()
    approval = '[mcp_servers.penstock.tools.x]\napproval_mode = "approve"\n'
    config.write(f"{config.text}{approval}[later]\na = 1\n")
    config.apart()
    assert config.text == f"{text}[later]\na = 1\n"


# -- refusals ------------------------------------------------------------------------------------


def test_the_file_of_servers_is_gone(host_config):
    config = host_config(written({"a": ONE}))
    config.together()
    together = config.text
    config.servers_file.unlink()
    for attempt in (config.apart, config.together):
        with pytest.raises(ConfigError, match=r"no such file.*'penstock' of .* runs") as caught:
            attempt()
        backup = f"{config.path}.penstock-backup-1"
        assert (
            caught.value.next_step
            == f"Put the file back, or copy the backup {backup} over {config.path}."
        )
    assert config.text == together
    config.path.with_name("mcp.json.penstock-backup-1").unlink()
    with pytest.raises(ConfigError) as caught:
        config.apart()
    assert "remove 'penstock' and add the servers in the host again" in caught.value.next_step


@pytest.mark.parametrize("broken", ["{", "[]"])
def test_the_file_of_servers_is_broken(host_config, broken):
    config = host_config(written({"a": ONE}))
    config.together()
    together = config.text
    config.servers_file.write_text(broken)
    with pytest.raises(ConfigError, match=r"penstock-servers: .*Correct the file"):
        config.apart()
    assert config.text == together


def test_two_different_servers_of_one_name(host_config):
    config = host_config(written({"a": ONE}))
    config.together()
    told = json.loads(config.text)
    told["mcpServers"]["a"] = TWO
    config.write(json.dumps(told))
    with pytest.raises(ConfigError, match=r"another server 'a' than the file of servers.*nothing"):
        config.apart()
    told["mcpServers"]["a"] = ONE
    config.write(json.dumps(told))
    config.apart()
    assert json.loads(config.text)["mcpServers"] == {"a": ONE}


def test_settings_in_the_codex_file_of_servers(host_config):
    config = host_config('[tui]\nt = 1\n[mcp_servers.a]\ncommand = "x"\n', "config.toml")
    config.together()
    config.edit_servers("[mcp_servers.a]", "u = 2\n[mcp_servers.a]")
    with pytest.raises(ConfigError, match=r"cannot be put together.*nothing was changed"):
        config.apart()


def test_more_than_servers_in_the_file_of_servers(host_config):
    config = host_config(written({"a": ONE}))
    before = config.text
    config.together()
    config.edit_servers('"mcpServers"', '"mine": 1, "mcpServers"')
    made = config.apart()
    assert "It has more than servers, which does not come back: mine" in made.notes
    assert config.text == before
    backup = config.path.with_name("mcp.json.penstock-servers.penstock-backup-1")
    assert '"mine": 1' in backup.read_text(), "nothing is lost"


def test_servers_under_another_key_in_the_file_of_servers(host_config):
    config = host_config(written({"a": ONE}))
    config.together()
    together = config.text
    config.edit_servers('"mcpServers"', '"servers": {"b": {"command": "x"}}, "mcpServers"')
    with pytest.raises(ConfigError, match=r"it has no `servers`.*nothing was changed"):
        config.apart()
    assert config.text == together


@pytest.mark.parametrize("text", ["", "{", '{"mcpServers": {}, "mcpServers": {}}'])
def test_a_config_without_the_one_entry_is_not_taken_apart(host_config, text):
    config = host_config(text)
    assert plan_apart(config.text, config.path) is None


def test_the_shown_plan_has_no_secret_of_a_bad_entry(host_config):
    config = host_config(written({"a": ONE}))
    config.together()
    bad = '"b": {"url": "https://a.example/mcp", "headers": ["X: hidden"]}, "c": [1], "d": {}, "a"'
    config.edit_servers('"a"', bad)
    told = describe(config.apart())
    assert "hidden" not in told
    assert "    then   an entry without a command and a URL" in told


def test_a_file_of_servers_that_is_not_ours(host_config):
    config = host_config(written({"a": ONE}))
    config.servers_file.write_text("mine")
    with pytest.raises(ConfigError, match=r"exists, but no entry.*delete or rename"):
        config.together()
    assert config.servers_file.read_text() == "mine"


def test_a_read_only_config_stays_alone(host_config):
    config = host_config(written({"a": ONE}))
    config.path.chmod(0o444)
    with pytest.raises(ConfigError, match="read-only"):
        config.together()
    assert [path.name for path in config.path.parent.iterdir()] == ["mcp.json"]


def test_an_attempt_that_was_broken_off_is_repeated(host_config):
    config = host_config(written({"a": ONE}))
    config.servers_file.write_bytes(config.plan().servers_file.after.encode())
    config.together()
    assert names(config) == ["penstock"]


def test_a_file_that_was_changed_in_between_is_not_touched(host_config):
    config = host_config(written({"a": ONE}))
    config.together()
    made, together = plan_apart(config.text, config.path), config.text
    config.edit_servers("one", "edited")
    with pytest.raises(ConfigError, match=r"penstock-servers: The file has changed"):
        write(made)
    assert config.text == together


def test_undo_takes_all_servers(host_config):
    config = host_config(written({"a": ONE, "b": TWO}))
    config.together()
    with pytest.raises(PenstockError, match="come back together"):
        config.apart("a")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("mcp.json", '{"mcpServers": {"a": {"command": "x"}}, "mcpServers": {}}', "`mcpServers` twice"),
        ("config.toml", '# penstock: servers, place 2\n[mcp_servers.a]\ncommand = "x"\n', "comment"),
        ("config.toml", '[mcp_servers.a]\ncommand = "x"\n[[mcp_servers.a.b]]\nc = 1\n[[mcp_servers.a.b]]\nc = 2\n', "apart"),
    ],
)  # fmt: skip
def test_a_config_that_cannot_be_taken_apart(host_config, name, text, told):
    config = host_config(text, name)
    with pytest.raises(ConfigError, match=told) as caught:
        config.together()
    assert "one by one" in caught.value.next_step
    assert config.text == text
    assert not config.servers_file.exists()


def test_the_config_of_a_copy(host_config, tmp_path):
    config = host_config(written({"a": ONE}))
    before = config.text
    config.together()
    copy = host_config(config.text, "copy/mcp.json")
    made = copy.apart()
    assert copy.text == before
    assert config.servers_file.exists(), "the other config still runs it"
    assert "belongs to another config" in describe(made)


def test_a_link_stays_a_link(host_config, tmp_path):
    config = host_config(written({"a": ONE}), "real.json")
    before = config.text
    link = tmp_path / "mcp.json"
    link.symlink_to(config.path)
    linked = host_config(config.text, "mcp.json")
    linked.together()
    assert link.is_symlink()
    assert linked.servers_file.exists()
    config.apart()
    assert config.text == before
    assert not linked.servers_file.exists()
