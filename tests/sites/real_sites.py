"""The real sites: each is installed once, filled once, and run as a process of its own Python."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SITES = ROOT / ".sites"
RESULTS = SITES / "results"
# For the gateway, the agent of its tests, and the measured gateways' place in a URLconf.
SOURCES = (ROOT / "src", ROOT, HERE, HERE.parent / "django")


@dataclass(frozen=True)
class RealSite:
    """A site, with its environment and its data in a folder that git ignores."""

    name: str
    title: str
    needs_services: bool = False
    services: dict[str, str] = field(default_factory=dict)  # variables that lead to them

    @property
    def folder(self) -> Path:
        return SITES / self.name

    @property
    def state(self) -> Path:
        """The folder of the site's database and files."""
        folder = self.folder / "state"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @property
    def python(self) -> str:
        return str(self.folder / "environment" / "bin" / "python")

    @property
    def package(self) -> str:
        return f"{self.name.replace('-', '_')}_site"

    @property
    def _pins(self) -> Path:
        return HERE / f"requirements-{self.name}.txt"

    def install(self) -> None:
        """Install the site, once, and again if the pins or Penstock's own dependencies change."""
        wanted = self._pins.read_text("utf-8") + (ROOT / "pyproject.toml").read_text("utf-8")
        with _once(self.folder / "installed", wanted) as is_wanted:
            if is_wanted:
                _say(f"installing {self.title}")
                _install(self.folder / "environment", "-r", str(self._pins), "-e", str(ROOT))

    def fill(self) -> None:
        """Make the data, once. What is there already stays."""
        wanted = self._pins.read_text("utf-8") + (HERE / self.package / "fill.py").read_text(
            "utf-8"
        )
        with _once(self.folder / "filled", wanted) as is_wanted:
            if is_wanted:
                _say(f"filling {self.title}: on a new database this takes minutes")
                self.run("fill", gateway="plain")

    def run(self, task: str, gateway: str = "penstock", state: str = "", **settings: Any) -> Any:
        """Run a task of `inside` in a new process, and return its result. `state` is Penstock's
        state folder, a new one if none is named. The result and the log stay in a file each."""
        _say(f"{self.title}: {task}, {gateway}")
        file = self.result_file(task, gateway)
        file.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory() as folder, file.with_suffix(".log").open("wb") as log:
            ran = subprocess.run(
                [self.python, "-m", "inside", self.package, task, str(file)],
                env=self._environment(gateway, state or folder, settings),
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False,
            )  # fmt: skip
        if ran.returncode:
            printed = file.with_suffix(".log").read_text("utf-8", "replace").strip()
            file.write_text(json.dumps({"failed": printed.splitlines()[-1]}), "utf-8")
            raise DidNotRun(f"{self.title}, {task}, {gateway}: {printed[-2_000:]}")
        return json.loads(file.read_text("utf-8"))

    def result_file(self, task: str, gateway: str) -> Path:
        return RESULTS / f"{self.name}-{task}-{gateway}.json"

    def _environment(self, gateway: str, state: str, settings: dict[str, Any]) -> dict[str, str]:
        ours = ("PENSTOCK_", "DJANGO_", "NAUTOBOT_", "LABEL_STUDIO_", "SITE_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return {
            **kept,
            **self.services,
            "PYTHONPATH": os.pathsep.join(map(str, SOURCES)),
            "XDG_STATE_HOME": state,
            "SITE_STATE": str(self.state),
            "SITE_GATEWAY": gateway,
            "SITE_PENSTOCK": json.dumps(settings),
        }


class DidNotRun(Exception):
    """A task of a site ended with an error. The message is the end of its log."""


ALL = (
    RealSite("nautobot", "Nautobot 3.2.7", needs_services=True),
    RealSite("label-studio", "Label Studio 1.23.2"),
    RealSite("wagtail", "Wagtail 8.0.1"),
)


@contextmanager
def services_of(site: RealSite) -> Iterator[dict[str, str]]:
    """Run the database and the cache that a site needs, and yield the variables that name them."""
    with TemporaryDirectory(prefix="s-") as runtime:
        process = subprocess.Popen(
            [site.python, "-m", "inside.services", str(site.state)],
            env={**os.environ, "PYTHONPATH": str(HERE), "XDG_RUNTIME_DIR": runtime},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        with process:
            found = json.loads(process.stdout.readline() or "{}")
            if not found:
                raise DidNotRun(f"{site.title}: its database or its cache did not start")
            yield {f"SITE_{name.upper()}": value for name, value in found.items()}
            process.stdin.close()


@contextmanager
def _once(mark: Path, wanted: str) -> Iterator[bool]:
    """Yield whether something is still to be done, and note that it was done."""
    digest = hashlib.sha256(wanted.encode()).hexdigest()
    is_done = mark.exists() and mark.read_text("utf-8") == digest
    mark.parent.mkdir(parents=True, exist_ok=True)
    yield not is_done
    mark.write_text(digest, "utf-8")


def _install(environment: Path, *packages: str) -> None:
    """Install packages with uv, if it is there, else with pip."""
    if uv := shutil.which("uv"):
        if not environment.exists():
            subprocess.run([uv, "venv", "--python", sys.executable, str(environment)], check=True)
        command = [uv, "pip", "install", "--python", str(environment / "bin" / "python")]
    else:
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        command = [str(environment / "bin" / "python"), "-m", "pip", "install"]
    subprocess.run([*command, "--quiet", *packages], check=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 (the progress of an hour)
