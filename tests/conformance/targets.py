"""The targets of the suite: the fixture server, alone, with the middleware, or behind a relay.

Each target is a context manager that yields a URL, and always ends the processes it started.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from http_rig import serving

SERVER = str(Path(__file__).parents[1] / "servers" / "conformance_server.py")
END = 5


@contextmanager
def direct() -> Iterator[str]:
    with _process([sys.executable, SERVER, "--port", "0"]) as server:
        yield server.stdout.readline().strip()


@contextmanager
def with_middleware() -> Iterator[str]:
    with _process([sys.executable, SERVER, "--port", "0", "--penstock"]) as server:
        yield server.stdout.readline().strip()


@contextmanager
def relayed_to_http() -> Iterator[str]:
    with direct() as url, _relay("--url", url) as relayed:
        yield relayed


@contextmanager
def relayed_to_stdio() -> Iterator[str]:
    with _relay("--", sys.executable, SERVER, "--stdio") as relayed:
        yield relayed


@contextmanager
def grouped_over_http() -> Iterator[str]:
    with direct() as url, _group({"type": "http", "url": url}) as relayed:
        yield relayed


@contextmanager
def grouped_over_stdio() -> Iterator[str]:
    with _group({"command": sys.executable, "args": [SERVER, "--stdio"]}) as relayed:
        yield relayed


@contextmanager
def _group(entry: dict[str, Any]) -> Iterator[str]:
    """Serve a file with one server."""
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        file = Path(folder) / "mcp.json"
        file.write_text(json.dumps({"mcpServers": {"conformance": entry}}))
        with _relay("--servers", str(file)) as relayed:
            yield relayed


@contextmanager
def _relay(*upstream: str) -> Iterator[str]:
    with serving("--list", "full", *upstream) as url:
        yield url


@contextmanager
def _process(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Run a process. Add its stderr to an error that ends the block."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True)
        try:
            yield process
        except Exception as error:
            said.seek(0)
            error.add_note(f"{command} said:\n{said.read()}")
            raise
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
