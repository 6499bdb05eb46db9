"""Fill a sheet from a database: two servers, and rows that go from one to the other."""

from __future__ import annotations

import json
import sqlite3
from ast import literal_eval
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks import peers
from benchmarks.programs.player import Player
from benchmarks.programs.servers import Server, server
from benchmarks.programs.task import Task
from benchmarks.strangers import greeted

_CITIES: Final = ("Aarhus", "Bergen", "Coimbra", "Dresden", "Espoo", "Faro", "Ghent")
_HEADING: Final = ["name", "city", "orders", "total"]
_SCHEMA: Final = "SELECT sql FROM sqlite_master"
_SELECT: Final = (
    "SELECT name,city,count(o.id) orders,sum(amount) total FROM customers c "
    "JOIN orders o ON o.customer_id=c.id WHERE status='paid' GROUP BY c.id ORDER BY total DESC,name"
)
_BOOK: Final = {"path": "report.xlsx", "sheet": "Report"}


class Sheet(Task):
    """A line for each customer: name, city, and the number and the sum of the paid orders."""

    what = "fill a sheet from a database"
    server_name = "sqlite"  # and excel
    writes = True

    customers = 400

    def make(self) -> None:
        with closing(sqlite3.connect(self.folder / "shop.sqlite")) as database:
            database.executescript(
                "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, since TEXT);"
                "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, placed TEXT, "
                "amount INTEGER, status TEXT);"
            )
            database.executemany("INSERT INTO customers VALUES (?,?,?,?)", self._customers())
            database.executemany("INSERT INTO orders VALUES (?,?,?,?,?)", self._orders())
            database.commit()
        with self._excel() as player:
            player.call("create_workbook", path=_BOOK["path"], sheets=[_BOOK["sheet"]])

    def _customers(self) -> Iterator[tuple[Any, ...]]:
        for number in range(1, self.customers + 1):
            city = Random(f"customer {number}").choice(_CITIES)
            yield number, f"Customer {number:03}", city, f"2025-0{1 + number % 9}-11"

    def _orders(self) -> Iterator[tuple[Any, ...]]:
        for number in range(1, 6 * self.customers + 1):
            draw = Random(f"order {number}")
            status = draw.choice(("paid", "paid", "open", "returned"))
            customer = draw.randint(1, self.customers)
            yield number, customer, f"2026-0{1 + number % 9}-03", draw.randint(5, 900), status

    @contextmanager
    def serving(self) -> Iterator[Server]:
        """Yield FastMCP's proxy, which makes one server of two."""
        parts = {name: server(name, folder=str(self.folder)) for name in ("sqlite", "excel")}
        config = {
            name: {"command": part.command[0], "args": part.command[1:], "env": part.environment}
            for name, part in parts.items()
        }
        file = self.folder.with_name(f"{self.folder.name}.json")
        file.write_text(json.dumps({"mcpServers": config}), encoding="utf-8")
        yield Server(peers.fastmcp_config(file).command, {})

    @contextmanager
    def _excel(self) -> Iterator[Player]:
        excel = server("excel", folder=str(self.folder))
        with (
            TemporaryDirectory() as home,
            greeted(excel.command, excel.environment, Path(home)) as conversation,
        ):
            yield Player(conversation)

    def right(self) -> Any:
        with closing(sqlite3.connect(self.folder / "shop.sqlite")) as database:
            return [_HEADING, *map(list, database.execute(_SELECT))]

    def _filled(self) -> Any:
        """Return what the sheet holds."""
        with self._excel() as player:
            return player.value("read_range", **_BOOK, max_cells=10_000)["values"]

    def plain(self, player: Player) -> Any:
        player.call("sqlite_read_query", query=_SCHEMA)
        rows = literal_eval(player.call("sqlite_read_query", query=_SELECT))
        lines = [_HEADING, *(list(row.values()) for row in rows)]
        player.call("excel_write_range", **_BOOK, at="A1", rows=lines)
        return self._filled()

    def stored(self, player: Player) -> Any:
        player.call("describe_tools", tools=["sqlite_read_query", "excel_write_range"])
        read = {"name": "sqlite_read_query"}
        player.call("call_tool", **read, arguments={"query": _SCHEMA})
        probe = player.value("call_tool", **read, arguments={"query": _SELECT})
        lines = player.value(
            "read_result",
            continuation_token=probe["continuation_token"],
            mode="query",
            query='[["name","city","orders","total"]]+[.[]|[.name,.city,.orders,.total]]',
            page_size=0,
        )
        written = {**_BOOK, "at": "A1", "rows": f"@result:{lines['continuation_token']}"}
        player.call("call_tool", name="excel_write_range", arguments=written)
        return self._filled()

    def code_mode(self, player: Player) -> Any:
        for query in ("sqlite read query", "write range cells"):
            player.call("search", query=query, detail="detailed", limit=1)
        look = f'return await call_tool("sqlite_read_query",{{"query":"{_SCHEMA}"}})'
        player.call("execute", code=look)
        code = f"""r=eval(await call_tool("sqlite_read_query",{{"query":"{_SELECT}"}}))
return await call_tool("excel_write_range",{{"path":"report.xlsx","sheet":"Report","at":"A1","rows":[list(r[0])]+[list(x.values()) for x in r]}})"""
        player.call("execute", code=code)
        return self._filled()

    def program(self, player: Player) -> Any:
        for query in ("sqlite read query", "write range cells"):
            player.call("find_tools", query=query, limit=1)
        run = "run_python_with_writes"
        player.call(run, code=f'await sqlite_read_query(query="{_SCHEMA}")')
        code = f"""r=await sqlite_read_query(query="{_SELECT}")
await excel_write_range(path="report.xlsx",sheet="Report",at="A1",rows=[list(r[0])]+[list(x.values()) for x in r])"""
        player.call(run, code=code)
        return self._filled()
