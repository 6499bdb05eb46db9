"""The outer limits of a sandbox process, which hold even if the sandbox library has a fault.

The library starts its processes itself, with an empty environment, from the path of a program. On
Linux that path leads to a script in memory, which lowers the limits and then becomes the sandbox.
On other platforms the library's own limits are the only ones.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import Final

_KILOBYTE: Final = 1_024
_PLACE_FOR_CODE: Final = (
    512_000_000  # bytes of address space, for the sandbox's own code and stacks
)
_MOST_FILES: Final = 32
_MFD_EXEC: Final = 0x10
_SCRIPT: Final = """#!/bin/sh
ulimit -c 0
ulimit -f 0
ulimit -n {files}
ulimit -v {memory}
exec env -i setsid {program} "$@" 2>/dev/null
"""


class SandboxLauncher:
    """The path from which the library starts a sandbox. The path is valid until `close`."""

    def __init__(self, program: str, memory: int) -> None:
        self._script: int | None = None
        self.path = program
        if sys.platform == "linux":
            self._script = _executable_memory()
            # A program's values take more space than the sandbox counts for them.
            limit = (2 * memory + _PLACE_FOR_CODE) // _KILOBYTE
            script = _SCRIPT.format(files=_MOST_FILES, memory=limit, program=shlex.quote(program))
            os.write(self._script, script.encode())
            os.fchmod(self._script, 0o500)
            self.path = f"/proc/{os.getpid()}/fd/{self._script}"

    def close(self) -> None:
        if self._script is not None:
            os.close(self._script)
            self._script = None


def _executable_memory() -> int:
    """Return a file in memory that may be executed. Since Linux 6.3, a file has to ask for that."""
    try:
        return os.memfd_create("penstock-sandbox", os.MFD_CLOEXEC | _MFD_EXEC)
    except OSError:  # an older Linux does not know the flag, and allows it anyway
        return os.memfd_create("penstock-sandbox", os.MFD_CLOEXEC)
