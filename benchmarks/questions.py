"""Questions to stored results: the first one in SQL, a join, and the summary.

The floor of SQL is a new process that decodes every row and inserts it with one `executemany`. The
floor of a summary is one decoding of every row.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from time import process_time
from typing import Any, Final

import msgspec

from benchmarks import clock, payloads
from benchmarks.formats import csv_text
from benchmarks.lines import Line
from penstock import Call, Gate, Policy

ROUNDS: Final = 7
SQL: Final = 2.0
SUMMARY: Final = 3.0
JOIN_MS: Final = 1_000
JOINED_ROWS: Final = 50_000
_CSV_ROWS: Final = 170_000
_COUNT: Final = {"mode": "sql", "query": "SELECT count(*) AS n FROM result"}
_JOIN: Final = "SELECT count(*) AS n FROM result a JOIN other b ON b.id = a.id WHERE b.active"
_POLICY: Final = Policy(query_seconds=60, quota="1GB", capacity="1GB")

_JSON_FLOOR: Final = """
import sqlite3, sys, msgspec
rows = [msgspec.json.decode(line) for line in sys.stdin.buffer.read().split(b"\\n")]
names = [*rows[0]]
db = sqlite3.connect(":memory:", isolation_level=None)
db.execute(f"CREATE TABLE result ({','.join(names)})")
db.execute("BEGIN")
marks = ",".join("?" * len(names))
db.executemany(f"INSERT INTO result VALUES ({marks})", (tuple(row.values()) for row in rows))
print(db.execute("SELECT count(*) FROM result").fetchone())
"""
_JOIN_FLOOR: Final = f"""
import sqlite3, sys, msgspec
db = sqlite3.connect(":memory:", isolation_level=None)
for table, part in zip(("result", "other"), sys.stdin.buffer.read().split(b"\\n\\n")):
    rows = [msgspec.json.decode(line) for line in part.split(b"\\n")]
    names = [*rows[0]]
    db.execute(f"CREATE TABLE {{table}} ({{','.join(names)}})")
    db.execute("BEGIN")
    marks = ",".join("?" * len(names))
    db.executemany(f"INSERT INTO {{table}} VALUES ({{marks}})", (tuple(row.values()) for row in rows))
    db.execute("COMMIT")
print(db.execute("{_JOIN}").fetchone())
"""  # noqa: S608 (our own statement)
_CSV_FLOOR: Final = """
import csv, io, sqlite3, sys
reader = csv.reader(io.StringIO(sys.stdin.buffer.read().decode(), newline=""))
names = next(reader)
kinds = [{"id": int, "level": float, "count": int}.get(name, str) for name in names]
rows = ([kind(cell) for kind, cell in zip(kinds, row)] for row in reader)
db = sqlite3.connect(":memory:", isolation_level=None)
db.execute(f"CREATE TABLE result ({','.join(names)})")
db.execute("BEGIN")
db.executemany(f"INSERT INTO result VALUES ({','.join('?' * len(names))})", rows)
print(db.execute("SELECT count(*) FROM result").fetchone())
"""


def measure() -> Iterator[Line]:
    rows = [*map(msgspec.json.encode, payloads.ordinary(payloads.TEN_MEGABYTES))]
    as_json, as_csv = _list_of(rows), csv_text(count=_CSV_ROWS)
    yield _first("10 MB of JSON rows", as_json, _JSON_FLOOR, b"\n".join(rows))
    yield _first("10 MB of CSV", as_csv, _CSV_FLOOR, as_csv.encode())
    yield _summary(as_json, rows)
    yield from _joins(rows[:JOINED_ROWS])


def _first(what: str, value: Any, floor: str, sent: bytes) -> Line:
    """Measure a first question. Each run has a gate whose worker has no process yet."""
    asked = [StoredValues(value) for _ in range(ROUNDS + 1)]
    ready = iter(asked)
    runs = clock.in_turns(
        {"ours": lambda: next(ready).ask(_COUNT), "floor": lambda: _process(floor, sent)}, ROUNDS
    )
    for stored in asked:
        stored.close()
    ms = clock.best(runs)
    return Line(f"the first sql over {what}", ms["ours"], ms["floor"], limit=SQL)


def _summary(value: Any, rows: list[bytes]) -> Line:
    stored = StoredValues(value)
    tasks = {
        "ours": lambda: stored.ask({"mode": "summary"}),
        "floor": lambda: [msgspec.json.decode(row) for row in rows],
    }
    ms = clock.best(clock.in_turns(tasks, ROUNDS, process_time))
    stored.close()
    return Line("the summary of 10 MB of JSON rows", ms["ours"], ms["floor"], limit=SUMMARY)


def _joins(rows: list[bytes]) -> Iterator[Line]:
    """Measure the first join of two results: beside its floor, and in all, as an agent waits for it."""
    asked = [StoredValues(_list_of(rows), _list_of(rows)) for _ in range(ROUNDS + 1)]
    ready = iter(asked)
    sent = b"\n".join(rows)
    runs = clock.in_turns(
        {
            "ours": lambda: next(ready).join(_JOIN),
            "floor": lambda: _process(_JOIN_FLOOR, sent + b"\n\n" + sent),
        },
        ROUNDS,
    )
    for stored in asked:
        stored.close()
    ms = clock.best(runs)
    what = f"the first join of two results of {JOINED_ROWS:,} rows"
    yield Line(what, ms["ours"], ms["floor"], limit=SQL)
    yield Line(f"{what}, in all", ms["ours"], 0, limit=JOIN_MS, difference=True)


class StoredValues:
    """A gate with some stored results."""

    def __init__(self, *values: Any) -> None:
        self._gate = Gate(_POLICY)
        replies = [self._gate.offer(Call("rows"), value).value for value in values]
        self._tokens = [str(reply["continuation_token"]) for reply in replies]

    def ask(self, fields: Mapping[str, Any]) -> None:
        reply = self._gate.read(Call("", {"continuation_token": self._tokens[0], **fields}))
        assert not reply.is_error, reply.text

    def join(self, query: str) -> None:
        self.ask({"mode": "sql", "query": query, "tables": {"other": self._tokens[1]}})

    def close(self) -> None:
        self._gate.close()


def _list_of(rows: list[bytes]) -> msgspec.Raw:
    return msgspec.Raw(b"[" + b",".join(rows) + b"]")


def _process(program: str, sent: bytes) -> None:
    subprocess.run([sys.executable, "-c", program], input=sent, check=True, capture_output=True)  # noqa: S603 (our own program)
