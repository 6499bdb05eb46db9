"""Disks and files that fail for one process alone, by what Linux offers for that."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

_MOUNT = 'mount -t tmpfs -o size=4m,mode=0700 none "$0" && exec "$@"'
# As root, a mode of 0400 refuses nothing without this.
_HEEDING_MODES = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@cache
def in_own_mounts() -> list[str]:
    """Return a command that runs another with mounts of its own, or skip the test."""
    for command in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        if shutil.which("unshare") and works([*command, "sh", "-c", _MOUNT, "/mnt", "true"]):
            return command
    pytest.skip("this machine lets nobody mount a small disk (unshare --mount)")


def on_small_disk(folder: Path) -> list[str]:
    """Return a prefix: the command after it runs with a disk of 4 MB in this folder. The disk goes
    with the process, so that none is left behind."""
    return [*in_own_mounts(), "sh", "-c", _MOUNT, str(folder)]


class SmallDisk:
    """The disk of a process, as this process reaches it."""

    def __init__(self, pid: int, folder: Path) -> None:
        self.folder = Path(f"/proc/{pid}/root{folder}")
        self._filler = self.folder / "filler"

    def fill(self) -> None:
        """Take all the room that is left."""
        with self._filler.open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4_096):
                    pass
            except OSError:
                pass
        assert os.statvfs(self.folder).f_bavail == 0

    def empty(self) -> None:
        self._filler.unlink()


@cache
def heeding_modes() -> list[str]:
    """Return a prefix: the command after it may not write a file whose mode forbids that."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root may write every file, and setpriv is not installed")
    if not works([*_HEEDING_MODES, "true"]):
        pytest.skip("root may write every file, and may not give that up (setpriv)")
    return _HEEDING_MODES


def works(command: list[str]) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
