"""An offer of a 10 MB list of rows into SQLite, compared with the least work that is needed.

The floor for Python objects is orjson of each row, joined to chunks of the same size, zstd, and one
transaction of the same blobs (WAL, synchronous NORMAL). It keeps nothing else: no size on the
wire, no columns, no count of values that became null, no checksum, no quota. The floor for bytes
splits them with msgspec. zstd runs at our level and, for comparison, at its default level, 3.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import orjson
import zstandard

from benchmarks import clock, payloads
from benchmarks.lines import Line
from penstock import Call, Gate, Policy, Principal, Result

CALL = Call("list_customers", principal=Principal("benchmark"))
ROUNDS = 15
CHUNK_BYTES = 64_000
OUR_LEVEL = 1
RAW_ROWS = msgspec.json.Decoder(list[msgspec.Raw])


def measure() -> Iterator[Line]:
    rows = list(payloads.ordinary(payloads.TEN_MEGABYTES))
    data = msgspec.json.encode(rows)
    text = data.decode()
    with TemporaryDirectory() as folder:
        gate = Gate(Policy(store=f"sqlite://{Path(folder, 'ours.db')}"))
        floor = Floor(Path(folder, "floor.db"))
        runs = clock.in_turns(
            {
                "objects": lambda: gate.offer(CALL, rows),
                "floor": lambda: floor.put(map(orjson.dumps, rows), OUR_LEVEL),
                "floor 3": lambda: floor.put(map(orjson.dumps, rows), 3),
                "bytes": lambda: gate.offer(CALL, Result(structured=msgspec.Raw(data))),
                "text": lambda: gate.offer(CALL, text),
                "floor of bytes": lambda: floor.put(map(bytes, RAW_ROWS.decode(data)), OUR_LEVEL),
            },
            ROUNDS,
        )
        gate.close()
        floor.close()
    ms = clock.best(runs)
    yield Line("10 MB of Python objects into SQLite", ms["objects"], ms["floor"], limit=2)
    yield Line("  the same beside zstd at level 3", ms["objects"], ms["floor 3"], limit=2)
    yield Line("10 MB of JSON bytes into SQLite", ms["bytes"], ms["floor of bytes"])
    yield Line("10 MB of JSON text into SQLite", ms["text"], ms["floor of bytes"])


class Floor:
    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        for pragma in ("page_size = 8192", "journal_mode = WAL", "synchronous = NORMAL"):
            self._db.execute(f"PRAGMA {pragma}")
        # The same as in our store: by default, every put would include a checkpoint.
        self._db.execute("PRAGMA wal_autocheckpoint = 4096")
        self._db.execute("CREATE TABLE chunks (id INTEGER PRIMARY KEY, body BLOB)")

    def put(self, rows: Iterable[bytes], level: int) -> None:
        compress = zstandard.ZstdCompressor(level=level).compress
        blobs = [compress(b"\n".join(group)) for group in _chunks(rows)]
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT INTO chunks (body) VALUES (?)", ((blob,) for blob in blobs))
        self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()


def _chunks(rows: Iterable[bytes]) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    size = 0
    for row in rows:
        group.append(row)
        size += len(row)
        if size >= CHUNK_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
