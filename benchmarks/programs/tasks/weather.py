"""Aggregate a CSV, of which nothing is known but its path: one call."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any

from benchmarks.programs.material import copy_of
from benchmarks.programs.player import Player
from benchmarks.programs.task import Task


class Weather(Task):
    """For each kind of weather: the days, the mean of the highest temperatures, and the rain in all."""

    what = "aggregate a CSV"

    @property
    def path(self) -> str:
        return f"{self.folder}/weather.csv"

    def make(self) -> None:
        copy_of("vega_datasets", "_data", "seattle-weather.csv", to=self.folder / "weather.csv")

    def right(self) -> Any:
        with (self.folder / "weather.csv").open(encoding="utf-8") as file:
            return _by_kind(csv.DictReader(file))

    def plain(self, player: Player) -> Any:
        return _by_kind(csv.DictReader(player.call("read_text_file", path=self.path).splitlines()))

    def stored(self, player: Player) -> Any:
        probe = player.value("read_text_file", path=self.path)
        answer = player.value(
            "read_result",
            continuation_token=probe["continuation_token"],
            mode="sql",
            query="SELECT weather, count(*), round(avg(temp_max),2), round(sum(precipitation),1) "
            "FROM result GROUP BY 1",
        )
        return answer["rows"]

    def code_mode(self, player: Player) -> Any:
        player.call("search", query="read file", detail="detailed", limit=1)
        look = f'return (await call_tool("read_file",{{"path":"{self.path}","head":2}}))["content"]'
        player.call("execute", code=look)
        code = f"""import csv
r=await call_tool("read_file",{{"path":"{self.path}"}})
d={{}}
for x in csv.DictReader(r["content"].splitlines()):
    d.setdefault(x["weather"],[]).append((float(x["temp_max"]),float(x["precipitation"])))
return [[k,len(v),round(sum(t for t,_ in v)/len(v),2),round(sum(p for _,p in v),1)] for k,v in sorted(d.items())]"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        player.call("run_python", code=f't=await read_file(path="{self.path}")\nt[0]')
        code = '[list(x.values()) for x in sql("SELECT weather,count(*),round(avg(temp_max),2),round(sum(precipitation),1) FROM t GROUP BY 1",t=t)]'
        return player.value("run_python", code=code)


def _by_kind(days: Iterable[dict[str, str]]) -> list[list[Any]]:
    kinds: dict[str, list[dict[str, str]]] = {}
    for day in days:
        kinds.setdefault(day["weather"], []).append(day)
    return [
        [
            kind,
            len(those),
            round(sum(float(day["temp_max"]) for day in those) / len(those), 2),
            round(sum(float(day["precipitation"]) for day in those), 1),
        ]
        for kind, those in sorted(kinds.items())
    ]
