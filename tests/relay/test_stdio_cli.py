"""The command line of `penstock run`: its output, its refusals, and the precedence of settings."""

import json
import os
import subprocess
import sys
from uuid import uuid4

import psutil
import pytest
from environments import clean_environment
from relay_processes import PATIENCE, SCRIPTED, is_gone, wait_until

from penstock import __version__
from penstock.errors import how_to_install
from penstock.stores import open_store


def command_line(*arguments, **variables):
    return subprocess.run(
        [sys.executable, "-m", "penstock", *arguments],
        capture_output=True,
        text=True,
        env=clean_environment(**variables),
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,
    )


# -- what it says ------------------------------------------------------------------------------


def test_version():
    done = command_line("--version")
    assert (done.returncode, done.stdout) == (0, f"penstock {__version__}\n")


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help(arguments):
    done = command_line(*arguments)
    assert done.returncode == 0
    assert "penstock run" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "option",
    ["--budget", "--inline", "--ceiling", "--host", "--store", "--ttl", "--max-ttl", "--only", "--except",
     "--config", "--log-level", "--url", "--header", "--header-env", "--bearer-env"],
)  # fmt: skip
def test_help_names_every_option(option, help_text):
    assert f"  {option} " in help_text


@pytest.fixture(scope="module")
def help_text():
    return command_line("run", "--help").stdout


# -- what it refuses ---------------------------------------------------------------------------

