"""python fastmcp_proxy.py BYTES (COMMAND ... | URL): FastMCP's proxy, as its documentation shows.

It has FastMCP's limit of responses, or none if BYTES is 0. In front of a URL it serves HTTP itself,
and prints its own URL on stderr. Runs in the peers' environment.
"""

from __future__ import annotations

import asyncio
import socket
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import FastMCP, create_proxy
from fastmcp.server.middleware.response_limiting import (
    ResponseLimitingMiddleware,
)

_BACKLOG = 1_024
_IDLE_SECONDS = 120  # The first sessions wait until the last one is open.


def main() -> None:
    most, target, *arguments = sys.argv[1:]
    is_url = target.startswith("http://")
    proxy = create_proxy(target if is_url else StdioTransport(target, arguments))
    if int(most):
        proxy.add_middleware(ResponseLimitingMiddleware(max_size=int(most)))
    if is_url:
        _serve(proxy)
    else:
        proxy.run(show_banner=False)


def _serve(proxy: FastMCP) -> None:
    opened = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
    host, port = opened.getsockname()
    print(f"http://{host}:{port}/mcp", file=sys.stderr, flush=True)
    asyncio.run(
        proxy.run_http_async(
            show_banner=False,
            sockets=[opened],
            log_level="error",
            uvicorn_config={"timeout_keep_alive": _IDLE_SECONDS},
        )
    )


if __name__ == "__main__":
    main()
