"""A tutorial page, followed line by line in an empty folder as a reader would."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

from environments import clean_environment

PATIENCE = 180  # seconds, for a busy machine

# A file that is named in the text, or a block with its language.
_PARTS = re.compile(r"^```(\w+)\n(.*?)^```|`(\w+\.py)`", re.MULTILINE | re.DOTALL)
# Tokens and durations differ from run to run.
_RANDOM = re.compile(r"(pen_|penstock://result/)[\w-]+|(passed in )[\d.]+s")


def blocks(page):
    """Yield each block of a page: its language, its text, and the file named last before it."""
    named = None
    for found in _PARTS.finditer(page):
        named = found[3] or named
        if found[1]:
            yield found[1], found[2], named


@dataclass
class Run:
    command: str
    printed: str
    shown: str = ""

    def check(self):
        assert _normal(self.printed) == _normal(self.shown), self.command


def follow(page, folder):
    """Follow the page from top to bottom, with only what it has shown so far.

    A `py` block is a whole file. A `diff` changes one. The `text` below a command is its output.
    """
    runs = []
    for language, block, name in blocks(page):
        match language:
            case "py":
                with (folder / name).open("x", encoding="utf-8") as file:  # shown once
                    file.write(block)
            case "diff":
                _change(folder / name, block)
            case "sh":
                runs += [Run(line, _execute(line, folder)) for line in block.splitlines()]
            case "text":
                runs[-1].shown += block
    return runs


def _change(path, diff):
    """Replace the lines with a minus by those with a plus. The other lines must match."""
    before, after = (
        "".join(f"{line[1:]}\n" for line in diff.splitlines() if not line.startswith(sign))
        for sign in "+-"
    )
    text = path.read_text("utf-8")
    assert text.count(before) == 1, f"{path.name} does not hold this:\n{before}"
    path.write_text(text.replace(before, after), "utf-8")


def _execute(line, folder):
    match line.split():
        # The environment of these tests stands for the reader's, and `folder` for the new folder.
        case ["mkdir" | "cd", "station"] | ["." | "pip", *_] | ["python", "-m", "venv", _]:
            return ""
        case ["cp", source, target]:
            shutil.copy(folder / source, folder / target)
            return ""
        case ["python", *arguments]:
            ran = python(*arguments, cwd=folder)
            assert ran.returncode == 0, f"{line}\n{ran.stdout}{ran.stderr}"
            return ran.stdout
    raise AssertionError(f"not a command for an empty folder: {line}")


def python(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=cwd, env=environment(), capture_output=True, text=True, check=False,
        timeout=PATIENCE, encoding="utf-8",
    )  # fmt: skip


def environment():
    """Return an environment without settings: the pages show the defaults."""
    return clean_environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")


def _normal(text):
    return _RANDOM.sub(r"\1\2…", text)
