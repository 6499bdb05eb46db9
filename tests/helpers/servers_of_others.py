"""Servers on Python that others wrote, in virtual environments of their own: they need other versions
of the SDK."""

import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The packages of each environment. Those of the second were written for the SDK before 2.0.
ENVIRONMENTS = {
    ".venv-servers": (
        "mcp-server-git==2026.10.19",
        "mcp-server-time==2026.10.19",
        "mcp-server-fetch==2026.10.24",
        "excel-mcp-server==2.2.2",
    ),
    ".venv-servers-old": ("mcp-server-sqlite==2025.4.25", "mcp<2"),
}


def server_of_others(program: str) -> str:
    """Return the path of a server's program. Install it once, with the others of its environment."""
    fcntl = pytest.importorskip("fcntl", reason="locks of POSIX")
    name, packages = next(
        (name, packages)
        for name, packages in ENVIRONMENTS.items()
        if any(package.startswith(f"{program}==") for package in packages)
    )
    folder = ROOT / name
    ready = folder / ".ready"
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # The other test workers wait here.
        if not ready.exists() or ready.read_text() != "\n".join(packages):
            _install(folder, packages)
            ready.write_text("\n".join(packages))
    return str(folder / "bin" / program)


def _install(folder: Path, packages: tuple[str, ...]) -> None:
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{', '.join(packages)} cannot be installed: {done.stderr[-300:]}")
