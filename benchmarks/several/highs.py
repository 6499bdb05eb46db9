"""A task that needs three of six servers: rows of a database, joined with a CSV file, fill a sheet.

A side says what stands between the model and the servers, and has a play: what a model does that makes no
mistake. A model that can join only in its head reads both tables first.
"""

from __future__ import annotations

import csv
import sqlite3
from abc import ABC, abstractmethod
from ast import literal_eval
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Final

from benchmarks import peers
from benchmarks.programs.material import files_of
from benchmarks.programs.player import Player
from benchmarks.programs.servers import Server, server
from benchmarks.several import groups
from benchmarks.several.host import Host
from benchmarks.strangers import Conversation, greeted

_SERVERS: Final = {
    "database": "sqlite", "files": "filesystem", "sheets": "excel",
    "code": "git", "memory": "memory", "clock": "time",
}  # fmt: skip
_SCHEMA: Final = "SELECT sql FROM sqlite_master"
_HIGHS: Final = "SELECT substr(date,1,10) day,max(temp) high FROM {table} GROUP BY 1"
_BOOK: Final = "highs.xlsx"
_PLACE: Final = {"path": _BOOK, "sheet": "Sheet1", "at": "A1"}
_SECONDS: Final = 120

Row = list[Any]


class World:
    """The data of the task: a year of hourly temperatures in two cities."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "san-francisco.csv"
        material = files_of("vega_datasets") / "_data"
        self.file.write_bytes((material / "sf-temps.csv").read_bytes())
        with (material / "seattle-temps.csv").open(encoding="utf-8", newline="") as text:
            self._seattle = [(row["date"], float(row["temp"])) for row in csv.DictReader(text)]
        with closing(sqlite3.connect(folder / "shop.sqlite")) as database:
            database.execute("CREATE TABLE seattle (date TEXT, temp REAL)")
            database.executemany("INSERT INTO seattle VALUES (?,?)", self._seattle)
            database.commit()

    @property
    def servers(self) -> dict[str, Server]:
        return {
            name: server(package, folder=str(self.folder)) for name, package in _SERVERS.items()
        }

    def right(self) -> list[Row]:
        """Return a row for each day: the day, and the highest temperature in both cities."""
        return joined(highs_of(self._seattle), highs_in(self.file.read_text(encoding="utf-8")))

    def filled(self) -> list[Row]:
        """Return the rows of the sheet, and remove it."""
        with self._sheets() as player:
            rows = player.value("read_range", path=_BOOK, sheet="Sheet1", max_cells=10_000)[
                "values"
            ]
        (self.folder / _BOOK).unlink()
        return list(rows)

    @contextmanager
    def _sheets(self) -> Iterator[Player]:
        sheets = self.servers["sheets"]
        with (
            TemporaryDirectory() as home,
            greeted(sheets.command, sheets.environment, Path(home), _SECONDS) as conversation,
        ):
            yield Player(conversation)


def highs_of(hours: Iterable[tuple[str, float]]) -> dict[str, float]:
    highs: dict[str, float] = {}
    for hour, value in hours:
        day = hour[:10]
        highs[day] = max(value, highs.get(day, value))
    return highs


def highs_in(text: str) -> dict[str, float]:
    return highs_of((row["date"], float(row["temp"])) for row in csv.DictReader(text.splitlines()))


def joined(one: Mapping[str, float], other: Mapping[str, float]) -> list[Row]:
    return [[day, one[day], other[day]] for day in sorted(one.keys() & other.keys())]


class Side(ABC):
    """A way to do the task."""

    what: ClassVar[str]

    @abstractmethod
    def play(self, player: Player, world: World) -> None:
        """Fill the sheet."""

    @abstractmethod
    def host(self, world: World) -> Host:
        """Return what the model talks to."""

    def __init__(self) -> None:
        self._running = ExitStack()

    def done(self, world: World) -> Player:
        """Do the task, and return the player, which has counted."""
        with self._running:
            player = Player(self.host(world))
            self.play(player, world)
            return player

    def _start(self, command: tuple[str, ...], environment: Mapping[str, str]) -> Conversation:
        home = Path(self._running.enter_context(TemporaryDirectory()))
        return self._running.enter_context(greeted(command, environment, home, _SECONDS))


class Bare(Side):
    """Nothing stands between the model and the servers."""

    what = "none"

    def host(self, world: World) -> Host:
        servers = world.servers.items()
        return Host({name: self._start(one.command, one.environment) for name, one in servers})

    def play(self, player: Player, world: World) -> None:
        player.call("mcp__database__read_query", query=_SCHEMA)
        seattle = literal_eval(
            player.call("mcp__database__read_query", query=_HIGHS.format(table="seattle"))
        )
        text = player.call("mcp__files__read_text_file", path=str(world.file))
        rows = joined({row["day"]: row["high"] for row in seattle}, highs_in(text))
        player.call("mcp__sheets__create_workbook", path=_BOOK)
        player.call("mcp__sheets__write_range", **_PLACE, rows=rows)


class Separate(Side):
    """Each server has a Penstock of its own."""

    what = "six Penstocks"

    def host(self, world: World) -> Host:
        fronts = {
            name: (peers.penstock(peers.Contender(one.command)), one.environment)
            for name, one in world.servers.items()
        }
        return Host(
            {name: self._start(front.command, around) for name, (front, around) in fronts.items()}
        )

    def play(self, player: Player, world: World) -> None:
        player.call("mcp__database__read_query", query=_SCHEMA)
        seattle = literal_eval(
            player.call("mcp__database__read_query", query=_HIGHS.format(table="seattle"))
        )
        probe = player.value("mcp__files__read_text_file", path=str(world.file))
        other = player.value(
            "mcp__files__read_result",
            continuation_token=probe["continuation_token"],
            mode="sql",
            query=_HIGHS.format(table="result"),
            page_size=366,
        )
        rows = joined({row["day"]: row["high"] for row in seattle}, dict(other["rows"]))
        # The list of this server alone is over its budget, so it is an index too.
        sheets = _Index(player, "mcp__sheets__")
        sheets.describe("create_workbook", "write_range")
        sheets.call("create_workbook", path=_BOOK)
        sheets.call("write_range", **_PLACE, rows=rows)


class Together(Side):
    """One Penstock stands in front of all servers."""

    what = "one Penstock"

    def host(self, world: World) -> Host:
        file = world.folder.with_name("servers.json")
        front = groups.together(world.servers, file, "--programs", "off")
        return Host({"penstock": self._start(front.command, {})})

    def play(self, player: Player, world: World) -> None:
        use = _Index(player, "mcp__penstock__")
        use.describe("read_query", "read_text_file", "create_workbook", "write_range")
        use.call("read_query", query=_SCHEMA)
        seattle = use.value("read_query", query="SELECT date,temp FROM seattle")
        other = use.value("read_text_file", path=str(world.file))
        join = use.read(
            seattle,
            mode="sql",
            tables={"sf": other["continuation_token"]},
            query="SELECT substr(r.date,1,10) day,max(r.temp) a,max(sf.temp) b FROM result r "
            "JOIN sf ON r.date||':00'=sf.date GROUP BY 1",
            page_size=0,
        )
        rows = use.read(join, mode="query", query="map([.day,.a,.b])", page_size=0)
        use.call("create_workbook", path=_BOOK)
        use.call("write_range", **_PLACE, rows=f"@result:{rows['continuation_token']}")


class _Index:
    """A list of tools in the form `index`, as a model uses it."""

    def __init__(self, player: Player, prefix: str) -> None:
        self._player = player
        self._prefix = prefix

    def describe(self, *tools: str) -> None:
        self._player.call(f"{self._prefix}describe_tools", tools=[*tools])

    def call(self, tool: str, **arguments: Any) -> str:
        return self._player.call(f"{self._prefix}call_tool", name=tool, arguments=arguments)

    def value(self, tool: str, **arguments: Any) -> Any:
        return self._player.value(f"{self._prefix}call_tool", name=tool, arguments=arguments)

    def read(self, stored: Mapping[str, Any], **view: Any) -> Any:
        token = stored["continuation_token"]
        return self._player.value(f"{self._prefix}read_result", continuation_token=token, **view)


SIDES: Final[tuple[type[Side], ...]] = (Bare, Separate, Together)
