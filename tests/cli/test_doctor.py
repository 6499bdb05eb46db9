"""`penstock doctor` as a real process, with real configs, servers and stores."""

import json
import re
import sys

import pytest
from host_machine import PLAIN, Machine, environment, marking

from penstock._version import __version__


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    made.variables["XDG_STATE_HOME"] = str(tmp_path / "state")
    return made


class Told:
    """The JSON of a doctor."""

    def __init__(self, machine, *words, code=0, python=sys.executable):
        done = machine.penstock("doctor", "--json", *words, python=python)
        assert done.returncode == code, done.stderr + done.stdout
        assert "Traceback" not in done.stderr
        self.whole = json.loads(done.stdout)
        self.text = done.stdout
        assert self.whole["ok"] == (code == 0)

    def findings(self, title):
        (found,) = (one for one in self.whole["sections"] if title in one["title"])
        return found["findings"]

    def one(self, title, words):
        (found,) = (one for one in self.findings(title) if words in one["told"])
        assert (found["status"] == "ok") == (found["next_step"] is None)
        return found


def test_versions_and_extras(machine):
    told = Told(machine)
    assert told.one("Installation", "Python ")["facts"]["penstock"] == __version__
    assert told.one("Installation", "mcp: mcp 2.")["facts"] == {
        "extra": "mcp",
        "is_installed": True,
    }


def test_what_is_not_installed_has_a_next_step(machine):
    python = environment(machine.home / "venv", only=("msgspec", "zstandard", "jsonschema_rs"))
    told = Told(machine, "--no-servers", python=python)
    missing = told.one("Installation", "query: jq is missing")
    assert missing["status"] == "optional"
    assert missing["next_step"].endswith('in a clone, pip install ".[query]"')


def test_a_machine_without_hosts(machine):
    found = Told(machine).one("Hosts", "No config of a known host was found")
    assert found["status"] == "warning"
    assert found["next_step"] == "Name a config: penstock doctor CONFIG"


# -- settings and stores -----------------------------------------------------------------------


def test_settings_that_are_valid_and_settings_that_are_not(machine):
    file = machine.config(".config/penstock/penstock.toml", 'store = "sqlite:"\n')
    assert Told(machine).one("Settings", "is valid")["facts"]["file"] == str(file)
    assert Told(machine).one("Store", "keeps, returns and deletes a record; it holds 0 entries")
    file.write_text('budget = "none"\n')
    told = Told(machine, code=1)
    assert told.one("Settings", "budget = 'none'")["status"] == "broken"
    assert not [one for one in told.whole["sections"] if one["title"] == "Store"]


def test_a_store_on_disk(machine, tmp_path):
    file = tmp_path / "my store" / "r.sqlite"
    file.parent.mkdir()
    words = ("--store", f"sqlite://{file}")
    told = Told(machine, *words)
    assert told.one("Store", f"Only you may use {file}")["facts"]["mode"] == "600"
    assert told.one("Store", "bytes are free")["facts"]["capacity"] == 256_000_000
    file.chmod(0o644)
    found = Told(machine, *words, code=1).one("Store", "Other users may use")
    assert (found["status"], found["next_step"]) == ("broken", f"chmod 600 '{file}'")
    file.chmod(0o600)
    file.parent.chmod(0o777)
    found = Told(machine, *words).one("Store", "Every user may delete files in")
    assert found["status"] == "warning"
    assert found["next_step"].startswith(f"chmod o-w '{file.parent}'")
    file.write_text("no database")
    assert Told(machine, *words, code=1).one("Store", "does not open")["status"] == "broken"


def test_a_store_with_too_little_space(machine):
    machine.variables["PENSTOCK_CAPACITY"] = "9000000GB"
    found = Told(machine, "--store", "sqlite:").one("Store", "bytes are free")
    assert found["status"] == "warning"


def test_a_store_behind_a_network(machine, redis_url):
    assert Told(machine, "--store", redis_url).one("Store", "keeps, returns and deletes a record")
    told = Told(machine, "--store", "redis://ann:hidden@127.0.0.1:9/0", code=1)
    assert told.one("Store", "The store redis://…@127.0.0.1:9/0 does not work")
    assert "hidden" not in told.text


# -- hosts -------------------------------------------------------------------------------------


def test_servers_before_and_behind(machine):
    config = machine.config(".cursor/mcp.json", {"one": PLAIN})
    before = Told(machine).one("Cursor", "one: starts, not behind Penstock")
    assert not before["facts"]["is_behind_penstock"]
    assert machine.wrap("cursor", "--write").returncode == 0
    told = Told(machine)
    after = told.one("Cursor", "one: starts behind Penstock")
    assert after["facts"] == before["facts"] | {"is_behind_penstock": True}
    assert told.one("Cursor", f"one: by {sys.executable.rpartition('/')[0]}/")["status"] == "ok"
    wrapped = json.loads(config.read_text())
    wrapped["mcpServers"]["one"]["args"].insert(1, "--app-only=rows")
    config.write_text(json.dumps(wrapped))
    other = Told(machine).one("Cursor", "one: starts behind Penstock")
    assert other["facts"]["before"] == before["facts"]["before"]
    assert other["facts"]["after"] < before["facts"]["after"]


