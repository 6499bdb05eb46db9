"""The points of the contract, and the carriers that each is for.

Each point is for every carrier, except where `LEFT_OUT` says why it has no meaning there.
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
]

FRAMEWORK = "the framework carries all messages itself, and shows Penstock some of them"
STATELESS = "the endpoint keeps no session: it passes no notification on, and sends none"
HANG_UP = "a modern client over HTTP sends requests alone, and says the rest by hanging up"
# The names of points and carriers may be patterns.
LEFT_OUT: list[tuple[str, tuple[str, ...], str]] = [
    ("notifications from the client", ("mcp-*", "fastmcp-*"), FRAMEWORK),
    ("notifications from the client", ("serve-modern", "serve-url-modern"), HANG_UP),
    ("requests among notifications", ("mcp-*", "fastmcp-*"), FRAMEWORK),
    ("requests among notifications", ("serve-modern", "serve-url-modern"), HANG_UP),
    ("requests among notifications", ("run-url-*",), "HTTP keeps no order between two requests"),
    ("*notifications*", ("django-*",), STATELESS),
    ("two clients", ("run-*", "mcp-*", "fastmcp-*"), "a pipe has one client"),
    ("cancellation *", ("django-*",), "a synchronous endpoint does not hear a client leave"),
    ("death *", ("mcp-*", "fastmcp-*", "django-*"), "the server is the process of the rules"),
    ("death * loading", ("serve-modern",), "the call does not wait for the process that died"),
    ("death * loading", ("*-url-*",), "a remote server is not missed before it is asked"),
    ("death * reading", ("serve-modern", "*-url-*"), "the reader needs no upstream"),
    ("death of a shared process", ("run-*", "*-url-*", "serve-legacy"), "no process is shared"),
    ("death of a remote server", ("run-legacy", "run-modern", "serve-legacy", "serve-modern"),
     "the server is a process of the carrier's"),
]  # fmt: skip


DELAYED = "the death of upstream is told only after the store has answered"
# Where the present code does not keep the contract.
DEFECTS: list[tuple[str, tuple[str, ...], str]] = [
    ("cancellation while running", ("run-url-legacy", "serve-url-legacy"),
     "upstream rightly ends its stream without an answer, and the client gets an error for that"),
    ("death at once while loading", ("run-legacy", "run-modern", "serve-legacy"), DELAYED),
    ("death at once while storing", ("run-legacy", "run-modern", "serve-legacy"), DELAYED),
]  # fmt: skip


def reason(
    table: list[tuple[str, tuple[str, ...], str]], point: str, carrier: Carrier
) -> str | None:
    """Return what a table says of a point and a carrier."""
    for points, carriers, why in table:
        if fnmatchcase(point, points) and any(fnmatchcase(str(carrier), one) for one in carriers):
            return why
    return None


def marked(point: str, *values: Any) -> Any:
    """Return the parameters of a test, marked where it is known to fail."""
    assert point in POINTS, point
    why = reason(DEFECTS, point, values[0])
    marks = [] if why is None else [pytest.mark.xfail(strict=True, reason=why)]
    return pytest.param(*values, id="-".join(map(str, values)), marks=marks)


def carriers_for(point: str) -> Any:
    """Parametrize a test with every carrier that a point is for."""
    chosen = [one for one in CARRIERS if reason(LEFT_OUT, point, one) is None]
    return pytest.mark.parametrize("carrier", [marked(point, one) for one in chosen])


def carriers_at(point: str, *stages: str) -> Any:
    """Parametrize a test with stages of a call, and with the carriers that the point is for there."""
    chosen = [
        marked(f"{point} while {stage}", carrier, stage)
        for carrier in CARRIERS
        for stage in stages
        if reason(LEFT_OUT, f"{point} while {stage}", carrier) is None
    ]
    return pytest.mark.parametrize(("carrier", "stage"), chosen)
