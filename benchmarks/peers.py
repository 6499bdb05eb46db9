"""Penstock's relay and its peers: how each is started in front of a server, and called.

The peers have their own environment, which `install` makes.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.disclosure.catalogue import Catalogue

_HERE = Path(__file__).parent
_ENVIRONMENT = _HERE.parent / ".venv-peers"
_READY = _ENVIRONMENT / ".ready"
_REQUIREMENTS = _HERE / "peers.txt"
_PROGRAMS = _ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin")
_SERVERS = _HERE / "servers"
PYTHON = str(_PROGRAMS / "python")


@dataclass(frozen=True, slots=True)
class Contender:
    """A command that serves MCP, and the way to call its tools."""

    command: tuple[str, ...]
    invoker: str = ""  # the tool that calls all others, if there is one
    prefix: str = ""  # of the names of tools

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the parameters of `tools/call`."""
        if not self.invoker:
            return {"name": self.prefix + tool, "arguments": arguments}
        return {
            "name": self.invoker,
            "arguments": {"tool_name": tool, "tool_input": arguments},
        }


def direct(*arguments: str) -> Contender:
    """Return the server itself, with nothing in front of it."""
    return Contender((sys.executable, str(_SERVERS / "light.py"), *arguments))


def replay(catalogue: Catalogue, file: Path) -> Contender:
    """Return a server that lists these tools, which it reads from a file."""
    file.write_bytes(b"[" + b",".join(tool.raw for tool in catalogue) + b"]")
    return Contender((sys.executable, str(_SERVERS / "replay.py"), str(file)))


def penstock(server: Contender, *options: str) -> Contender:
    return Contender((sys.executable, "-m", "penstock", "run", *options, "--", *server.command))


def penstock_servers(file: Path, *options: str) -> Contender:
    """Return one Penstock in front of all servers of a file."""
    return Contender((sys.executable, "-m", "penstock", "run", *options, "--servers", str(file)))


def mcp_compressor(server: Contender, *options: str) -> Contender:
    program = str(_PROGRAMS / "mcp-compressor")
    return Contender((program, *options, "--", *server.command), invoker="server_invoke_tool")


def fastmcp_proxy(server: Contender, limit: int = 0) -> Contender:
    program = (PYTHON, str(_SERVERS / "fastmcp_proxy.py"))
    return Contender((*program, str(limit), *server.command))


def penstock_http(*arguments: str) -> Contender:
    serve = (sys.executable, "-m", "penstock", "serve", "--port", "0", "--no-stats")
    return Contender((*serve, *arguments))


def mcp_compressor_http(url: str) -> Contender:
    """Return mcp-compressor in front of a URL. Without `--auth` it looks for an OAuth server."""
    listening = ("--transport", "streamable-http", "--port", "0")
    program = str(_PROGRAMS / "mcp-compressor")
    command = (program, *listening, "--", url, "--auth", "explicit-headers")
    return Contender(command, invoker="server_invoke_tool")


def fastmcp_proxy_http(url: str) -> Contender:
    return Contender((PYTHON, str(_SERVERS / "fastmcp_proxy.py"), "0", url))


def fastmcp_code_mode(server: Contender, most_calls: int) -> Contender:
    program = (PYTHON, str(_SERVERS / "code_mode.py"))
    return Contender((*program, str(most_calls), *server.command))


def fastmcp_config(file: Path, prefix: str = "") -> Contender:
    """Return FastMCP's own command, as one server that stands for all servers of a file."""
    return Contender((str(_PROGRAMS / "fastmcp"), "run", str(file), "--no-banner"), prefix=prefix)


def mcp_compressor_config(file: Path, name: str) -> Contender:
    """Return mcp-compressor in front of all servers of a file. The server `name` is called."""
    command = (str(_PROGRAMS / "mcp-compressor"), "--config", str(file))
    return Contender(command, invoker=f"{name}_invoke_tool")


def install() -> None:
    """Install the peers in their own environment, once, and again if the pins change."""
    wanted = _REQUIREMENTS.read_text(encoding="utf-8")
    if _READY.exists() and _READY.read_text(encoding="utf-8") == wanted:
        return
    print(f"Setting up {_ENVIRONMENT.name} (once) ...", file=sys.stderr, flush=True)
    venv.create(_ENVIRONMENT, with_pip=True)
    (_ENVIRONMENT / ".gitignore").write_text("*\n", encoding="utf-8")
    pip = [PYTHON, "-m", "pip", "install"]
    quiet = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *quiet, "-r", str(_REQUIREMENTS)], check=True)  # noqa: S603
    _READY.write_text(wanted, encoding="utf-8")
