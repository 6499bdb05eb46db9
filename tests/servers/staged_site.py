"""A Django site on a stage (`staging.py`): functions that are tools, under Django's own server.

`python staged_site.py FOLDER` prints the URL of the endpoint.
"""

import sys
import time
from typing import Any

from django.conf import settings
from staging import FUNCTIONS, LOOK_SECONDS, TOOLS, Stage

import django

settings.configure(
    SECRET_KEY="for tests alone, and long enough for any signature",  # noqa: S106 (nobody can reach it)
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "rest_framework",
        "penstock.django",
    ],
    PENSTOCK={
        "AUTHENTICATION_CLASSES": [],
        "PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
        "TIER": f"{__name__}.tier",
    },
)
django.setup()

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402 (after setup)
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402

from penstock.django import mcp_tool  # noqa: E402

urlpatterns = [path("mcp", include("penstock.django.urls"))]
STAGE = Stage(sys.argv[1])


def tier(_request: Any) -> str:
    return "read"


def declare(name: str) -> None:
    schema = {"type": "object", "properties": TOOLS[name]}

    @mcp_tool(name, f"The tool {name}.", schema, permission_classes=[])
    def tool(arguments: Any, _request: Any) -> str:
        while STAGE.is_held(name):
            time.sleep(LOOK_SECONDS)
        return FUNCTIONS[name](**arguments)


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log nothing."""


if __name__ == "__main__":
    for tool in TOOLS:
        declare(tool)
    ThreadedWSGIServer.request_queue_size = 128  # many connect at once
    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet, ipv6=False)
    server.set_app(get_wsgi_application())
    print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)  # noqa: T201 (where it is)
    server.serve_forever()
