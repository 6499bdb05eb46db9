"""python -m benchmarks.django_turns: milliseconds of calls through a gateway, as one line of JSON.

The calls and the views behind them run in turns, in one process, through Django's WSGI handler. So
both have the same transport, the same user's token, and the same database to look it up in. This
runs in Penstock's environment and in the peers', on the site of the options.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from benchmarks import clock
from benchmarks.django_site.gateways import PLACE
from benchmarks.django_site.options import Options

ROUNDS: Final = 300
# For calls that take seconds.
FEW_ROUNDS: Final = 5
OK: Final = 200
CALLER: Final = "call_read_only_tool"
_HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Caller:
    """A client that sends requests to the site, and raises an error if one does not succeed."""

    def __init__(self, application: WSGIHandler) -> None:
        self._application = application
        self._last_id = 0
        self.post("initialize", _HELLO)

    def get(self, url: str) -> bytes:
        return self._answer("GET", url, b"")

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        return self.post("tools/call", {"name": tool, "arguments": arguments})

    def post(self, method: str, params: Mapping[str, Any]) -> bytes:
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        answer = self._answer("POST", PLACE, json.dumps(message).encode())
        if b'"result"' not in answer or b'"isError":true' in answer or b'"isError": true' in answer:
            raise RuntimeError(f"{method} {params!r}: {answer[:400]!r}")
        return answer

    def _answer(self, method: str, url: str, body: bytes) -> bytes:
        parts = urlsplit(url)
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_ACCEPT": "application/json, text/event-stream",
            "HTTP_AUTHORIZATION": "Token ada",
            "HTTP_MCP_PROTOCOL_VERSION": _HELLO["protocolVersion"],
            "wsgi.input": BytesIO(body),
        }
        setup_testing_defaults(environ)
        response = self._application(environ, _begin)
        try:
            answer = b"".join(response)
        finally:
            response.close()
        if response.status_code != OK:
            raise RuntimeError(f"{method} {url}: {response.status_code}: {answer[:400]!r}")
        return answer


def _begin(*_: object) -> Callable[[bytes], object]:
    """Ignore the status and the headers."""
    return bytes


def calls_of_lists(caller: Caller, gateway: str) -> dict[str, Callable[[], object]]:
    """Return the lists and one small call, with the plain view of each."""
    prefix, key = ("inventory_", "pk") if gateway == "penstock" else ("", "id")
    calls: dict[str, Callable[[], object]] = {
        "plain list": lambda: caller.get("/api/devices/"),
        "plain page": lambda: caller.get("/api/devices/?page=2"),
        "plain guarded": lambda: caller.get("/api/guarded/"),
        "plain guarded page": lambda: caller.get("/api/guarded/?page=2"),
        "plain retrieve": lambda: caller.get("/api/devices/17/"),
        "list": lambda: caller.call(f"{prefix}devices_list", {}),
        "guarded": lambda: caller.call(f"{prefix}guarded_list", {}),
        "retrieve": lambda: caller.call(f"{prefix}devices_retrieve", {key: 17}),
    }
    if gateway != "penstock":
        page = {"page": 2}
        return {
            **calls,
            "page": lambda: caller.call("devices_list", page),
            "guarded page": lambda: caller.call("guarded_list", page),
        }
    heavy, guarded = f"{prefix}heavy_list", f"{prefix}guarded_list"
    following, guarded_page = _next_of(caller, heavy), _next_of(caller, guarded)
    return {
        **calls,
        "heavy list": lambda: caller.call(heavy, {}),
        "page": lambda: caller.call(heavy, following),
        "guarded page": lambda: caller.call(guarded, guarded_page),
    }


def calls_of_a_large_site(caller: Caller, gateway: str) -> dict[str, Callable[[], object]]:
    """Return the list of tools. With Penstock, it is an index: also calls through the tool that it
    has for them, with the plain view of each."""
    listed: dict[str, Callable[[], object]] = {"tools/list": lambda: caller.post("tools/list", {})}
    if gateway != "penstock":
        return listed
    name, place = "racks_07", "/api/racks/racks_07/"
    row = {"name": f"{name}_retrieve", "arguments": {"pk": 17}}
    rows = {"name": f"{name}_list", "arguments": {}}
    return {
        **listed,
        "plain retrieve": lambda: caller.get(f"{place}17/"),
        "plain list": lambda: caller.get(place),
        "retrieve": lambda: caller.call(CALLER, row),
        "list": lambda: caller.call(CALLER, rows),
    }


def _next_of(caller: Caller, tool: str) -> dict[str, str]:
    return {"continuation_token": _said(caller.call(tool, {}))["next"]}


def calls_of_functions(caller: Caller) -> dict[str, Callable[[], object]]:
    """Return the calls of a heavy function with 50,000 rows, and of one page of them."""
    token = _said(caller.call("inventory.devices", {}))["continuation_token"]
    page = {"continuation_token": token, "mode": "paginated", "page": 2}
    return {
        "function": lambda: caller.call("inventory.devices", {}),
        "function's page": lambda: caller.call("inventory.devices", page),
    }


def _said(answer: bytes) -> dict[str, Any]:
    text = json.loads(answer)["result"]["content"][0]["text"]
    said: dict[str, Any] = json.loads(text)
    return said


def main() -> None:
    options = Options.from_environment()
    application = get_wsgi_application()
    _ = (
        get_resolver().url_patterns
    )  # load the site's URLs before the time starts, for every gateway
    start = perf_counter()
    caller = Caller(application)
    if options.many:
        caller.post("tools/list", {})
        first = 1_000 * (perf_counter() - start)
        again = clock.in_turns(calls_of_a_large_site(caller, options.gateway), ROUNDS)
        ms = {"first tools/list": first, **clock.middle(again)}
    else:
        lists = clock.in_turns(calls_of_lists(caller, options.gateway), ROUNDS)
        functions = clock.in_turns(calls_of_functions(caller), FEW_ROUNDS)
        ms = {**clock.middle(lists), **clock.middle(functions)}
    json.dump(ms, sys.stdout)


if __name__ == "__main__":
    main()
