"""Find the largest files of a code tree, and what they import: a call for each folder and each file."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from benchmarks.programs.material import copy_of
from benchmarks.programs.player import Player
from benchmarks.programs.task import Task

_UNITS: Final = {"B": 1, "KB": 1_024, "MB": 1_024**2}
_IMPORT: Final = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
_ENTRY: Final = re.compile(r"\[(FILE|DIR)\] (\S+)(?: +([\d.]+) (\w+))?")
_MOST: Final = 8


class LargestFiles(Task):
    """The eight largest Python files, and the packages that their unindented lines import."""

    what = "largest files and their imports"

    @property
    def tree(self) -> str:
        return f"{self.folder}/celery"

    def make(self) -> None:
        copy_of("celery", to=self.folder / "celery")

    def right(self) -> Any:
        tree = self.folder / "celery"
        files = sorted(tree.rglob("*.py"), key=lambda file: -file.stat().st_size)[:_MOST]
        return {
            str(file.relative_to(tree)): _imported(file.read_text(encoding="utf-8"))
            for file in files
        }

    def plain(self, player: Player) -> Any:
        return {
            file: sorted(
                set(_IMPORT.findall(player.call("read_text_file", path=f"{self.tree}/{file}")))
            )
            for file in self._largest(player)
        }

    def _largest(self, player: Player) -> list[str]:
        """Walk through the tree, and return the largest files, as a model does that reads the lists."""
        sizes: dict[str, float] = {}
        folders = [""]
        for folder in folders:
            text = player.call("list_directory_with_sizes", path=f"{self.tree}/{folder}")
            for kind, name, size, unit in _ENTRY.findall(text):
                if kind == "DIR":
                    folders.append(f"{folder}{name}/")
                elif name.endswith(".py"):
                    sizes[folder + name] = float(size) * _UNITS[unit]
        return sorted(sizes, key=lambda file: -sizes[file])[:_MOST]

    def stored(self, player: Player) -> Any:
        largest = self._largest(player)
        probe = player.value(
            "read_multiple_files", paths=[f"{self.tree}/{file}" for file in largest]
        )
        answer = player.value(
            "read_result",
            continuation_token=probe["continuation_token"],
            mode="sql",
            query=f"WITH t AS (SELECT text,sum(text GLOB '{self.tree}*:') OVER (ORDER BY line) f FROM result), "  # noqa: S608 (the agent's own words)
            "u AS (SELECT f,replace(substr(text,instr(text,' ')+1),'.',' ')||' ' m FROM t "
            "WHERE text GLOB 'import *' OR text GLOB 'from [a-zA-Z_]*') "
            "SELECT f,group_concat(DISTINCT substr(m,1,instr(m,' ')-1)) FROM u GROUP BY f",
        )
        return {largest[at - 1]: sorted(set(names.split(","))) for at, names in answer["rows"]}

    def code_mode(self, player: Player) -> Any:
        player.call("search", query="file sizes read", detail="detailed", limit=2)
        look = f'return (await call_tool("list_directory_with_sizes",{{"path":"{self.tree}"}}))["content"][:200]'
        player.call("execute", code=look)
        code = f"""import re
T="{self.tree}/"
U={{"B":1,"KB":1024,"MB":1048576}}
ds=[""]
s={{}}
for d in ds:
    r=await call_tool("list_directory_with_sizes",{{"path":T+d}})
    for k,n,z,u in re.findall(r"\\[(FILE|DIR)\\] (\\S+)(?: +([\\d.]+) (\\w+))?",r["content"]):
        if k=="DIR": ds.append(d+n+"/")
        elif n.endswith(".py"): s[d+n]=float(z)*U[u]
o={{}}
for f in sorted(s,key=lambda f:-s[f])[:8]:
    r=await call_tool("read_file",{{"path":T+f}})
    o[f]=sorted(set(re.findall(r"^(?:from|import) (\\w+)",r["content"],re.M)))
return o"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        look = f't="{self.tree}/"\n(await text("list_directory_with_sizes",{{"path":t}}))[:200]'
        player.call("run_python", code=look)
        code = r"""import re
U={"B":1,"KB":1024,"MB":1048576}
ds=[""]
s={}
for d in ds:
    for k,n,z,u in re.findall(r"\[(FILE|DIR)\] (\S+)(?: +([\d.]+) (\w+))?",await text("list_directory_with_sizes",{"path":t+d})):
        if k=="DIR": ds.append(d+n+"/")
        elif n.endswith(".py"): s[d+n]=float(z)*U[u]
o={}
for f in sorted(s,key=lambda f:-s[f])[:8]:
    o[f]=sorted(set(re.findall(r"^(?:from|import) (\w+)",await text("read_file",{"path":t+f}),re.M)))
o"""
        return player.value("run_python", code=code)


def _imported(source: str) -> list[str]:
    names = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Import):
            names |= {alias.name.split(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            names.add(str(statement.module).split(".")[0])
    return sorted(names)
