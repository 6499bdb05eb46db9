"""The points of the contract that all carriers keep.

A point is for every carrier, unless `LEFT_OUT` gives a reason why it does not apply.
"""

from fnmatch import fnmatchcase
from typing import Any

import pytest
from call_stages import STAGES
from carrier_rigs import CARRIERS, Carrier

POINTS = [
    "notifications from the client",
    "requests among notifications",
    "notifications from upstream",
    "many calls",
    "two clients",
    *(f"cancellation while {stage}" for stage in STAGES),
    "cancellation told to upstream",
    *(f"death while {stage}" for stage in ("loading", "storing")),
    *(f"death at once while {stage}" for stage in STAGES),
    "death of a shared process",
    "death of a remote server",
    "slow effects",
    "programs",
    "calls of a program at once",
    "cancellation of a program",
    "time of a program",
    "death under a program",
    "answers over the limit",
    "time of a call",
]

INSIDE = "the server is in the same process, and sends no message to Penstock"
FRAMEWORK = "the framework carries all messages itself, and shows Penstock some of them"
STATELESS = "the endpoint keeps no session: it passes no notification on, and sends none"
HANG_UP = "a modern client over HTTP sends requests alone, and says the rest by hanging up"
# The names of points and carriers may be patterns.
LEFT_OUT: list[tuple[str, tuple[str, ...], str]] = [
    ("notifications from the client", ("mcp-*", "fastmcp-*"), FRAMEWORK),
    ("notifications from the client", ("serve-*modern",), HANG_UP),
    ("requests among notifications", ("mcp-*", "fastmcp-*"), FRAMEWORK),
    ("requests among notifications", ("serve-*modern",), HANG_UP),
    ("requests among notifications", ("run-url-*",), "HTTP keeps no order between two requests"),
    ("requests among notifications", ("*-servers-*",), "a hub answers a ping itself"),
    ("*notifications*", ("django-*",), STATELESS),
    ("two clients", ("run-*", "mcp-*", "fastmcp-*"), "a pipe has one client"),
    ("cancellation *", ("django-*",), "a synchronous endpoint does not hear a client leave"),
    ("death *", ("mcp-*", "fastmcp-*", "django-*"), "the server is the process of the rules"),
    ("death * loading", ("serve-modern",), "the call does not wait for the process that died"),
    ("death * loading", ("*-url-*",), "a remote server is not missed before it is asked"),
    ("death * loading", ("*-servers-*",), "a server that has died is started again"),
    ("death * reading", ("serve-modern", "*-url-*", "*-servers-*"), "the reader needs no upstream"),
    ("death of a shared process", ("run-*", "*-url-*", "serve-*legacy"), "no process is shared"),
    ("* while listing", ("*-servers-*",), "a call asks no server for a list that is known"),
    ("answers over the limit", ("mcp-*", "fastmcp-*", "django-*"), INSIDE),
    ("time of a call", ("mcp-*", "fastmcp-*", "django-*"), "the framework has limits of its own"),
    ("calls of a program at once", ("django-*",), "a synchronous endpoint makes calls in turn"),
    ("time of a program", ("django-*",), "a synchronous endpoint waits for the view that it calls"),
    ("death of a remote server", ("run-legacy", "run-modern", "serve-legacy", "serve-modern"),
     "the server is a process of the carrier's"),
    ("death of a remote server", ("*-servers-*",), "the server is a process of the carrier's"),
]  # fmt: skip


def reason(point: str, carrier: Carrier) -> str | None:
    """Return why a point does not apply to a carrier, or None if it does."""
    for points, carriers, why in LEFT_OUT:
        if fnmatchcase(point, points) and any(fnmatchcase(str(carrier), one) for one in carriers):
            return why
    return None


def is_for(point: str, carrier: Carrier) -> bool:
    assert point in POINTS, point
    return reason(point, carrier) is None


def carriers_for(point: str) -> Any:
    """Parametrize a test with every carrier that a point is for."""
    chosen = [one for one in CARRIERS if is_for(point, one)]
    return pytest.mark.parametrize("carrier", chosen, ids=str)


def carriers_at(point: str, *stages: str) -> Any:
    """Parametrize a test with stages of a call, and with the carriers that the point is for."""
    chosen = [
        (carrier, stage)
        for carrier in CARRIERS
        for stage in stages
        if is_for(f"{point} while {stage}", carrier)
    ]
    return pytest.mark.parametrize(("carrier", "stage"), chosen, ids=str)
