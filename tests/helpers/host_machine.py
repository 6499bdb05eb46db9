"""A user's machine: a home with configs of hosts, and `penstock` as a real process in it."""

import json
import subprocess
import sys
import venv
from pathlib import Path

from environments import clean_environment
from relay_processes import PATIENCE, SERVERS

PLAIN = {"command": sys.executable, "args": [str(SERVERS / "plain_server.py")]}
_MARKS = "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()"
_SOURCE = Path(__file__).parents[2] / "src"


class Machine:
    """A home with configs, and a folder in which commands run."""

    def __init__(self, root):
        self.home, self.folder = root / "home", root / "shop"
        self.home.mkdir()
        self.folder.mkdir()
        self.variables = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config")}

    def config(self, name, servers, *, folder=None):
        path = (folder or self.home) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            servers if isinstance(servers, str) else json.dumps({"mcpServers": servers})
        )
        return path

    def command(self, *words, python=sys.executable):
        return {
            "args": [python, "-m", "penstock", *map(str, words)],
            "env": clean_environment(**self.variables),
            "cwd": self.folder,
        }

    def penstock(self, *words, python=sys.executable):
        return subprocess.run(
            **self.command(*words, python=python),
            capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL,
            timeout=PATIENCE, check=False,
        )  # fmt: skip

    def wrap(self, *words):
        done = self.penstock("wrap", *words)
        assert "Traceback" not in done.stderr
        return done


def marking(path):
    """Return the entry of a server that leaves a mark when it starts."""
    return {"command": sys.executable, "args": ["-c", _MARKS, str(path)]}


def environment(folder, only=None):
    """Make a virtual environment that has Penstock, and return its Python. `only` names the
    libraries that it has; without it, the environment has those of this Python."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    (site,) = (folder / "lib").glob("python*/site-packages")
    others = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "penstock.pth").write_text(f"{_SOURCE}\n" if only else f"{_SOURCE}\n{others}\n")
    for name in only or ():
        for found in Path(others).glob(f"{name}*"):  # the library, and its metadata
            (site / found.name).symlink_to(found)
    return str(python)