REFUSED = {
    "no command": ([], "No MCP server was given"),
    "nothing after --": (["--"], "No MCP server was given"),
    "a command and a URL": (["--url", "http://x", "--", "true"], "Both a command and a URL"),
    "an unknown option": (["--budgte", "1kB", "--", "true"], "Did you mean --budget?"),
    "a budget that is too small": (["--budget", "10B", "--", "true"], "must be at least 1000"),
    "a budget that is none": (["--budget", "much", "--", "true"], "budget = 'much'"),
    "an unknown host": (["--host", "nobody", "--", "true"], "host"),
    "an unknown store": (["--store", "tape:", "--", "true"], "a store is one of"),
    "a time that is none": (["--ttl", "soon", "--", "true"], "ttl = 'soon'"),
    "an unknown level": (["--log-level", "loud", "--", "true"], "--log-level cannot be 'loud'"),
    "a missing file": (["--config", "/no/such.toml", "--", "true"], "/no/such.toml"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    """Exit code 2, a sentence on stderr, nothing on stdout, no traceback."""
    arguments, told = REFUSED[case]
    done = command_line("run", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


NO_STORE = {
    "scheme": ("tape:x", "a store is one of memory:, sqlite:, redis:"),
    "path": ("sqlite:////proc/nowhere/x.sqlite", "cannot be opened"),
    "slashes": ("sqlite://x.sqlite", "an absolute path has three slashes"),
    "folder": ("sqlite:////tmp", "cannot be opened"),
    "url": ("redis://localhost:port", "this is not a URL that redis-py can read"),
    "unreachable": ("redis://127.0.0.1:1", "Redis cannot be reached"),
}


@pytest.mark.parametrize("case", NO_STORE)
@pytest.mark.parametrize("name", ["run", "serve"])
def test_a_store_that_cannot_be_used_is_told_before_the_server_starts(name, case, tmp_path):
    url, told = NO_STORE[case]
    started = tmp_path / "started"
    done = command_line(name, "--store", url, "--", "touch", str(started))
    assert done.returncode == 2, done
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert not started.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to every file")
def test_a_store_that_cannot_be_written_to(tmp_path):
    file = tmp_path / "results.sqlite"
    open_store(f"sqlite:{file}").close()
    file.chmod(0o400)
    done = command_line("run", "--store", f"sqlite:{file}", "--", "true")
    assert done.returncode == 2
    assert "leave it out to keep results in memory" in done.stderr


def test_a_store_whose_library_is_missing(tmp_path):
    (tmp_path / "redis.py").write_text("raise ModuleNotFoundError(name='redis')")
    started = tmp_path / "started"
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    options = ["--store", "redis://localhost", "--", "touch", str(started)]
    done = command_line("run", *options, PYTHONPATH=path)
    assert done.returncode == 2
    assert how_to_install("redis") in " ".join(done.stderr.split())
    assert not started.exists()


def test_what_fails_after_the_server_was_started_ends_it():
    mark = uuid4().hex
    staying = [sys.executable, "-c", "import signal; signal.pause()", mark]
    done = command_line("run", "--", *staying, PENSTOCK_LOG_LEVEL="loud")
    assert done.returncode == 2, done
    assert "There is no log level 'loud'" in done.stderr
    assert "Traceback" not in done.stderr
    wait_until(lambda: all(map(is_gone, marked(mark))))


def marked(mark):
    found = psutil.process_iter(["cmdline"])
    return [process.pid for process in found if mark in (process.info["cmdline"] or [])]


def test_bad_settings_in_a_file(tmp_path):
    for text, told in (
        ('budget = "10B"', "must be at least 1000"),
        ('colour = "blue"', "there is no such setting"),
        ("[tools.x]\nstore = 'memory:'", "cannot be set for one tool"),
        ("budget =", "Invalid value"),
    ):
        file = tmp_path / "penstock.toml"
        file.write_text(text)
        done = command_line("run", "--config", str(file), "--", "true")
        assert done.returncode == 2
        assert told in done.stderr


# -- logs --------------------------------------------------------------------------------------


def test_logs_are_on_stderr_only(start):
    client = start(SCRIPTED, "--log-level", "debug")
    client.call("read_result", continuation_token="pen_" + "1" * 39)
    client.send(b"this is no message")
    client.ask("tools/list")
    assert client.close() == 0
    assert [message["error"]["code"] for message in client.others] == [-32700]
    assert client.receive_rest() == []
    assert "penstock: INFO: a token was refused: unknown or expired" in client.errors
    assert "penstock: WARNING: the client sent invalid JSON" in client.errors


def test_what_the_server_logs_is_passed_on(start):
    client = start(["sh", "-c", 'echo "server says hello" >&2; exec "$@"', "sh", *SCRIPTED])
    assert client.close() == 0
    assert client.errors == "server says hello\n"


@pytest.mark.parametrize(
    ("options", "variables"),
    [([], {}), (["--log-level", "error"], {"PENSTOCK_LOG_LEVEL": "debug"})],
)
def test_nothing_is_logged_where_nothing_is_wrong(start, options, variables):
    client = start(SCRIPTED, *options, environment=variables)
    client.probe("big", size=50_000)
    assert client.close() == 0
    assert client.errors == ""


# -- whose word counts -------------------------------------------------------------------------


@pytest.fixture
def passes(start, tmp_path):
    """Return whether a result of this size passes whole with a file, variables and options."""

    def asked(size, file="", variables=None, options=()):
        path = tmp_path / "settings.toml"
        path.write_text(file)
        given = ["--config", str(path)] if file else []
        client = start(SCRIPTED, *given, *options, environment=variables)
        result = client.call("big", size=size)
        assert client.close() == 0
        return result["content"][0]["text"] == "x" * size

    return asked


SMALL, LARGE = 'budget = "1kB"', 'budget = "90kB"'


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        (True, {}),
        (False, {"file": SMALL}),
        (True, {"file": SMALL, "variables": {"PENSTOCK_BUDGET": "9kB"}}),
        (False, {"file": LARGE, "variables": {"PENSTOCK_BUDGET": "1kB"}}),
        (True, {"file": SMALL, "variables": {"PENSTOCK_BUDGET": "1kB"}, "options": ["--budget", "9kB"]}),
        (False, {"file": LARGE, "variables": {"PENSTOCK_BUDGET": "9kB"}, "options": ["--budget", "1kB"]}),
        (False, {"options": ["--inline", "1kB"]}),
        (True, {"options": ["--budget", "1kB", "--only", "read", "load"]}),
        (True, {"options": ["--budget", "1kB", "--except", "b*"]}),
        (True, {"variables": {"PENSTOCK_BUDGET": "1kB", "PENSTOCK_EXCEPT": "big"}}),
        (False, {"file": '[tools."b*"]\nbudget = "1kB"'}),
        (True, {"file": 'budget = "1kB"\n[tools.big]\ninline = "9kB"'}),
    ],
)  # fmt: skip
def test_precedence(passes, expected, given):
    """Command line, environment, file, default. A tool's own settings precede those of all tools."""
    assert passes(5_000, **given) is expected


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        (True, {}),
        (False, {"options": ["--host", "codex"]}),
        (False, {"variables": {"PENSTOCK_HOST": "codex"}}),
        (True, {"file": 'budget = "20kB"', "options": ["--host", "codex"]}),
    ],
)
def test_a_host_is_weaker_than_any_budget(passes, expected, given):
    assert passes(15_000, **given) is expected


