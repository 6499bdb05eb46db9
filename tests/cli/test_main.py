"""Errors of the command line: they say what is wrong, and suggest what was meant."""

import argparse
import os
import subprocess
import sys

import pytest

from penstock.cli.command_line import split_at_command
from penstock.cli.options import add_policy_options, policy_from


def penstock(*words):
    command = [sys.executable, "-m", "penstock", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


NO_FILE = "--server selects servers of a file, and none is named.\n  Name the file too: --servers"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["rnu", "--", "cat"], "There is no command 'rnu'.\n  Did you mean run?"),
        (["runn", "--budget", "8000tok", "npx", "-y", "x", "--", "y"], "Did you mean run?"),
        (["--", "npx", "x"], "No command of Penstock is named.\n  Use: penstock run -- npx x"),
        (["show", "3fa2c1"], "There is no command 'show'.\n  Did you mean results show?"),
        (["run", "--server", "git"], NO_FILE),
        (["serve", "--server", "git", "npx", "-y", "x"], NO_FILE),
        (["run", "--always", "a", "--server", "git"], NO_FILE),
        (
            ["run", "--results-to", "npx"],
            "Put -- before the server's command: penstock run --results-to SERVER -- COMMAND",
        ),
        (
            ["audit", "--servers", "mcp.json"],
            "There is no option '--servers'.\n  For the servers of a file: penstock doctor --servers",
        ),
        (
            ["audit", "mcp.json"],
            "Cannot start 'mcp.json': it is no program.\n  If it has servers: ",
        ),
        (["run", "./mcp.json"], "penstock run --servers ./mcp.json, or doctor to measure them."),
        (["please"], "There is no command 'please'.\n  Use one of: demo, run, "),
        (["demo", "--foo"], "There is no option '--foo'.\n  See penstock demo --help."),
        (["run", "--budget", "10", "--", "cat"], "must be at least 1000 bytes."),
        (
            ["run", "--ttl", "9h", "--", "cat"],
            "at least ttl, 32400 seconds. Raise max_ttl too.",
        ),
        (
            ["run", "--ttl", "2h", "--max-ttl", "1h", "--", "cat"],
            "at least ttl, 7200 seconds. Raise max_ttl too.",
        ),
        (
            ["serve", "--ttl", "2h", "--", "cat"],
            "at least ttl, 7200 seconds. Raise max_ttl too.",
        ),
        (["serve", "--host", "0.0.0.0", "--", "cat"], "Use --bind 0.0.0.0 to listen"),  # noqa: S104
        (["serve", "--host=localhost", "cat"], "Use --bind localhost to listen on it."),
        (["serve", "--host", "::1", "cat"], "Use --bind ::1 to listen on it."),
        (
            ["serve", "--max-body", "4", "cat"],
            "must be at least 10kB; write 4MB for four megabytes",
        ),
        (["run", "--max-upstream", "4", "cat"], "must be at least 10kB; write 4MB for four"),
        (["serve", "--allow-origin", "foo", "cat"], "'foo' is not an origin such as https://app"),
        (["run", "--host", "127.0.0.1", "cat"], "use penstock serve --bind 127.0.0.1."),
        (
            ["run", "--host", "claud_code", "cat"],
            "  Did you mean claude-code? Use one of: claude, ",
        ),
        (["results", "sho"], "penstock results has no 'sho'.\n  Did you mean show?"),
        (
            ["results", "show"],
            "penstock results show needs ID.\n  Use: penstock results show ID [options]\n",
        ),
        (
            ["results", "show", "a", "--format", "xml"],
            "--format cannot be 'xml'.\n  Use one of: csv, json, text.\n",
        ),
        (["purge", "--store"], "expected one argument.\n  See penstock purge --help.\n"),
        (["--", "a b", "--pass", "hidden"], "Use: penstock run -- 'a b' --pass '…'\n"),
        (["run", "--bugdet", "1kB", "npx", "--help"], "Did you mean --budget?"),
        (["run", "--bugdet", "1kB"], "There is no option '--bugdet'.\n  Did you mean --budget?"),
    ],
)
def test_a_slip(words, told):
    done = penstock(*words)
    assert done.returncode == 2
    assert told in done.stderr
    assert not done.stdout


