"""python -m benchmarks.django_site.serve: serve the site of the options; the URL is on stderr.

The server is that of the standard library, with a thread per connection: both environments have it.
"""

from __future__ import annotations

import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from benchmarks.django_site.gateways import PLACE


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
        """Log nothing: the replies show what is measured."""


def main() -> int:
    try:
        application = _application()
    except Exception as error:  # noqa: BLE001 (that it does not start is a finding)
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return 1
    with make_server("127.0.0.1", 0, application, _Server, _Handler) as server:
        print(f"http://127.0.0.1:{server.server_port}{PLACE}", file=sys.stderr, flush=True)
        server.serve_forever()
    return 0


def _application() -> WSGIHandler:
    """Return the site with its URLconf loaded, as Django's `runserver` does by its checks."""
    application = get_wsgi_application()
    _ = get_resolver().url_patterns
    return application


if __name__ == "__main__":
    sys.exit(main())
