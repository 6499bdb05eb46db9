"""Add up two years of sales, of which every month is a workbook: a call for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.programs.player import Player
from benchmarks.programs.servers import server
from benchmarks.programs.task import Task
from benchmarks.strangers import greeted

_PRODUCTS: Final = ("anchor", "buoy", "compass", "dinghy", "ensign", "fender")
_REGIONS: Final = ("north", "south", "east", "west")
_HEADING: Final = ["day", "region", "product", "units", "price"]

Row = Sequence[Any]


class Workbooks(Task):
    """The revenue of each product, over all workbooks of the folder."""

    what = "add up 24 workbooks"
    server_name = "excel"

    @property
    def months(self) -> list[str]:
        return [f"{year}-{month:02}" for year in (2024, 2025) for month in range(1, 13)]

    def make(self) -> None:
        """Make the workbooks with the server itself."""
        excel = server("excel", folder=str(self.folder))
        with (
            TemporaryDirectory() as home,
            greeted(excel.command, excel.environment, Path(home)) as conversation,
        ):
            player = Player(conversation)
            for month in self.months:
                book = {"path": f"{month}.xlsx"}
                player.call("create_workbook", **book, sheets=["Sales"])
                rows = [_HEADING, *_rows(month)]
                player.call("write_range", **book, sheet="Sales", at="A1", rows=rows)

    def right(self) -> Any:
        return _revenue(row for month in self.months for row in _rows(month))

    def plain(self, player: Player) -> Any:
        books = player.value("list_workbooks")
        return _revenue(
            row
            for book in books
            for row in player.value("read_range", path=book, sheet="Sales")["values"][1:]
        )

    def stored(self, player: Player) -> Any:
        player.call("describe_tools", tools=["list_workbooks", "read_range"])
        books = player.value("call_read_only_tool", name="list_workbooks")
        read = "call_read_only_tool"
        return _revenue(
            row
            for book in books
            for row in player.value(
                read, name="read_range", arguments={"path": book, "sheet": "Sales"}
            )["values"][1:]
        )

    def code_mode(self, player: Player) -> Any:
        for query in ("list workbooks", "read range"):
            player.call("search", query=query, detail="detailed", limit=1)
        look = f"""b=await call_tool("list_workbooks",{{}})
return b,(await call_tool("read_range",{{"path":"{self.months[0]}.xlsx","sheet":"Sales","range":"A1:E2"}}))"""
        player.call("execute", code=look)
        code = """d={}
for b in await call_tool("list_workbooks",{}):
    for _,_,p,u,c in (await call_tool("read_range",{"path":b,"sheet":"Sales"}))["values"][1:]: d[p]=d.get(p,0)+u*c
return d"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        asked = {"tools": ["list_workbooks", "read_range"]}
        player.call("describe_tools", **asked)
        look = f"""b=await list_workbooks()
[*b][:2],await read_range(path="{self.months[0]}.xlsx",sheet="Sales",range="A1:E2")"""
        player.call("run_python", code=look)
        code = """d={}
for p in b:
    for _,_,n,u,c in (await read_range(path=p,sheet="Sales"))["values"][1:]: d[n]=d.get(n,0)+u*c
d"""
        return player.value("run_python", code=code)


def _revenue(rows: Iterable[Row]) -> dict[str, int]:
    by_product: dict[str, int] = {}
    for _, _, product, units, price in rows:
        by_product[product] = by_product.get(product, 0) + units * price
    return by_product


def _rows(month: str) -> list[Row]:
    draw = Random(month)
    return [
        (
            f"{month}-{1 + at * 28 // 240:02}",
            draw.choice(_REGIONS),
            draw.choice(_PRODUCTS),
            draw.randint(1, 40),
            draw.randint(3, 90),
        )
        for at in range(240)
    ]
