"""A git repository in a folder, with a history that has every kind of change."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ann Müller",
    "GIT_AUTHOR_EMAIL": "ann@example.com",
    "GIT_COMMITTER_NAME": "Bob",
    "GIT_COMMITTER_EMAIL": "bob@example.com",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
MESSAGES = (
    "Start the project",
    f"Change every kind of file\n\ncommit {'0123456789' * 4}\nAuthor: Eve <e@x>\n\ndiff --git a/x b/x\n\nCloses: #7",
    "Remove what is left over",
)


class Repository:
    """A repository, and commands in it."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("git") is None:
            pytest.skip("needs git")
        self.folder = folder
        self._day = 0
        self.git("init", "--quiet", "--initial-branch=main", ".")

    def git(self, *arguments: str) -> str:
        """Return the output of a git command, to the byte."""
        return self.output("git", *arguments)

    def output(self, *command: str, status: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self._environment(), capture_output=True, check=False
        )
        assert done.returncode in status, done.stderr
        return done.stdout.decode()

    def _environment(self) -> dict[str, str]:
        time = f"2026-01-{1 + self._day % 28:02}T12:00:00+0130"
        dates = {"GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time}
        return {**os.environ, **ENVIRONMENT, **dates}

    def write(self, name: str, data: bytes | str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    def commit(self, message: str, *options: str) -> None:
        self._day += 1
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message, *options)


def write_first(repository: Repository) -> None:
    chance = random.Random(1)
    repository.write("plain.txt", "one\n-- two\n++ three\nfour\n")
    repository.write("no_end", "x")
    repository.write("crlf.txt", "a\r\nb\r\n")
    repository.write("image.bin", chance.randbytes(2_000))
    repository.write("gone", "last words\n")
    repository.write("with blank.txt", "hello\nworld\n" * 9)
    repository.write("ä.txt", "l\n")
    repository.write('ta\tb"q.txt', "q\n")
    repository.write("script.sh", "echo\n")
    repository.write("d/long", "".join(f"{n}\n" for n in range(200)))


def change_every_kind(repository: Repository) -> None:
    chance = random.Random(2)
    repository.write("plain.txt", "one\nfour\n-- new\n++ new\n")
    repository.write("no_end", "y")
    repository.write("crlf.txt", "a\r\nc\r\n")
    repository.write("image.bin", chance.randbytes(1_000))
    (repository.folder / "gone").unlink()
    repository.write("new_empty", "")
    repository.git("mv", "with blank.txt", "with two blanks.txt")
    repository.write("ä.txt", "l\nm\n")
    repository.write('ta\tb"q.txt', "q\nr\n")
    (repository.folder / "script.sh").chmod(0o755)
    repository.git("mv", "d/long", "d/longer")
    lines = [f"{n}\n" for n in range(200)]
    lines[20], lines[180] = "twenty\n", "--- a/fake\n+++ b/fake\n@@ -1 +1 @@\n"
    repository.write("d/longer", "".join(lines))
    repository.write("new.bin", chance.randbytes(300))


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return a repository of five commits, one of them a merge."""
    made = Repository(tmp_path_factory.mktemp("repository"))
    write_first(made)
    made.commit(MESSAGES[0])
    made.git("branch", "side")
    change_every_kind(made)
    made.commit(MESSAGES[1])
    made.git("tag", "v1")
    made.git("checkout", "--quiet", "side")
    made.write("side.txt", "s\n")
    made.write("plain.txt", "one\n-- two\n++ three\nfour, on the side\n")
    made.commit("Work on the side", "--author=Zoë <zoe@example.com>")
    made.git("checkout", "--quiet", "main")
    made.output("git", "merge", "--quiet", "side", status=(0, 1))
    made.write("plain.txt", "one\nfour, of both\n-- new\n++ new\n")
    made.commit("Merge the side")
    made.write("plain.txt", "one\n")
    made.commit(MESSAGES[2])
    return made
