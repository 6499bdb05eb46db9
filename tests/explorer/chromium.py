"""The browser of these tests: one Chromium for each test worker, and a thread that drives it.

Playwright's sync calls keep an event loop running in the thread that makes them, so other tests in
that thread could not start a loop. So all code that touches the browser runs in a separate thread:
fixtures through `Driver.run`, tests through the hook in `conftest.py`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
WHY_NOT = "needs Chromium: `apt-get install chromium`, or name one in PENSTOCK_CHROMIUM"
FLAGS = [
    "--no-sandbox",  # Chromium as root refuses to start with one; the frames keep their sandboxes
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing leaves this machine
]


def executable() -> str:
    """Return the path of Chromium. If there is none, skip the test that asks."""
    named = os.environ.get("PENSTOCK_CHROMIUM")
    found = named or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip(WHY_NOT)
    return found


class Driver:
    """A running browser, and the only thread that may talk to it."""

    def __init__(self) -> None:
        program = executable()
        sync_api = pytest.importorskip(
            "playwright.sync_api", reason="needs Playwright: `make test`"
        )
        self._thread = ThreadPoolExecutor(1, "browser")
        self._playwright = self.run(sync_api.sync_playwright().start)
        self.browser = self.run(
            self._playwright.chromium.launch, executable_path=program, args=FLAGS
        )

    def run(self, function: Callable[..., T], *args: Any, **options: Any) -> T:
        return self._thread.submit(function, *args, **options).result()

    def close(self) -> None:
        self.run(self.browser.close)
        self.run(self._playwright.stop)
        self._thread.shutdown()
