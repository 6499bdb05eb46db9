"""The stages of a `tools/call`. A call surely reaches each, and stays until the test continues."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from carrier_clients import Client
from carrier_rigs import Rig
from relay_processes import is_gone, wait_until

ROWS = 2_000
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT count(*) FROM c"
BUSY_SECONDS = 0.1  # of processor time; an idle worker uses none


@dataclass(frozen=True)
class Reached:
    """A call that is held at its stage: its id, and the keys that the store had before the call."""

    key: int
    kept: set[bytes]


Reach = Callable[[Rig, Client], AbstractContextManager[Reached]]


@contextmanager
def listing(rig: Rig, client: Client) -> Iterator[Reached]:
    """Hold a call while Penstock asks upstream for its list of tools."""
    # Inside a server Penstock asks before the first call. A relay asks because of a reference.
    is_inside = rig.carrier.upstream == "inside"
    value = "plain" if is_inside else f"@result:{stored(client)}"
    with kept_in_upstream(rig, "tools/list", lambda: client.call("take", value=value)) as reached:
        yield reached


@contextmanager
def loading(rig: Rig, client: Client) -> Iterator[Reached]:
    """Hold a call while Penstock loads a referenced result from the store."""
    reference = f"@result:{stored(client)}"
    with kept_in_store(rig, lambda: client.call("take", value=reference)) as reached:
        yield reached


@contextmanager
def running(rig: Rig, client: Client) -> Iterator[Reached]:
    """Hold a call while upstream runs the tool."""
    with kept_in_upstream(rig, "wait", lambda: client.call("wait")) as reached:
        yield reached


@contextmanager
def storing(rig: Rig, client: Client) -> Iterator[Reached]:
    """Hold a call while Penstock stores its large result."""
    stored(client)  # so that the store is connected, and its next command is the result itself
    with kept_in_store(rig, lambda: client.call("large", rows=ROWS)) as reached:
        yield reached


@contextmanager
def reading(rig: Rig, client: Client) -> Iterator[Reached]:
    """Hold a call while the worker runs an endless query. Afterwards wait for the worker's end."""
    ask = partial(sql, client, stored(client))
    client.result(ask("SELECT count(*) FROM result"))  # so that a worker is up, and holds the rows
    (worker,) = rig.workers()
    kept, used = rig.store.keys(), processor_seconds(worker)
    key = ask(ENDLESS)
    wait_until(lambda: processor_seconds(worker) > used + BUSY_SECONDS, "a busy worker")
    yield Reached(key, kept)
    wait_until(lambda: is_gone(worker.pid), "the end of the worker")


STAGES: dict[str, Reach] = {
    reach.__name__: reach for reach in (listing, loading, running, storing, reading)
}


@contextmanager
def kept_in_upstream(rig: Rig, cue: str, send: Callable[[], int]) -> Iterator[Reached]:
    kept, heard = rig.store.keys(), len(rig.stage.heard(cue))
    with rig.stage.holding(cue):
        key = send()
        wait_until(lambda: len(rig.stage.heard(cue)) > heard, f"{cue} at the server")
        yield Reached(key, kept)


@contextmanager
def kept_in_store(rig: Rig, send: Callable[[], int]) -> Iterator[Reached]:
    kept = rig.store.keys()
    with rig.store.shut():
        key = send()
        rig.store.wait_for_command()
        yield Reached(key, kept)
    rig.store.wait_for_reply()


def stored(client: Client) -> str:
    """Return the token of a large result."""
    return probe(client, client.call("large", rows=ROWS))["continuation_token"]


def probe(client: Client, key: int) -> dict[str, Any]:
    """Wait for the probe of a large result."""
    return json.loads(client.text(key))


def sql(client: Client, token: str, query: str) -> int:
    return client.call("read_result", continuation_token=token, mode="sql", query=query)


def processor_seconds(process: Any) -> float:
    times = process.cpu_times()
    return times.user + times.system
