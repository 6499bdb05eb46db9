"""The peak extra memory of an offer, compared with the size of the payload: of a text, or as JSON.

Each offer has its own process. The kernel's figures are used, so that the allocations of libraries
count too: the high-water mark of resident memory during the offer (VmHWM, reset just before), less
the resident memory just before. By then the payload exists, a small offer has loaded all that loads
once, and free memory was returned to the system, so that an offer cannot use it unseen.

Linux only: other systems have no such mark that can be reset.
"""

from __future__ import annotations

import csv
import ctypes
import gc
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from benchmarks import payloads
from benchmarks.lines import Line
from penstock import Call, Gate, Policy, Principal, Result

MEGABYTE = 1_000_000
CALL = Call("list_rows", principal=Principal("benchmark"))
# The payload, its form, the store, and the limit if there is one.
CASES = [
    *((kind, form, "sqlite", 2.0) for kind in payloads.KINDS for form in ("objects", "bytes")),
    *(("10 MB of rows", form, "sqlite", 2.25) for form in ("text", "indented text", "CSV text")),
    ("10 MB of rows", "objects", "memory", None),
    ("10 MB of rows", "bytes", "memory", None),
]


def measure() -> Iterator[Line]:
    if not Path("/proc/self/clear_refs").exists():
        return
    with TemporaryDirectory() as folder:
        for kind in payloads.KINDS:
            _write(Path(folder, kind), kind)
        for kind, form, store, limit in CASES:
            size = _size(Path(folder, kind), form)
            what = f"memory: {kind} as {form} into {store}"
            extra = _in_own_process(folder, kind, form, store)
            yield Line(what, extra / MEGABYTE, size / MEGABYTE, "MB", limit)


def _write(path: Path, kind: str) -> None:
    make, count = payloads.KINDS[kind]
    path.write_bytes(payloads.as_json(make(count)))


def _size(path: Path, form: str) -> int:
    """Return the size of a text, and of any other payload as JSON."""
    data = path.read_bytes()
    return len(_TEXTS[form](data)) if form in _TEXTS else len(data)


def _in_own_process(*arguments: str) -> int:
    command = [sys.executable, "-m", "benchmarks.memory", *arguments]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603


def _extra(folder: str, kind: str, form: str, store: str) -> int:
    with TemporaryDirectory() as place:
        url = "memory:" if store == "memory" else f"sqlite://{Path(place, 'ours.db')}"
        gate = Gate(Policy(store=url))
        gate.offer(CALL, list(payloads.ordinary(1_000)))
        payload = _payload(Path(folder, kind), kind, form)
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        before = _resident("VmRSS")
        gate.offer(CALL, payload)
        return _resident("VmHWM") - before


def _payload(path: Path, kind: str, form: str) -> Any:
    if form == "objects":
        make, count = payloads.KINDS[kind]
        return list(make(count))
    data = path.read_bytes()
    return Result(structured=msgspec.Raw(data)) if form == "bytes" else _TEXTS[form](data)


def _as_csv(data: bytes) -> str:
    rows, made = msgspec.json.decode(data), io.StringIO(newline="")
    writer = csv.DictWriter(made, [*rows[0]])
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()


_TEXTS: Final[dict[str, Callable[[bytes], str]]] = {
    "text": bytes.decode,
    "indented text": lambda data: msgspec.json.format(data, indent=2).decode(),
    "CSV text": _as_csv,
}


def _resident(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(f"{name}:"))
    return 1_024 * int(line.split()[1])


if __name__ == "__main__":
    print(_extra(*sys.argv[1:]))
