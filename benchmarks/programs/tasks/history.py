"""Sum up a history: every commit of a repository is shown by a call of its own."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.programs.material import files_of
from benchmarks.programs.player import Player
from benchmarks.programs.task import Task

_AUTHORS: Final = ("Ada Holm", "Bo Lund", "Cy Berg")
_SUBJECTS: Final = ("Begin", "Go on with", "Finish")
_START: Final = 1_767_600_000
_HOUR: Final = 3_600


class History(Task):
    """By author, over all commits: how many there are, and how many lines they added."""

    what = "sum up a git history"
    server_name = "git"

    count = 150

    def make(self) -> None:
        git = ["git", "-C", str(self.folder)]
        subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)  # noqa: S603
        stream = "".join(_stream(self.count)).encode()
        subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True)  # noqa: S603
        subprocess.run([*git, "reset", "--quiet", "--hard", "main"], check=True)  # noqa: S603

    def right(self) -> Any:
        by: dict[str, list[int]] = {}
        for number, (_, before, after) in enumerate(_changes(self.count)):
            of_author = by.setdefault(_author(number), [0, 0])
            of_author[0] += 1
            of_author[1] += after.count("\n") - before.count("\n")
        return by

    def plain(self, player: Player) -> Any:
        by: dict[str, list[int]] = {}
        for number in range(self.count):
            shown = player.call("git_show", repo_path=str(self.folder), revision=f"HEAD~{number}")
            of_author = by.setdefault(re.findall(r"Author: ([^<]+) <", shown)[0], [0, 0])
            of_author[0] += 1
            of_author[1] += len(re.findall(r"^\+(?!\+\+ )", shown, re.MULTILINE))
        return by

    def stored(self, player: Player) -> Any:
        # Each result is small, and there is no tool that shows several commits.
        return self.plain(player)

    def code_mode(self, player: Player) -> Any:
        player.call("search", query="show commit", detail="detailed", limit=1)
        look = f'return (await call_tool("git_show",{{"repo_path":"{self.folder}","revision":"HEAD"}}))[:300]'
        player.call("execute", code=look)
        code = f"""import re
d={{}}
for i in range({self.count}):
    s=await call_tool("git_show",{{"repo_path":"{self.folder}","revision":f"HEAD~{{i}}"}})
    a=d.setdefault(re.search("Author: (.+) <",s)[1],[0,0])
    a[0]+=1
    a[1]+=len(re.findall(r"^\\+(?!\\+\\+ )",s,re.M))
return d"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        look = (
            f'p="{self.folder}"\n(await text("git_show",{{"repo_path":p,"revision":"HEAD"}}))[:300]'
        )
        player.call("run_python", code=look)
        code = f"""import re
d={{}}
for i in range({self.count}):
    s=await text("git_show",{{"repo_path":p,"revision":f"HEAD~{{i}}"}})
    a=d.setdefault(re.search("Author: (.+) <",s)[1],[0,0])
    a[0]+=1
    a[1]+=len(re.findall(r"^\\+(?!\\+\\+ )",s,re.M))
d"""
        return player.value("run_python", code=code)


def _stream(count: int) -> Iterator[str]:
    """Yield the commits, for `git fast-import`. All hashes are the same in every run."""
    for number, (name, _, text) in enumerate(_changes(count)):
        author = _author(number)
        who = f"{author} <{author.split()[0].lower()}@example.com> {_START + _HOUR * number} +0000"
        yield f"commit refs/heads/main\nauthor {who}\ncommitter {who}\n"
        yield _data(f"{_SUBJECTS[number % 3]} {name}\n")
        yield f"M 100644 inline {name}\n{_data(text)}"


def _author(number: int) -> str:
    return _AUTHORS[number * number % 7 % 3]


def _changes(count: int) -> Iterator[tuple[str, str, str]]:
    """Yield a file's name, and its text before and after. Each file is written in three steps."""
    for file in _files()[: count // 3]:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        before = ""
        for step in (1, 2, 3):
            after = "".join(lines[: len(lines) * step // 3])
            yield file.name, before, after
            before = after


def _files() -> list[Path]:
    """Return files of a real package, each with some hundred lines."""
    tree = files_of("celery")
    return sorted(
        {file.name: file for file in sorted(tree.rglob("*.py")) if _is_middling(file)}.values()
    )


def _is_middling(file: Path) -> bool:
    return 3_000 < file.stat().st_size < 20_000


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"
