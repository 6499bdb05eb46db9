"""Join two tables that write their times in different ways: two calls."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from typing import Any

from benchmarks.programs.material import copy_of
from benchmarks.programs.player import Player
from benchmarks.programs.task import Task


class Temperatures(Task):
    """By month: the hours in which it was warmer in Seattle than in San Francisco."""

    what = "join two tables"

    @property
    def seattle(self) -> str:
        return f"{self.folder}/seattle.csv"

    @property
    def san_francisco(self) -> str:
        return f"{self.folder}/sf.csv"

    def make(self) -> None:
        for name in ("seattle", "sf"):
            copy_of("vega_datasets", "_data", f"{name}-temps.csv", to=self.folder / f"{name}.csv")

    def right(self) -> Any:
        texts = ((self.folder / f"{name}.csv").read_text("utf-8") for name in ("seattle", "sf"))
        return _warmer(*texts)

    def plain(self, player: Player) -> Any:
        texts = [
            player.call("read_text_file", path=path) for path in (self.seattle, self.san_francisco)
        ]
        return _warmer(*texts)

    def stored(self, player: Player) -> Any:
        seattle, other = (
            player.value("read_text_file", path=path)["continuation_token"]
            for path in (self.seattle, self.san_francisco)
        )
        answer = player.value(
            "read_result",
            continuation_token=seattle,
            mode="sql",
            query="SELECT substr(a.date,6,2), count(*) FROM result a JOIN sf ON a.date||':00'=sf.date "
            "WHERE a.temp>sf.temp GROUP BY 1",
            tables={"sf": other},
        )
        return dict(answer["rows"])

    def code_mode(self, player: Player) -> Any:
        player.call("search", query="read file", detail="detailed", limit=1)
        look = f"""return [(await call_tool("read_file",{{"path":p,"head":2}}))["content"] for p in ["{self.seattle}","{self.san_francisco}"]]"""
        player.call("execute", code=look)
        code = f"""import csv
async def f(p):
    r=await call_tool("read_file",{{"path":p}})
    return {{x["date"][:16]:float(x["temp"]) for x in csv.DictReader(r["content"].splitlines())}}
a=await f("{self.seattle}")
b=await f("{self.san_francisco}")
d={{}}
for k,t in a.items():
    if k in b and t>b[k]:
        d[k[5:7]]=d.get(k[5:7],0)+1
return d"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        look = f'a,b=[await read_file(path=f"{self.folder}/{{n}}.csv") for n in ("seattle","sf")]\na[0],b[0]'
        player.call("run_python", code=look)
        code = """sql("SELECT substr(a.date,6,2) m,count(*) n FROM a JOIN b ON a.date||':00'=b.date WHERE a.temp>b.temp GROUP BY 1",a=a,b=b)"""
        return {row["m"]: row["n"] for row in player.value("run_python", code=code)}


def _warmer(seattle: str, san_francisco: str) -> dict[str, int]:
    here, there = (
        {row["date"][:16]: float(row["temp"]) for row in csv.DictReader(text.splitlines())}
        for text in (seattle, san_francisco)
    )
    return _by_month(hour for hour, value in here.items() if hour in there and value > there[hour])


def _by_month(hours: Iterable[str]) -> dict[str, int]:
    return dict(Counter(hour[5:7] for hour in hours))
