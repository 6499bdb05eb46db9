"""A git repository with some hundred commits, made from one stream of `git fast-import`.

Authors and dates are invented, so every run makes the same commits with the same hashes.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corpus.material import source

COUNT = 300
_START = 1_767_600_000
_HOURS = 3_600
AUTHORS = ("Ada Holm", "Bo Lund", "Cy Berg")
KINDS = ("Fix", "Add", "Rename", "Measure")


@dataclass(frozen=True)
class Commit:
    number: int
    author: str
    subject: str
    file: str
    text: str

    @property
    def time(self) -> int:
        return _START + self.number * 5 * _HOURS


def commits() -> list[Commit]:
    """Return the commits, the oldest first. Each replaces one file, or makes it."""
    chance = random.Random(1830)
    return [_commit(chance, number) for number in range(1, COUNT + 1)]


def _commit(chance: random.Random, number: int) -> Commit:
    file = chance.randrange(12)
    kind = chance.choice(KINDS)
    return Commit(
        number,
        chance.choice(AUTHORS),
        f"{kind} rule {number} of basin {file}",
        f"basin/rules_{file:02}.py",
        source(100 * file + number),
    )


def make_repository(folder: Path) -> None:
    """Make the repository. A tag marks the middle of the history."""
    git = ["git", "-C", str(folder)]
    folder.mkdir(parents=True)
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    stream = "".join(_stream())
    subprocess.run([*git, "fast-import", "--quiet"], input=stream.encode(), check=True)
    subprocess.run([*git, "reset", "--quiet", "--hard", "main"], check=True)


def _stream() -> Iterator[str]:
    for commit in commits():
        person = f"{commit.author} <{commit.author.split()[0].lower()}@example.com>"
        yield f"commit refs/heads/main\nmark :{commit.number}\n"
        yield f"author {person} {commit.time} +0000\ncommitter {person} {commit.time} +0000\n"
        yield _data(commit.subject + "\n")
        yield f"M 100644 inline {commit.file}\n{_data(commit.text)}\n"
    yield f"reset refs/tags/middle\nfrom :{COUNT // 2}\n\n"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"
