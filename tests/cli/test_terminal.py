"""Text for a terminal: escaped, measured, cut and aligned."""

import logging
import subprocess
import sys

import pytest

from penstock.cli.log_lines import FewAlike, LogLines
from penstock.cli.terminal import cut, fitted, printable, table, width_of

EVIL = "big\x1b]0;pwned\x07\x1b[31m\npenstock: ERROR: forged\u202e\ud800"


@pytest.mark.parametrize(
    "text", ["", "a", "abc", "日本語", "a" * 50, "日" * 50, "e\u0301" * 9, "日\u0301" * 9, EVIL]
)
@pytest.mark.parametrize("columns", [2, 3, 4, 10, 31])
def test_fitted_is_exact(text, columns):
    assert width_of(fitted(text, columns)) == columns
    assert width_of(cut(text, columns)) <= columns
    assert fitted(text, columns).isprintable()


def test_a_cut_is_marked():
    assert fitted("abcdef", 4) == "abc…"
    assert fitted("abcd", 4) == "abcd"
    assert cut("日本語", 4) == "日…"
    assert cut("日本語", 5) == "日本…"


def test_characters_that_a_terminal_obeys_are_escaped():
    assert printable("a\x1bb\n") == r"a\x1bb\n"
    assert printable(printable(EVIL)) == printable(EVIL)
    assert printable(EVIL).isprintable()


def test_a_table_is_aligned_by_columns():
    rows = [("name", "n"), ("日本", "1"), ("abcdefgh", "22"), ("\x07", "3")]
    assert list(table(rows, (6, 4), (False, True))) == [
        "name     n",
        "日本     1",
        "abcde…  22",
        r"\x07     3",
    ]


def test_a_server_cannot_forge_a_line_of_the_log():
    def logged(error=None):
        made = logging.LogRecord("x", logging.INFO, "f", 1, "held %s", (EVIL,), error)
        return LogLines().format(made)

    assert logged().isprintable()
    assert logged().startswith(r"penstock: INFO: held big\x1b]0;pwned")
    error = ValueError(EVIL)
    _, *traceback = logged((ValueError, error, None)).split("\n")
    assert traceback[0].startswith(r"  ValueError: big\x1b]0;pwned")
    assert all(line.startswith("  ") and line.isprintable() for line in traceback)


def test_the_log_of_a_command_is_escaped():
    script = (
        "from argparse import Namespace\n"
        "from penstock.cli.options import start_logging\n"
        "from penstock.log import logger\n"
        "start_logging(Namespace(log_level='info'))\n"
        "logger().info('held %s', 'a\\x1b[31m\\nb')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stderr == b"penstock: INFO: held a\\x1b[31m\\nb\n"


def test_few_warnings_of_one_kind_are_logged():
    told, filtered = "%s sent invalid JSON: %r", FewAlike()

    def logged(second, name="the server 'a'", level=logging.WARNING):
        made = logging.LogRecord("penstock", level, "", 1, told, (name, "x"), None)
        made.created = 1_000 + second
        return LogLines().format(made) if filtered.filter(made) else None

    lines = [line for _ in range(60) if (line := logged(0)) is not None]
    assert len(lines) == 5
    assert [line.endswith("left out for a minute)") for line in lines] == [False] * 4 + [True]
    assert logged(1, "the server 'b'")
    assert all(logged(2, level=level) for _ in range(9) for level in (logging.INFO, logging.ERROR))
    assert sum(logged(3, f"the server {number}") is not None for number in range(5_000)) < 1_100
    assert logged(61)
    assert logged(62, "the server 7")
