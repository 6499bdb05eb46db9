"""python fastmcp_proxy.py BYTES COMMAND ...: FastMCP's proxy, made as its documentation shows.

It has FastMCP's limit of responses, or none if BYTES is 0. Runs in the peers' environment.
"""

from __future__ import annotations

import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
from fastmcp.server.middleware.response_limiting import (
    ResponseLimitingMiddleware,
)


def main() -> None:
    most, program, *arguments = sys.argv[1:]
    proxy = create_proxy(StdioTransport(program, arguments))
    if int(most):
        proxy.add_middleware(ResponseLimitingMiddleware(max_size=int(most)))
    proxy.run(show_banner=False)


if __name__ == "__main__":
    main()