def test_a_list_that_would_be_shorter_is_worth_a_look(machine, tmp_path):
    tool = {"description": "Does a thing. " * 40, "inputSchema": {"type": "object"}}
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"name": f"tool_{n}", **tool} for n in range(40)]))
    server = PLAIN["args"][0].replace("plain_server", "lister_server")
    entry = {"command": sys.executable, "args": [server, str(tools)]}
    path = machine.config("my files/mcp.json", {"long": entry})
    found = Told(machine, path).one("mcp.json", ": saves ")
    assert (found["status"], found["next_step"]) == ("warning", f"penstock wrap '{path}'")


@pytest.mark.parametrize(
    ("command", "why"),
    [("/no/such/penstock", "is not there"), ("{home}/penstock", "does not work (exit code 7)")],
)
def test_a_penstock_that_does_not_work(machine, command, why):
    script = machine.home / "penstock"
    script.write_text("#!/bin/sh\nexit 7\n")
    script.chmod(0o700)
    path = command.format(home=machine.home)
    entry = {"command": path, "args": ["run", "--", PLAIN["command"], *PLAIN["args"]]}
    machine.config(".cursor/mcp.json", {"one": entry})
    found = Told(machine, code=1).one("Cursor", f"one: its Penstock {why}: {path}")
    assert found["next_step"].startswith("Undo and wrap again: ")


def test_servers_that_do_not_start(machine):
    machine.config(
        ".cursor/mcp.json",
        {
            "gone": {"command": "no-such-server"},
            "off": {**PLAIN, "disabled": True},
            "login": {"url": "https://login.example.com/mcp"},
            "odd": {"command": "penstock", "args": ["serve", "--", "npx"]},
            "talks": {
                "command": "sh", "args": ["-c", "echo $2; exit 3", "sh", "--pass", "hunter2hunter2"]
            },
        },
    )  # fmt: skip
    told = Told(machine, code=1)
    assert told.one("Cursor", "gone: Cannot start")["status"] == "broken"
    assert told.one("Cursor", "off: not started. It is switched off")["status"] == "warning"
    assert told.one("Cursor", "login: not behind Penstock: its config has no")["status"] == "ok"
    assert told.one("Cursor", "odd: not started. It runs Penstock in a form")
    assert told.one("Cursor", "talks: The MCP server ended with exit code 3")
    assert "hunter2" not in told.text


def test_a_config_that_cannot_be_read(machine):
    machine.config(".cursor/mcp.json", "{")
    machine.config(".gemini/settings.json", "{}")
    told = Told(machine, code=1)
    assert told.one(".cursor", "mcp.json: ")["status"] == "broken"
    assert told.one(".gemini", "No MCP servers found")["status"] == "ok"


def test_nothing_of_a_project_is_run_unless_it_is_named(machine):
    mark = machine.folder / "mark"
    script = machine.folder / "penstock"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o700)
    servers = {"one": marking(mark), "two": {"command": str(script), "args": ["run", "--", "x"]}}
    machine.config(".mcp.json", servers, folder=machine.folder)
    assert Told(machine).one(".mcp.json", "Its servers are not started")
    assert not mark.exists()
    Told(machine, ".mcp.json", code=1)
    assert mark.exists()


def test_no_server_is_started_on_demand(machine):
    mark = machine.folder / "mark"
    machine.config(".cursor/mcp.json", {"one": marking(mark)})
    assert Told(machine, "--no-servers").one("Cursor", "one: not behind Penstock")
    assert not mark.exists()


# -- printing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("encoding", "marks"), [("utf-8", "✓!✗"), ("ascii", "ok ! X")])
def test_lines_for_people(machine, encoding, marks):
    machine.config(
        ".cursor/mcp.json", {"gone": {"command": "no-such-ü"}, "off": {**PLAIN, "disabled": True}}
    )
    machine.variables["PYTHONIOENCODING"] = encoding
    done = machine.penstock("doctor")
    assert done.returncode == 1
    fine, look, bad = marks.split() if " " in marks else marks
    assert f"  {fine} Python " in done.stdout
    assert f"  {look.ljust(len(fine))} off: not started." in done.stdout
    assert f"  {bad.ljust(len(fine))} gone: Cannot start" in done.stdout
    assert " -> Check the spelling" in done.stdout
    # The installation itself is one to look at if it is in a temporary place.
    assert re.search(r"\n1 broken, [12] to look at\.\n$", done.stdout)


def test_help(machine):
    told = machine.penstock("doctor", "--help").stdout
    for option in ("--json", "--no-servers", "--store", "--config", "--timeout"):
        assert f"  {option}" in told


def test_a_host_that_does_not_exist(machine):
    done = machine.penstock("doctor", "curser")
    assert done.returncode == 2
    assert "Did you mean cursor?" in done.stderr
