"""The host page and the sandbox page, bundled, each served at its own origin."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from node_runtime import node, package

SOURCES = Path(__file__).parent / "host"


def bundle(folder: Path) -> None:
    """Write the pages into the folder, ready to be served."""
    command = [
        package(".bin/esbuild"),
        *(str(SOURCES / "host.ts"), str(SOURCES / "sandbox.ts")),
        *("--bundle", "--minify", "--format=esm", "--platform=browser", "--log-level=warning"),
        f"--outdir={folder}",
    ]
    # esbuild is a program or a script for Node, depending on how npm installed it.
    path = os.pathsep.join([str(Path(node()).parent), os.environ["PATH"]])
    environment = {**os.environ, "NODE_PATH": package(""), "PATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"The host page cannot be built: {done.stderr}", pytrace=False)
    for page in SOURCES.glob("*.html"):
        (folder / page.name).write_bytes(page.read_bytes())


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def serving_files(folder: Path) -> Iterator[str]:
    """Serve a folder, and yield its origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()
