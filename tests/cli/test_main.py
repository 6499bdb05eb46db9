"""Errors of the command line: they say what is wrong, and suggest what was meant."""

import argparse
import os
import subprocess
import sys

import pytest

from penstock.cli.options import add_policy_options, policy_from


def penstock(*words):
    command = [sys.executable, "-m", "penstock", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["rnu", "--", "cat"], "There is no command 'rnu'.\n  Did you mean run?"),
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
        (["run", "--bugdet", "1kB"], "There is no option '--bugdet'.\n  Did you mean --budget?"),
    ],
)
def test_a_slip(words, told):
    done = penstock(*words)
    assert done.returncode == 2
    assert told in done.stderr
    assert not done.stdout


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