def test_a_command_that_changes_nothing_does_not_say_so(tmp_path):
    cut = tmp_path / "cut.json"
    cut.write_text('{"mcpServers": {')
    done = penstock("run", "--servers", str(cut))
    assert done.returncode == 2
    assert done.stderr.endswith("  Correct the file and try again.\n")


NO_COMMAND = (
    "takes every word up to the next option, so there is no server's command.\n  Put -- before"
)


@pytest.mark.parametrize("name", ["run", "serve", "audit"])
@pytest.mark.parametrize("command", [["npx"], ["npx", "-y", "x"], ["npx", "x", "--zzz"]])
def test_an_option_of_several_values_does_not_swallow_the_command_in_silence(name, command):
    done = penstock(name, "--always", "read", *command)
    assert done.returncode == 2
    assert f"--always {NO_COMMAND}" in done.stderr
    assert f"penstock {name} --always TOOL -- COMMAND" in done.stderr


PARSER = argparse.ArgumentParser()
PARSER.add_argument("--flag", action="store_true")
add_policy_options(PARSER)


@pytest.mark.parametrize(
    ("line", "own", "command"),
    [
        ("npx -y pkg --flag", "", "npx -y pkg --flag"),
        ("--budget 8000tok npx -y pkg --budget 1kB", "--budget 8000tok", "npx -y pkg --budget 1kB"),
        ("--budget=8000tok npx", "--budget=8000tok", "npx"),
        ("--bud 8000tok npx", "--bud 8000tok", "npx"),
        ("--flag npx --flag", "--flag", "npx --flag"),
        ("--flag -- npx -- --flag", "--flag", "npx -- --flag"),
        ("npx -- --flag", "", "npx -- --flag"),
        ("--only a b -- npx", "--only a b", "npx"),
        ("--only a b --flag npx", "--only a b --flag", "npx"),
        ("--only=a npx", "--only=a", "npx"),
        ("--budget -- npx", "--budget", "npx"),
        ("--budget 1kB", "--budget 1kB", ""),
        ("", "", ""),
    ],
)
def test_where_the_command_begins(line, own, command):
    words = split_at_command(line.split(), PARSER._option_string_actions)
    assert (words.own, words.command) == (own.split(), command.split())


def test_alone_it_says_what_it_can_do():
    done = penstock()
    assert done.returncode == 0
    assert "penstock demo" in done.stdout


@pytest.mark.parametrize("written", [["a,b"], ["a", "b"], ["a, b"]])
def test_names_may_be_joined_by_commas_as_in_a_variable(written):
    parser = argparse.ArgumentParser()
    add_policy_options(parser)
    policy = policy_from(parser.parse_args(["--config", os.devnull, "--only", *written]))
    assert policy.only == ("a", "b")


@pytest.fixture
def left_pipe():
    """Return a pipe whose reader has left."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize("words", [["--help"], ["wrap", "--help"], ["wrap"], ["purge"]])
@pytest.mark.parametrize("flags", [[], ["-u"]])
def test_a_reader_that_leaves_sees_no_traceback(words, flags, left_pipe, tmp_path):
    command = [sys.executable, *flags, "-m", "penstock", *words]
    home = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    done = subprocess.run(
        command, stdout=left_pipe, stderr=subprocess.PIPE, env=os.environ | home, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_of_errors_that_leaves_sees_no_traceback(left_pipe):
    command = [sys.executable, "-m", "penstock", "please"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=left_pipe, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("words", [("stats",), ("wrap",), ("results",)])
def test_a_disk_that_is_full(words, tmp_path):
    # A newer Penstock would bring the figures of the user up to date, which an older one refuses.
    home = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "penstock", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env=os.environ | home,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "The output could not be written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr
