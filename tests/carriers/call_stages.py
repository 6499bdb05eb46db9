"""The stages of a `tools/call`. Each is reached for certain, and lasts until the test goes on."""

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
BUSY_SECONDS = 0.1  # of processor time, of which an idle worker uses none


@dataclass(frozen=True)
class Reached:
    """A call that is kept at its stage: its id, and what was in the store before it."""

    key: int
    kept: set[bytes]


Reach = Callable[[Rig, Client], AbstractContextManager[Reached]]


@contextmanager
def listing(rig: Rig, client: Client) -> Iterator[Reached]:
    """Upstream is being asked for its list of tools."""
    # Inside a server Penstock asks before the first call; a relay asks for the sake of a reference.
    is_inside = rig.carrier.upstream == "inside"
    value = "plain" if is_inside else f"@result:{stored(client)}"
    with kept_in_upstream(rig, "tools/list", lambda: client.call("take", value=value)) as reached:
        yield reached


@contextmanager
def loading(rig: Rig, client: Client) -> Iterator[Reached]:
    """A reference to a stored result is being loaded from the store."""
    reference = f"@result:{stored(client)}"
    with kept_in_store(rig, lambda: client.call("take", value=reference)) as reached:
        yield reached


@contextmanager
def running(rig: Rig, client: Client) -> Iterator[Reached]:
    """Upstream runs the tool."""
    with kept_in_upstream(rig, "wait", lambda: client.call("wait")) as reached:
        yield reached


@contextmanager
def storing(rig: Rig, client: Client) -> Iterator[Reached]:
    """The large result of the tool is being stored."""
    stored(client)  # so that the store is connected, and its next command is the result itself
    with kept_in_store(rig, lambda: client.call("large", rows=ROWS)) as reached:
        yield reached


@contextmanager
def reading(rig: Rig, client: Client) -> Iterator[Reached]:
    """The worker works on a question that has no end. It is killed if the test does not end it."""
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
    """Wait for what stands in the place of a large result."""
    return json.loads(client.text(key))


def sql(client: Client, token: str, query: str) -> int:
    return client.call("read_result", continuation_token=token, mode="sql", query=query)


def processor_seconds(process: Any) -> float:
    times = process.cpu_times()
    return times.user + times.system
