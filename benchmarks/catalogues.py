"""The tool lists of real servers. `python -m benchmarks.catalogues` says which are available.

The lists are other people's text. So they are kept in a folder that git ignores, and only the pins
are part of this repository. The first run takes about 25 minutes; later runs fetch only new pins.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final

import msgspec

from benchmarks.lines import Line
from benchmarks.registry import NotInstalled, Pin, installed, kept, pins
from benchmarks.strangers import NoList, Tool, tools_of
from penstock.disclosure.catalogue import Catalogue

LEAST_CATALOGUES: Final = 10
_AT_A_TIME: Final = 2


class Collection(msgspec.Struct, frozen=True):
    """The lists by server, and the reasons why other servers have none."""

    catalogues: dict[str, Catalogue]
    skipped: dict[str, str]

    @property
    def tools(self) -> int:
        return sum(map(len, self.catalogues.values()))

    def lines(self) -> Iterator[Line]:
        """Report the servers that are missing. Fail if too few are left."""
        for name, reason in self.skipped.items():
            print(f"skipped {name}: {reason}", file=sys.stderr, flush=True)
            yield Line(f"skipped: {name}", 1, unit="server")
        yield Line(
            f"servers short of {LEAST_CATALOGUES} ({len(self.catalogues)} had, {self.tools:,} tools)",
            max(0, LEAST_CATALOGUES - len(self.catalogues)),
            0,
            "",
            limit=0,
            difference=True,
        )


@cache
def collected() -> Collection:
    """Return the list of every pinned server, from the cache if the pin is the same."""
    known = pins().servers
    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        found = dict(zip(known, threads.map(_listed, known, known.values()), strict=True))
    return Collection(
        {
            name: Catalogue.from_tools(tools)
            for name, tools in found.items()
            if not isinstance(tools, str)
        },
        {name: reason for name, reason in found.items() if isinstance(reason, str)},
    )


def _listed(name: str, pin: Pin) -> list[Tool] | str:
    """Return the tools, or the reason why there are none."""
    file = kept(f"{name}.json")
    try:
        cached = msgspec.json.decode(file.read_bytes(), type=_Cached)
    except (OSError, msgspec.DecodeError):
        cached = None
    if cached is not None and cached.pin == pin:
        return cached.tools
    try:
        with installed(name, pin) as server:
            tools = tools_of(server.command, pin.environment, server.folder)
    except (NotInstalled, NoList) as error:
        return f"{type(error).__name__}: {error}"
    if not tools:
        return "its list is empty"
    file.write_bytes(msgspec.json.encode(_Cached(pin, tools)))
    return tools


class _Cached(msgspec.Struct, frozen=True):
    pin: Pin
    tools: list[Tool]


def main() -> None:
    collection = collected()
    for name, catalogue in collection.catalogues.items():
        print(f"{len(catalogue):5}  {name}")
    for name, reason in collection.skipped.items():
        print(f"    -  {name}: {reason}")


if __name__ == "__main__":
    main()
