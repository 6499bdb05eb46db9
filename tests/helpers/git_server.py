"""The git server of the registry, in a virtual environment of its own."""

import subprocess
import venv
from pathlib import Path

import pytest

GIT_SERVER = "mcp-server-git==2026.10.19"
VENV = Path(__file__).parents[2] / ".venv-servers"


def git_server_command() -> str:
    """Install the server once, because it needs another version of the SDK. Return its command."""
    fcntl = pytest.importorskip("fcntl", reason="locks of POSIX")
    ready = VENV / f".ready-{GIT_SERVER}"
    VENV.mkdir(exist_ok=True)
    with (VENV / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # The other test workers wait here.
        if not ready.exists():
            venv.create(VENV, with_pip=True)
            pip = [VENV / "bin" / "python", "-m", "pip", "install", "--quiet", GIT_SERVER]
            done = subprocess.run(pip, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"{GIT_SERVER} cannot be installed: {done.stderr[-300:]}")
            ready.touch()
    return str(VENV / "bin" / "mcp-server-git")
