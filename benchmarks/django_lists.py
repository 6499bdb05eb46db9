"""Lists of a Django site through Penstock's endpoint, compared with the plain views behind them.

The same lists are measured through frisian-mcp, compared with the same views in its own process.
Times are medians of calls in turns. A plain list is one COUNT and a page of twenty, of 50,000 rows.
frisian-mcp does not accept a bare `@mcp_heavy`, so its lists are undecorated; the function shows
what it does with 50,000 rows. On a large site, the time of the first list of tools includes the
handshake, because a gateway may look for endpoints in either.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks import peers
from benchmarks.django_site.options import Options
from benchmarks.django_sites import seeded
from benchmarks.lines import Line

FIRST_CALL: Final = 2.0
FOLLOWING_PAGE: Final = 1.5
ONE_ROW: Final = 1.3
KNOWN_LIST_MS: Final = 100
_PYTHONS: Final = {"penstock": sys.executable, "frisian": peers.PYTHON}

Milliseconds = Mapping[str, float]


def measure() -> Iterator[Line]:
    peers.install()
    with TemporaryDirectory() as folder:
        database = seeded(Path(folder))
        ours = _timed("penstock", database, bare=True)
        theirs = _timed("frisian", database)
        yield from _lists(ours, theirs)
        yield from _functions(ours, theirs)
        ours = _timed("penstock", database, many=True, writing=True)
        theirs = _timed("frisian", database, many=True, writing=True)
    yield from _large_site(ours, theirs)


def _lists(ours: Milliseconds, theirs: Milliseconds) -> Iterator[Line]:
    first, page = "list of 50,000 rows, first call", "list of 50,000 rows, a following page"
    yield _beside("plain list", first, ours, "heavy list", FIRST_CALL)
    yield _beside("plain list", f"{first}, undecorated", ours, "list")
    yield _beside("plain list", f"{first}, frisian-mcp", theirs, "list")
    yield _beside("plain page", page, ours, "page", FOLLOWING_PAGE)
    yield _beside("plain page", f"{page}, frisian-mcp", theirs, "page")
    guarded = "under a permission of the database's"
    yield _beside("plain guarded", f"{guarded}, first call", ours, "guarded", FIRST_CALL)
    yield _beside("plain guarded", f"{guarded}, first call, frisian-mcp", theirs, "guarded")
    plain, following = "plain guarded page", f"{guarded}, a following page"
    yield _beside(plain, following, ours, "guarded page", FOLLOWING_PAGE)
    yield _beside(plain, f"{following}, frisian-mcp", theirs, "guarded page")
    yield _beside("plain retrieve", "one row", ours, "retrieve")
    yield _beside("plain retrieve", "one row, frisian-mcp", theirs, "retrieve")


def _functions(ours: Milliseconds, theirs: Milliseconds) -> Iterator[Line]:
    what = "heavy function of 50,000 rows"
    yield Line(f"{what}, beside frisian-mcp", ours["function"], theirs["function"])
    page = "function's page"
    yield Line(f"{what}, page 2, beside frisian-mcp", ours[page], theirs[page])


def _large_site(ours: Milliseconds, theirs: Milliseconds) -> Iterator[Line]:
    where = "1,800 endpoints, through call_read_only_tool"
    yield _beside("plain retrieve", f"{where}: one row", ours, "retrieve", ONE_ROW)
    yield _beside("plain list", f"{where}: a list's first call", ours, "list", FIRST_CALL)
    known = "tools/list of 1,800 endpoints, known, beside 100 ms"
    yield Line(known, ours["tools/list"], KNOWN_LIST_MS, limit=1.0)
    for name, what in (("first tools/list", "first use"), ("tools/list", "again")):
        label = f"tools/list of 1,800 endpoints, {what}, beside frisian-mcp"
        yield Line(label, ours[name], theirs[name])


def _beside(plain: str, what: str, ms: Milliseconds, call: str, limit: float | None = None) -> Line:
    return Line(what, ms[call], ms[plain], limit=limit)


def _timed(gateway: str, database: Path, **chosen: Any) -> dict[str, float]:
    """Return the milliseconds of the median calls, in a new process with a copy of the database."""
    copy = database.with_name(f"{gateway}.sqlite3")
    shutil.copyfile(database, copy)
    ran = subprocess.run(  # noqa: S603 (our own module)
        [_PYTHONS[gateway], "-m", "benchmarks.django_turns"],
        env=Options(str(copy), gateway=gateway, **chosen).environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    ms: dict[str, float] = json.loads(ran.stdout)
    return ms