def test_where_the_file_is_looked_for(start, tmp_path):
    """In the user's configuration folder, or at a given path; never in the working folder."""
    (tmp_path / "home" / "penstock").mkdir(parents=True)
    (tmp_path / "home" / "penstock" / "penstock.toml").write_text('budget = "1kB"')
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "penstock.toml").write_text("this is not even TOML")
    named = tmp_path / "named.toml"
    named.write_text('budget = "9kB"')
    home = {"XDG_CONFIG_HOME": str(tmp_path / "home")}
    for variables, is_whole in (
        ({}, True),
        (home, False),
        ({**home, "PENSTOCK_CONFIG": str(named)}, True),
    ):
        client = start(SCRIPTED, environment=variables, cwd=tmp_path / "work")
        assert (
            "continuation_token" not in client.call("big", size=5_000)["content"][0]["text"]
        ) is is_whole
        assert client.close() == 0


@pytest.mark.parametrize(
    ("options", "seconds"),
    [
        ([], 3_600),
        (["--ttl", "2m"], 120),
        (["--ttl", "2h"], 7_200),
        (["--max-ttl", "10m"], 600),
        (["--max-ttl", "24h"], 3_600),
        (["--ttl", "9h", "--max-ttl", "9h"], 32_400),
    ],
)
def test_how_long_a_result_lives(start, options, seconds):
    client = start(SCRIPTED, *options)
    assert client.probe("big", size=50_000)["expires_in"] == seconds


def test_the_help_tells_the_lifetimes_of_each_command(help_text):
    said = " ".join(help_text.split())
    assert "each read restarts it. Default: 1h." in said
    assert "however often it is read. Default: 8h." in said
    said = " ".join(command_line("serve", "--help").stdout.split())
    assert "each read restarts it. Default: 5m." in said
    assert "however often it is read. Default: 1h." in said


def test_arguments_of_the_server_are_the_servers(start):
    """Even arguments that look like options of Penstock, and a second --."""
    printing = (
        "import json, sys; print(json.dumps({'method': 'x', 'params': sys.argv[1:]}), flush=True)"
    )
    arguments = ["--budget", "1B", "--", "--help", "é", ""]
    client = start([sys.executable, "-c", printing, *arguments], greet=False)
    assert json.loads(client.receive())["params"] == arguments


def test_a_command_needs_no_dashes():
    """The MCP Inspector removes them."""
    telling = [sys.executable, "-c", "import sys; print(sys.argv[1:], file=sys.stderr)"]
    done = command_line("run", "--budget", "1kB", *telling, "--budget", "--", "x")
    assert "['--budget', '--', 'x']" in done.stderr


def test_the_server_gets_the_environment(start):
    told = "import json, os; print(json.dumps({'method': 'x', 'params': os.environ['SECRET']}), flush=True)"
    client = start([sys.executable, "-c", told], environment={"SECRET": "s3cret"}, greet=False)
    assert json.loads(client.receive())["params"] == "s3cret"


def test_nothing_that_is_needed_elsewhere_is_loaded():
    """`penstock run` starts fast, and loads no extra (of the vocabulary, the finder only)."""
    report = (
        "import sys, runpy\n"
        "sys.argv = ['penstock', 'run', '--', 'true']\n"
        "try: runpy.run_module('penstock', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "extras = {'mcp', 'redis', 'jq', 'pydantic', 'asyncio', 'sqlite3', 'httpx', 'uvicorn'}\n"
        "print(sorted(extras & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", report],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=clean_environment(),
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr.splitlines()[-1] == "[]"
