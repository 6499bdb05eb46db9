"""python -m benchmarks.django_site.serve_drf: serve drf-mcp over the same site.

It is not a Django app: FastMCP serves what it found in the URLconf, from its own process.
"""

from __future__ import annotations

import socket
import sys

import uvicorn

import django
from benchmarks.django_site.gateways import PLACE


def main() -> None:
    django.setup()
    # Only in the peers' environment, and only after the setup: it imports models.
    from drf_mcp import DRFMCP  # type: ignore[import-not-found]

    found = DRFMCP("site")
    found.autodiscover()
    application = found.get_server().http_app(PLACE, stateless_http=True, json_response=True)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}{PLACE}", file=sys.stderr, flush=True)
        uvicorn.Server(uvicorn.Config(application, log_level="error")).run(sockets=[listener])


if __name__ == "__main__":
    main()
