"""The last words of a process: the line that says why it failed, without secrets."""

import os
import subprocess
import sys

import pytest

from penstock.relay.last_words import LastWords

NODE = """\
node:internal/modules/cjs/loader:1080
  throw err;

Error: Cannot find module '/srv/index.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1077:15)

Node.js v18.19.0
"""
PYTHON = """\
Traceback (most recent call last):
  File "server.py", line 1, in <module>
KeyError: 'DATABASE_URL'
"""


def words_of(text, secrets=(), most=100):
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        words = LastWords(os.fdopen(reading, "rb", 0))
        pipe.write(text if isinstance(text, bytes) else text.encode())
    return words.line(secrets, most)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("\n \n", ""),
        ("starting\nno port\n\n  \n", "no port"),
        ("no end of line", "no end of line"),
        (NODE, "Error: Cannot find module '/srv/index.js'"),
        (PYTHON, "KeyError: 'DATABASE_URL'"),
        ("AuthenticationError: no such user", "AuthenticationError: no such user"),
        ("\x1b[31mno port\x1b[0m\n", "no port"),
        (b"\xff\n", "\ufffd"),
        ("x" * 200, "x" * 100 + "…"),
    ],
)
def test_the_line_that_says_most(text, line):
    assert words_of(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("bad: correct horse", "bad: …"),
        ("bad: battery staple", "bad: …"),  # the second line of a secret
        ("x" * 93 + " correct horse", "x" * 93 + " …"),  # hidden before it is cut
        ("at postgres://me:pass@db/x", "at postgres://…@db/x"),
        ("PASSWORD=abc is wrong", "PASSWORD=…"),
        ("ValueError: token: abc", "ValueError: token: …"),
        ("correct horse" * 1_000, ""),  # its start is lost, and with it the start of a secret
        ("correct horse" * 1_000 + "\nno port", "no port"),
    ],
)
def test_no_secret_is_shown(text, line):
    assert words_of(text, ["correct horse", "-----\nbattery staple"]) == line


def test_a_process_that_logs_without_end_is_not_stopped():
    script = "import sys; sys.stderr.write('x' * 10_000_000 + '\\nno port\\n')"
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, bufsize=0) as run:
        words = LastWords(run.stderr)
        assert run.wait(60) == 0
    assert words.line((), 100) == "no port"


def test_a_process_left_behind_holds_up_nobody():
    reading, writing = os.pipe()
    os.write(writing, b"no port\n")
    words = LastWords(os.fdopen(reading, "rb", 0))
    assert words.line((), 100) == "no port"
    os.close(writing)
